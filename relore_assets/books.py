"""Keeps table ``books``: the counts of a repository, added up when a pass over it has ended.

Reading status then costs one row, however large the history. The row is written anew each time, also when no count
moved: its date says up to when somebody looked. Between two countings, status names what has run since.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from psycopg.types.json import Jsonb

from relore_serve.sql import load
from relore_serve.status.counting import count
from relore_serve.status.presence import LOCK_CLASSES

if TYPE_CHECKING:
    from psycopg import Connection

SQL = load("relore_assets", "books.sql")


def at_work(conn: Connection, repo_id: int, pass_name: str) -> None:
    """Let `status` know that a pass is under way, for as long as the session of ``conn`` lives.

    Args:
        conn: the session; how it ends makes no difference.
        repo_id: the repository.
        pass_name: one of those in `relore_serve.status.presence.LOCK_CLASSES`.
    """
    conn.execute(SQL["at_work"], {"class": LOCK_CLASSES[pass_name], "repo_id": repo_id})


def add_up(conn: Connection, repo_id: int) -> dict[str, Any]:
    """Count what is held of a repository, store that, and return it.

    To be called at the end of every pass that changes what is staged or derived, after its marks are written.

    Args:
        conn: a connection of the owner with no transaction open.
        repo_id: the repository.
    """
    with conn.transaction():
        conn.execute(SQL["see_one_state"])
        # Everything that was committed before this moment is counted, so no pass that ended by then is missed.
        row = conn.execute(SQL["clock"]).fetchone()
        facts = count(conn, repo_id)
    counted_at = None if row is None else row[0]
    # Apart from the counting, which might otherwise have to be repeated: a concurrent one may write first.
    with conn.transaction():
        conn.execute(SQL["store"], {"repo_id": repo_id, "counted_at": counted_at, "facts": Jsonb(facts)})
    return facts


def held(conn: Connection, repo_id: int) -> dict[str, Any]:
    """Return the books as they were last added up; empty where they never were."""
    row = conn.execute(SQL["held"], {"repo_id": repo_id}).fetchone()
    return {} if row is None else row[0]
