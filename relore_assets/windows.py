"""Windows of time: quarters of a year in UTC, named by their first day, for partitions and for progress."""

from __future__ import annotations

from datetime import UTC, date, datetime

#: Stands where a pass has no windows, or an object no date of its own.
NO_WINDOW = date.min

#: GitHub opened in 2008. What an import dated back further belongs to this window too.
FIRST_WINDOW = date(2008, 1, 1)


def window_of(moment: datetime) -> date:
    """Return the first day of the quarter that an aware ``moment`` lies in, as UTC counts days."""
    day = moment.astimezone(UTC)
    return date(day.year, day.month - (day.month - 1) % 3, 1)


def window_among(moment: datetime, now: datetime) -> date:
    """Return the window that ``moment`` is worked on with, of those there are at ``now``.

    What is dated before the first belongs to the first, what is dated after the open one to the open one, so that
    whoever works through all of them finds it.
    """
    return min(max(window_of(moment), FIRST_WINDOW), window_of(now))


def end_of(window: date) -> date:
    """Return the first day of the quarter after ``window``."""
    return date(window.year + 1, 1, 1) if window.month == 10 else date(window.year, window.month + 3, 1)  # noqa: PLR2004
