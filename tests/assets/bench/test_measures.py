"""Measures against lists that can be reckoned by hand."""

from __future__ import annotations

import math

import pytest

from relore_assets.bench.measures import page_recall, percentile, ranked


def test_recall_and_rank_are_told_of_the_first_ten() -> None:
    """Two of three answers are among the first ten, one of them among the first five, at the second place."""
    found = ranked({"q": {1: 1, 2: 1, 3: 1}}, {"q": [90, 1, 91, 92, 93, 94, 2]})["q"]

    assert found["R@5"] == pytest.approx(1 / 3)
    assert found["R@10"] == pytest.approx(2 / 3)
    assert found["MRR"] == pytest.approx(1 / 2)


def test_what_stands_behind_the_tenth_does_not_count() -> None:
    """The eleventh thread answers, and that is as good as nothing."""
    found = ranked({"q": {1: 1}}, {"q": [*range(100, 110), 1]})["q"]

    assert found == {"R@5": 0.0, "R@10": 0.0, "MRR": 0.0, "nDCG@10": 0.0}


def test_a_decisive_answer_gains_twice_what_a_relevant_one_does() -> None:
    """The relevant one first: 1 + 2/log2(3), where the best order has 2 + 1/log2(3)."""
    found = ranked({"q": {1: 1, 2: 2}}, {"q": [1, 2]})["q"]

    assert found["nDCG@10"] == pytest.approx((1 + 2 / math.log2(3)) / (2 + 1 / math.log2(3)))
    assert found["MRR"] == 1.0


def test_the_order_of_an_answer_is_its_own() -> None:
    """Ten threads whose names sort otherwise: the place of each counts, and nothing else."""
    threads = [10, 9, 8, 7, 6, 5, 4, 3, 2, 1]

    assert [ranked({"q": {each: 1}}, {"q": threads})["q"]["MRR"] for each in threads] == [
        pytest.approx(1 / place) for place in range(1, 11)
    ]


def test_an_empty_answer_is_worth_nothing_and_a_rejected_thread_neither() -> None:
    """A thread that was judged not to answer does not count where it stands first."""
    found = ranked({"none": {1: 1}, "wrong": {1: 1, 2: 0}}, {"wrong": [2]})

    assert [found["none"]["R@10"], found["wrong"]["R@10"], found["wrong"]["MRR"]] == [0.0, 0.0, 0.0]


def test_page_recall_is_of_the_first_page_of_hits() -> None:
    """Ten hits may be of three threads."""
    assert page_recall([1, 2], [7, 7, 1, 1, 1, 7, 8, 8, 7, 1]) == 0.5


@pytest.mark.parametrize(
    ("values", "share", "expected"),
    [([3.0], 0.95, 3.0), ([4.0, 1.0, 3.0, 2.0], 0.5, 2.0), ([*map(float, range(1, 101))], 0.95, 95.0)],
    ids=["one", "four", "hundred"],
)
def test_percentiles_are_values_that_were_measured(
    values: list[float], share: float, expected: float
) -> None:
    """By nearest rank, in whatever order they came."""
    assert percentile(values, share) == expected
