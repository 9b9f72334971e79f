"""What an answer as of a date tells by all that is held today, because nothing held dates it."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from datetime import datetime

TODAY = ("association", "word_rarity")
"""Standing is that which acts and GitHub's answers from before the cutoff show, but whether GitHub counts somebody to
the team bears no date. How rare words and facts are, and so which are followed, is counted over all that is held."""
REASONS = "reasons"
"""Whose words of several say why something ended as it did is picked by the standing that is known today."""


def judged_today(before: datetime | None, *more: str) -> tuple[str, ...]:
    """Return what is judged by today's index although the answer is as of ``before``; ``more`` is what is so here."""
    return () if before is None else (*TODAY, *more)


def counted_from(before: datetime | None, now: datetime) -> datetime:
    """Return what ages are counted from: the cutoff, unless it is still to come."""
    return now if before is None else min(before, now)
