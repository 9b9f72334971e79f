"""The page of finished work: per unit what became of it, in whose words, what it belonged to, and what was turned down.

No sentence about an outcome is ours: it is quoted with author, standing, age and address, or said to be missing.
"""

from __future__ import annotations

from typing import Any

from relore_serve.pages import pieces
from relore_serve.pages.addresses import Short
from relore_serve.pages.untrusted import login, name, quote, wrap

_FEW = 3
"""Paths and names that a compact page shows of each list; what is left out is counted."""

_LONG = 10
"""Days from which tenths of one are left out."""

_HOW = {
    "merge": "said with the merge",
    "approval": "said when approving",
    "last word": "last word before the merge, inferred",
    "closing": "said with the closing",
    "near the closing": "said near the closing, inferred",
    "statement": "from its opening post",
}
_MISSING = {
    "gone": "the words are held no longer",
    "withheld": "the words are withheld: not as of then, edited since, or of an excluded thread",
}
_KINDS = {"bug_fix": "bug fix", "feature": "feature", "refactor": "refactor", "deprecation": "deprecation"}
_SAYS = {
    "attempt": "rejected attempt",
    "revert": "taken back by",
    "instead": "came to pass as",
    "issue": "for",
}


def render(payload: dict[str, Any], *, compact: bool, presentation: bool) -> str:
    """Return the page of a scrubbed answer."""
    units: list[dict[str, Any]] = payload["units"]
    short = Short.of(units, compact=compact)
    blocks = [_block(place, unit, short, compact=compact) for place, unit in enumerate(units, start=1)]
    foot = _foot(payload, presentation=presentation)
    return wrap(
        "\n\n".join(
            [
                "\n".join([*_head(payload), *short.lines(), *_legend(short)]),
                *blocks,
                *(["\n".join(foot)] if foot else []),
            ]
        )
    )


def _head(payload: dict[str, Any]) -> list[str]:
    query = payload["query"]
    return pieces.present(
        _count(payload),
        _widened(payload),
        pieces.unasked(payload["query"]["unasked_terms"]) if payload["units"] else None,
        _told_elsewhere(payload),
        _reopened(payload),
        *(_emptiness(payload) if not payload["units"] else ()),
        *_unbuilt(query),
        _unknown_kind(payload),
        _untested(payload["files_untested"]),
        *_unasked(query),
        _as_of(query["before"]),
        pieces.scrubbed(payload),
    )


def _legend(short: Short) -> list[str]:
    """Return what the units of a short page leave out, each time the same."""
    return (
        ["days: from opening to end; a kind of work is named where something tells it"]
        if short.beginning
        else []
    )


def _count(payload: dict[str, Any]) -> str:
    count, total, query = payload["count"], payload["total"], payload["query"]
    asked = f" for {pieces.caller_words(query['text'])}" if query["text"] else ""
    least = "" if payload["total_exact"] else "at least "
    what = "rejected attempt" if query["rejected"] else "precedent"
    if count == total and payload["total_exact"]:
        return f"{pieces.counted(count, what)}{asked}"
    return f"{count:,} of {least}{pieces.counted(total, what)}{asked}"


def _widened(payload: dict[str, Any]) -> str | None:
    if not payload["units"]:
        return None
    return {
        "any-term": "widened: no text carries every word, so these carry some of them.",
        "any-term-among": "widened: few texts carry every word, so units that carry some are among these.",
    }.get(payload["query"]["widened"])


def _told_elsewhere(payload: dict[str, Any]) -> str | None:
    number = payload["attempts_told"]
    if not number:
        return None
    match = "matches" if number == 1 else "match"
    return (
        f"({pieces.counted(number, 'rejected attempt')} {match} too, told with the work that came instead; --rejected "
        "lists each)"
    )


def _reopened(payload: dict[str, Any]) -> str | None:
    number = payload["reopened_since"]
    if not number:
        return None
    were = "was" if number == 1 else "were"
    return (
        f"({pieces.counted(number, 'pull request')} {were} closed then and opened again since: not looked at, whatever "
        "the words)"
    )


def _bounds(query: dict[str, Any]) -> list[str]:
    found = ["--rejected"] if query["rejected"] else []
    return found + pieces.filters({**query, "trust": None})


