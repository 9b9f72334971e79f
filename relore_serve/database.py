"""The one door to Postgres for everything that answers questions: read-only, bounded, checked.

Connections come from a pool that opens when first used. Each is a session of the reader's role that may not
write, and is tested when it is handed out, so that a restarted server costs one reconnect and no failed
request. Errors of the driver that mean "the store is not there" leave here as `StoreUnavailable`.
"""

from __future__ import annotations

import re
import select
from contextlib import contextmanager
from typing import TYPE_CHECKING

import psycopg
from psycopg_pool import ConnectionPool, PoolTimeout

from relore_serve.sql import load

if TYPE_CHECKING:
    from collections.abc import Generator

SCHEMA_VERSION = "0016"
"""The schema that the queries of this program are written for."""

READER = "relore_reader"
"""The role under which everything is read: it may SELECT, and nothing else."""

STATEMENT_TIMEOUT_MS = 10_000

# Four digits from 0001 on, so that versions compare as text.
_VERSION = re.compile(r"(?!0000)[0-9]{4}")

_SQL = load("relore_serve", "database.sql")


class StoreError(Exception):
    """The store cannot answer; the message is one sentence that says what to do about it."""


class StoreUnavailable(StoreError):
    """Postgres is not to be reached, or has no connection left for us."""


class SchemaMismatch(StoreError):
    """The tables are of another version than the program."""


# Classes of SQLSTATE that say the server is not there for us: connection, resources, shutdown.
_UNAVAILABLE = ("08", "53", "57P")


@contextmanager
def store_errors() -> Generator[None]:
    """Turn the driver's "not there" errors into `StoreUnavailable`; let all others pass."""
    try:
        yield
    except PoolTimeout as error:
        raise StoreUnavailable(
            "The database cannot be reached, or all its connections are in use."
        ) from error
    except psycopg.OperationalError as error:
        # A failure to connect has no SQLSTATE; a statement that ran out of time has, and is no such failure.
        if error.sqlstate is not None and not error.sqlstate.startswith(_UNAVAILABLE):
            raise
        raise StoreUnavailable(f"The database cannot be reached: {_first_line(error)}") from error


class ReaderPool(ConnectionPool[psycopg.Connection]):
    """A pool of read-only sessions that opens itself when it is first asked; see `open_reader`."""

    @contextmanager
    def connection(self, timeout: float | None = None) -> Generator[psycopg.Connection]:
        """Hand out a session for as long as the block lasts.

        Every statement is its own transaction; ``with connection.transaction():`` gives several statements
        one and the same view of the data.

        Raises:
            StoreUnavailable: there is none to be had, or the server went away meanwhile.
        """
        with store_errors():
            # Opening twice is harmless and opening before a fork is not: hence here, not in `open_reader`.
            self.open()
            with super().connection(timeout) as connection:
                yield connection


def open_reader(
    url: str, *, size: int = 8, statement_timeout_ms: int = STATEMENT_TIMEOUT_MS, wait: float = 5.0
) -> ReaderPool:
    """Return a pool of sessions as the role `READER`, without connecting yet.

    Args:
        url: libpq's address; its user is that role or a member of it.
        size: most connections at once; as many as the server has threads.
        statement_timeout_ms: when Postgres gives a statement up.
        wait: seconds to wait for a free connection, and for an absent server.
    """

    def configure(connection: psycopg.Connection) -> None:
        _become_reader(connection, statement_timeout_ms)

    return ReaderPool(
        url,
        min_size=0,
        max_size=size,
        timeout=wait,
        reconnect_timeout=wait,
        open=False,
        kwargs={"autocommit": True, "connect_timeout": 5, "application_name": "relore serve"},
        configure=configure,
        check=_check,
        name="reader",
    )


def _check(connection: psycopg.Connection) -> None:
    """Test a session before it is handed out, without a journey to the server unless something came from there.

    An idle session is sent nothing but the news of its end: of itself, or of the whole server.
    """
    waiting = select.poll()
    waiting.register(connection.fileno(), select.POLLIN)
    if waiting.poll(0):
        ConnectionPool.check_connection(connection)


def connect_reader(url: str, *, statement_timeout_ms: int = STATEMENT_TIMEOUT_MS) -> psycopg.Connection:
    """Return one session like those of the pool, outside of it: its errors name their cause, a pool's do not.

    Raises:
        StoreUnavailable: the server cannot be reached.
        SchemaMismatch: the server was never migrated, and has no such role.
        StoreError: the database does not hold text as UTF-8, or the address's user may not act as the reader.
    """
    with store_errors():
        connection = psycopg.connect(url, autocommit=True, connect_timeout=5)
    try:
        require_utf8(connection)
        _become_reader(connection, statement_timeout_ms)
    except psycopg.errors.InvalidParameterValue as error:
        connection.close()
        raise SchemaMismatch(f"The server has no role {READER} yet: run `relored migrate`.") from error
    except psycopg.Error as error:
        user = connection.info.user
        connection.close()
        raise StoreError(f"The user {user} may not act as the role {READER}: {_first_line(error)}") from error
    except StoreError:
        connection.close()
        raise
    return connection


def require_utf8(connection: psycopg.Connection) -> None:
    """Refuse a database that cannot hold every text.

    Raises:
        StoreError: with the statement that makes another in its sentence.
    """
    encoding = connection.info.parameter_status("server_encoding")
    if encoding != "UTF8":
        name = connection.info.dbname
        raise StoreError(
            f"The database {name} holds text as {encoding} and relore needs UTF8: make another by "
            "CREATE DATABASE … ENCODING 'UTF8' TEMPLATE template0, and name it in RELORE_DATABASE_URL."
        )


def _become_reader(connection: psycopg.Connection, statement_timeout_ms: int) -> None:
    connection.execute(_SQL["configure"], {"statement_timeout": str(statement_timeout_ms), "role": READER})


def schema_version(connection: psycopg.Connection) -> str | None:
    """Return the version of the tables, None where there are none of ours."""
    if not connection.execute(_SQL["has_schema"]).fetchone():
        return None
    row = connection.execute(_SQL["schema_version"]).fetchone()
    return None if row is None else str(row[0])


def require_schema(connection: psycopg.Connection) -> None:
    """Refuse tables of another version than `SCHEMA_VERSION`.

    Raises:
        SchemaMismatch: with the remedy in its sentence.
    """
    found = schema_version(connection)
    if found is None:
        raise SchemaMismatch("The database holds no tables of relore yet: run `relored migrate`.")
    if refuse_unless_older(found):
        raise SchemaMismatch(
            f"The database has schema version {found} and this program needs {SCHEMA_VERSION}: "
            "run `relored migrate`."
        )


def refuse_unless_older(found: str) -> bool:
    """Whether the version is an older one of ours, which a migration brings forward; False for the current one.

    Raises:
        SchemaMismatch: it is a newer one, or none of ours.
    """
    if not _VERSION.fullmatch(found):
        raise SchemaMismatch(
            f"The database says that its schema is of version {found!r}, which is none of relore's: name another "
            "database, or bring this one back from a backup."
        )
    if found > SCHEMA_VERSION:
        raise SchemaMismatch(
            f"The database has schema version {found}, newer than this program's {SCHEMA_VERSION}: "
            "upgrade relore."
        )
    return found < SCHEMA_VERSION


def _first_line(error: Exception) -> str:
    return (str(error).strip().splitlines() or [type(error).__name__])[0]
