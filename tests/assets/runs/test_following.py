"""Repositories are followed without being asked, and by the verbs `poll` and `sweep`."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

import dagster as dg
import psycopg
import pytest
from click.testing import CliRunner
from fake_github import FakeGitHub, Repository

from relore_assets.automation import POLLED, authority_weekly, poll_github, sweep_weekly
from relore_assets.cli import cli
from relore_assets.derive.derive import derive
from relore_assets.fetch import repos
from relore_assets.fetch.github.client import GitHub
from relore_assets.fetch.github.tokens import PersonalToken
from relore_assets.fetch.passes.window import fetch_windows
from relore_assets.fetch.repos import NotFromGitHub
from relore_assets.partitions import all_windows, key
from relore_assets.resources import Store
from relore_assets.runs import following, verbs
from relore_assets.runs.inprocess import RunFailed, run
from relore_assets.runs.polls import LONGEST_PAUSE, Asked, may_ask, pause
from relore_assets.settings import Settings

REPO = "harbor/tide"
NOW = datetime(2026, 1, 1, tzinfo=UTC)


@pytest.fixture
def github(monkeypatch: pytest.MonkeyPatch) -> Iterator[FakeGitHub]:
    """A GitHub that the environment points to."""
    with FakeGitHub() as fake:
        monkeypatch.setenv("RELORE_GITHUB_URL", fake.url)
        monkeypatch.setenv("GITHUB_TOKEN", fake.token)
        yield fake


@pytest.fixture
def tide(github: FakeGitHub) -> Repository:
    """A small repository."""
    tide = github.world.repository(REPO)
    tide.issue(1, title="Leak")
    tide.comment(1, "first word")
    tide.pull(2, title="Caulk")
    return tide


def bring(store: psycopg.Connection, github: FakeGitHub, name: str = REPO) -> None:
    """Fetch and derive a repository to its end, without a run."""
    repo = repos.register(store, name, "api", github.url)
    with GitHub(github.url, PersonalToken.parse(github.token, "GITHUB_TOKEN")) as client:
        fetch_windows(store, client, repo, all_windows(datetime.now(UTC)))
    derive(store.info.dsn, name)


@pytest.fixture
def instance(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> Iterator[verbs.Instance]:
    monkeypatch.setenv("RELORE_DATABASE_URL", settings.external_database or "")
    with verbs.opened(settings) as instance:
        yield instance


@pytest.fixture
def followed(
    instance: verbs.Instance, store: psycopg.Connection, github: FakeGitHub, tide: Repository
) -> verbs.Instance:
    """An instance over a repository that has been fetched."""
    assert tide.threads
    bring(store, github)
    return instance


def tick(instance: verbs.Instance, cursor: str | None) -> dg.SensorResult:
    """Evaluate the sensor once, and add the partitions that it asks for, as the daemon does."""
    context = dg.build_sensor_context(
        instance=instance.dagster,
        cursor=cursor,
        sensor_name="poll_github",
        resources={"store": Store(url=instance.database_url)},
    )
    result = poll_github(context)
    assert isinstance(result, dg.SensorResult)
    for each in result.dynamic_partitions_requests or []:
        instance.dagster.add_dynamic_partitions("repos", list(each.partition_keys))
    return result


def submitted(instance: verbs.Instance, request: dg.RunRequest, status: dg.DagsterRunStatus) -> dg.DagsterRun:
    """Record the run of a request as the daemon does, in some state."""
    tags = {**request.tags, "dagster/run_key": request.run_key or ""}
    selection = frozenset(request.asset_selection or [])
    job = instance.definitions.resolve_implicit_global_asset_job_def().get_subset(asset_selection=selection)
    return instance.dagster.create_run_for_job(job, tags=tags, status=status, asset_selection=selection)


def age_runs(instance: verbs.Instance) -> None:
    """Let all runs have been recorded seven hours earlier."""
    with psycopg.connect(instance.dagster.run_storage.postgres_url.replace("+psycopg2", "")) as conn:
        conn.execute("UPDATE runs SET create_timestamp = create_timestamp - interval '7 hours'")


def execute(instance: verbs.Instance, request: dg.RunRequest) -> bool:
    """Run a request to its end."""
    job = instance.definitions.resolve_implicit_global_asset_job_def()
    result = job.execute_in_process(
        instance=instance.dagster,
        asset_selection=list(request.asset_selection or []),
        tags={**request.tags, "dagster/run_key": request.run_key or ""},
        raise_on_error=False,
        run_config={"loggers": {"console": {"config": {"log_level": "CRITICAL"}}}},
    )
    return result.success


def test_the_sensor_asks_for_a_run_only_when_something_moved(
    followed: verbs.Instance, store: psycopg.Connection, github: FakeGitHub, tide: Repository
) -> None:
    """Ticks cost nothing until then; the run fetches and derives; after it there is nothing to do."""
    first = tick(followed, None)
    assert (first.run_requests, first.skip_reason) == ([], dg.SkipReason("nothing moved"))
    used = github.used()
    for _ in range(3):
        assert tick(followed, first.cursor).run_requests == []
    assert github.used() == used
    tide.comment(1, "second word")
    moved = tick(followed, first.cursor)
    (request,) = moved.run_requests or []
    assert [each.to_user_string() for each in request.asset_selection or []] == list(POLLED)
    assert [each.partition_keys for each in moved.dynamic_partitions_requests or []] == [[REPO]]
    assert execute(followed, request)
    assert store.execute("SELECT count(*) FROM relore.documents WHERE body = 'second word'").fetchone() == (
        1,
    )
    assert tick(followed, moved.cursor).run_requests == []


def test_news_is_asked_for_again_when_its_run_has_failed(followed: verbs.Instance, tide: Repository) -> None:
    """Under another key: Dagster would drop the same one, and the news with it."""
    seen = tick(followed, None).cursor
    tide.comment(1, "second word")
    first = tick(followed, seen)
    (request,) = first.run_requests or []
    running = submitted(followed, request, dg.DagsterRunStatus.STARTED)
    waits = tick(followed, first.cursor)
    assert waits.run_requests == []
    assert "a poll is under way" in str(waits.skip_reason)
    followed.dagster.report_run_failed(running)
    waits = tick(followed, waits.cursor)
    assert waits.run_requests == []
    assert "1 runs have not fetched what moved; the next one waits" in str(waits.skip_reason)
    age_runs(followed)
    (again,) = tick(followed, waits.cursor).run_requests or []
    assert again.run_key != request.run_key
    assert again.tags == request.tags


def test_a_cursor_that_slipped_back_drops_no_run(followed: verbs.Instance, tide: Repository) -> None:
    """The keys of earlier runs are remembered for ever; new ones count how many there were."""
    seen = tick(followed, None).cursor
    tide.comment(1, "second word")
    keys: set[str | None] = set()
    for cursor in (seen, None, seen, "no cursor of ours", json.dumps([1])):
        (request,) = tick(followed, cursor).run_requests or []
        assert request.run_key not in keys
        submitted(followed, request, dg.DagsterRunStatus.FAILURE)
        age_runs(followed)
        keys.add(request.run_key)
    assert len({str(each).rpartition(" ")[0] for each in keys}) == 1  # all name the same news


def test_the_sensor_goes_on_after_a_run_was_executed_again_by_hand(
    followed: verbs.Instance, tide: Repository
) -> None:
    """Then two runs bear one key."""
    seen = tick(followed, None).cursor
    tide.comment(1, "second word")
    first = tick(followed, seen)
    (request,) = first.run_requests or []
    submitted(followed, request, dg.DagsterRunStatus.FAILURE)
    assert execute(followed, request)
    assert tick(followed, first.cursor).skip_reason == dg.SkipReason("nothing moved")
    tide.comment(1, "third word")
    assert len(tick(followed, first.cursor).run_requests or []) == 1


def test_what_one_repository_fails_with_does_not_hold_up_another(
    followed: verbs.Instance, store: psycopg.Connection, github: FakeGitHub, tide: Repository
) -> None:
    """And what it was is said."""
    lock = github.world.repository("harbor/lock")
    lock.issue(1)
    bring(store, github, "harbor/lock")
    repos.register(store, "harbor/unfetched", "api", github.url)
    seen = tick(followed, None).cursor
    lock.blocked = True
    tide.comment(1, "second word")
    moved = tick(followed, seen)
    assert [each.tags["relore/poll"] for each in moved.run_requests or []] == [REPO]
    lock.blocked = False
    lock.comment(1, "a word")
    submitted(followed, (moved.run_requests or [])[0], dg.DagsterRunStatus.STARTED)
    (request,) = tick(followed, moved.cursor).run_requests or []
    assert request.tags["relore/poll"] == "harbor/lock"
    submitted(followed, request, dg.DagsterRunStatus.STARTED)
    said = str(tick(followed, moved.cursor).skip_reason)
    assert f"{REPO}: something moved, and a poll is under way" in said
    assert "relored backfill --repo harbor/unfetched" in said


def test_ticks_without_repositories_or_token_say_so(
    instance: verbs.Instance, store: psycopg.Connection, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A sensor that fails for ever would only be noise."""
    assert tick(instance, None).skip_reason == dg.SkipReason("no repository is fetched from GitHub")
    repos.register(store, REPO, "api", "https://api.github.com")
    monkeypatch.delenv("GITHUB_TOKEN", raising=False)
    assert "GITHUB_TOKEN" in str(tick(instance, None).skip_reason)


