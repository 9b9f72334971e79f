"""`heads`: what threads' heads said at a moment, in one statement."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from psycopg.rows import class_row

from relore_serve.prepared import Prepared
from relore_serve.search.scope import statements

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from psycopg import Connection

_SQL = {name: Prepared(text) for name, text in statements("relore_serve.as_of", "heads.sql").items()}


@dataclass(frozen=True, slots=True)
class Head:
    """A thread's head at a moment.

    Attributes:
        state: open or closed; None where it is withheld.
        withheld: names of the fields whose value then is not known, and which are therefore empty.
        todays_words: ``title`` where it may have been another then, and today's is given for want of that.
    """

    title: str
    state: str | None
    state_reason: str | None
    draft: bool
    merged: bool
    locked: bool
    closed_by: str | None
    merged_by: str | None
    labels: tuple[str, ...]
    requested_reviewers: tuple[str, ...]
    closed_at: datetime | None
    merged_at: datetime | None
    withheld: tuple[str, ...] = ()
    todays_words: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class _Row:
    id: int
    untouched: bool
    undated: list[str]
    issue: bool
    title: str
    closed: bool | None
    draft: bool
    merged: bool
    locked: bool
    labels: list[str] | None
    requested_reviewers: list[str]
    closed_at: datetime | None
    closed_by: str | None
    state_reason: str | None
    last_closing: bool
    merged_at: datetime | None
    merged_by: str | None


def heads(conn: Connection, thread_ids: Sequence[int], before: datetime | None) -> dict[int, Head]:
    """Return the heads of threads, by id: today's, or as of strictly before a moment.

    A thread that was opened at that moment or later is not told of here: whoever asks has to leave it out.

    Args:
        conn: a session that may read the tables.
        thread_ids: which threads; ids of none are passed over.
        before: the cutoff.
    """
    if not thread_ids:
        return {}
    statement = _SQL["today" if before is None else "heads"]
    rows = statement.fetch(conn, {"threads": list(thread_ids), "before": before}, class_row(_Row))
    return {row.id: _head(row, before) for row in rows}


def _head(row: _Row, before: datetime | None) -> Head:
    # Labels are renamed without moving the threads that bear them.
    unknown = [name for name in row.undated if name == "labels" or not row.untouched]
    withheld = [name for name in ("draft", "locked", "labels", "requested_reviewers") if name in unknown]
    if row.issue:
        withheld = [name for name in withheld if name not in {"draft", "requested_reviewers"}]
    closed = row.closed is True
    closed_at, closed_by = row.closed_at, row.closed_by
    if before is not None and row.merged and closed_at is not None and closed_at >= before:
        # GitHub dates the closing that a merge is up to some seconds after it.
        closed_at, closed_by = row.merged_at, row.merged_by
    if row.closed is None:
        withheld[:0] = ["state", "state_reason", "closed_by", "closed_at"]
    elif closed and row.issue and not row.last_closing and row.state_reason is None:
        withheld.insert(0, "state_reason")
    return Head(
        title=row.title,
        state=None if row.closed is None else "closed" if closed else "open",
        state_reason=row.state_reason if closed else None,
        draft=row.draft and "draft" not in withheld,
        merged=row.merged,
        locked=row.locked and "locked" not in withheld,
        closed_by=closed_by if closed else None,
        merged_by=row.merged_by if row.merged else None,
        labels=() if "labels" in withheld else tuple(row.labels or ()),
        requested_reviewers=() if "requested_reviewers" in withheld else tuple(row.requested_reviewers),
        closed_at=closed_at if closed else None,
        merged_at=row.merged_at if row.merged else None,
        withheld=tuple(withheld),
        todays_words=("title",) if "title" in unknown else (),
    )
