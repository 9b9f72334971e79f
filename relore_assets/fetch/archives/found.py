"""What reading an archive yields."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, cast

if TYPE_CHECKING:
    from datetime import datetime

Payload = dict[str, Any]

ISSUE = "issue"
PULL = "pull"
ISSUE_COMMENT = "issue_comment"
REVIEW = "review"
REVIEW_COMMENT = "review_comment"
EVENT = "event"
PULL_COMMITS = "pull_commits"
PULL_FILES = "pull_files"
#: What only GraphQL or a single pull request tells; of issues, that their events were read.
PULL_DETAIL = "pull_detail"
PULL_CLOSING = "pull_closing"
ISSUE_DETAIL = "issue_detail"

#: What one object of a kind is counted as. Lists are staged whole, and counted by what they list.
COUNTED_AS = {PULL_COMMITS: "commit", PULL_FILES: "file"}


def counted_as(kind: str) -> str:
    """Return the name under which ``status`` counts objects staged as ``kind``."""
    return COUNTED_AS.get(kind, kind)


#: How a list of GitHub's is named where an archive has a file; numbers or ids stand where that has lines.
LISTS = {
    ISSUE: "GitHub's threads",
    PULL: "GitHub's pull requests",
    ISSUE_COMMENT: "GitHub's comments",
    REVIEW_COMMENT: "GitHub's inline comments",
}


@dataclass(frozen=True, slots=True)
class Raw:
    """One object as the archive holds it, not yet cleaned: nothing of it may be stored or shown."""

    kind: str
    object_id: str
    thread_number: int
    payload: Payload
    #: The object's own date, for lists their thread's; None when the archive gives neither.
    updated_at: datetime | None
    #: How many objects of the source it stands for: the length of a list, else 1.
    members: int = 1


@dataclass(frozen=True, slots=True)
class Found:
    """One object as it may be stored: redacted, storable, without source text."""

    kind: str
    object_id: str
    thread_number: int
    payload: Payload
    updated_at: datetime | None
    members: int
    redactions: int
    replacements: int


@dataclass(frozen=True, slots=True)
class Rejected:
    """Something that could not be read. The reason never quotes the archive: it is shown and stored."""

    file: str
    line: int
    reason: str
    #: Name under which it would have been counted.
    counted: str


@dataclass(frozen=True, slots=True)
class Passed:
    """Objects that were read over on purpose."""

    counted: str
    reason: str
    count: int = 1


def as_object(value: object) -> Payload | None:
    """Return a JSON value if it is an object."""
    return cast("Payload", value) if isinstance(value, dict) else None


def objects_in(value: object) -> list[Payload]:
    """Return the objects of a JSON array, in order; none when it is no array."""
    entries = cast("list[Any]", value) if isinstance(value, list) else []
    return [entry for entry in entries if isinstance(entry, dict)]


Item = Raw | Rejected | Passed
