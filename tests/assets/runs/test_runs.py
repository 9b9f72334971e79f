"""The assets as runs: on a Postgres-backed instance, from the verbs' functions and as Dagster groups them."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from datetime import UTC, datetime
from typing import TYPE_CHECKING

import dagster as dg
import pytest
from archive import write_archive

from relore_assets.definitions import build
from relore_assets.errors import UnknownRepository
from relore_assets.fetch.archives.layout import UnknownLayoutError
from relore_assets.fingerprint import fingerprint
from relore_assets.partitions import all_windows, key, windows_by_repo
from relore_assets.runs import verbs
from relore_assets.runs.inprocess import RunFailed, owner_tags, run
from relore_assets.runs.reaper import reap

if TYPE_CHECKING:
    from pathlib import Path

    import psycopg

    from relore_assets.settings import Settings

REPO = "harbor/tide"


_LOADING = """
import dagster as dg
from relore_assets.definitions import defs
definitions = defs()
dg.Definitions.validate_loadable(definitions)
for spec in definitions.resolve_all_asset_specs():
    assert spec.description, spec.key
    assert spec.group_name in {"fetch", "derive", "authority", "precedents", "bench", "semantic"}, spec.key
    if "html" not in spec.kinds:  # a page has no columns
        assert len(spec.metadata["dagster/column_schema"].columns) >= 3, spec.key
