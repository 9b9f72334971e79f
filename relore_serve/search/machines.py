"""Where machines said every word of a question that no person said all of: told, with the threads, and not served."""

from __future__ import annotations

from typing import TYPE_CHECKING

from psycopg.rows import tuple_row

from relore_serve.prepared import Prepared
from relore_serve.search.scope import statements

if TYPE_CHECKING:
    from collections.abc import Mapping

    from psycopg import Connection

MOST_THREADS = 3
"""Threads that are named."""

_MATCHES = Prepared(statements("relore_serve.search", "machines.sql", most=MOST_THREADS)["matches"])


def matches(conn: Connection, values: Mapping[str, object]) -> tuple[int, tuple[str, ...]]:
    """Return how many texts of machines carry every word, and the newest of their threads as owner/name#number.

    Args:
        conn: a session that may read the tables.
        values: the parameters of a page whose scope admits machines alone.
    """
    rows = _MATCHES.fetch(conn, values, tuple_row)
    return (int(rows[0][2]) if rows else 0), tuple(f"{repo}#{number}" for repo, number, _ in rows)
