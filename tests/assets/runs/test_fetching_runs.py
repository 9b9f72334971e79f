"""The verbs that fetch: runs like any other, with their cost, their words and their exit codes."""

from __future__ import annotations

from datetime import UTC, datetime

import dagster as dg
import psycopg
import pytest
from click.testing import CliRunner
from fake_github import FakeGitHub, Repository

from relore_assets import cli
from relore_assets.fetch.current.forget import forget_author
from relore_assets.fetch.github.errors import Moved, NotFound
from relore_assets.fetch.passes.sample import Sample
from relore_assets.partitions import all_windows
from relore_assets.runs import verbs
from relore_assets.runs.inprocess import RunFailed
from relore_assets.settings import Settings

REPO = "harbor/tide"


@pytest.fixture
def tide(github: FakeGitHub, monkeypatch: pytest.MonkeyPatch) -> Repository:
    """A repository at a GitHub that the environment names."""
    monkeypatch.setenv("RELORE_GITHUB_URL", github.url)
    monkeypatch.setenv("GITHUB_TOKEN", github.token)
    return github.world.repository("harbor/Tide")


def test_a_backfill_is_two_runs_and_costs_what_it_says(
    github: FakeGitHub, tide: Repository, settings: Settings, store: psycopg.Connection
) -> None:
    """Requests and points stand in the run's metadata; the activity of the run is recorded and ended."""
    tide.issue(1, title="Leak")
    tide.comment(1, "seen")
    tide.pull(2, title="Caulk", body="fixes #1")
    said: list[str] = []
    fetched, _, tables, _ = verbs.backfill(settings, REPO, say=said.append)
    assert fetched.recorded["raw_objects"]["rows_written"] == 9
    assert tables.rows_written() > 0
    asked = len(github.log) - 1  # how it spells the name is asked before the run
    assert fetched.recorded["raw_objects"]["requests"] == asked
    assert fetched.recorded["raw_objects"]["points"] >= 2
    assert any(f"{asked} requests" in line for line in said)
    assert store.execute("SELECT full_name, source_kind FROM relore.repos").fetchall() == [
        ("harbor/Tide", "api")
    ]
    assert store.execute(
        "SELECT pass, ended_at IS NOT NULL, error FROM relore.fetch_activity WHERE run_id = %s",
        (fetched.run_id,),
    ).fetchall() == [("fetch", True, None)]
    assert store.execute("SELECT count(*) FROM relore.quotas").fetchone() == (2,)


def test_a_second_fetch_covers_only_what_is_open(tide: Repository, settings: Settings) -> None:
    """Windows that are complete are no part of the run, and nothing new leaves nothing behind."""
    tide.issue(1)
    tide.comment(1)
    verbs.fetch(settings, REPO)
    again = verbs.fetch(settings, REPO)
    assert again.recorded == {}
    with verbs.opened(settings) as instance:
        newest, oldest = instance.dagster.get_runs()
        assert oldest.tags["dagster/asset_partition_range_start"] == "harbor/Tide|2008-01-01"
        assert newest.tags["dagster/asset_partition_range_start"] == "harbor/Tide|2024-01-01"


