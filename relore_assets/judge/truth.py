"""Whose verdict counts: of each thread that of one kind of judge, else the record's, and never two kinds mixed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterable

    from relore_assets.mine.example import Answer, Example
    from relore_assets.mine.sets import ScoredBy

#: Verdicts by which a thread answers a question.
ANSWERS: Final = frozenset({"relevant", "decisive"})


def truth(example: Example, scored_by: ScoredBy) -> dict[int, Answer]:
    """Return by number the verdict on each thread that counts where a set is scored by ``scored_by``.

    The record's verdicts count, but where that judge said something else of the same thread. What another kind of judge
    said is not looked at: a figure is of people and the record, or of a model and the record, and never of both.
    """
    counted: dict[int, Answer] = {}
    for judge in dict.fromkeys(("record", scored_by)):
        counted.update({one.number: one for one in example.answers if one.judged_by == judge})
    return dict(sorted(counted.items()))


def is_scored(example: Example, scored_by: ScoredBy) -> bool:
    """Whether a thread is known to answer it; what is not is left out of figures, and not counted as a miss."""
    return any(answer.verdict in ANSWERS for answer in truth(example, scored_by).values())


def strongest(examples: Iterable[Example]) -> ScoredBy:
    """Return who a set is scored by where nobody says so: people before models before the record alone."""
    judges = {answer.judged_by for example in examples for answer in example.answers}
    if "human" in judges:
        return "human"
    return "model" if "model" in judges else "record"
