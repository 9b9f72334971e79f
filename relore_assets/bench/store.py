"""Runs in table ``bench_runs``: written whole or not at all, and never twice where nothing has moved."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from psycopg.rows import dict_row
from psycopg.types.json import Jsonb

from relore_assets.bench.corpus import SQL
from relore_assets.bench.results import metrics_json, read, results_json, without_times
from relore_assets.errors import ReloreError

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from psycopg import Connection

    from relore_assets.bench.results import SystemRun


class UnknownRun(ReloreError):
    """A run was named that is not there."""

    exit_code = 2


class MixedEngines(ReloreError):
    """Figures of engines that differ were to stand in one table."""

    exit_code = 2


def write(conn: Connection, repo_id: int, runs: Iterable[SystemRun]) -> int:
    """Write the rows of one run in one transaction; returns how many."""
    rows = [
        {
            "repo_id": repo_id,
            "run_id": run.run_id,
            "system": run.system,
            "set_name": run.set_name,
            "set_digest": run.set_digest,
            "configuration": Jsonb(run.configuration),
            "started_at": run.started_at,
            "metrics": Jsonb(metrics_json(run)),
            "results": Jsonb(results_json(run)),
        }
        for run in runs
    ]
    with conn.transaction(), conn.cursor() as cursor:
        cursor.executemany(SQL["write"], rows)
    return len(rows)


def last(conn: Connection, repo_id: int, set_name: str, systems: Iterable[str]) -> list[SystemRun]:
    """Return the newest run of just these systems over a set, by system; nothing where there is none."""
    return _fetch(conn, "last_run", repo_id=repo_id, set_name=set_name, systems=sorted(systems))


def run(conn: Connection, repo_id: int, run_id: str) -> list[SystemRun]:
    """Return one run, by system.

    Raises:
        UnknownRun: there is none of that id.
    """
    found = _fetch(conn, "run", repo_id=repo_id, run_id=run_id)
    if not found:
        raise UnknownRun(f"There is no run {run_id} of this repository.")
    return found


def accept(conn: Connection, repo_id: int, run_id: str) -> int:
    """Let later runs be held against this one; returns how many rows that changed.

    Raises:
        UnknownRun: there is none of that id.
    """
    run(conn, repo_id, run_id)
    with conn.transaction():
        return conn.execute(SQL["accept"], {"repo_id": repo_id, "run_id": run_id}).rowcount


def same(one: Sequence[SystemRun], other: Sequence[SystemRun]) -> bool:
    """Whether two runs put the same questions to the same systems and got the same answers, in whatever time."""
    return [_answers(each) for each in one] == [_answers(each) for each in other]


def one_engine(runs: Iterable[SystemRun]) -> None:
    """Refuse figures that must not be compared.

    Raises:
        MixedEngines: two of them come from different engines; what differs is named.
    """
    first: SystemRun | None = None
    for run in runs:
        first = first or run
        mine, its = first.configuration["engine"], run.configuration["engine"]
        differing = [
            f"{part} {_spelled(mine.get(part))} and {_spelled(its.get(part))}"
            for part in sorted({*mine, *its})
            if mine.get(part) != its.get(part)
        ]
        if differing:
            raise MixedEngines(
                f"{_named(first)} and {_named(run)} were measured with different engines "
                f"({'; '.join(differing)}), so their figures are not to be compared: measure both anew."
            )


def _named(run: SystemRun) -> str:
    return f"{run.system} of run {run.run_id[:8]}"


def _spelled(value: object) -> str:
    if isinstance(value, dict):
        entries = cast("dict[str, object]", value)
        return ", ".join(f"{name} {version}" for name, version in sorted(entries.items()))
    return str(value)


def _answers(run: SystemRun) -> tuple[object, ...]:
    return (
        run.system,
        run.set_name,
        run.set_digest,
        dict(run.configuration),
        tuple(map(without_times, run.results)),
    )


def _fetch(conn: Connection, statement: str, **values: object) -> list[SystemRun]:
    with conn.cursor(row_factory=dict_row) as cursor:
        return [read(row) for row in cursor.execute(SQL[statement], values).fetchall()]
