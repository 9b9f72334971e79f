"""What several answers, and the rows behind them, tell in one shape: a thread's head, and a passage."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from relore_serve.search import ages
from relore_serve.search.shapes import Named

if TYPE_CHECKING:
    from datetime import datetime

    from relore_serve.as_of.heads import Head
    from relore_serve.threads.decision import Decision


@dataclass(frozen=True, slots=True)
class ThreadRow(Named):
    """What a page or a row of a list says of a thread's head; None where it is not known as of a cutoff."""

    trust: str
    state: str | None
    draft: bool
    merged: bool
    state_reason: str | None
    closed_by: str | None
    review_decision: str | None
    review_decision_by: tuple[str, ...]
    review_decision_standing: tuple[str, ...]
    age: str
    date: str


@dataclass(frozen=True, slots=True)
class Constant:
    """What of a thread never changes, as statements return it; but for ``trust``, the opener's."""

    repo: str
    number: int
    type: str
    url: str
    author: str
    created_at: datetime
    trust: str


def row_of(constant: Constant, head: Head, decision: Decision, now: datetime) -> dict[str, Any]:
    """Return the fields of a `ThreadRow`."""
    return {
        "repo": constant.repo,
        "number": constant.number,
        "type": constant.type,
        "title": head.title,
        "url": constant.url,
        "author": constant.author,
        "trust": constant.trust,
        "state": head.state,
        "draft": head.draft,
        "merged": head.merged,
        "state_reason": head.state_reason,
        "closed_by": head.closed_by,
        "review_decision": decision.decision,
        "review_decision_by": decision.by,
        "review_decision_standing": decision.standing,
        "age": ages.age(constant.created_at, now),
        "date": ages.utc(constant.created_at) or "",
    }


@dataclass(frozen=True, slots=True)
class PassageRow:
    """One piece of a text, as statements return it."""

    source_type: str
    source_id: str
    chunk_index: int
    chunk_count: int
    author: str
    trust: str
    url: str
    body: str
    created_at: datetime | None
    path: str | None
    line: int | None


@dataclass(frozen=True, slots=True)
class Said:
    """Whose words they are, of when, and where they stand."""

    source_type: str
    source_id: str
    author: str
    trust: str
    age: str
    date: str | None
    url: str
    path: str | None
    line: int | None


def said(row: PassageRow, now: datetime) -> dict[str, Any]:
    """Return the fields of a `Said`."""
    return {
        "source_type": row.source_type,
        "source_id": row.source_id,
        "author": row.author,
        "trust": row.trust,
        "age": ages.age(row.created_at, now),
        "date": ages.utc(row.created_at),
        "url": row.url,
        "path": row.path,
        "line": row.line,
    }
