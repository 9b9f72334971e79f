"""The page of a search: what was asked and admitted, then a block per hit.

A block is ``N. owner/name#92 pr merged [tier] age source_type @author``, the quoted title (once per thread),
the quoted snippet, the address. No score is printed: the order is the ranking. Where all hits of a compact page are of
one repository, it is named once, with what their addresses begin with.
"""

from __future__ import annotations

from typing import Any

from relore_serve.pages import addresses, pieces, why
from relore_serve.pages.untrusted import name, quote, wrap
from relore_serve.search.results import TOPPED_UP, WORDLESS

_DIVIDERS = {
    "further": "-- more of the threads above --",
    "some-terms": "-- only some of the words --",
    "some-terms-further": "-- more of the threads above, with only some of the words --",
    "noise": "-- nods, thanks and blank templates --",
}
_DIVIDERS_ALIKE = {
    "some-terms": "-- only some of the words, or none and like the question --",
    "some-terms-further": "-- more of the threads above, with only some of the words or none --",
}

_NAMED = 8
"""Words that a line names of those that hold a part."""


def render(payload: dict[str, Any], *, compact: bool, presentation: bool) -> str:
    """Return the page of a scrubbed answer."""
    hits = payload["hits"]
    place = addresses.common(hits) if compact and len(hits) > 1 else None
    head = _head(payload, presentation=presentation)
    if place:
        head.append(addresses.said_once(hits[0]["repo"], place))
    dividers = _DIVIDERS | (_DIVIDERS_ALIKE if payload["alike_total"] else {})
    blocks = _blocks(hits, place, dividers, explain=payload["query"]["explain"])
    foot = _foot(payload, presentation=presentation)
    return wrap("\n\n".join(["\n".join(head), *blocks, *(["\n".join(foot)] if foot else [])]))


def _head(payload: dict[str, Any], *, presentation: bool) -> list[str]:
    query = payload["query"]
    return pieces.present(
        _count(payload),
        pieces.trust_floor(query),
        _order(query),
        _widened(payload),
        pieces.unasked(payload["query"]["unasked_terms"], heads=True) if payload["hits"] else None,
        _beside(payload),
        _alike(payload),
        _by_machines(payload),
        *map(_contained, query["contains"]),
        *(_emptiness(payload) if not payload["hits"] else ()),
        _untested(payload["files_untested"], exact=payload["files_untested_exact"]),
        *_unasked(query),
        _as_of(payload),
        *_misfiled(payload),
        *_suggested(payload["suggestions"]),
        pieces.scrubbed(payload),
        _backend(payload["backend"]) if presentation else None,
    )


def _count(payload: dict[str, Any]) -> str:
    count, total, query = payload["count"], payload["total"], payload["query"]
    asked = f" for {pieces.caller_words(query['text'])}" if query["text"] else ""
    if not query["text"] and any(leg["leg"] == "filters" for leg in query["legs"]):
        return _count_admitted(payload)
    # What is counted up to a bound is a lower bound of both: of the texts, and of the threads they stand in.
    least = "" if payload["total_exact"] else "at least "
    where = f", in {least}{pieces.counted(payload['threads_total'], 'thread')}" if total > 1 else ""
    if total and payload["alike_total"] == total:
        whole = f"{count:,} of " if count != total else ""
        threads = pieces.counted(payload["threads_total"], "thread")
        return (
            f"nothing matches{asked}; {whole}{pieces.counted(total, 'text')} of {threads} like the question"
        )
    if count == total and payload["total_exact"]:
        return f"{pieces.counted(count, 'hit')}{asked}{where}"
    if not total:
        return f"0 hits{asked} among the texts that were looked at"
    return f"{count:,} of {least}{pieces.counted(total, 'hit')}{asked}{where}"


