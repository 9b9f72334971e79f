"""What one answer is worth against the threads that are known to answer its question.

Recall, reciprocal rank and nDCG are trec_eval's, by way of ir-measures; whatever those mean, these mean.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, cast

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

#: What a verdict is worth in nDCG. https://trec.nist.gov/data/deep2019.html grades likewise.
GRADES: Final = {"decisive": 2, "relevant": 1, "not_relevant": 0}

DEEP: Final = 10
"""Distinct threads that are looked at, and hits of a page."""

MEASURES: Final = {
    "R@5": "of the threads that answer, the share among the first five",
    "R@10": "the same among the first ten",
    "MRR": "one over the place of the first that answers, 0 beyond the tenth",
    "nDCG@10": "gain of the first ten against the best order; a decisive answer counts twice",
    "page_R": "as R@10, of the threads on the first page of ten hits",
    "wasted": "share of the first page's slots whose text is noise or carries nothing of the question",
    "empty": "share of questions that were answered with nothing",
    "ms": "milliseconds to the first page",
}

#: Those of `MEASURES` of which more is better; they are what systems are compared by.
COMPARED: Final = ("R@5", "R@10", "MRR", "nDCG@10", "page_R")

_OF_TREC: Final = {"R@5": "R@5", "R@10": "R@10", "RR": "MRR", "nDCG@10": "nDCG@10"}


def ranked(
    truth: Mapping[str, Mapping[int, int]], answered: Mapping[str, Sequence[int]]
) -> dict[str, dict[str, float]]:
    """Return R@5, R@10, MRR and nDCG@10 of every question.

    Args:
        truth: by question, the grade of each judged thread; what has none is as good as 0.
        answered: by question, distinct threads, the best first; what is missing was answered with nothing.
    """
    import ir_measures  # noqa: PLC0415 - only what computes pays for it

    judgements = {
        key: {str(number): grade for number, grade in grades.items()} for key, grades in truth.items()
    }
    # trec_eval orders by score, and equal scores by name: so no two are equal.
    runs = {
        key: {str(number): float(DEEP - place) for place, number in enumerate(answered.get(key, ())[:DEEP])}
        for key in truth
    }
    measures = [ir_measures.parse_measure(name) for name in _OF_TREC]
    told = cast(
        "Iterable[Any]",
        ir_measures.pytrec_eval.iter_calc(
            measures, judgements, {key: run for key, run in runs.items() if run}
        ),
    )
    found: dict[str, dict[str, float]] = {key: dict.fromkeys(_OF_TREC.values(), 0.0) for key in truth}
    for each in told:
        found[str(each.query_id)][_OF_TREC[str(each.measure)]] = float(each.value)
    return found


def page_recall(relevant: Iterable[int], page: Iterable[int]) -> float:
    """Return which share of ``relevant`` is among the threads of a page."""
    wanted = set(relevant)
    return len(wanted.intersection(page)) / len(wanted)


def percentile(values: Iterable[float], share: float) -> float:
    """Return the smallest of ``values`` that at least ``share`` of them do not exceed (the nearest rank)."""
    ordered = sorted(values)
    return ordered[max(0, -int(-len(ordered) * share // 1) - 1)]
