"""Readers cannot write, see one state at a time, and outlive a restart of the server."""

from __future__ import annotations

import shutil
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING

import psycopg
import pytest

from relore_assets.local.postgres import READER, SUPERUSER, LocalPostgres
from relore_serve.database import (
    SCHEMA_VERSION,
    SchemaMismatch,
    StoreError,
    StoreUnavailable,
    connect_reader,
    open_reader,
    require_schema,
    store_errors,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

NOWHERE = "postgresql://127.0.0.1:1/relore"


@pytest.fixture
def restartable() -> Iterator[LocalPostgres]:
    """A running server that a test may stop."""
    memory = Path("/dev/shm")  # noqa: S108 - the folder made there has a random name and is ours
    folder = Path(tempfile.mkdtemp(prefix="relore-serve-", dir=memory if memory.is_dir() else None))
    folder.chmod(0o711)
    server = LocalPostgres(folder / "postgres", durable=False)
    server.start()
    yield server
    server.stop()
    shutil.rmtree(folder)


def test_a_pool_that_is_not_used_connects_to_nothing() -> None:
    """It opens with the first question, so that a process may fork before."""
    open_reader(NOWHERE).close()


def test_a_session_is_the_readers_read_only_and_bounded(reader_url: str) -> None:
    """Whatever the server's own defaults say."""
    reader = open_reader(reader_url, statement_timeout_ms=1234)
    with reader.connection() as connection:
        assert connection.execute("SELECT current_user").fetchone() == (READER,)
        assert connection.execute("SHOW transaction_read_only").fetchone() == ("on",)
        assert connection.execute("SHOW statement_timeout").fetchone() == ("1234ms",)
    reader.close()


def test_an_owner_who_reads_steps_down_first(postgres: LocalPostgres, database_url: str) -> None:
    """Where the reader has no login: even an administrator's session cannot write, the mode lifted or not."""
    with psycopg.connect(database_url) as connection:
        address = postgres.url(connection.info.dbname, user=SUPERUSER)
    reader = open_reader(address)
    with reader.connection() as connection:
        connection.execute("SET default_transaction_read_only = off")
        with pytest.raises(psycopg.errors.InsufficientPrivilege):
            connection.execute("DELETE FROM relore.threads")
    reader.close()


def test_a_user_who_may_not_be_the_reader_is_told_so(database_url: str) -> None:
    """A pool can only say that it got no connection; this says why."""
    with pytest.raises(
        StoreError, match="relore_owner may not act as the role relore_reader: permission denied"
    ):
        connect_reader(database_url)


def test_a_server_that_was_never_migrated_is_said_to_be_that(
    restartable: LocalPostgres,
) -> None:
    """It has no role of ours yet: a matter of one command."""
    address = restartable.url(user=SUPERUSER)
    with psycopg.connect(restartable.url("postgres", user=SUPERUSER), autocommit=True) as connection:
        connection.execute("ALTER ROLE relore_reader RENAME TO put_aside")

    with pytest.raises(SchemaMismatch, match="has no role relore_reader yet: run `relored migrate`"):
        connect_reader(address)

    with psycopg.connect(restartable.url("postgres", user=SUPERUSER), autocommit=True) as connection:
        connection.execute("ALTER ROLE put_aside RENAME TO relore_reader")


def test_a_database_that_cannot_hold_every_text_is_refused(ascii_url: str) -> None:
    """Its text comes as bytes, which nothing here could read."""
    with pytest.raises(StoreError, match="holds text as SQL_ASCII and relore needs UTF8"):
        connect_reader(ascii_url)


def test_a_restarted_server_costs_no_question(restartable: LocalPostgres) -> None:
    """Connections are tested as they are handed out, and dead ones replaced."""
    reader = open_reader(restartable.url(user=READER), size=3)
    with reader.connection(), reader.connection(), reader.connection():
        pass  # three sessions are open, and idle from here on
    restartable.stop()
    restartable.start()

    for _ in range(6):
        with reader.connection() as connection:
            assert connection.execute("SELECT 1").fetchone() == (1,)
    reader.close()


def test_a_server_that_is_away_is_said_to_be_away_and_found_again(restartable: LocalPostgres) -> None:
    """An outage is not an empty answer, and ends by itself."""
    reader = open_reader(restartable.url(user=READER), wait=0.3)
    restartable.stop()
    with pytest.raises(StoreUnavailable), reader.connection():
        pass
    restartable.start()

    while True:  # the pool asks again in its own rhythm
        try:
            with reader.connection() as connection:
                assert connection.execute("SELECT 1").fetchone() == (1,)
            break
        except StoreUnavailable:
            time.sleep(0.1)
    reader.close()


def test_a_server_that_goes_away_in_mid_question_is_away(restartable: LocalPostgres) -> None:
    """The session that was in use cannot be replaced; its error has the one name."""
    reader = open_reader(restartable.url(user=READER))

    def ask() -> None:
        with reader.connection() as connection:
            restartable.stop()
            connection.execute("SELECT 1")

    with pytest.raises(StoreUnavailable):
        ask()
    reader.close()


def test_a_statement_that_takes_too_long_is_its_own_fault(reader_url: str) -> None:
    """Running out of time is not an outage, and keeps its own class."""
    reader = open_reader(reader_url, statement_timeout_ms=50)
    with pytest.raises(psycopg.errors.QueryCanceled), reader.connection() as connection:
        connection.execute("SELECT pg_sleep(5)")
    reader.close()


def test_the_statements_of_one_transaction_see_one_state(reader_url: str, conn: psycopg.Connection) -> None:
    """A page put together from several statements is of one moment, whatever is written meanwhile."""
    count = "SELECT count(*) FROM relore.repos"
    reader = open_reader(reader_url)
    with reader.connection() as connection:
        with connection.transaction():
            before = connection.execute(count).fetchone()
            conn.execute(
                "INSERT INTO relore.repos (full_name, source_kind, source_location) VALUES ('o/r', 'archive', '.')"
            )
            conn.commit()
            assert connection.execute(count).fetchone() == before == (0,)
        assert connection.execute(count).fetchone() == (1,)
    reader.close()


@pytest.mark.parametrize(
    ("version", "sentence"),
    [
        ("0001", f"needs {SCHEMA_VERSION}: run `relored migrate`"),
        ("9999", "upgrade relore"),
        ("abc", "version 'abc', which is none of relore's"),
        ("0000", "version '0000', which is none of relore's"),
    ],
    ids=["older", "newer", "no number", "before the first"],
)
def test_tables_of_another_version_are_refused(conn: psycopg.Connection, version: str, sentence: str) -> None:
    """The sentence says which side to bring forward."""
    require_schema(conn)
    conn.execute("UPDATE relore.schema_version SET version_num = %s", [version])

    with pytest.raises(SchemaMismatch, match=sentence):
        require_schema(conn)


def test_a_database_without_tables_is_refused(empty_database_url: str) -> None:
    """Nothing was migrated yet: that too is a matter of one command."""
    with (
        psycopg.connect(empty_database_url) as connection,
        pytest.raises(SchemaMismatch, match="no tables of relore yet: run `relored migrate`"),
    ):
        require_schema(connection)


def test_errors_of_a_statement_pass_the_door_unchanged(conn: psycopg.Connection) -> None:
    """The door renames outages only."""
    with pytest.raises(psycopg.errors.UndefinedTable), store_errors():
        conn.execute("SELECT * FROM relore.nothing")
