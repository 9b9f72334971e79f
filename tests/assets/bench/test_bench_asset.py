"""The asset and the verb: what is refused, what is kept, what is kept once."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import textwrap
from dataclasses import replace
from typing import TYPE_CHECKING

import dagster as dg
import psycopg
import pytest
from benched import REPO, example, example_set, harbor
from click.testing import CliRunner

from relore_assets.bench import store as rows
from relore_assets.bench.assets import bench_runs
from relore_assets.bench.sets import Unmeasurable, held
from relore_assets.bench.systems import choosing
from relore_assets.bench.systems.index import Index
from relore_assets.commands import bench as verb
from relore_assets.fetch.repos import known, rename
from relore_assets.judge import frozen
from relore_assets.mine import sets
from relore_assets.partitions import COMMAND_TAG
from relore_assets.resources import Store
from relore_serve.search.scope import repositories

if TYPE_CHECKING:
    from pathlib import Path

    from psycopg import Connection
    from rows import History

    from relore_assets.bench.systems.system import Answered, Asked
    from relore_assets.mine.sets import ExampleSet


@pytest.fixture
def kept(history: History) -> ExampleSet:
    """The set of the made history, frozen in the tables."""
    repo, held = harbor(history)
    frozen.keep(history.conn, repo.id, held)
    history.conn.commit()
    return held


def benched(instance: dg.DagsterInstance, store: Store, **config: object) -> dg.ExecuteInProcessResult:
    return dg.materialize(
        [bench_runs],
        instance=instance,
        partition_key=REPO,
        resources={"store": store},
        run_config={"ops": {"bench_runs": {"config": {"systems": ["index", "fulltext"], **config}}}},
        tags={COMMAND_TAG: "test"},
        raise_on_error=False,
    )


def why(result: dg.ExecuteInProcessResult) -> str:
    [failure] = [event for event in result.all_events if event.is_step_failure]
    return str(failure.step_failure_data.error.cause.message)


def held_rows(conn: Connection) -> list[tuple[object, ...]]:
    conn.rollback()
    return conn.execute(
        "SELECT run_id, system, accepted FROM relore.bench_runs ORDER BY started_at, system"
    ).fetchall()


def test_a_run_is_kept_with_its_figures_and_shown(
    instance: dg.DagsterInstance, store: Store, kept: ExampleSet, conn: Connection
) -> None:
    """A row for each system under the run's id, numbers that plot, and a table; the newest frozen set by itself."""
    done = benched(instance, store)
    [materialization] = done.asset_materializations_for_node("bench_runs")
    metadata = {name: entry.value for name, entry in materialization.metadata.items()}

    assert [(run_id, system) for run_id, system, _ in held_rows(conn)] == [
        (done.run_id, "fulltext"),
        (done.run_id, "index"),
    ]
    assert metadata["R@10 closing-title all"] == 1.0
    assert "| fulltext |" in metadata["table"]
    assert (metadata["rows_written"], metadata["run"]) == (2, done.run_id)
    assert kept.name in metadata["table"]


def test_what_is_read_back_is_what_was_written(
    instance: dg.DagsterInstance, store: Store, kept: ExampleSet, conn: Connection
) -> None:
    """Through JSON and back, and a question's id first in each result."""
    done = benched(instance, store)
    conn.rollback()
    [repo_id] = conn.execute("SELECT id FROM relore.repos").fetchone()
    runs = rows.run(conn, repo_id, done.run_id)
    raw = conn.execute("SELECT results FROM relore.bench_runs WHERE system = 'index'").fetchone()[0]

    assert [run.system for run in runs] == ["fulltext", "index"]
    assert runs[1].set_digest == kept.digest
    assert {entry["id"] for entry in raw} == {each.id for each in kept.examples}
    assert rows.same(runs, runs)


