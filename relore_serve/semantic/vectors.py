"""The stored vectors, as they are read: whether there are any, which are nearest, how many are out of date."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, LiteralString, cast

from psycopg import sql
from psycopg.rows import class_row, dict_row, scalar_row, tuple_row

from relore_serve.prepared import Prepared
from relore_serve.search import scope
from relore_serve.search.alike import Alike
from relore_serve.semantic import text
from relore_serve.sql import load

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from psycopg import Connection

    from relore_serve.search.scope import Scope

SQL = load("relore_serve.semantic", "vectors.sql")
_PRESENT = Prepared(SQL["present"])

LOOKED_AT = 15
"""So many times as many threads as are wanted are compared by their numbers, those that the signs put first."""


def home(conn: Connection) -> str | None:
    """Return the schema of pgvector where vectors are kept in this database, None where they are not."""
    found = _PRESENT.fetch(conn, {}, scalar_row)
    return found[0] if found else None


def models(conn: Connection) -> list[str]:
    """Return the models that the stored vectors are of. To be asked only where there is a `home`."""
    with conn.cursor(row_factory=scalar_row) as cursor:
        return cursor.execute(SQL["models"]).fetchall()


def held(conn: Connection, repo_ids: Sequence[int], model: str) -> dict[int, int]:
    """Return how many vectors of a model there are now, by repository; repositories without any are left out."""
    if home(conn) is None:
        return {}
    with conn.cursor(row_factory=tuple_row) as cursor:
        return dict(cursor.execute(SQL["held"], {"repo_ids": list(repo_ids), "model": model}).fetchall())


def nearest(
    conn: Connection, home: str, vector: Sequence[float], *, model: str, scope: Scope, most: int
) -> list[Alike]:
    """Return at most ``most`` threads within ``scope``, those with the nearest vectors first."""
    values = {
        **scope.parameters(),
        "vector": literal(vector),
        "model": model,
        "most": most,
        "looked_at": most * LOOKED_AT,
    }
    return _nearest(home).fetch(conn, values, class_row(Alike))


def count(conn: Connection, repo_id: int, model: str) -> dict[str, Any] | None:
    """Return how many threads of a repository have a vector, and how many of these are stale; None without vectors."""
    if home(conn) is None:
        return None
    with conn.cursor(row_factory=dict_row) as cursor:
        row = cursor.execute(
            with_texts(SQL["count"]), {"repo_id": repo_id, "model": model, "head": text.HEAD}
        ).fetchone()
    assert row is not None  # noqa: S101 - an aggregate always has a row
    return {"model": model, **row}


def literal(vector: Sequence[float]) -> str:
    """Return a vector as pgvector reads it; half precision holds no more digits than these."""
    return f"[{','.join(format(number, '.5f') for number in vector)}]"


def with_texts(statement: LiteralString, home: str = "public") -> LiteralString:
    """Return a statement with the threads' texts and their digests for ``{thread_texts}``, a home for ``{vector}``."""
    composed = sql.SQL(statement).format(
        thread_texts=sql.SQL(SQL["thread_texts"]), vector=sql.Identifier(home)
    )
    return cast("LiteralString", composed.as_string(None))


@cache
def _nearest(home: str) -> Prepared:
    """Return the statement with pgvector's names spelled out, wherever the server's administrator has put them."""
    predicates = scope.fragments()
    composed = sql.SQL(SQL["nearest"]).format(vector=sql.Identifier(home), **predicates)
    return Prepared(cast("LiteralString", composed.as_string(None)))
