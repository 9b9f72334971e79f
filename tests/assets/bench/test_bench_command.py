"""The verb `bench`, whole: a run of the asset in an instance of its own, and what it prints."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

import pytest
from benched import PARTS_OF_BOATS, REPO, harbor
from click.testing import CliRunner

from relore_assets.bench.systems import choosing
from relore_assets.bench.systems.index import Index
from relore_assets.cli import cli
from relore_assets.judge import frozen
from relore_assets.mine import sets
from relore_assets.runs.inprocess import RunFailed
from relore_serve.search.ranking import DEFAULT

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from click.testing import Result
    from rows import History

    from relore_assets.local.postgres import LocalPostgres


@pytest.fixture
def installation(
    postgres: LocalPostgres,
    database_url: str,
    reader_url: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> Iterator[None]:
    """An installation of the test's own; the environment that Dagster reads is put back afterwards."""
    name = f"dagster_bench_{tmp_path.name[-8:].lower().replace('-', '_')}"
    postgres.create_database(name)
    for variable in (
        "RELORE_DAGSTER_LOGS", "DAGSTER_HOME", "DAGSTER_DISABLE_TELEMETRY", "DAGSTER_EVENT_BATCH_SIZE",
    ):  # fmt: skip
        monkeypatch.setenv(variable, "")
        monkeypatch.delenv(variable)
    monkeypatch.setenv("RELORE_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("RELORE_DATABASE_URL", database_url)
    monkeypatch.setenv("RELORE_READER_URL", reader_url)
    monkeypatch.setenv("RELORE_DAGSTER_URL", postgres.url(name))
    yield
    postgres.drop_database(name)


def bench(*arguments: str) -> Result:
    systems = ("--system", "index", "--system", "index+expand")
    return CliRunner().invoke(cli, ["bench", "--repo", REPO, *systems, *arguments])


@pytest.mark.usefixtures("installation")
def test_a_run_is_printed_kept_once_and_held_against(
    history: History, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The second says that nothing is new; a worse ranking is shown, kept, and fails the verb."""
    repo, held = harbor(history, (*PARTS_OF_BOATS, "shroud", "bollard", "windlass", "davit"))
    frozen.keep(history.conn, repo.id, held)
    history.conn.commit()

    first = bench("--accept")
    second = bench()
    worse = replace(DEFAULT, title=-1.35, body=-1.15)
    monkeypatch.setattr(choosing, "Index", partial(Index, ranking=worse))
    third = bench()

    assert first.exit_code == 0, first.output
    assert "Part held-out" in first.output
    assert f"Set {held.name}, frozen" in first.output
    assert ", kept, accepted\n" in first.output
    assert second.exit_code == 0
    assert ", as it was before, so nothing is written\n" in second.output
    assert "Part held-out" in second.output
    assert isinstance(third.exception, RunFailed)
    assert third.exception.exit_code == 1
    assert "Part held-out" in third.output
    assert ", kept\n" in third.output
    history.conn.rollback()
    assert history.conn.execute(
        "SELECT count(*), count(*) FILTER (WHERE accepted) FROM relore.bench_runs"
    ).fetchone() == (4, 2)


@pytest.mark.usefixtures("installation")
def test_a_set_that_must_not_be_measured_begins_no_run(history: History, tmp_path: Path) -> None:
    """It leaves with 2 and says why."""
    _, held = harbor(history)
    file = tmp_path / "made.jsonl"
    sets.write(file, replace(held, frozen_at=None, split=None))
    refused = bench("--set", str(file))

    assert "is not frozen" in str(refused.exception)
    assert refused.exception.exit_code == 2
    history.conn.rollback()
    assert history.conn.execute("SELECT count(*) FROM relore.bench_runs").fetchone() == (0,)
