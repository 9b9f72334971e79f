"""What an answer as of a date tells by all that is held today, because nothing held dates it."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from datetime import datetime

TODAY = ("standing", "word_rarity")
"""Who has standing is shown by acts up to today, and by what GitHub calls people today. How rare words and facts are,
and so which of them are followed, is counted over all that is held."""


def judged_today(before: datetime | None) -> tuple[str, ...]:
    """Return what is judged by today's index although the answer is as of ``before``."""
    return () if before is None else TODAY


def counted_from(before: datetime | None, now: datetime) -> datetime:
    """Return what ages are counted from: the cutoff, unless it is still to come."""
    return now if before is None else min(before, now)