@pytest.mark.usefixtures("kept")
def test_the_same_answers_are_kept_once(instance: dg.DagsterInstance, store: Store, conn: Connection) -> None:
    """A second run writes and records nothing; with again it is kept; another system is another run."""
    first = benched(instance, store)
    second = benched(instance, store)
    after_two = held_rows(conn)
    third = benched(instance, store, again=True)
    fourth = benched(instance, store, systems=["fulltext"])

    assert first.success
    assert second.success
    assert second.asset_materializations_for_node("bench_runs") == []
    assert {run_id for run_id, *_ in after_two} == {first.run_id}
    assert {run_id for run_id, *_ in held_rows(conn)} == {first.run_id, third.run_id, fourth.run_id}


@pytest.mark.usefixtures("kept")
def test_an_index_that_has_moved_is_measured_anew(
    instance: dg.DagsterInstance, store: Store, conn: Connection, history: History
) -> None:
    """One thread more is another corpus, whatever the answers."""
    benched(instance, store)
    [repo] = repositories(conn)
    history.thread(repo, 900, "Something else altogether")
    history.fold()
    conn.commit()
    benched(instance, store)

    assert len(held_rows(conn)) == 4


@pytest.mark.usefixtures("kept")
def test_a_run_can_be_accepted_also_when_it_says_nothing_new(
    instance: dg.DagsterInstance, store: Store, conn: Connection
) -> None:
    """Later runs are held against it."""
    first = benched(instance, store)
    before = held_rows(conn)
    benched(instance, store, accept=True)

    assert [accepted for *_, accepted in before] == [False, False]
    assert held_rows(conn) == [(first.run_id, "fulltext", True), (first.run_id, "index", True)]


def test_a_set_that_may_still_change_is_refused(
    instance: dg.DagsterInstance, store: Store, history: History, tmp_path: Path, conn: Connection
) -> None:
    """Unless that is asked for."""
    _, held = harbor(history)
    file = tmp_path / "made.jsonl"
    sets.write(file, example_set(*held.examples, frozen=False))
    refused = benched(instance, store, set=str(file))
    taken = benched(instance, store, set=str(file), unfrozen=True)

    assert "is not frozen" in why(refused)
    assert taken.success
    assert len(held_rows(conn)) == 2


def test_a_frozen_file_that_was_changed_is_refused(
    instance: dg.DagsterInstance, store: Store, history: History, tmp_path: Path, conn: Connection
) -> None:
    """One answer more, and the lines are not those that were frozen."""
    _, held = harbor(history)
    file = tmp_path / "made.jsonl"
    sets.write(file, held)
    lines = file.read_text(encoding="utf-8").splitlines()
    entry = json.loads(lines[1])
    entry["answers"].append({"judged_by": "record", "number": 500, "verdict": "relevant", "why": None})
    file.write_text("\n".join([lines[0], json.dumps(entry), *lines[2:]]) + "\n", encoding="utf-8")

    assert not benched(instance, store, set=str(file)).success
    assert held_rows(conn) == []


def test_questions_of_another_repository_are_refused(
    instance: dg.DagsterInstance, store: Store, history: History, tmp_path: Path
) -> None:
    """Their numbers would be of other threads."""
    harbor(history)
    file = tmp_path / "made.jsonl"
    sets.write(file, replace(example_set(example(1, "jams", 2), frozen=False), repo="harbor/moor"))

    assert "asks of harbor/moor" in why(benched(instance, store, set=str(file), unfrozen=True))


def test_a_set_whose_header_names_another_repository_is_refused(
    history: History, tmp_path: Path, conn: Connection
) -> None:
    """Numbers of threads mean others there. A repository that was renamed keeps its sets."""
    _, made = harbor(history)
    file = tmp_path / "made.jsonl"
    sets.write(file, replace(made, repo="harbor/moor"))
    rename(conn, known(conn, REPO), "harbor/moor")
    moor = known(conn, "harbor/moor")
    assert held(conn, moor, str(file), unfrozen=False).digest == made.digest

    history.repo(REPO)
    with pytest.raises(Unmeasurable, match=f"asks of {REPO}, and not of harbor/moor"):
        held(conn, moor, str(file), unfrozen=False)