def _count_admitted(payload: dict[str, Any]) -> str:
    """Return what is counted where filters alone are asked: they admit threads, and every text of these is a hit."""
    count, total, carrying = payload["count"], payload["total"], payload["carrying_total"]
    least = "" if payload["total_exact"] else "at least "
    if not total:
        return "0 hits"
    whole = f"{count:,} of " if count != total or least else ""
    threads = pieces.counted(payload["threads_total"], "thread")
    admit = "passes" if payload["threads_total"] == 1 and not least else "pass"
    texts = f"{whole}{least}{pieces.counted(total, 'text')} of {least}{threads} that {admit} the filters"
    if carrying is None or carrying == total:
        return texts
    return f"{texts}; {least}{carrying:,} of them {'carries it itself' if carrying == 1 else 'carry it themselves'}"


def _contained(part: dict[str, Any]) -> str:
    """Return which words hold a part, those in the most texts, and how many there are."""
    words, total = part["words"], part["total"]
    if total is None:
        return f"which words hold {pieces.caller_words(part['value'])} is not told here: words bear no dates"
    named = ", ".join(map(name, words[:_NAMED]))
    asked = f"; the {len(words):,} in the most texts were looked for" if total > len(words) else ""
    more = f", and {total - min(len(words), _NAMED):,} more" if total > _NAMED else ""
    held = f"{pieces.counted(total, 'word')} of the index {'holds' if total == 1 else 'hold'}"
    return f"{held} {pieces.caller_words(part['value'])}{f': {named}{more}' if words else ''}{asked}"


def _suggested(suggestions: list[dict[str, Any]]) -> list[str]:
    """Return the questions that find something, each with how much."""
    if not suggestions:
        return []
    return [
        "tried on this index, by words and filters alone, this finds something:",
        *(
            f"  {each['change']}, {'' if each['total_exact'] else 'at least '}"
            f"{pieces.counted(each['total'], 'hit')}: {each['form']}"
            for each in suggestions
        ),
    ]


def _end(payload: dict[str, Any]) -> list[str]:
    """Return what to do where pages end before the hits do."""
    if not payload["hits"] or _is_whole(payload):
        return []
    way = "more words, a filter, --since or --before find others"
    if payload["reaches_back_to"]:
        way = f"--before {payload['reaches_back_to']} goes on, with what was there then"
    return [f"(pages lead to {payload['reachable']:,} of them only; {way})"]


def _order(query: dict[str, Any]) -> str | None:
    return "newest first" if query["sort"] == "newest" else None


def _widened(payload: dict[str, Any]) -> str | None:
    if not payload["query"]["widened"] or not payload["hits"]:
        return None
    if payload["query"]["widened"] == WORDLESS:
        # Where likeness alone let them in, the line above and a line of its own say so.
        return None if payload["alike_total"] == payload["total"] else "no text was found by the words."
    if payload["query"]["widened"] == TOPPED_UP:
        every = payload["every_term_total"]
        carry = "carries" if every == 1 else "carry"
        return f"widened: {every:,} of them {carry} every word; those below a line, some."
    these = "those found by words" if payload["alike_total"] else "these"
    return f"widened: no document carries every word, so {these} carry some of them, the rare ones counting most."


def _beside(payload: dict[str, Any]) -> str | None:
    """Return how many of the hits carry none of the words, or a part of them, and what let them in."""
    if not payload["query"]["terms"] or not payload["query"]["text"]:
        return None
    without = [hit for hit in payload["hits"] if not hit["why"]["terms"]]
    partly = [
        hit
        for hit in payload["hits"]
        if hit["why"]["terms"] and hit["why"]["missing"] and "text" not in hit["why"]["legs"]
    ]
    if not without and not partly:
        return None
    ways = dict.fromkeys(leg for hit in without + partly for leg in hit["why"]["legs"] if leg != "text")
    counts = [
        f"{len(hits)}{of} {'carries' if len(hits) == 1 else 'carry'} {what}"
        for hits, of, what in (
            (without, " of the hits here", "none of the words"),
            (partly, "" if without else " of the hits here", "only some of the words"),
        )
        if hits
    ]
    return f"{' and '.join(counts)}: found by {', '.join(ways)}"


