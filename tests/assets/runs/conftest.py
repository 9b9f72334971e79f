"""A state folder of its own for each test, on the session's server: the instance is Postgres-backed like any other."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING

import psycopg
import pytest

from relore_assets.settings import Settings

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from relore_assets.local.postgres import LocalPostgres

_numbers = itertools.count(1)


@pytest.fixture
def settings(
    postgres: LocalPostgres, database_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Settings]:
    """Settings of a fresh installation; the environment that Dagster reads is put back afterwards."""
    name = f"dagster_{next(_numbers)}"
    postgres.create_database(name)
    for variable in (
        "RELORE_HOME", "RELORE_DAGSTER_URL", "RELORE_DAGSTER_LOGS", "DAGSTER_HOME", "DAGSTER_DISABLE_TELEMETRY",
        "DAGSTER_EVENT_BATCH_SIZE",
    ):  # fmt: skip
        monkeypatch.setenv(variable, "")  # so that whatever is set meanwhile is put back
        monkeypatch.delenv(variable)
    yield Settings(
        home=tmp_path / "home", external_database=database_url, external_dagster=postgres.url(name)
    )
    postgres.drop_database(name)


@pytest.fixture
def store(database_url: str) -> Iterator[psycopg.Connection]:
    """A connection that sees what runs commit."""
    with psycopg.connect(database_url, autocommit=True) as conn:
        yield conn