def test_the_pause_between_runs_of_the_same_news_grows() -> None:
    """News that cannot be fetched must not cost a run every five minutes for ever."""
    pauses = [pause(Asked(runs, NOW)) for runs in range(12)]
    assert pauses[:4] == [timedelta(), timedelta(minutes=5), timedelta(minutes=10), timedelta(minutes=20)]
    assert pauses[-1] == LONGEST_PAUSE
    assert may_ask(Asked(), NOW)
    assert not may_ask(Asked(2, NOW - timedelta(minutes=9)), NOW)
    assert may_ask(Asked(2, NOW - timedelta(minutes=10)), NOW)


def test_unknown_partitions_are_refused(
    instance: verbs.Instance, store: psycopg.Connection, github: FakeGitHub
) -> None:
    """Nothing is materialised, and nothing is asked of GitHub."""
    partition = str(key("harbor/none", all_windows(datetime.now(UTC))[-1]))
    with pytest.raises((RunFailed, dg.DagsterError), match="harbor/none"):
        run(
            instance.definitions,
            instance.dagster,
            ["raw_objects"],
            command="test",
            partition=partition,
        )
    # A partition that outlived its repository.
    instance.dagster.add_dynamic_partitions("repos", ["harbor/none"])
    with pytest.raises(RunFailed, match="harbor/none is not indexed here"):
        run(
            instance.definitions,
            instance.dagster,
            ["raw_objects"],
            command="test",
            partition=partition,
        )
    assert instance.dagster.get_materialized_partitions(dg.AssetKey("raw_objects")) == set()
    assert len(github.log) == 0
    assert store.execute("SELECT count(*) FROM relore.repos").fetchone() == (0,)