def _alike(payload: dict[str, Any]) -> str | None:
    """Return how many of the hits no word let in, but the likeness of their threads to the question."""
    number = payload["alike_total"]
    if not payload["hits"] or not number:
        return None
    if number == payload["total"]:
        return (
            "no text was found by its words: these threads are like the question, by title and opening post."
        )
    came = (
        "came in by the likeness of its thread" if number == 1 else "came in by the likeness of their threads"
    )
    return f"{number:,} of the hits {came} alone, by title and opening post, not by words."


def _by_machines(payload: dict[str, Any]) -> str | None:
    number = payload["machine_withheld"]
    if not payload["hits"] or not number:
        return None
    asking = "withheld here: --trust machine asks for them"
    if not payload["machine_threads"]:
        least = "" if payload["machine_withheld_exact"] else "at least "
        match = "matches" if number == 1 else "match"
        return f"{least}{pieces.counted(number, 'text')} of machines {match}, {asking}"
    carry = "carries" if number == 1 else "carry"
    return (
        f"{pieces.counted(number, 'text')} of machines {carry} every word, {asking}; "
        f"in {', '.join(map(name, payload['machine_threads']))}"
    )


def _emptiness(payload: dict[str, Any]) -> list[str]:
    query = payload["query"]
    bounds = pieces.filters(query)
    lines = [f"filters: {', '.join(bounds)} (all must hold)"] if bounds else []
    if not query["repos"]:
        return [*lines, "no repository is in scope: nothing is indexed here that may be asked about."]
    lines.append(f"repositories asked: {', '.join(map(name, query['repos']))}")
    if payload["total"]:
        held = "all there is" if _is_whole(payload) else f"the {payload['reachable']:,} that pages lead to"
        lines.append(f"nothing follows this cursor: the pages before it hold {held}.")
        return lines
    if payload["machine_withheld"]:
        least = "" if payload["machine_withheld_exact"] else "at least "
        number = payload["machine_withheld"]
        lines.append(
            f"no person's words match; {least}{pieces.counted(number, 'text')} of machines "
            f"{'does' if number == 1 else 'do'}, withheld here: --trust machine asks for them."
        )
    elif not payload["total_exact"]:
        lines.append("not every text could be looked at: rarer words let more be.")
    elif query["widened"]:
        lines.append("nothing matches, with every word or with any of them.")
    else:
        lines.append("nothing matches.")
    return lines


def _untested(number: int, *, exact: bool) -> str | None:
    if not number:
        return None
    least = "" if exact else "at least "
    return (
        f"{least}{pieces.counted(number, 'more pull request')} would match, but the list of changed files is missing "
        "or cut off, so --file could not test them."
    )


def _unasked(query: dict[str, Any]) -> list[str]:
    """Return what of the question could not be asked."""
    lines: list[str] = []
    if query["dropped_terms"]:
        dropped = pieces.counted(query["dropped_terms"], "word")
        lines.append(
            f"the question holds {dropped} beyond the first {query['terms']:,}, which were not asked."
        )
    if query["unsearchable_terms"]:
        number = query["unsearchable_terms"]
        lines.append(
            f"{pieces.counted(number, 'word')} of the question {'is' if number == 1 else 'are'} too long to be found "
            "by, and not asked."
        )
    if query["text"] and not query["terms"]:
        only = "; the filters alone were asked" if query["filters"] else ""
        lines.append(f"the text holds no word that could be looked for{only}.")
    return lines


def _as_of(payload: dict[str, Any]) -> str | None:
    """Return the cutoff, what could not be tried as of it, and what is shown in today's words."""
    if payload["query"]["before"] is None:
        return None
    edited, labels = payload["edited_since"], payload["labels_untested"]
    more = "" if payload["edited_since_exact"] else "more than "
    words = {word for hit in payload["hits"] for word in hit["todays_words"]}
    today = [named for word, named in (("title", "titles"), ("body", "opening posts")) if word in words]
    parts = [
        f"as of {payload['query']['before']}, but {pieces.JUDGED_TODAY}",
        f"{more}{pieces.counted(edited, 'text')} edited since {'is' if edited == 1 else 'are'} not searched"
        if edited
        else "",
        f"labels then are not known of {pieces.counted(labels, 'thread')}" if labels else "",
        f"in today's words: {' and '.join(today)}" if today else "",
    ]
    return "; ".join(part for part in parts if part)