def _emptiness(payload: dict[str, Any]) -> list[str]:
    query = payload["query"]
    bounds = _bounds(query)
    lines = [f"filters: {', '.join(bounds)} (all must hold)"] if bounds else []
    if not query["repos"]:
        return [*lines, "no repository is in scope: nothing is indexed here that may be asked about."]
    lines.append(f"repositories asked: {', '.join(map(name, query['repos']))}")
    if len(query["never_built"]) == len(query["repos"]):
        return lines
    if payload["total"]:
        lines.append(f"nothing follows this cursor: {payload['reachable']:,} are in reach of pages.")
    elif query["before"]:
        lines.append(f"none matches, of {pieces.counted(payload['units_total'], 'unit')} finished by then.")
    else:
        lines.append(f"none matches, of {pieces.counted(payload['units_total'], 'finished unit')} of work.")
    return lines


def _unbuilt(query: dict[str, Any]) -> list[str]:
    if not query["never_built"]:
        return []
    repos = ", ".join(map(name, query["never_built"]))
    return [f"no precedents were built yet of {repos}: that is no answer. relored derive builds them."]


def _unknown_kind(payload: dict[str, Any]) -> str | None:
    number = payload["kind_unknown"]
    if not number:
        return None
    return (
        f"{pieces.counted(number, 'more unit')} would match, but nothing says what kind of work "
        f"{'it was' if number == 1 else 'they were'}; without --kind they are shown."
    )


def _untested(number: int) -> str | None:
    if not number:
        return None
    return (
        f"{pieces.counted(number, 'more pull request')} would match, but the list of changed files is missing or cut "
        "off, so --file could not test them."
    )


def _unasked(query: dict[str, Any]) -> list[str]:
    lines: list[str] = []
    if query["dropped_terms"]:
        dropped = pieces.counted(query["dropped_terms"], "word")
        lines.append(
            f"the question holds {dropped} beyond the first {query['terms']:,}, which were not asked."
        )
    if query["unsearchable_terms"]:
        number = query["unsearchable_terms"]
        words = pieces.counted(number, "word")
        lines.append(
            f"{words} of the question {'is' if number == 1 else 'are'} too long to be found by, and not asked."
        )
    if query["text"] and not query["terms"]:
        lines.append("the text holds no word that could be looked for.")
    lines += [
        f"{pieces.caller_words(text)} is no error line, so --error cannot match it; give it as text."
        for text in query["uninformative_errors"]
    ]
    return lines


def _as_of(before: str | None) -> str | None:
    if before is None:
        return None
    return (
        f"as of {before}: only work finished by then; texts known to be edited since are left out, opening posts may "
        "be in today's words, and kinds are told from titles alone, since labels may be of later; "
        f"{pieces.JUDGED_TODAY}."
    )


def _block(place: int, unit: dict[str, Any], short: Short, *, compact: bool) -> str:
    lines = [
        f"{place}. {short.reference(unit)} {unit['outcome']} {unit['age']} {login(unit['author'])}",
        quote(unit["title"].strip()),
        *short.of_thread(unit),
        _work(unit, short),
    ]
    lines += _words("problem", unit["problem"], short, unit) if unit["problem"] else []
    lines += _outcome(unit, short)
    lines += _words("best passage", unit["match"], short, unit) if unit["match"] else []
    lines += pieces.present(_carries(unit))
    for each in unit["related"]:
        lines += _related(each, short)
    for role, plural in (("issue", "issues"), ("attempt", "rejected attempts"), ("revert", "reverts")):
        hidden = unit[f"{role}s_total"] - sum(each["role"] == role for each in unit["related"])
        lines += [f"({hidden:,} more {plural}, not shown)"] if hidden > 0 else []
    return "\n".join(lines + _lists(unit, compact=compact))


def _work(unit: dict[str, Any], short: Short) -> str:
    kind = (
        f"{_KINDS[unit['kind']]} (by {name(unit['kind_evidence'])})"
        if unit["kind"]
        else "kind of work not known"
    )
    withheld = f"; not known as of then: {', '.join(unit['withheld'])}" if unit["withheld"] else ""
    days = (
        f"{unit['days']:,.0f} days"
        if unit["days"] >= _LONG
        else f"{unit['days']:g} {'day' if unit['days'] == 1 else 'days'}"
    )
    rounds = pieces.counted(unit["rounds"], "review round")
    by = f" by {pieces.counted(unit['reviewers'], 'reviewer')}" if unit["reviewers"] else ""
    if short.beginning:
        return f"{kind + '; ' if unit['kind'] else ''}{days}; {rounds}{by}{withheld}"
    return f"{kind}; {days} from opening to end; {rounds}{by}{withheld}"


