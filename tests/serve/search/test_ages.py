"""Ages and dates."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone

import pytest

from relore_serve.search.ages import age, utc

NOW = datetime(2024, 6, 1, 12, 0, tzinfo=UTC)


@pytest.mark.parametrize(
    ("passed", "expected"),
    [
        (timedelta(seconds=-1), "0h"),
        (timedelta(minutes=59), "<1h"),
        (timedelta(hours=1), "1h"),
        (timedelta(hours=47), "47h"),
        (timedelta(hours=48), "2d"),
        (timedelta(days=59), "59d"),
        (timedelta(days=60), "2mo"),
        (timedelta(days=92), "3mo"),
        (timedelta(days=720), "23mo"),
        (timedelta(days=731), "2y"),
    ],
)
def test_an_age_has_the_unit_that_says_enough(passed: timedelta, expected: str) -> None:
    """Hours up to two days, days up to two months, months up to two years."""
    assert age(NOW - passed, NOW) == expected


def test_an_unknown_date_has_no_age() -> None:
    """And is not taken for a new one."""
    assert (age(None, NOW), utc(None)) == ("?", None)


def test_a_date_is_in_utc_to_the_second() -> None:
    """Whatever zone it came in."""
    then = datetime(2024, 3, 1, 2, 30, 15, 999_999, tzinfo=timezone(timedelta(hours=2)))
    assert utc(then) == "2024-03-01T00:30:15Z"