def _is_whole(payload: dict[str, Any]) -> bool:
    return payload["total_exact"] and payload["reachable"] >= payload["total"]


def _misfiled(payload: dict[str, Any]) -> list[str]:
    """Return what was given to --error and is text, with the question that would find it."""
    query = payload["query"]
    hopeless: list[str] = query["uninformative_errors"]
    doubtful = [] if payload["hits"] else [text for text in query["untyped_errors"] if text not in hopeless]
    told = [
        *((text, "is no error line, so --error cannot match it") for text in hopeless),
        *((text, "names no type of error") for text in doubtful),
    ]
    # What was tried and finds something is spelled out below, with how much it finds.
    tried = any("as text" in each["change"] for each in payload["suggestions"])
    return [
        f"{pieces.caller_words(text)} {reason}"
        + ("" if tried else f"; as text it is: relore search {pieces.caller_words(text)}")
        for text, reason in told
    ]


def _backend(backend: dict[str, Any]) -> str:
    return f"({backend['name']} / {backend['ranking']})"


def _blocks(
    hits: list[dict[str, Any]], place: str | None, dividers: dict[str, str], *, explain: bool
) -> list[str]:
    titled: set[tuple[str, int]] = set()
    blocks: list[str] = []
    group = "best"
    for position, hit in enumerate(hits, start=1):
        if hit["group"] != group:
            group = hit["group"]
            blocks.append(dividers[group])
        block = _block(position, hit, titled, place)
        blocks.append(f"{block}\n{why.line(hit)}" if explain else block)
    return blocks


def _block(position: int, hit: dict[str, Any], titled: set[tuple[str, int]], place: str | None) -> str:
    thread = (hit["repo"], hit["number"])
    reference = f"#{hit['number']} {hit['type']}" if place else pieces.reference(hit)
    lines = [f"{position}. {reference} {pieces.state(hit)} {pieces.byline(hit)}"]
    if thread not in titled:
        titled.add(thread)
        lines.append(quote(hit["title"].strip()))
    if hit["source_type"] != "title" and hit["snippet"]:
        lines.append(quote(hit["snippet"]))
    lines.append(addresses.of(hit["url"].removeprefix(place or "")))
    return "\n".join(lines + _elsewhere(hit))


def _elsewhere(hit: dict[str, Any]) -> list[str]:
    """Return where else a commit's message stands."""
    if not hit["also_in"]:
        return []
    more = hit["also_in_total"] - len(hit["also_in"])
    return [
        f"(same commit message in {', '.join(map(name, hit['also_in']))}{f' and {more:,} more' if more else ''})"
    ]


def _foot(payload: dict[str, Any], *, presentation: bool) -> list[str]:
    # That more can be had, and how, is a fact; what to want is advice.
    lines = [f"(next page: --cursor {name(payload['cursor'])})"] if payload["cursor"] else _end(payload)
    if payload["query"].get("limit_asked"):
        lines.append(f"({payload['query']['limit']} hits are the most that a page holds; --cursor goes on)")
    if payload["cursor"] and payload["threads_total"] == 1 and payload["total_exact"]:
        only = pieces.reference(payload["hits"][0]).split()[0]
        lines.append(f'(all in one thread: relore thread {only} --focus "..." ranks its comments)')
    if presentation and payload["hits"]:
        first = payload["hits"][0]
        lines.append(f'(read one: relore thread {pieces.reference(first).split()[0]} --focus "...")')
    elif presentation:
        lines.append("(fewer filters, or two or three distinctive words, find more)")
    return lines
