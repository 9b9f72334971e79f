"""`relored serve` refuses, before it listens, what it must not serve."""

from __future__ import annotations

import psycopg
import pytest
from click.testing import CliRunner

from relore_assets.commands.serve import command
from relore_assets.errors import ReloreError
from relore_assets.local.postgres import SUPERUSER, LocalPostgres
from relore_serve.database import SchemaMismatch


@pytest.fixture(autouse=True)
def no_tokens(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever the machine's own environment says."""
    monkeypatch.delenv("RELORE_API_TOKENS", raising=False)
    monkeypatch.delenv("RELORE_API_TOKENS_FILE", raising=False)


def test_it_does_not_serve_an_older_schema(
    postgres: LocalPostgres, database_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The sentence names the verb that brings it up to date."""
    with psycopg.connect(database_url) as connection:
        connection.execute("UPDATE relore.schema_version SET version_num = '0001'")
        monkeypatch.setenv("RELORE_DATABASE_URL", postgres.url(connection.info.dbname, user=SUPERUSER))

    result = CliRunner().invoke(command, [])

    assert isinstance(result.exception, SchemaMismatch)
    assert "run `relored migrate`" in str(result.exception)


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "192.0.2.7", "db.internal"])  # noqa: S104 - that it is refused
def test_it_does_not_listen_beyond_this_machine_without_tokens(host: str) -> None:
    """An open index is somebody's typed decision."""
    result = CliRunner().invoke(command, ["--host", host])

    assert isinstance(result.exception, ReloreError)
    assert "--trust-network" in str(result.exception)


def test_tokens_that_cannot_be_read_stop_it(monkeypatch: pytest.MonkeyPatch) -> None:
    """Serving without those that were meant would serve everybody."""
    monkeypatch.setenv("RELORE_API_TOKENS", "no-repositories")

    result = CliRunner().invoke(command, [])

    assert isinstance(result.exception, ReloreError)
    assert "entry 1 of RELORE_API_TOKENS" in str(result.exception)


@pytest.mark.parametrize(
    ("flags", "says"),
    [
        (["--as-of", "2024-05-01"], "names no time zone"),
        (["--as-of", "2024-05-01T00:00:00"], "needs a time zone"),
        (["--exclude-thread", "x"], "thread's number"),
    ],
)
def test_a_pin_that_cannot_be_read_stops_it(flags: list[str], says: str) -> None:
    result = CliRunner().invoke(command, flags)

    assert isinstance(result.exception, ReloreError)
    assert says in str(result.exception)


@pytest.mark.parametrize("thread", ["7", "acme/widgets#7"])
def test_a_pin_that_would_withhold_nothing_stops_it(
    thread: str, postgres: LocalPostgres, database_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A misspelt exclusion must not look like a kept one."""
    with psycopg.connect(database_url) as connection:
        monkeypatch.setenv("RELORE_DATABASE_URL", postgres.url(connection.info.dbname, user=SUPERUSER))

    result = CliRunner().invoke(command, ["--exclude-thread", thread])

    assert isinstance(result.exception, ReloreError)
    assert "Indexed: none" in str(result.exception)
