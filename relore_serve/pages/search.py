"""The page of a search: what was asked and admitted, then a block per hit.

A block is ``N. owner/name#92 pr merged [tier] age source_type @author``, the quoted title (once per thread),
the quoted snippet, the address. No score is printed: the order is the ranking.
"""

from __future__ import annotations

from typing import Any

from relore_serve.pages import pieces
from relore_serve.pages.untrusted import address, name, quote, wrap


def render(payload: dict[str, Any], *, compact: bool, presentation: bool) -> str:
    """Return the page of a scrubbed answer."""
    del compact  # snippets come in the length they were asked for
    head = _head(payload, presentation=presentation)
    blocks = _blocks(payload["hits"])
    foot = _foot(payload, presentation=presentation)
    return wrap("\n\n".join(["\n".join(head), *blocks, *(["\n".join(foot)] if foot else [])]))


def _head(payload: dict[str, Any], *, presentation: bool) -> list[str]:
    query = payload["query"]
    return pieces.present(
        _count(payload),
        pieces.trust_floor(query),
        _order(query),
        _widened(payload),
        *(_emptiness(payload) if not payload["hits"] else ()),
        _untested(payload["files_untested"]),
        _dropped(query),
        *_misfiled(payload),
        pieces.scrubbed(payload),
        _backend(payload["backend"]) if presentation else None,
    )


def _count(payload: dict[str, Any]) -> str:
    count, total, query = payload["count"], payload["total"], payload["query"]
    asked = f" for {pieces.caller_words(query['text'])}" if query["text"] else ""
    if count == total and payload["total_exact"]:
        return f"{pieces.counted(count, 'hit')}{asked}"
    least = "" if payload["total_exact"] else "at least "
    return f"{count:,} of {least}{pieces.counted(total, 'hit')}{asked}"


def _order(query: dict[str, Any]) -> str | None:
    return "newest first" if query["sort"] == "newest" else None


def _widened(payload: dict[str, Any]) -> str | None:
    if not payload["query"]["widened"] or not payload["hits"]:
        return None
    return "widened: no document carries every word, so these carry some of them, most of the question first."


def _emptiness(payload: dict[str, Any]) -> list[str]:
    query = payload["query"]
    bounds = pieces.filters(query)
    lines = [f"filters: {', '.join(bounds)} (all must hold)"] if bounds else []
    if not query["repos"]:
        return [*lines, "no repository is in scope: nothing is indexed here that may be asked about."]
    lines.append(f"repositories asked: {', '.join(map(name, query['repos']))}")
    if payload["total"]:
        lines.append("nothing follows this cursor: the pages before it hold all there is.")
    elif query["widened"]:
        lines.append("nothing matches, with every word or with any of them.")
    else:
        lines.append("nothing matches.")
    return lines


def _untested(number: int) -> str | None:
    if not number:
        return None
    return (
        f"{pieces.counted(number, 'more pull request')} would match, but the list of changed files is "
        "missing or cut "
        "off, so --file could not test them."
    )


def _dropped(query: dict[str, Any]) -> str | None:
    if not query["dropped_terms"]:
        return None
    return (
        f"the question holds {pieces.counted(query['dropped_terms'], 'word')} beyond the first "
        f"{query['terms']:,}, which were not asked."
    )


def _misfiled(payload: dict[str, Any]) -> list[str]:
    """Return what was given to --error and is text, with the question that would find it."""
    query = payload["query"]
    hopeless: list[str] = query["uninformative_errors"]
    doubtful = [] if payload["hits"] else [text for text in query["untyped_errors"] if text not in hopeless]
    told = [
        *((text, "is no error line, so --error cannot match it") for text in hopeless),
        *((text, "names no type of error") for text in doubtful),
    ]
    return [
        f"{pieces.caller_words(text)} {why}; as text it is: relore search {pieces.caller_words(text)}"
        for text, why in told
    ]


def _backend(backend: dict[str, Any]) -> str:
    return f"({backend['name']} / {backend['ranking']})"


def _blocks(hits: list[dict[str, Any]]) -> list[str]:
    titled: set[tuple[str, int]] = set()
    return [_block(position, hit, titled) for position, hit in enumerate(hits, start=1)]


def _block(position: int, hit: dict[str, Any], titled: set[tuple[str, int]]) -> str:
    thread = (hit["repo"], hit["number"])
    lines = [f"{position}. {pieces.reference(hit)} {pieces.state(hit)} {pieces.byline(hit)}"]
    if thread not in titled:
        titled.add(thread)
        lines.append(quote(hit["title"].strip()))
    if hit["source_type"] != "title" and hit["snippet"]:
        lines.append(quote(hit["snippet"]))
    return "\n".join([*lines, address(hit["url"])])


def _foot(payload: dict[str, Any], *, presentation: bool) -> list[str]:
    # That more can be had, and how, is a fact; what to want is advice.
    lines = [f"(next page: --cursor {name(payload['cursor'])})"] if payload["cursor"] else []
    if presentation and payload["hits"]:
        first = payload["hits"][0]
        lines.append(f'(read one: relore thread {pieces.reference(first).split()[0]} --focus "...")')
    elif presentation:
        lines.append("(fewer filters, or two or three distinctive words, find more)")
    return lines
