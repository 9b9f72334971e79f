"""The whole chain on a made history: mined, judged, measured, reported; and stopped where the ranking is worse."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

import dagster as dg
import pytest

from relore_assets.automation import MEASURED
from relore_assets.bench import store as bench_store
from relore_assets.bench.systems import choosing
from relore_assets.bench.systems.index import Index
from relore_assets.definitions import build
from relore_assets.partitions import COMMAND_TAG
from relore_assets.report.build import path_of
from relore_assets.resources import Store
from relore_serve.search.ranking import DEFAULT

if TYPE_CHECKING:
    from pathlib import Path

    from psycopg import Connection
    from rows import History

REPO = "harbor/tide"
BROKEN = (
    "halyard",
    "sheave",
    "gudgeon",
    "pintle",
    "winch",
    "cleat",
    "fairlead",
    "shackle",
    "turnbuckle",
    "capstan",
)
HOW = ("jams", "corrodes", "snaps")
TABLES = ("candidates", "bench_sets", "bench_examples", "judgements", "bench_runs")


@pytest.fixture
def measurable(history: History) -> None:
    """Thirty issues, each closed by a pull request of the same title; and twelve threads that name all of it at length.

    By its title a pull request stands above these; where a title counts for less than nothing, below.
    """
    repo = history.repo(REPO)
    number = 0
    everything = " ".join((*BROKEN, *HOW)) + " whatever the weather may be on that day of the year. "
    for what in BROKEN:
        for how in HOW:
            number += 2
            title = f"The {what} {how}"
            history.thread(repo, number - 1, title, f"Our {what} {how}.", state="closed")
            history.thread(repo, number, title, f"Fixes #{number - 1}", kind="pr", merged=True)
            history.link(repo, number, "closes", number - 1)
    for decoy in range(12):
        history.thread(repo, 900 + decoy, f"Season {decoy}", everything * 3)
    history.fold()
    history.count()


@pytest.fixture
def reports(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of reports."""
    monkeypatch.setenv("RELORE_HOME", str(tmp_path))
    monkeypatch.delenv("RELORE_REPORTS", raising=False)
    monkeypatch.delenv("RELORE_LABELS_PATH", raising=False)
    return tmp_path / "reports"


def materialized(
    instance: dg.DagsterInstance, store: Store, *names: str, by_verb: bool = False, **config: object
) -> dg.ExecuteInProcessResult:
    """Materialise the chain, or some of its assets."""
    job = build(store).resolve_implicit_global_asset_job_def()
    return job.execute_in_process(
        instance=instance,
        partition_key=REPO,
        asset_selection=[dg.AssetKey(name) for name in names or MEASURED],
        run_config={"ops": {"bench_runs": {"config": config}}} if config else None,
        tags={COMMAND_TAG: "test"} if by_verb else None,
        raise_on_error=False,
    )


def recorded(result: dg.ExecuteInProcessResult) -> list[str]:
    return [
        event.asset_key.to_user_string()
        for event in result.get_asset_materialization_events()
        if event.asset_key
    ]


def held(conn: Connection) -> dict[str, list[object]]:
    """Everything that the benchmark's tables hold."""
    conn.rollback()
    return {
        table: conn.execute(f"SELECT to_jsonb(t) FROM relore.{table} t ORDER BY to_jsonb(t)::text").fetchall()
        for table in TABLES
    }


@pytest.mark.usefixtures("measurable")
def test_the_chain_ends_in_a_page_and_a_second_time_changes_nothing(
    conn: Connection, store: Store, instance: dg.DagsterInstance, reports: Path
) -> None:
    """No id, no frozen row, no run, no byte of the page; and where a verb asked for it, no record either."""
    first = materialized(instance, store)
    page = path_of(reports, REPO)
    before, bytes_before = held(conn), page.read_bytes()
    written = page.stat().st_mtime_ns

    assert recorded(first) == list(MEASURED)
    assert b"closing-title" in bytes_before
    assert all(before.values())

    alone = [materialized(instance, store, each, by_verb=True) for each in MEASURED]
    together = materialized(instance, store)

    assert [(each.success, recorded(each)) for each in alone] == [(True, [])] * 4
    assert together.success
    assert held(conn) == before
    assert page.read_bytes() == bytes_before
    assert page.stat().st_mtime_ns == written


@pytest.mark.usefixtures("measurable")
def test_dagster_is_told_a_table_figures_that_plot_where_the_page_is_and_that_no_run_is_accepted(
    store: Store, instance: dg.DagsterInstance, reports: Path
) -> None:
    result = materialized(instance, store)
    metadata = result.asset_materializations_for_node("bench_report")[0].metadata

    assert metadata["path"].value == str(path_of(reports, REPO))
    assert metadata["closing-title: R@10"].value == 1.0
    assert metadata["closing-title: questions"].value == 15
    assert str(metadata["R@10 and MRR of all systems"].value).startswith(
        "| slice | index | index+expand | fulltext |"
    )
    image = str(metadata["R@10, closing-title, held out"].value)
    assert image.startswith("![R@10, closing-title, held out](data:image/svg+xml;base64,")
    # Longer Markdown is shown behind a click.
    assert len(image) < 1_000
    (check,) = result.get_asset_check_evaluations()
    assert (check.passed, check.severity) == (True, dg.AssetCheckSeverity.WARN)
    assert "No run of this set has been accepted" in str(check.description)


@pytest.mark.usefixtures("measurable")
def test_a_ranking_with_a_weight_negated_is_stopped_before_the_report(
    conn: Connection,
    store: Store,
    instance: dg.DagsterInstance,
    reports: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """What was measured is kept, for looking at; nothing downstream is made of it."""
    assert materialized(instance, store, accept=True).success
    page = path_of(reports, REPO).read_bytes()

    worse = replace(DEFAULT, title=-DEFAULT.title)
    monkeypatch.setattr(choosing, "Index", partial(Index, ranking=worse))
    result = materialized(instance, store)

    (check,) = result.get_asset_check_evaluations()
    assert not result.success
    assert not check.passed
    assert "index+expand, closing-title: R@10 1.000" in str(check.description)
    assert recorded(result) == ["candidates", "judgements", "bench_runs"]
    assert path_of(reports, REPO).read_bytes() == page
    assert conn.execute("SELECT count(DISTINCT run_id) FROM relore.bench_runs").fetchone() == (2,)


@pytest.mark.usefixtures("measurable", "reports")
def test_the_ranking_as_it_was_passes_against_the_accepted_run(
    conn: Connection, store: Store, instance: dg.DagsterInstance
) -> None:
    materialized(instance, store)
    (run_id,) = conn.execute("SELECT DISTINCT run_id FROM relore.bench_runs").fetchone() or ("",)
    (repo_id,) = conn.execute("SELECT id FROM relore.repos").fetchone() or (0,)
    bench_store.accept(conn, repo_id, run_id)
    conn.commit()

    result = materialized(instance, store, again=True)

    (check,) = result.get_asset_check_evaluations()
    assert result.success
    assert check.passed
    assert "no figure has moved" in str(check.description)
    assert recorded(result)[-1] == "bench_report"
