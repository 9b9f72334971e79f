"""Where vectors are kept: a schema that is made when they are first wanted, and what is taken out of it on request.

Migrations know nothing of it: a server without pgvector is as good as any for everything else.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, LiteralString

import psycopg
from psycopg import sql
from psycopg.rows import scalar_row

from relore_assets.errors import ReloreError
from relore_assets.settings import Settings
from relore_serve.semantic import vectors
from relore_serve.sql import load

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from psycopg import Connection

SQL = load("relore_assets.embeddings", "embeddings.sql")
SCHEMA = "relore_semantic"

_SHAPE = ("vectors", "models_index", "thread_index", "signs", "usable", "readable")


class VectorsUnavailable(ReloreError):
    """Vectors cannot be made or kept; the message is one sentence that says what to do about it."""


def ready(conn: Connection, *, administer: Callable[[], None] | None = None) -> str:
    """Make the tables of vectors where there are none, and return the schema that pgvector is in.

    Args:
        conn: the owner's, with no transaction open.
        administer: creates the extension in `SCHEMA` as the server's administrator, where we are that too.

    Raises:
        VectorsUnavailable: the server has no pgvector, or only its administrator may create it.
    """
    home = vectors.home(conn)
    if home is not None:
        return home
    try:
        home = _pgvector(conn, administer)
        with conn.transaction():
            conn.execute(SQL["lock_shape"])
            for name in _SHAPE:
                conn.execute(sql.SQL(SQL[name]).format(vector=sql.Identifier(home)))
    except psycopg.errors.InsufficientPrivilege as error:
        raise VectorsUnavailable(
            f"The user {conn.info.user} may not make the schema {SCHEMA} in this database: its owner, or somebody with "
            f"CREATE on it, has to."
        ) from error
    return home


def remove_of_documents(conn: Connection, ids: Sequence[int]) -> int:
    """Remove the vectors that were made of some documents, which are still there; returns how many.

    A vector tells something of the words that it was made of. Those of whole threads go with these by themselves.
    """
    with conn.cursor(row_factory=scalar_row) as cursor:
        if not cursor.execute(SQL["kept"]).fetchone():
            return 0
    return conn.execute(SQL["remove_of_documents"], {"ids": list(ids)}).rowcount


def administrator(address: str) -> Callable[[], None] | None:
    """Return what creates pgvector where the server is the embedded one, whose administrator we are."""
    settings = Settings.from_env()
    if not settings.embedded:
        return None
    server = settings.local_postgres()
    return server.add_vectors if server.status() is not None and server.url() == address else None


def _pgvector(conn: Connection, administer: Callable[[], None] | None) -> str:
    """Return the schema that pgvector is in, creating it where it is not."""
    with conn.cursor(row_factory=scalar_row) as cursor:
        created = cursor.execute(SQL["has_pgvector"]).fetchone()
        if created is None:
            raise VectorsUnavailable(
                "This Postgres server has no pgvector, so the semantic tier stays off; all else works without."
            )
        conn.execute(SQL["schema"])
        if not created:
            _create(conn, administer)
        home = cursor.execute(SQL["home"]).fetchone()
    assert home is not None  # noqa: S101 - it has just been created
    return home


def _create(conn: Connection, administer: Callable[[], None] | None) -> None:
    try:
        conn.execute(SQL["extension"])
    except psycopg.errors.InsufficientPrivilege as error:
        if administer is None:
            raise VectorsUnavailable(
                "Only an administrator of this Postgres server may create pgvector, so the semantic tier stays off "
                "until one runs, in this database: CREATE EXTENSION vector;"
            ) from error
        administer()


def composed(name: str, home: str) -> LiteralString:
    """Return a statement with pgvector's schema and the threads' texts put in."""
    return vectors.with_texts(SQL[name], home)