def _outcome(unit: dict[str, Any], short: Short) -> list[str]:
    if unit["words"]:
        return _words("reason" if unit["outcome"] == "rejected" else "outcome", unit["words"], short, unit)
    if unit["words_state"] in _MISSING:
        return [_MISSING[unit["words_state"]]]
    if unit["outcome"] == "rejected":
        return ["no reason was given"]
    return ["merged without a word of somebody with standing"]


def _words(what: str, words: dict[str, Any], short: Short, unit: dict[str, Any]) -> list[str]:
    """Return a quotation with who said it and where, but for the address of the ``unit`` or thread above it."""
    how = _HOW.get(words["how"])
    said = f" ({how})" if how else ""
    cut = " (cut)" if words["truncated"] else ""
    text = [quote(words["text"])] if words["text"] else []
    where = [short.address(words["url"], unit["url"])] if words["url"] != unit["url"] else []
    kind = short.kind(words, "".join(where))
    # A thread's opening post is its author's, who is named above.
    own = short.beginning and words["source_type"] == "body" and words["url"] == unit["url"]
    who = "" if own and words["author"] == unit["author"] else login(words["author"])
    byline = f"[{pieces.tier(words['trust'])}] {words['age']} {kind}{who}".rstrip()
    return [f"{what}{said}{cut}: {byline}", *text, *where]


def _carries(unit: dict[str, Any]) -> str | None:
    facts = (fact.partition(":") for fact in unit["facts"])
    carried = [*map(name, unit["terms"]), *(f"{kind} {name(value)}" for kind, _, value in facts)]
    return f"carries: {', '.join(carried)}" if carried else None


def _related(each: dict[str, Any], short: Short) -> list[str]:
    state = (
        "merged" if each["merged"] else "(state not known)" if each["state"] == "unknown" else each["state"]
    )
    label = "inferred" if each["how"] == "inferred" else "linked"
    says = "came to pass, and was taken back since, as" if each["reverted"] else _SAYS[each["role"]]
    thread = f"{says}: {short.reference(each)} {state} {each['age']}"
    lines = [f"{thread}, {label}: {_evidence(each['evidence'])}", quote(each["title"].strip())]
    if each["words"]:
        return lines + _words("reason" if each["role"] == "attempt" else "words", each["words"], short, each)
    if each["words_state"] in _MISSING:
        return [*lines, _MISSING[each["words_state"]]]
    return [*lines, "no reason was given"] if each["role"] == "attempt" else lines


def _evidence(text: str) -> str:
    """Return words of ours as they are; they may hold parentheses, which `pieces.words` takes for somebody else's."""
    bare = text.replace("(", "").replace(")", "")
    return text if bare == pieces.words(bare) else name(text)


def _lists(unit: dict[str, Any], *, compact: bool) -> list[str]:
    lines: list[str] = []
    for kind in ("files", "symbols", "errors", "tests"):
        held = unit[kind]
        shown = held["shown"][:_FEW] if compact else held["shown"]
        if not shown:
            continue
        of = f"{len(shown):,} of {held['total']:,}" if held["total"] > len(shown) else f"{held['total']:,}"
        lines.append(f"{kind} ({of}): {', '.join(map(name, shown))}")
    if unit["files_stated"] is not None:
        lines.append(
            f"GitHub states {pieces.counted(unit['files_stated'], 'changed file')}; the list held is not whole."
        )
    return lines


def _foot(payload: dict[str, Any], *, presentation: bool) -> list[str]:
    lines: list[str] = []
    if payload["cursor"]:
        lines.append(f"(next page: --cursor {name(payload['cursor'])})")
    elif payload["units"] and payload["reachable"] < payload["total"]:
        lines.append(
            f"(pages lead to {payload['reachable']:,} of them only; more words or a filter find others)"
        )
    if payload["query"].get("limit_asked"):
        lines.append(f"({payload['query']['limit']} units are the most that a page holds; --cursor goes on)")
    if presentation and payload["units"]:
        lines.append(f"(read one: relore thread {pieces.reference(payload['units'][0]).split()[0]})")
    elif presentation:
        lines.append("(fewer filters, or two or three distinctive words, find more)")
    return lines
