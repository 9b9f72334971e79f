"""The rows that derive produces, in the tables' own column order. No ids: a row knows its natural key only."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from datetime import datetime

    from relore_assets.authority.standing import Trust


class ThreadRow(NamedTuple):
    """One row of ``threads``, without the columns that only the writer knows."""

    number: int
    kind: str
    title: str
    author: str
    author_association: str | None
    state: str
    state_reason: str | None
    draft: bool
    merged: bool
    locked: bool
    closed_by: str | None
    merged_by: str | None
    merge_sha: str | None
    labels: list[str]
    requested_reviewers: list[str]
    stated_comments: int | None
    stated_review_comments: int | None
    stated_commits: int | None
    stated_files: int | None
    collected_comments: int
    collected_reviews: int
    collected_review_comments: int
    collected_commits: int | None
    collected_files: int | None
    url: str
    created_at: datetime
    updated_at: datetime
    closed_at: datetime | None
    merged_at: datetime | None
    undated: list[str]


class SignalRow(NamedTuple):
    """One row of ``signals``; the document it belongs to is the row that holds it."""

    kind: str
    value: str
    tail: str
    source: str


@dataclass(slots=True)
class DocumentRow:
    """One row of ``documents`` and the signals read off it. Key: source_type, source_id, chunk_index."""

    source_type: str
    source_id: str
    chunk_index: int
    chunk_count: int
    author: str
    author_association: str | None
    trust: Trust
    machine: bool
    url: str
    body: str
    search_vector: str
    lexemes: int
    unsearchable: int
    created_at: datetime | None
    updated_at: datetime | None
    path: str | None
    line: int | None
    original_line: int | None
    side: str | None
    in_reply_to: str | None
    commit_sha: str | None
    enclosing_symbol: str | None
    review_id: str | None
    review_state: str | None
    terms: frozenset[str]
    noise: bool = False
    trust_until: list[datetime] | None = None
    trust_then: list[Trust] | None = None
    signals: list[SignalRow] = field(default_factory=list[SignalRow])
    content_hash: bytes = b""

    @property
    def key(self) -> tuple[str, str, int]:
        """What identifies the document within its thread."""
        return (self.source_type, self.source_id, self.chunk_index)


class FileRow(NamedTuple):
    """One row of ``changed_files``."""

    path: str
    tail: str
    change_type: str
    additions: int
    deletions: int
    previous_path: str | None


class LinkRow(NamedTuple):
    """One row of ``links``; ``document`` is the key of the document that states it, if one does."""

    relation: str
    target_repo: str
    target_number: int
    source: str
    stated_at: datetime | None
    document: tuple[str, str, int] | None


class CommitRow(NamedTuple):
    """One row of ``commits``."""

    sha: str
    how: str
    position: int | None
    author_name: str | None
    author_login: str | None
    authored_at: datetime | None
    committed_at: datetime | None
    subject: str | None


class EventRow(NamedTuple):
    """One row of ``thread_events``."""

    position: int
    event: str
    at: datetime
    actor: str | None
    value: str | None
    previous: str | None


class VerdictRow(NamedTuple):
    """One row of ``verdicts``."""

    review_id: str
    author: str
    verdict: str
    stated_at: datetime | None
    commit_sha: str | None


@dataclass(slots=True)
class Derived:
    """Everything one thread's objects say. ``skipped`` counts objects that yield no row, by kind and reason."""

    thread: ThreadRow
    documents: list[DocumentRow]
    files: list[FileRow]
    links: list[LinkRow]
    commits: list[CommitRow]
    verdicts: list[VerdictRow]
    events: list[EventRow]
