"""Which windows of a history a pass has been through, and which it has not: quarters, named by their first day."""

from __future__ import annotations

from datetime import date
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Sequence

#: Passes that owe every quarter since their first; an archive has marks only for quarters in which it holds something.
WITHOUT_GAPS = frozenset({"fetch", "derive"})

# How many open windows are named; the total is always said.
_NAMED = 8


def coverage(
    through: Sequence[date], unfinished: Sequence[date], *, today: date, gaps: bool
) -> dict[str, Any] | None:
    """Return how much of a history a pass has been through, None for a pass without windows.

    Args:
        through: windows of which all marks ended well.
        unfinished: windows with a mark that did not.
        today: the day whose quarter is the last one owed.
        gaps: whether quarters without any mark, from the first one marked to today's, are owed too.
    """
    marked = {*through, *unfinished}
    if not marked:
        return None
    owed = {*marked, *_quarters(min(marked), today)} if gaps else marked
    left = sorted(owed - set(through))
    return {
        "first": min(owed).isoformat(),
        "last": max(owed).isoformat(),
        "through": len(owed) - len(left),
        "of": len(owed),
        "open": [window.isoformat() for window in left[:_NAMED]],
    }


def _quarters(first: date, today: date) -> list[date]:
    """Return the first days of quarters from ``first`` to the one that ``today`` lies in."""
    found: list[date] = []
    while first <= today:
        found.append(first)
        months = first.month + 2  # of the quarter after, from 0
        first = date(first.year + months // 12, months % 12 + 1, 1)
    return found
