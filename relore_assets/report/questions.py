"""Single questions: what no thread was found for, and what fares otherwise than in the accepted run."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, cast

from relore_assets.report import words
from relore_assets.report.runs import rank
from relore_assets.report.tables import NOTHING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from relore_assets.bench.results import Result, SystemRun

#: Of each kind, at most so many are listed.
MOST = 20

#: A question is cut to so many characters: enough to know it by, and no more of what others wrote than that.
LONGEST = 80

#: A place behind every place, for a question without an answer among ten.
_NOWHERE = 11


@dataclass(frozen=True, slots=True)
class Listed:
    """A question as it is listed: its id, slice and asking thread, a cut of its words, and its places then and now."""

    id: str
    slice: str
    asked: str
    question: str
    answers: str
    then: str
    now: str


@dataclass(frozen=True, slots=True)
class Listing:
    """Some questions of how many there are."""

    rows: tuple[Listed, ...]
    total: int


def changed(now: SystemRun, then: SystemRun) -> Listing:
    """Return the questions whose first answer stands elsewhere than in the accepted run, the largest falls first."""
    import pandas as pd  # noqa: PLC0415 - takes half a second to load

    before = {each.id: each for each in then.results}
    after = {each.id: each for each in now.results if each.id in before}
    ids = sorted(after)
    places = pd.DataFrame(
        {
            "then": [rank(before[key]) or _NOWHERE for key in ids],
            "now": [rank(after[key]) or _NOWHERE for key in ids],
        },
        index=ids,
    )
    moved = places.eval("moved = then - now").query("moved != 0").sort_values(by="moved", kind="stable")
    found = cast("list[str]", moved.index.to_list())
    return Listing(
        rows=tuple(_listed(after[key], then=_place(rank(before[key]))) for key in found[:MOST]),
        total=len(found),
    )


def missed(now: SystemRun) -> Listing:
    """Return the questions without an answer among the first ten threads, by slice and id."""
    found = sorted(
        (each for each in now.results if each.relevant and rank(each) is None and not each.leaks),
        key=lambda each: (*words.slice_order(each.slice), each.id),
    )
    return Listing(rows=tuple(_listed(each, then="") for each in _spread(found, MOST)), total=len(found))


def _spread(found: Sequence[Result], most: int) -> list[Result]:
    """Return ``most`` of them, as evenly from every slice as there are."""
    by_slice: dict[str, list[Result]] = {}
    for each in found:
        by_slice.setdefault(each.slice, []).append(each)
    chosen: set[str] = set()
    for turn in range(most):
        for of_slice in by_slice.values():
            if turn < len(of_slice) and len(chosen) < most:
                chosen.add(of_slice[turn].id)
    return [each for each in found if each.id in chosen]


def _listed(result: Result, *, then: str) -> Listed:
    return Listed(
        id=result.id,
        slice=result.slice,
        asked=f"#{result.asked}" if result.asked else NOTHING,
        question=cut(result.question),
        answers=", ".join(f"#{number}" for number in result.relevant[:3])
        + (f" and {len(result.relevant) - 3} more" if len(result.relevant) > 3 else ""),  # noqa: PLR2004 - as above
        then=then,
        now=_place(rank(result)),
    )


def cut(text: str) -> str:
    """Return the beginning of a question on one line, cut at a word, the cut marked."""
    line = " ".join(text.split())
    if len(line) <= LONGEST:
        return line
    return line[:LONGEST].rsplit(" ", 1)[0] + " \N{HORIZONTAL ELLIPSIS}"


def _place(place: int | None) -> str:
    return "none of ten" if place is None else str(place)