@pytest.mark.parametrize("schedule", [sweep_weekly, authority_weekly], ids=lambda each: each.name)
def test_schedules_ask_for_what_is_fetched_from_github(
    instance: verbs.Instance, store: psycopg.Connection, schedule: dg.ScheduleDefinition
) -> None:
    """Archives have nothing to be compared with."""

    def requests() -> list[dg.RunRequest]:
        context = dg.build_schedule_context(
            instance=instance.dagster,
            scheduled_execution_time=NOW,
            repository_def=instance.definitions.get_repository_def(),
            resources={"store": Store(url=instance.database_url)},
        )
        return list(schedule.evaluate_tick(context).run_requests or [])

    repos.register(store, "harbor/archived", "archive", "/archive")
    assert requests() == []
    repos.register(store, REPO, "api", "https://api.github.com")
    (request,) = requests()
    assert request.partition_key == REPO
    assert "2026-01-01" in (request.run_key or "")


def test_poll_once_leaves_with_0_only_when_all_is_well(
    followed: verbs.Instance, store: psycopg.Connection, github: FakeGitHub, tide: Repository, settings: Settings,
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    """What moved is in the tables; what failed is said, kept, and made up for by the next."""
    monkeypatch.setenv("RELORE_HOME", str(settings.home))
    monkeypatch.setenv("RELORE_DAGSTER_URL", settings.external_dagster or "")
    poll = ["poll", "--once", "--repo", REPO]
    done = CliRunner().invoke(cli, poll)
    assert (done.exit_code, done.output) == (0, f"{REPO}: nothing moved\n")
    tide.comment(1, "second word")
    done = CliRunner().invoke(cli, poll)
    assert done.exit_code == 0, done.output
    assert f"{REPO}: up to date, " in done.output
    assert store.execute("SELECT count(*) FROM relore.documents WHERE body = 'second word'").fetchone() == (
        1,
    )
    tide.comment(1, "third word")
    monkeypatch.setenv("GITHUB_TOKEN", "revoked")
    done = CliRunner().invoke(cli, poll)
    assert done.exit_code == 3
    assert "token" in done.output
    assert store.execute(
        "SELECT error IS NOT NULL FROM relore.sync_state WHERE pass = 'poll'"
    ).fetchone() == (True,)
    monkeypatch.setenv("GITHUB_TOKEN", github.token)
    assert CliRunner().invoke(cli, poll).exit_code == 0
    assert store.execute("SELECT count(*) FROM relore.documents WHERE body = 'third word'").fetchone() == (1,)
    assert followed.dagster.get_runs_count() == 8


def test_sweeping_is_a_run_with_its_numbers(
    followed: verbs.Instance, store: psycopg.Connection, tide: Repository, settings: Settings
) -> None:
    """Recorded under the table that it fills."""
    assert followed.database_url
    tide.delete(tide.threads[1].comments[0]["id"])
    finished = following.sweep(settings, REPO)
    assert finished.recorded["tombstones"]["removed"] == 1
    assert store.execute("SELECT count(*) FROM relore.documents WHERE body = 'first word'").fetchone() == (0,)
    assert store.execute(
        "SELECT pass, done, error FROM relore.fetch_activity WHERE pass = 'sweep'"
    ).fetchall() == [("sweep", 2, None)]


def test_what_came_from_an_archive_is_neither_polled_nor_swept(
    instance: verbs.Instance, store: psycopg.Connection, github: FakeGitHub, settings: Settings
) -> None:
    """GitHub may mean something else by its name."""
    assert instance.database_url
    repos.register(store, REPO, "archive", "/archive")
    with pytest.raises(NotFromGitHub):
        following.sweep(settings, REPO)
    with pytest.raises(NotFromGitHub):
        following.poll(settings, REPO)
    with pytest.raises(following.NothingToFollow, match="relored backfill"):
        following.poll(settings)
    assert len(github.log) == 0