print(len(list(definitions.resolve_all_asset_specs())))
"""


def test_definitions_load_without_network_database_or_environment() -> None:
    """Every asset resolves into a job, explains itself and names its columns; in a process that has nothing else."""
    bare = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith(("RELORE_", "DAGSTER_", "GITHUB_"))
    }
    loaded = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", _LOADING],
        env=bare,
        capture_output=True,
        text=True,
        check=False,
    )
    assert loaded.returncode == 0, loaded.stderr
    assert int(loaded.stdout) >= 11


def test_windows_end_with_the_open_one() -> None:
    """The quarter in which news arrives is a partition like the others."""
    assert all_windows(datetime(2024, 5, 5, tzinfo=UTC))[-1].isoformat() == "2024-04-01"
    assert all_windows(datetime(2024, 7, 1, tzinfo=UTC))[-1].isoformat() == "2024-07-01"


def test_keys_of_any_shape_are_sorted_into_windows_by_repository() -> None:
    """Dagster groups a backfill by rectangles, by repository or by window, as it sees fit."""
    keys = ["b/b|2024-04-01", "a/a|2024-01-01", "b/b|2024-01-01"]
    assert {repo: [each.isoformat() for each in found] for repo, found in windows_by_repo(keys).items()} == {
        "a/a": ["2024-01-01"],
        "b/b": ["2024-01-01", "2024-04-01"],
    }


def test_import_and_derive_are_runs_and_a_second_time_write_nothing(
    settings: Settings, store: psycopg.Connection, tmp_path: Path
) -> None:
    """What the verbs do is recorded for every window; what changes nothing records nothing."""
    archive = write_archive(tmp_path / "archive", 12)
    said: list[str] = []
    imported = verbs.import_archive(settings, REPO, archive, say=said.append)
    assert imported.recorded["raw_objects"]["rows_written"] == 40
    standing, tables, _ = verbs.derive(settings, REPO, say=said.append)
    assert standing.rows_written() == 1
    assert tables.recorded["documents"]["rows_written"] == 48
    assert any("12 threads considered" in line for line in said)
    before = fingerprint(store, REPO)
    assert verbs.import_archive(settings, REPO, archive).recorded == {}
    again = verbs.derive(settings, REPO)
    assert [each.rows_written() for each in again] == [0, 0, 0]
    assert fingerprint(store, REPO) == before
    with verbs.opened(settings) as instance:
        recorded = instance.dagster.get_materialized_partitions(dg.AssetKey("documents"))
        since = [each for each in all_windows(datetime.now(UTC)) if each.year >= 2024]
        assert recorded == {str(key(REPO, window)) for window in since}
        runs = instance.dagster.get_runs()
        assert {each.status for each in runs} == {dg.DagsterRunStatus.SUCCESS}
        assert {each.tags["relore/command"] for each in runs} == {"import", "derive"}


def test_a_backfill_that_changes_nothing_is_recorded_all_the_same(
    settings: Settings, store: psycopg.Connection, tmp_path: Path
) -> None:
    """Dagster calls a backfill failed when its partitions were not materialised."""
    verbs.import_archive(settings, REPO, write_archive(tmp_path / "archive", 3))
    verbs.derive(settings, REPO)
    with verbs.opened(settings) as instance:
        job = instance.definitions.resolve_implicit_global_asset_job_def()
        again = job.execute_in_process(
            instance=instance.dagster,
            asset_selection=[dg.AssetKey("raw_objects"), *(dg.AssetKey(name) for name in verbs.DERIVED)],
            partition_key=key(REPO, all_windows(datetime(2024, 12, 31, tzinfo=UTC))[-1]),
            run_config={"loggers": {"console": {"config": {"log_level": "CRITICAL"}}}},
        )
        assert len(again.get_asset_materialization_events()) == 1 + len(verbs.DERIVED)
    written = "SELECT count(*) FROM relore.document_versions"
    assert store.execute(written).fetchone() == (0,)


def test_windows_run_one_by_one_and_backwards_end_like_all_at_once(
    settings: Settings, store: psycopg.Connection, tmp_path: Path
) -> None:
    """A backfill launched from the UI may run its partitions in any order."""
    archive = write_archive(tmp_path / "archive", 12)
    verbs.import_archive(settings, "harbor/whole", archive)
    verbs.derive(settings, "harbor/whole")
    with verbs.opened(settings) as instance:
        store.execute(
            "INSERT INTO relore.repos (full_name, source_kind, source_location) VALUES (%s, 'archive', %s)",
            (REPO, str(archive)),
        )
        instance.dagster.add_dynamic_partitions("repos", [REPO])
        windows = [each for each in all_windows(datetime(2024, 12, 31, tzinfo=UTC)) if each.year == 2024]
        for window in reversed(windows):
            for assets in (["raw_objects"], verbs.DERIVED):
                partition = str(key(REPO, window))
                run(instance.definitions, instance.dagster, assets, command="test", partition=partition)
        for assets in (["authors"], verbs.BUILT):
            run(instance.definitions, instance.dagster, assets, command="test", partition=REPO)
    one, two = fingerprint(store, REPO), fingerprint(store, "harbor/whole")
    same = set(one) - {"links"}
    assert {name: one[name] for name in same} == {name: two[name] for name in same}


def test_a_failing_check_stops_the_run_and_says_why(
    settings: Settings, store: psycopg.Connection, tmp_path: Path
) -> None:
    """A secret that slipped in past the door is found before anything downstream runs."""
    verbs.import_archive(settings, REPO, write_archive(tmp_path / "archive", 3))
    store.execute(
        "UPDATE relore.raw_objects SET payload = jsonb_set(payload, '{body}', %s), payload_hash = '\\x00' "
        "WHERE kind = 'issue' AND object_id = '1'",
        (json.dumps("ghp_" + "a1B2" * 9),),
    )
    with pytest.raises(RunFailed, match=r"no_secret_is_left|harbor/tide#1 body"):
        verbs.derive(settings, REPO)


def test_a_run_whose_process_died_is_ended_and_frees_its_slot(settings: Settings) -> None:
    """Nobody else would: Dagster's monitoring watches the runs that it launched."""
    with subprocess.Popen([sys.executable, "-c", "pass"]) as process:
        process.wait()
    with verbs.opened(settings) as instance:
        alive = owner_tags("import")
        dead = {**alive, "relore/pid": str(process.pid)}
        made = {}
        for name, tags in (("alive", alive), ("dead", dead)):
            job = instance.definitions.resolve_implicit_global_asset_job_def()
            made[name] = instance.dagster.create_run_for_job(
                job, tags=tags, status=dg.DagsterRunStatus.STARTED
            ).run_id
        instance.dagster.event_log_storage.set_concurrency_slots("github", 1)
        claim = instance.dagster.event_log_storage.claim_concurrency_slot("github", made["dead"], "step")
        assert claim.is_claimed
        assert reap(instance.dagster) == [made["dead"]]
        statuses = {name: instance.dagster.get_run_by_id(run_id).status for name, run_id in made.items()}
        assert statuses == {"alive": dg.DagsterRunStatus.STARTED, "dead": dg.DagsterRunStatus.FAILURE}
        assert instance.dagster.event_log_storage.get_concurrency_info("github").active_slot_count == 0
        assert reap(instance.dagster) == []


