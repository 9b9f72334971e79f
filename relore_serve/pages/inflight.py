"""The page of claims: who says that a thread is being, or has been, fixed."""

from __future__ import annotations

from typing import Any

from relore_serve.pages import addresses, pieces
from relore_serve.pages.untrusted import login, name, quote, wrap

COMPACT_TITLE = 100
"""Characters of a claim's title in the compact form; what is cut is counted."""


def render(payload: dict[str, Any], *, compact: bool, presentation: bool) -> str:
    """Return the page of a scrubbed answer."""
    claims: list[dict[str, Any]] = payload["claims"]
    shortened = sum(len(claim["title"]) > COMPACT_TITLE for claim in claims) if compact else 0
    place = addresses.common(claims) if compact and len(claims) > 1 else None
    blocks = [
        _block(position, claim, place, compact=compact) for position, claim in enumerate(claims, start=1)
    ]
    foot = pieces.present(
        _not_shown(payload),
        f"({pieces.counted(shortened, 'title')} shortened; --no-compact shows them whole)"
        if shortened
        else None,
        _advice(claims) if presentation else None,
    )
    head = [*_head(payload), *([addresses.said_once(claims[0]["repo"], place)] if place else [])]
    return wrap("\n\n".join(["\n".join(head), *blocks, *(["\n".join(foot)] if foot else [])]))


def _head(payload: dict[str, Any]) -> list[str]:
    asked = f"{name(payload['repo'])}#{payload['number']}"
    total = payload["claims_total"]
    if total:
        lines = [f"{pieces.counted(total, 'thread')} {'claims' if total == 1 else 'claim'} to close {asked}"]
    else:
        lines = [f"nothing in the index claims to close {asked}"]
        if not payload["links_indexed"]:
            lines.append(
                "this repository has no relationship rows at all, so that is no answer: derive it first."
            )
    return lines + pieces.present(
        None if payload["indexed"] else f"{asked} itself is not indexed.",
        _mentions(payload["mentions_total"]),
        pieces.left_out(payload["exclude"]),
        pieces.withheld(payload["withheld"], payload["before"], payload["todays_words"]),
        pieces.scrubbed(payload),
    )


def _mentions(number: int) -> str | None:
    if not number:
        return None
    names = "names" if number == 1 else "name"
    return f"{pieces.counted(number, 'more thread')} {names} it without claiming to."


def _block(position: int, claim: dict[str, Any], place: str | None, *, compact: bool) -> str:
    closing = pieces.closing(claim) if claim["state"] == "closed" else ""
    verdict = pieces.verdict(claim)
    state = " ".join(
        pieces.present(pieces.state(claim), closing, f"({verdict})" if verdict else None),
    )
    tier = "" if claim["trust"] == "authoritative" else f" [{pieces.tier(claim['trust'])}]"
    reference = f"#{claim['number']} {claim['type']}" if place else pieces.reference(claim)
    head = (
        f"{position}. {reference} {state} {claim['age']} {claim['relationship']} "
        f"{login(claim['author'])}{tier}"
    )
    title = claim["title"].strip()
    if compact and len(title) > COMPACT_TITLE:
        title = f"{title[:COMPACT_TITLE].rstrip()}…"
    return "\n".join([head, quote(title), addresses.of(claim["url"].removeprefix(place or ""))])


def _not_shown(payload: dict[str, Any]) -> str | None:
    hidden = payload["claims_total"] - payload["claims_returned"]
    return f"({hidden:,} more, not shown)" if hidden > 0 else None


def _advice(claims: list[dict[str, Any]]) -> str | None:
    if not claims:
        return "(nobody claims it; relore search tells whether it was tried before)"
    return f"(read one: relore thread {pieces.reference(claims[0]).split()[0]})"
