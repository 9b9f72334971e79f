"""What an act on GitHub proves about the access of whoever did it. Pure.

Everybody may close, reopen and rename their own thread, so an act on one's own thread proves nothing and is never
asked about here; merging is the exception.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Literal

#: ``review`` is what everybody may do who can read; it counts only beside other evidence.
Proof = Literal["write", "triage", "review"]

MERGED = "merged"
#: An approval or a request for changes.
REVIEWED = "reviewed"

# https://docs.github.com/organizations/managing-access-to-your-organizations-repositories/repository-roles-for-an-organization
_NEED_WRITE = frozenset({MERGED, "renamed", "locked", "unlocked", "pinned", "unpinned", "transferred"})
_NEED_TRIAGE = frozenset(
    {
        "assigned",
        "closed",
        "converted_to_discussion",
        "demilestoned",
        "labeled",
        "marked_as_duplicate",
        "milestoned",
        "reopened",
        "review_requested",
        "unassigned",
        "unlabeled",
        "unmarked_as_duplicate",
    }
)
#: The events that are looked at, by GitHub's names for them. What is done by pushing or commenting is not among them.
EVENTS = sorted(_NEED_WRITE | _NEED_TRIAGE)

#: Before there was a triage role, these acts took write access, too.
#: https://github.blog/changelog/2019-05-23-triage-and-maintain-roles-beta/
TRIAGE_ROLE_SINCE = datetime(2019, 5, 23, tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class Act:
    """Somebody did something to somebody else's thread, or merged one. ``what`` is an event's name or REVIEWED."""

    login: str
    at: datetime
    what: str
    thread: int

    @property
    def proof(self) -> Proof:
        """The least access with which it could be done."""
        if self.what == REVIEWED:
            return "review"
        return "write" if self.what in _NEED_WRITE or self.at < TRIAGE_ROLE_SINCE else "triage"