@pytest.mark.parametrize("verb", ["import", "derive"])
def test_a_killed_verb_is_completed_by_the_next_and_its_run_is_ended(
    settings: Settings, store: psycopg.Connection, tmp_path: Path, verb: str
) -> None:
    """The tables end as those of a verb that nobody disturbed, and no run stays open."""
    archive = write_archive(tmp_path / "archive", 900)
    verbs.import_archive(settings, "harbor/undisturbed", archive)
    verbs.derive(settings, "harbor/undisturbed")
    if verb == "derive":
        verbs.import_archive(settings, REPO, archive)
    arguments = ["import", "--repo", REPO, str(archive)] if verb == "import" else ["derive", "--repo", REPO]
    environment = {
        **os.environ,
        "RELORE_HOME": str(settings.home),
        "RELORE_DATABASE_URL": settings.external_database or "",
        "RELORE_DAGSTER_URL": settings.external_dagster or "",
    }
    process = subprocess.Popen(
        [sys.executable, "-m", "relore_assets", *arguments],
        env=environment, start_new_session=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
    )  # fmt: skip
    table = "raw_objects" if verb == "import" else "documents"
    count = f"SELECT count(*) FROM relore.{table} JOIN relore.repos r ON r.id = repo_id WHERE full_name = %s"
    while process.poll() is None and store.execute(count, (REPO,)).fetchone() == (0,):
        time.sleep(0.005)
    os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    verbs.import_archive(settings, REPO, archive)
    verbs.derive(settings, REPO)
    one, two = fingerprint(store, REPO), fingerprint(store, "harbor/undisturbed")
    same = set(one) - {"links"}
    assert {name: one[name] for name in same} == {name: two[name] for name in same}
    with verbs.opened(settings) as instance:
        open_runs = instance.dagster.get_runs(filters=dg.RunsFilter(statuses=[dg.DagsterRunStatus.STARTED]))
        assert open_runs == []


def test_an_archive_is_read_besides_where_a_repository_is_read_from_github(
    settings: Settings, store: psycopg.Connection, tmp_path: Path
) -> None:
    """The verb reads the folder that it was given, asks GitHub nothing, and leaves the repository's source alone."""
    settings.ensure_database()
    store.execute(
        "INSERT INTO relore.repos (full_name, source_kind, source_location) VALUES (%s, 'api', %s)",
        (REPO, "http://127.0.0.1:9"),
    )
    imported = verbs.import_archive(settings, REPO, write_archive(tmp_path / "archive", 3))
    assert imported.recorded["raw_objects"]["rows_written"] == 10
    assert store.execute("SELECT source_kind FROM relore.repos").fetchone() == ("api",)


def test_what_is_no_archive_registers_nothing(
    settings: Settings, store: psycopg.Connection, tmp_path: Path
) -> None:
    """A mistyped path must not leave a repository behind that then looks empty."""
    settings.ensure_database()
    (tmp_path / "nothing").mkdir()
    with pytest.raises(UnknownLayoutError):
        verbs.import_archive(settings, REPO, tmp_path / "nothing")
    assert store.execute("SELECT count(*) FROM relore.repos").fetchone() == (0,)


def test_deriving_an_unknown_repository_runs_nothing(settings: Settings) -> None:
    """The sentence says what to do; no run is recorded for a typing mistake."""
    with pytest.raises(UnknownRepository, match="relored import"):
        verbs.derive(settings, "harbor/none")
    with verbs.opened(settings) as instance:
        assert instance.dagster.get_runs_count() == 0


def test_downstream_follows_when_staged_objects_move(settings: Settings, tmp_path: Path) -> None:
    """Standing is refreshed for exactly the repository that moved, and not again on the next tick."""
    with verbs.opened(settings) as instance:
        definitions = build()
        archive = write_archive(tmp_path / "archive", 3)
    verbs.import_archive(settings, REPO, archive)
    with verbs.opened(settings) as instance:
        verdict = dg.evaluate_automation_conditions(defs=definitions, instance=instance.dagster)
        assert verdict.total_requested == 0  # the first look only learns what there is
        window = all_windows(datetime.now(UTC))[-1]
        instance.dagster.report_runless_asset_event(
            dg.AssetMaterialization("raw_objects", partition=str(key(REPO, window)))
        )
        verdict = dg.evaluate_automation_conditions(
            defs=definitions, instance=instance.dagster, cursor=verdict.cursor
        )
        assert verdict.get_requested_partitions(dg.AssetKey("authors")) == {REPO}
        verdict = dg.evaluate_automation_conditions(
            defs=definitions, instance=instance.dagster, cursor=verdict.cursor
        )
        assert verdict.total_requested == 0
