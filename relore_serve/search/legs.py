"""Which questions one question becomes: its words, each fact read off them, and the caller's filters alone.

A leg is admitted by one thing and scored against the whole question. A filter of the caller binds every leg,
and no leg widens one: of a kind that the caller filters by, what the text names only counts in the score.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from relore_serve.search.needles import Needle

MAX_LEGS = 6
PER_KIND = 2
LIKENESS = "likeness"
"""The leg of threads that are like the question as a whole; it is beyond the others, and no part of their number."""


@dataclass(frozen=True, slots=True)
class Leg:
    """One leg: ``bit`` marks it in the rows it admits; ``needle`` admits them, if words or filters do not."""

    name: str
    term: str
    bit: int
    needle: Needle | None = None


def plan(
    *,
    text: str,
    searchable: bool,
    asked: Sequence[Needle],
    derived: Sequence[Needle],
    filtered: bool,
    expand: bool,
    within: bool = False,
) -> tuple[Leg, ...]:
    """Return the legs of a question, the caller's own question first.

    Args:
        text: the question's words.
        searchable: whether any of them can be looked for.
        asked: the caller's filters for exact facts.
        derived: facts read off the text, the most telling of each kind first.
        filtered: whether a filter on threads is given at all, labels included.
        within: whether every text has to hold a part of a name, which is a question by itself.
        expand: whether more than the caller's own question may be asked.
    """
    legs: list[tuple[str, str, Needle | None]] = []
    if text.strip():
        if searchable:
            legs.append(("text", text, None))
    elif filtered:
        legs.append(("filters", "", None))
    elif within:
        legs.append(("contains", "", None))
    else:
        legs.append(("newest", "", None))
    if expand and text.strip():
        alone = [("filters", "", None)] if asked and searchable else []
        kinds = {needle.kind for needle in asked}
        free = _alternating([needle for needle in derived if needle.kind not in kinds])
        legs.extend(
            (needle.kind, str(needle), needle) for needle in free[: MAX_LEGS - len(legs) - len(alone)]
        )
        legs.extend(alone)
    return tuple(Leg(name, term, 1 << place, needle) for place, (name, term, needle) in enumerate(legs))


def with_likeness(legs: Sequence[Leg], text: str) -> tuple[Leg, ...]:
    """Return the legs with that of threads that are like the question as a whole."""
    return (*legs, Leg(LIKENESS, text, 1 << len(legs)))


def _alternating(derived: Sequence[Needle]) -> list[Needle]:
    """Put the first needle of every kind before the second of any."""
    seen: dict[str, int] = {}
    places: list[tuple[int, int, Needle]] = []
    for order, needle in enumerate(derived):
        seen[needle.kind] = place = seen.get(needle.kind, 0) + 1
        places.append((place, order, needle))
    return [needle for _, _, needle in sorted(places, key=lambda entry: entry[:2])]


def bit(legs: Sequence[Leg], name: str) -> int:
    """Return the bit of the leg of that name, 0 without one."""
    return next((leg.bit for leg in legs if leg.name == name and leg.needle is None), 0)
