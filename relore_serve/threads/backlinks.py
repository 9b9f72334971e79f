"""`backlinks`: which threads speak of one, read off what they themselves say."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from psycopg.rows import class_row

from relore_serve.search import ages
from relore_serve.search.scope import statements

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from psycopg import Connection

    from relore_serve.search.question import Exclusion
    from relore_serve.search.scope import Repo

BACKLINKS = 30

_SQL = statements("relore_serve.threads", "backlinks.sql", backlinks=BACKLINKS)


@dataclass(frozen=True, slots=True)
class Backlink:
    """A thread that speaks of the one asked about.

    Attributes:
        relationship: the strongest of what it says: closes, duplicates, reverts, supersedes or mentions.
        date: when it last said so; null where that is not known.
    """

    repo: str
    number: int
    type: str
    relationship: str
    date: str | None


@dataclass(frozen=True, slots=True)
class Backlinks:
    """Who speaks of a thread.

    Attributes:
        collected: False where no links are held at all: that nobody is listed then means nothing.
        machine_only: threads in which nobody but machines does; they are not listed and not in ``total``.
    """

    listed: tuple[Backlink, ...]
    returned: int
    total: int
    machine_only: int
    collected: bool


@dataclass(frozen=True, slots=True)
class _Row:
    total: int
    machine_only: int
    collected: bool
    repo: str
    number: int | None
    type: str
    relationship: str
    stated_at: datetime | None


def backlinks(
    conn: Connection,
    repo: Repo,
    number: int,
    *,
    thread_id: int,
    visible: Sequence[int],
    before: datetime | None = None,
    exclude: Sequence[Exclusion] = (),
) -> Backlinks:
    """Return the threads that speak of a thread.

    Args:
        conn: a session that may read the tables.
        repo: the repository of the thread.
        number: the thread's.
        thread_id: the thread itself, whose own words do not count.
        visible: ids of the repositories whose threads may be named.
        before: as far as it had been said at that instant.
        exclude: threads to withhold, neither listed nor counted; without a repository they are of ``repo``.
    """
    parameters = {
        "repo": repo.name,
        "number": number,
        "thread": thread_id,
        "visible": [repo.id, *visible],
        "before": before,
        "withheld_repos": [(one.repo or repo.name).lower() for one in exclude],
        "withheld_numbers": [one.number for one in exclude],
    }
    with conn.cursor(row_factory=class_row(_Row)) as cursor:
        rows = cursor.execute(_SQL["backlinks"], parameters).fetchall()
    listed = tuple(
        Backlink(row.repo, row.number, row.type, row.relationship, ages.utc(row.stated_at))
        for row in rows
        if row.number is not None
    )
    first = rows[0]
    return Backlinks(listed, len(listed), first.total, first.machine_only, first.collected)
