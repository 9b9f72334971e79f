"""The environment is read once, checked by sentence, and reaches Dagster in the form that it needs."""

from __future__ import annotations

import os
import re
from pathlib import Path

import psycopg
import pytest

from relore_assets.local.postgres import SUPERUSER, LocalPostgres
from relore_assets.settings import Settings, SettingsError


@pytest.mark.parametrize("name", ["RELORE_DATABASE_URL", "RELORE_READER_URL", "RELORE_DAGSTER_URL"])
def test_sqlite_is_refused_with_a_word_on_what_to_use(name: str) -> None:
    """Whoever had a file before is told that nothing needs to be set up."""
    with pytest.raises(SettingsError, match=f"{name} names an SQLite file.*embedded Postgres"):
        Settings.from_env({name: "sqlite:///index.db"})


@pytest.mark.parametrize("value", ["mysql://h/d", "host=h dbname=d", "postgresql", "/var/lib/db"])
def test_what_is_no_address_of_postgres_is_refused(value: str) -> None:
    """The sentence shows the form."""
    with pytest.raises(SettingsError, match="postgresql://user@host/database"):
        Settings.from_env({"RELORE_DATABASE_URL": value})


MALFORMED = {
    "percent": "postgresql://u:se%zzcret@h/db",
    "bracket": "postgresql://u:secret@[::1/db",
    "bracket in the password": "postgresql://u:sec[ret@h/db",
    "unknown parameter": "postgresql://u:secret@h/db?nosuch=1",
    "slash in the password": "postgresql://u:sec/ret@h/db",
    "at in the password": "postgresql://u:sec@ret@h/db",
    "question mark in the password": "postgresql://u:sec?ret@h/db",
    "hash in the password": "postgresql://u:sec#ret@h/db",
    "port": "postgresql://u:secret@h:five/db",
    "no authority": "postgresql:",
    "one slash": "postgresql:/db",
    "bytes": "postgresql://u:secret\udcff@h/db",
}


@pytest.mark.parametrize("name", ["RELORE_DATABASE_URL", "RELORE_READER_URL", "RELORE_DAGSTER_URL"])
@pytest.mark.parametrize("value", MALFORMED.values(), ids=MALFORMED.keys())
def test_a_malformed_address_is_refused_and_not_shown(name: str, value: str) -> None:
    """It holds a password; no part of one is taken for a host or a port either, which would be shown later."""
    with pytest.raises(SettingsError, match=f"^{name} is malformed; .* percent-encoded") as refusal:
        Settings.from_env({name: value})

    assert not re.search("sec|ret|nosuch|five", str(refusal.value))


@pytest.mark.parametrize(
    "value",
    [
        "postgresql://",
        "postgresql:///relore?host=/run/a%20b&port=5433",
        "postgresql://u:p%40a%2Fb+%23@[::1]:5432/db",
        "postgresql://a:5432,b/db?target_session_attrs=read-write",
        "postgresql://u@h/db?password=p%40a",
    ],
)
def test_every_address_that_libpq_reads_in_one_way_is_taken(value: str) -> None:
    """Sockets, several hosts, and special characters that are percent-encoded."""
    assert Settings.from_env({"RELORE_DATABASE_URL": value}).database_url == value


def test_a_home_that_nobody_has_is_refused() -> None:
    """The shell has no such account either."""
    with pytest.raises(SettingsError, match="RELORE_HOME names the home of an account that has none"):
        Settings.from_env({"RELORE_HOME": "~nobody-by-this-name/relore"})


@pytest.mark.parametrize("scheme", ["postgres", "postgresql", "postgresql+psycopg", "postgresql+psycopg2"])
def test_every_usual_spelling_of_the_scheme_is_understood(scheme: str) -> None:
    """The driver that SQLAlchemy's form names is ours to choose."""
    settings = Settings.from_env(
        {"RELORE_DATABASE_URL": f"{scheme}://me:pa%3Dss@db.internal:5433/relore?sslmode=require"}
    )

    assert settings.database_url == "postgresql://me:pa%3Dss@db.internal:5433/relore?sslmode=require"
    assert not settings.embedded


def test_a_foreign_server_keeps_dagsters_tables_in_a_schema_of_their_own() -> None:
    """Unless Dagster was given a database; psycopg2 is named, as its notifications need it."""
    one = Settings.from_env({"RELORE_DATABASE_URL": "postgresql://me@db/relore?sslmode=require"})
    two = Settings.from_env(
        {
            "RELORE_DATABASE_URL": "postgresql://me@db/relore",
            "RELORE_DAGSTER_URL": "postgresql://me@db/dagster",
        }
    )

    assert one.dagster_url == (
        "postgresql+psycopg2://me@db/relore?sslmode=require&options=-c%20search_path%3Ddagster"
    )
    assert two.dagster_url == "postgresql+psycopg2://me@db/dagster"


def test_readers_use_a_login_of_their_own_where_there_is_one() -> None:
    """Else they come in as the owner, and step down."""
    owner = "postgresql://me@db/relore"

    assert Settings.from_env({"RELORE_DATABASE_URL": owner}).reader_url == owner
    reader = {"RELORE_DATABASE_URL": owner, "RELORE_READER_URL": "postgresql://reader@db/relore"}
    assert Settings.from_env(reader).reader_url == "postgresql://reader@db/relore"


def test_an_empty_variable_is_an_unset_one(tmp_path: Path) -> None:
    """A shell that exports nothing asks for the embedded server."""
    settings = Settings.from_env({"RELORE_HOME": str(tmp_path), "RELORE_DATABASE_URL": ""})

    assert settings.embedded
    assert settings.home == tmp_path


def test_dagster_keeps_its_tables_beside_ours_on_a_foreign_server(
    postgres: LocalPostgres, empty_database_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its schema is made, its instance loads, and our schema holds our tables alone."""
    import dagster as dg  # noqa: PLC0415 - takes seconds

    with psycopg.connect(empty_database_url) as connection:
        database = connection.info.dbname
    environment = {
        "RELORE_DATABASE_URL": postgres.url(database, user=SUPERUSER),
        "RELORE_HOME": str(tmp_path),
    }
    for name in ("RELORE_HOME", "RELORE_DAGSTER_URL", "RELORE_DAGSTER_LOGS", "DAGSTER_HOME"):
        monkeypatch.setenv(name, os.environ.get(name, ""))  # so that what is set below is put back
    settings = Settings.from_env(environment)

    assert settings.ensure_database().changed
    settings.prepare_dagster()
    with dg.DagsterInstance.get() as instance:
        assert instance.get_runs_count() == 0

    with psycopg.connect(settings.database_url) as connection:
        tables = dict(
            connection.execute(
                "SELECT tablename, schemaname FROM pg_tables WHERE schemaname !~ '^pg_|^inform'"
            ).fetchall()
        )
    assert tables["runs"] == "dagster"
    assert tables["threads"] == "relore"
    assert "public" not in tables.values()
