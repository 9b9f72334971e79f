"""The page of threads that are like one: duplicates first, each with what it shares and its best passage."""

from __future__ import annotations

import json
from typing import Any

from relore_serve.pages import pieces
from relore_serve.pages.addresses import Short
from relore_serve.pages.untrusted import login, name, quote, wrap

_FEW = 4
"""Words and facts of one kind that a compact page names; what is left out is counted."""
_MANY = 12


def render(payload: dict[str, Any], *, compact: bool, presentation: bool) -> str:
    """Return the page of a scrubbed answer."""
    short = Short.of(payload["similar"], compact=compact)
    seen: dict[str, int] | None = {} if compact else None
    blocks = [_block(place, each, short, seen) for place, each in enumerate(payload["similar"], start=1)]
    foot = _foot(payload) if presentation else []
    return wrap(
        "\n\n".join(
            ["\n".join([*_head(payload), *short.lines()]), *blocks, *(["\n".join(foot)] if foot else [])]
        )
    )


def _head(payload: dict[str, Any]) -> list[str]:
    asked = pieces.reference(payload)
    least = "at least " if payload["candidates_bounded"] else ""
    looked = pieces.counted(payload["candidates"], "thread")
    first = (
        f"{payload['returned']:,} of the {least}{looked} looked at, those most like {asked}"
        if payload["similar"]
        else f"nothing is like {asked}: no other thread that may be shown shares a rare word or a fact with it"
    )
    duplicates = payload["duplicates_total"]
    return pieces.present(
        first,
        quote(payload["title"].strip()),
        f"{pieces.counted(duplicates, 'thread')} called {'its duplicate' if duplicates == 1 else 'duplicates'}, first"
        if duplicates
        else None,
        _looked_for(payload),
        pieces.left_out(payload["exclude"]),
        pieces.withheld(payload["withheld"], payload["before"], payload["todays_words"]),
        pieces.scrubbed(payload),
    )


def _looked_for(payload: dict[str, Any]) -> str | None:
    left = [
        f"{pieces.counted(payload['terms_left_out'], 'more common word')}"
        if payload["terms_left_out"]
        else "",
        f"{pieces.counted(payload['facts_left_out'], 'fact')} that too many threads carry"
        if payload["facts_left_out"]
        else "",
    ]
    parts = [part for part in left if part]
    return f"not looked for: {' and '.join(parts)}" if parts else None


def _block(place: int, each: dict[str, Any], short: Short, seen: dict[str, int] | None) -> str:
    """Return the lines of one thread; ``seen`` says where on a compact page what it shares was said first."""
    state = "(state not known)" if each["state"] == "unknown" else pieces.state(each)
    reason = each["state_reason"]
    why = (
        f" as {name(reason).replace('_', ' ')}"
        if reason and reason != "completed" and each["state"] == "closed"
        else ""
    )
    lines = [
        f"{place}. {short.reference(each)} {state}{why} {each['age']} {login(each['author'])}",
        quote(each["title"].strip()),
        *short.of_thread(each),
    ]
    lines += pieces.present(
        _mark(each["duplicate"], short),
        *(
            _shared(kind, each[kind], place, seen)
            for kind in ("errors", "tests", "symbols", "files", "terms")
        ),
    )
    passage = each["passage"]
    if passage and passage["text"]:
        cut = " (cut)" if passage["truncated"] else ""
        where = short.address(passage["url"], each["url"])
        lines.append(
            f"best passage{cut}: [{pieces.tier(passage['trust'])}] {passage['age']} {short.kind(passage, where)}"
            f"{login(passage['author'])}"
        )
        lines += [quote(passage["text"]), *pieces.present(where)]
    return "\n".join(lines)


def _mark(mark: dict[str, Any] | None, short: Short) -> str | None:
    if mark is None:
        return None
    says = (
        "is called a duplicate of it" if mark["direction"] == "by" else "it is called a duplicate of this one"
    )
    inferred = (
        ", inferred: closed as a duplicate, and one names the other" if mark["how"] == "inferred" else ""
    )
    return (
        f"duplicate: {says} by {login(mark['author'])} [{pieces.tier(mark['trust'])}] {mark['age']}"
        f" ({pieces.words(mark['source'])}){inferred} {short.address(mark['url'])}"
    )


def _shared(kind: str, values: list[str], place: int, seen: dict[str, int] | None) -> str | None:
    if not values:
        return None
    most = _MANY if seen is None else _FEW
    more = f", and {len(values) - most:,} more" if len(values) > most else ""
    what = "words" if kind == "terms" else kind
    # Words in a row could read as a sentence of ours, so each is in quotes.
    line = f"shared {what}: {', '.join(map(_quoted, values[:most]))}{more}"
    first = place if seen is None else seen.setdefault(" ".join([kind, *map(_quoted, values)]), place)
    again = f"shared {what}: as in {first}"
    return line if first == place or len(line) <= len(again) else again


def _quoted(word: str) -> str:
    """Return a word of somebody else's in quotes."""
    return json.dumps(word, ensure_ascii=False)


def _foot(payload: dict[str, Any]) -> list[str]:
    if not payload["similar"]:
        return []
    return [f"(read one: relore thread {pieces.reference(payload['similar'][0]).split()[0]})"]
