"""The decision on a pull request: everybody's latest verdict, and what those with standing add up to."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

DECIDING = ("authoritative", "unresolved")
"""Standing that makes a verdict count; an unconfirmed team member's counts, and is shown to be
unconfirmed."""


@dataclass(frozen=True, slots=True)
class VerdictRow:
    """One person's latest verdict on one thread.

    ``undated``: under a cutoff, a review that is dismissed today and may have stood then.
    """

    thread_id: int
    author: str
    verdict: str
    stated_at: datetime | None
    commit_sha: str | None
    trust: str
    undated: bool = False


@dataclass(frozen=True, slots=True)
class Decision:
    """approved, changes_requested or None; who makes it so, and with what standing."""

    decision: str | None = None
    by: tuple[str, ...] = ()
    standing: tuple[str, ...] = ()


def decide(verdicts: Sequence[VerdictRow], opener: str) -> Decision:
    """Add verdicts up: a request for changes outweighs approvals, a dismissed review counts for nothing.

    Nobody decides on a change of their own, and no passer-by on anybody's.
    """
    counting = [
        row
        for row in verdicts
        if row.trust in DECIDING and row.verdict != "DISMISSED" and row.author.lower() != opener.lower()
    ]
    for verdict, decision in (("CHANGES_REQUESTED", "changes_requested"), ("APPROVED", "approved")):
        deciding = [row for row in counting if row.verdict == verdict]
        if deciding:
            deciding.sort(key=lambda row: (DECIDING.index(row.trust), row.author.lower()))
            return Decision(
                decision, tuple(row.author for row in deciding), tuple(row.trust for row in deciding)
            )
    return Decision()