def test_an_empty_repository_backfills_to_nothing(
    tide: Repository, settings: Settings, store: psycopg.Connection, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Exit code 0, counts of zero and a time as of which that is complete."""
    monkeypatch.setenv("RELORE_DATABASE_URL", settings.external_database or "")
    monkeypatch.setenv("RELORE_DAGSTER_URL", settings.external_dagster or "")
    monkeypatch.setenv("RELORE_HOME", str(settings.home))
    done = CliRunner().invoke(cli.cli, ["backfill", "--repo", tide.full_name])
    assert (done.exit_code, done.exception) == (0, None)
    assert "0 objects read, 0 rows written" in done.output
    assert store.execute("SELECT last_ok_at > now() - interval '1 hour' FROM relore.sync_state WHERE pass = 'fetch'"
                         ).fetchone() == (True,)  # fmt: skip
    assert store.execute("SELECT count(*) FROM relore.threads").fetchone() == (0,)


def test_a_run_that_was_refused_fails_with_the_failures_own_code(
    github: FakeGitHub, tide: Repository, settings: Settings, store: psycopg.Connection
) -> None:
    """What stopped a run inside Dagster reaches the shell: its sentence, and its exit code."""
    tide.issue(1)
    github.fault(match="/issues", status=403, body={"message": "Resource not accessible"}, times=None)
    with pytest.raises(RunFailed, match="may not read") as failed:
        verbs.fetch(settings, REPO)
    assert failed.value.exit_code == 4
    assert github.token not in str(failed.value)
    assert store.execute("SELECT last_ok_at FROM relore.sync_state WHERE pass = 'fetch'").fetchone() == (
        None,
    )
    with verbs.opened(settings) as instance:
        assert [run.status for run in instance.dagster.get_runs()] == [dg.DagsterRunStatus.FAILURE]


@pytest.mark.usefixtures("tide")
def test_nothing_is_registered_that_github_does_not_know(
    github: FakeGitHub, settings: Settings, store: psycopg.Connection
) -> None:
    """A wrong name and an old one end before anything is written."""
    with pytest.raises(NotFound):
        verbs.fetch(settings, "harbor/tied")
    github.world.rename("harbor/Tide", "harbor/high-tide")
    with pytest.raises(Moved, match="harbor/high-tide"):
        verbs.fetch(settings, REPO)
    assert store.execute("SELECT count(*) FROM relore.repos").fetchone() == (0,)


def test_sample_and_refresh_derive_what_they_fetched(
    tide: Repository, settings: Settings, store: psycopg.Connection
) -> None:
    """What was asked for is searchable when the verb returns."""
    tide.issue(1, title="Old", created_at="2024-01-01T00:00:00Z")
    tide.issue(2, title="New", created_at="2024-05-01T00:00:00Z")
    said: list[str] = []
    sample = Sample("issue", datetime(2024, 4, 1, tzinfo=UTC))
    assert verbs.sample(settings, REPO, sample, say=said.append).sampled == 1
    assert store.execute("SELECT title FROM relore.threads").fetchall() == [("New",)]
    tide.edit_thread(2, title="Newer")
    assert verbs.refresh(settings, REPO, [1, 2], say=said.append).read == [1, 2]
    titles = store.execute("SELECT title FROM relore.threads ORDER BY number").fetchall()
    assert titles == [("Old",), ("Newer",)]


def test_a_window_launched_by_itself_fetches_that_window(
    tide: Repository, settings: Settings, store: psycopg.Connection
) -> None:
    """As from the partition page: one key, one window, with what it cost."""
    tide.issue(1, created_at="2024-02-01T00:00:00Z")
    tide.issue(2, created_at="2024-05-01T00:00:00Z")
    with verbs.opened(settings) as instance:
        name = verbs.register_from_github(instance, settings, REPO)
        job = instance.definitions.resolve_implicit_global_asset_job_def()
        done = job.execute_in_process(
            instance=instance.dagster,
            asset_selection=[dg.AssetKey("raw_objects")],
            partition_key=dg.MultiPartitionKey({"repo": name, "window": "2024-04-01"}),
            run_config={"loggers": {"console": {"config": {"log_level": "CRITICAL"}}}},
        )
        (event,) = done.get_asset_materialization_events()
        metadata = event.step_materialization_data.materialization.metadata
        assert metadata["requests"].value == 4
        assert "graphql" in metadata["github"].value[name]["requests_by_endpoint"]
    assert store.execute("SELECT object_id FROM relore.raw_objects WHERE kind = 'issue'").fetchall() == [
        ("2",)
    ]
    assert all_windows(datetime.now(UTC))[0].isoformat() == "2008-01-01"


def test_a_renamed_repository_keeps_its_index_and_what_was_forgotten(
    github: FakeGitHub, tide: Repository, settings: Settings, store: psycopg.Connection
) -> None:
    """The name moves to the new one; nothing is here twice, and nothing comes back."""
    tide.issue(1, title="Leak", user="gull", body="see harbor/Tide#2")
    tide.issue(2, title="Tar")
    tide.comment(2, "the jettison valve", user="gull")
    verbs.backfill(settings, REPO)
    forget_author(settings.database_url, REPO, "gull")
    github.world.rename(REPO, "harbor/flood")
    tide.comment(2, "since then", user="keel")
    with pytest.raises(Moved, match="backfill --repo harbor/flood"):
        verbs.backfill(settings, REPO)
    verbs.backfill(settings, "harbor/flood")
    assert store.execute("SELECT full_name FROM relore.repos").fetchall() == [("harbor/flood",)]
    bodies = {row[0] for row in store.execute("SELECT body FROM relore.documents")}
    assert "since then" in bodies
    assert "the jettison valve" not in bodies
    assert store.execute(
        "SELECT count(*) FROM relore.raw_objects WHERE payload::text LIKE '%jettison%'"
    ).fetchone() == (0,)
    verbs.backfill(settings, "harbor/flood")
    assert store.execute("SELECT count(*) FROM relore.threads").fetchone() == (2,)


def test_a_repository_of_another_name_is_another_one(
    github: FakeGitHub, tide: Repository, settings: Settings, store: psycopg.Connection
) -> None:
    """Only what GitHub redirects is the same."""
    tide.issue(1)
    verbs.fetch(settings, REPO)
    github.world.repository("harbor/flood").issue(7)
    verbs.fetch(settings, "harbor/flood")
    assert store.execute("SELECT full_name FROM relore.repos ORDER BY id").fetchall() == [
        ("harbor/Tide",), ("harbor/flood",)
    ]  # fmt: skip
