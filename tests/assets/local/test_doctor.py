"""The doctor finds each fault and has a remedy for it; a healthy installation has none."""

from __future__ import annotations

import os
import socket
from pathlib import Path

import psycopg
import pytest

from relore_assets.local.doctor import Finding, examine
from relore_assets.local.postgres import SUPERUSER, LocalPostgres
from relore_assets.local.processes import Known
from relore_assets.local.services import DAGSTER_PORT, Record
from relore_assets.settings import Settings


@pytest.fixture
def home(place: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A state folder, with everything that the examination sets in the environment put back afterwards."""
    for name in ("RELORE_HOME", "RELORE_DAGSTER_URL", "RELORE_DAGSTER_LOGS", "DAGSTER_HOME"):
        monkeypatch.setenv(name, os.environ.get(name, ""))
    monkeypatch.delenv("RELORE_API_TOKENS", raising=False)
    monkeypatch.delenv("RELORE_API_TOKENS_FILE", raising=False)
    return place / "home"


def faults(settings: Settings) -> dict[str, Finding]:
    """Return what the doctor finds wrong, by subject."""
    return {finding.subject: finding for finding in examine(settings) if not finding.healthy}


def test_a_healthy_installation_has_no_fault_and_is_left_as_it_was(home: Path) -> None:
    """A server that did not run before does not run after."""
    settings = Settings(home=home)
    settings.ensure_database()
    settings.local_postgres().stop()

    assert faults(settings) == {}
    assert settings.local_postgres().status() is None


def test_a_schema_that_was_never_made_is_a_fault_with_a_command(
    postgres: LocalPostgres, empty_database_url: str, home: Path
) -> None:
    """The remedy is the verb that makes it."""
    found = faults(Settings(home=home, external_database=_as_administrator(postgres, empty_database_url)))

    assert "`relored migrate`" in found["schema"].remedy


def test_a_fresh_machine_has_no_fault(home: Path) -> None:
    """The schema comes with `relored up`: a note says so, and no more."""
    findings = {finding.subject: finding for finding in examine(Settings(home=home))}

    assert [finding for finding in findings.values() if not finding.healthy] == []
    assert [subject for subject, finding in findings.items() if finding.note] == ["schema"]
    assert "`relored up`" in findings["schema"].remedy


@pytest.mark.parametrize(
    ("version", "healthy"), [("0001", True), ("9999", False), ("abc", False)], ids=["older", "newer", "none"]
)
def test_a_schema_that_no_migration_mends_is_a_fault(home: Path, version: str, *, healthy: bool) -> None:
    """An older one of the embedded server is brought forward by the next verb that writes."""
    settings = Settings(home=home)
    settings.ensure_database()
    with psycopg.connect(settings.database_url) as connection:
        connection.execute("UPDATE relore.schema_version SET version_num = %s", [version])
    try:
        found = {finding.subject: finding for finding in examine(settings)}["schema"]
    finally:
        settings.local_postgres().stop()

    assert found.healthy is healthy
    assert version in found.text


def test_a_database_that_cannot_hold_every_text_is_a_fault(home: Path, ascii_url: str) -> None:
    """And no traceback."""
    found = faults(Settings(home=home, external_database=ascii_url))

    assert "holds text as SQL_ASCII" in found["database"].text


def test_a_state_folder_that_is_a_file_is_a_fault(home: Path) -> None:
    """The rest is examined all the same."""
    home.touch()

    findings = list(examine(Settings(home=home)))

    assert {finding.subject for finding in findings if not finding.healthy} == {"state", "database"}
    assert [finding.subject for finding in findings][-1] == "tokens"


def test_a_port_is_ours_only_as_a_whole(home: Path) -> None:
    """The digits of 3000 stand in 13000 too."""
    home.mkdir()
    supervisor = Known.of(os.getpid())
    assert supervisor is not None
    with socket.socket() as taken:
        taken.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        taken.bind(("127.0.0.1", DAGSTER_PORT))
        taken.listen()
        record = Record("mark", supervisor, "http://127.0.0.1:18080", f"http://127.0.0.1:1{DAGSTER_PORT}")
        record.write(home / "up.json")
        found = {
            finding.subject: finding.text
            for finding in examine(Settings(home=home, external_database="postgresql://127.0.0.1:1/relore"))
        }

    assert found["ui port"] == f"{DAGSTER_PORT} is taken; `relored up` will choose another"


def test_a_reader_that_could_write_is_a_fault(postgres: LocalPostgres, database_url: str, home: Path) -> None:
    """Found by trying, not by reading what was granted."""
    with psycopg.connect(database_url) as connection:
        connection.execute("GRANT CREATE ON SCHEMA relore TO relore_reader")

    found = faults(Settings(home=home, external_database=_as_administrator(postgres, database_url)))

    assert list(found) == ["reader"]
    assert found["reader"].text == "relore_reader can write"
    with psycopg.connect(database_url) as connection:
        assert connection.execute("SELECT to_regclass('relore.written_by_a_reader')").fetchone() == (None,)


def test_a_database_that_is_away_is_one_fault_among_the_rest(home: Path) -> None:
    """What needs no database is examined all the same."""
    settings = Settings(home=home, external_database="postgresql://127.0.0.1:1/relore")
    findings = list(examine(settings))

    assert [finding.subject for finding in findings if not finding.healthy] == ["database"]
    assert [finding.subject for finding in findings][-1] == "tokens"


def test_tokens_that_cannot_be_read_are_a_fault_that_shows_no_secret(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The entry is named by its position."""
    monkeypatch.setenv("RELORE_API_TOKENS", "s3cret-without-repositories")

    found = faults(Settings(home=home, external_database="postgresql://127.0.0.1:1/relore"))

    assert "entry 1" in found["tokens"].text
    assert "s3cret" not in found["tokens"].text


def _as_administrator(postgres: LocalPostgres, url: str) -> str:
    """Return the address of a user who may become the reader, as an owner on a foreign server may."""
    with psycopg.connect(url) as connection:
        return postgres.url(connection.info.dbname, user=SUPERUSER)
