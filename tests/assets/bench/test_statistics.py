"""Intervals and tests: deterministic, and right where the right answer is known."""

from __future__ import annotations

import pytest

from relore_assets.bench import statistics
from relore_assets.bench.statistics import holm, interval, paired


def test_an_interval_is_the_same_each_time() -> None:
    """The draws are seeded; another seed draws others."""
    values = [1 / (place + 1.7) for place in range(50)]
    first = interval(values)
    statistics._draws.cache_clear()

    assert interval(values) == first
    assert interval(values, seed=1) != interval(values, seed=2)


def test_an_interval_holds_its_mean_and_narrows_with_questions() -> None:
    """Ten times the questions: about a third of the width."""
    few, many = interval([1.0, 0.0] * 10), interval([1.0, 0.0] * 100)

    assert (few.mean, few.n, many.n) == (0.5, 20, 200)
    assert few.low < few.mean < few.high
    assert (many.high - many.low) / (few.high - few.low) == pytest.approx(10**-0.5, rel=0.15)


def test_the_interval_of_a_share_is_that_of_the_binomial() -> None:
    """Half of a hundred: 0.5 give or take 1.96 times the root of 0.25 / 100."""
    found = interval([1.0, 0.0] * 50)

    assert (found.low, found.high) == (pytest.approx(0.402, abs=0.011), pytest.approx(0.598, abs=0.011))


def test_questions_of_one_thread_are_drawn_together() -> None:
    """The same twenty outcomes tell less where each is asked twice by one thread than by two."""
    values = [1.0, 1.0, 0.0, 0.0] * 10
    alone = interval(values)
    grouped = interval(values, [f"#{place // 2}" for place in range(len(values))])

    assert grouped.mean == alone.mean
    assert (grouped.high - grouped.low) / (alone.high - alone.low) == pytest.approx(2**0.5, rel=0.15)


def test_no_values_have_no_interval() -> None:
    """Nothing is made up."""
    with pytest.raises(ValueError, match="no values"):
        interval([])


def test_two_systems_are_compared_on_the_questions_that_both_have() -> None:
    """A question that one was not asked is in neither mean."""
    found = paired({"a": 1.0, "b": 1.0, "c": 0.0}, {"a": 0.0, "b": 1.0, "d": 1.0})

    assert (found.n, found.difference) == (2, 0.5)


def test_few_differing_questions_are_tested_exactly() -> None:
    """Five questions, all for the first: of 32 ways to swap them two are as extreme."""
    found = paired(dict.fromkeys("abcde", 1.0), dict.fromkeys("abcde", 0.0))

    assert found.p == pytest.approx(2 / 32)


def test_groups_are_swapped_whole() -> None:
    """Ten questions of two threads are two draws, however alike their answers are."""
    one, other = dict.fromkeys("abcdefghij", 1.0), dict.fromkeys("abcdefghij", 0.0)
    found = paired(one, other, {key: key in "abcde" for key in one})

    assert found.p == pytest.approx(2 / 4)


def test_equal_systems_differ_by_chance_alone() -> None:
    """No difference at all is no evidence of one."""
    values = {str(place): place % 2 for place in range(40)}

    assert (paired(values, values).difference, paired(values, values).p) == (0.0, 1.0)


def test_many_differing_questions_are_tested_by_sampling() -> None:
    """Thirty of forty for the first: as likely by chance as 30 heads of 40, two-sided 0.0022."""
    one = {str(place): 1.0 if place < 30 else 0.0 for place in range(40)}
    other = {str(place): 0.0 if place < 30 else 1.0 for place in range(40)}

    assert paired(one, other, resamples=20_000).p == pytest.approx(0.0022, abs=0.0012)


def test_holm_corrects_the_least_the_most_and_keeps_the_order() -> None:
    """0.01 times 3, 0.03 times 2, then no less than that."""
    assert holm([0.04, 0.01, 0.03]) == [pytest.approx(0.06), pytest.approx(0.03), pytest.approx(0.06)]
    assert holm([0.5, 0.9]) == [1.0, 1.0]
    assert holm([]) == []
