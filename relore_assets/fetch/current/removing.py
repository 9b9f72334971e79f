"""Takes staged objects out, leaving a tombstone. Why they go is for `sweep` and `forget` to say."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

from relore_assets.fetch import removals
from relore_assets.fetch.archives.found import COUNTED_AS
from relore_assets.fetch.staging import REMOVED
from relore_serve.sql import load

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable
    from datetime import datetime

    from psycopg import Connection

SQL = load("relore_assets.fetch.current", "removing.sql")


def hold_alone(conn: Connection, repo_id: int) -> None:
    """Wait for everybody who stores objects of the repository, and let nobody begin before this transaction ends."""
    conn.execute(removals.SQL["alone"], {"class": removals.LOCK_CLASS, "repo_id": repo_id})


def hold_threads(conn: Connection, repo_id: int, numbers: Collection[int]) -> None:
    """Wait for everybody who derives some threads, and let nobody begin before this transaction ends."""
    conn.execute(SQL["lock_threads"], {"repo_id": repo_id, "numbers": sorted(numbers)})


def remove_objects(
    conn: Connection,
    repo_id: int,
    objects: Iterable[tuple[str, str]],
    *,
    reason: str,
    unless_stored_since: datetime | None = None,
) -> list[int]:
    """Unstage comments and reviews, and leave their tombstones; returns the number of each one's thread.

    The caller holds the repository alone.

    Args:
        conn: inside a transaction.
        repo_id: the repository.
        objects: their kinds and ids.
        reason: as `tombstones` knows it.
        unless_stored_since: what was stored at or after this moment stays.
    """
    keys = list(objects)
    return _removed(
        conn,
        "remove_objects",
        {
            "repo_id": repo_id,
            "kinds": [kind for kind, _ in keys],
            "object_ids": [object_id for _, object_id in keys],
            "reason": reason,
            "since": unless_stored_since,
        },
    )


def remove_threads(
    conn: Connection,
    repo_id: int,
    numbers: Iterable[int],
    *,
    reason: str,
    unless_stored_since: datetime | None = None,
) -> set[int]:
    """Unstage whole threads, and leave their tombstones; returns the numbers of those that went.

    The caller holds the repository alone. A thread of which anything was stored at or after
    ``unless_stored_since`` stays whole.
    """
    removed = _removed(
        conn,
        "remove_threads",
        {
            "repo_id": repo_id,
            "numbers": list(numbers),
            "reason": reason,
            "since": unless_stored_since,
        },
    )
    return set(removed)


def _removed(conn: Connection, name: str, values: dict[str, Any]) -> list[int]:
    """Run a removal, and take what went out of the books of the passes that brought it."""
    rows = conn.execute(SQL[name], values).fetchall()
    for kind, window, members in _counted(rows):
        conn.execute(
            SQL["count_out"],
            {
                "repo_id": values["repo_id"],
                "counted": COUNTED_AS.get(kind, kind),
                "window": window,
                "members": members,
                "skipped": REMOVED,
            },
        )
    return [row[0] for row in rows]


def _counted(rows: list[tuple[Any, ...]]) -> list[tuple[str, Any, int]]:
    """Sum up removed (number, kind, window, members) by kind and window."""
    sums: Counter[tuple[str, Any]] = Counter()
    for _, kind, window, members in rows:
        sums[kind, window] += members
    return [(kind, window, total) for (kind, window), total in sums.items()]