def test_without_a_frozen_set_that_is_said(
    instance: dg.DagsterInstance, store: Store, history: History
) -> None:
    """And what to do."""
    harbor(history)

    assert "freeze one first" in why(benched(instance, store))


@pytest.mark.usefixtures("kept")
def test_what_a_system_lacks_is_said(instance: dg.DagsterInstance, store: Store) -> None:
    """A clone, or a name that is one."""
    assert "--clone" in why(benched(instance, store, systems=["grep"]))
    assert "is no system" in why(benched(instance, store, systems=["oracle"]))


@pytest.mark.usefixtures("kept")
def test_an_index_that_moves_meanwhile_is_not_measured(
    instance: dg.DagsterInstance,
    store: Store,
    conn: Connection,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The first system would have been put another index than the second."""

    class Writing(Index):
        """Search, while a derive writes."""

        def answer(self, question: Asked) -> Answered:
            """Answer, and let a thread be written."""
            conn.execute("UPDATE relore.threads SET indexed_at = now() WHERE number = 10")
            conn.commit()
            return super().answer(question)

    monkeypatch.setattr(choosing, "Index", Writing)

    assert "was written to while it was measured" in why(benched(instance, store))
    assert held_rows(conn) == []


@pytest.mark.usefixtures("kept")
def test_a_killed_run_leaves_no_row(database_url: str, reader_url: str, conn: Connection) -> None:
    """Rows come in one transaction, when all systems have answered: killed between two rows, none is there."""
    program = textwrap.dedent(
        """
        import os, signal, sys
        from datetime import UTC, datetime
        import psycopg
        from relore_assets.bench import benching
        from relore_assets.bench.corpus import SQL
        from relore_assets.bench.run import Run
        from relore_assets.fetch import repos
        from relore_assets.settings import Settings

        url, reader = sys.argv[1:]
        with psycopg.connect(url, autocommit=True) as conn:
            execute = psycopg.Cursor.execute

            def executing(self, query, *more, **how):
                done = execute(self, query, *more, **how)
                if query == SQL["write"]:
                    os.kill(os.getpid(), signal.SIGKILL)
                return done

            def one_by_one(self, query, rows, **how):
                for row in rows:
                    self.execute(query, row)

            psycopg.Cursor.execute = executing
            psycopg.Cursor.executemany = one_by_one
            benching.bench(
                conn, reader, repos.known(conn, "harbor/tide"),
                benching.Wanted(systems=("index", "fulltext")), Run("r", datetime.now(UTC)),
                settings=Settings.from_env(), say=print,
            )
        """
    )
    killed = subprocess.run(
        [sys.executable, "-c", program, database_url, reader_url],
        check=False,
        capture_output=True,
        text=True,
        env=os.environ | {"RELORE_DATABASE_URL": database_url},
    )

    assert killed.returncode == -signal.SIGKILL, killed.stderr
    assert held_rows(conn) == []


def test_readers_cannot_write_runs(reader: psycopg.Connection) -> None:
    """As everywhere."""
    with pytest.raises(psycopg.errors.Error):
        reader.execute("UPDATE relore.bench_runs SET accepted = true")


def test_the_verb_offers_every_system() -> None:
    """It names them without loading any."""
    assert verb.SYSTEMS == choosing.NAMES


def test_help_loads_nothing_that_measures() -> None:
    """Neither what computes nor what orchestrates."""
    program = """
import sys
from relore_assets.cli import cli
cli.main(["bench", "--help"], standalone_mode=False)
print(sorted({"numpy", "pandas", "ir_measures", "dagster"} & set(sys.modules)))
"""
    told = subprocess.run([sys.executable, "-c", program], check=True, capture_output=True, text=True)

    assert told.stdout.rstrip().endswith("[]")
    assert "--ablate" in told.stdout
    assert CliRunner().invoke(verb.command, ["--help"]).exit_code == 0
