"""Adds up the books of a repository: what has to be counted over whole tables.

It takes seconds where there are half a million documents, so it is done when a pass has ended and its result stored
(`relore_assets.books`); `report` reads what was stored and says of when it is.
"""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from psycopg.rows import dict_row

from relore_serve.semantic import encoder, vectors
from relore_serve.status.accounts import SQL, accounts

if TYPE_CHECKING:
    from psycopg import Connection

SIZES = ("threads", "documents", "raw_objects", "superseded_documents")

# How many rejected lines are named; the total is always said.
_NAMED = 5


def count(conn: Connection, repo_id: int) -> dict[str, Any]:
    """Return the books of one repository, as JSON; they agree with each other where ``conn`` sees one state."""
    sizes = _row(conn, "sizes", repo_id)
    orphans = _row(conn, "orphans", repo_id)
    cleaned = _row(conn, "cleaned", repo_id)
    rejected = _rows(conn, "rejected", repo_id, named=_NAMED)
    objects = accounts(conn, [repo_id])[repo_id]
    return {
        **{size: sizes[size] for size in SIZES},
        "objects": [asdict(account) for account in objects],
        "unexplained": sum(account.unexplained for account in objects),
        "semantic": vectors.count(conn, repo_id, encoder.NAME),
        "orphans": {name: orphans.get(name, 0) for name in ("objects", "numbers")},
        "rejected": {
            "lines": rejected[0]["total"] if rejected else 0,
            "first": [{name: row[name] for name in ("file", "line", "reason")} for row in rejected],
        },
        "redactions": {
            name: cleaned.get(name, 0) for name in ("secrets", "objects_with_secrets", "characters")
        },
    }


def _row(conn: Connection, query: str, repo_id: int) -> dict[str, Any]:
    """Return the one row about the repository, empty where nothing is to be said of it."""
    rows = _rows(conn, query, repo_id)
    return rows[0] if rows else {}


def _rows(conn: Connection, query: str, repo_id: int, **values: object) -> list[dict[str, Any]]:
    with conn.cursor(row_factory=dict_row) as cursor:
        return cursor.execute(SQL[query], {"repo_ids": [repo_id], **values}).fetchall()
