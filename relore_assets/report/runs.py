"""The rows of ``bench_runs`` as the report and the regression check read them: gathered into runs, by topic."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final

from psycopg.rows import dict_row

from relore_assets.bench import cells, results
from relore_assets.report import words
from relore_serve import sql

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from datetime import datetime

    from psycopg import Connection

    from relore_assets.bench.results import Cell, Result, SystemRun

QUERIES = sql.load("relore_assets.report", "report.sql")

#: The parts of a set in the order in which they are shown; ``all`` is both together.
PARTS: Final = ("held-out", "fit", "all")

#: Search as it is served, and how the names of all systems that are ours begin.
SERVED: Final = "index+expand"
OURS: Final = "index"


@dataclass(frozen=True, slots=True)
class Topic:
    """Questions that may stand in one table: those of a slice that leak, or those that do not."""

    slice: str
    leak_free: bool = True

    @property
    def label(self) -> str:
        """What it is called."""
        return self.slice if self.leak_free else f"{self.slice}, leaking"

    @property
    def ident(self) -> str:
        """What it is called in addresses within a page."""
        return self.slice if self.leak_free else f"{self.slice}-leaking"

    def cell(self, system: SystemRun | None, part: str) -> Cell | None:
        """Return the figures of a system, None where there are none."""
        return None if system is None else system.cell(self.slice, part, leak_free=self.leak_free)


@dataclass(frozen=True, slots=True)
class Run:
    """All systems of one run over one set."""

    run_id: str
    started_at: datetime
    set_name: str
    set_digest: str
    systems: tuple[SystemRun, ...]

    @property
    def accepted(self) -> bool:
        """Whether later runs are held against it."""
        return any(each.accepted for each in self.systems)

    @property
    def main(self) -> SystemRun:
        """What the others are compared with: search as it is served, else the first of ours, else the first."""
        ours = [each for each in self.systems if is_ours(each)]
        return min(ours or self.systems, key=lambda each: (each.system != SERVED, each.system))

    def system(self, name: str) -> SystemRun | None:
        """Return a system by name, None where it took no part."""
        return next((each for each in self.systems if each.system == name), None)


def is_ours(system: SystemRun) -> bool:
    """Whether it is a whole ranking of ours: neither an ablation nor a yardstick."""
    return system.system.startswith(OURS) and system.ablation is None


def without(system: SystemRun) -> str:
    """Return which part of the ranking was switched off, nothing where none was."""
    return "" if system.ablation is None else str(system.ablation.get("part", "a part"))


def rank(result: Result) -> int | None:
    """Return where the first answer stands, from 1 on; None where none is among the threads that were found."""
    wanted = set(result.relevant)
    return next((place for place, number in enumerate(result.threads, 1) if number in wanted), None)


def topics(systems: Iterable[SystemRun]) -> list[Topic]:
    """Return what any of the systems was measured on, in the order of the report: what leaks comes last."""
    found = {Topic(cell.slice, cell.leak_free) for each in systems for cell in each.cells}
    return sorted(found, key=lambda topic: (not topic.leak_free, words.slice_order(topic.slice)))


def read(conn: Connection, repo_id: int) -> list[Run]:
    """Return a repository's runs, oldest first, with their figures and without their single results."""
    return _gathered(_rows(conn, "runs", repo_id=repo_id))


def whole(conn: Connection, repo_id: int, run: Run) -> Run:
    """Return the run with the results of every question."""
    (found,) = _gathered(_rows(conn, "whole_run", repo_id=repo_id, run_id=run.run_id))
    return found


def on_the_same_questions(run: Run, system: SystemRun) -> Run:
    """Return the run, cut to the whole systems and to the questions that ``system`` was asked, measured anew."""
    asked = {result.id for result in system.results}
    answered = {
        each.system: [result for result in each.results if result.id in asked]
        for each in run.systems
        if each.ablation is None
    }
    same = {name: found for name, found in answered.items() if len(found) == len(asked)}
    main = run.main.system
    measured = cells.cells(same, {name: [main] for name in same if name != main and main in same})
    return replace(
        run,
        systems=tuple(
            replace(each, cells=measured[each.system], results=tuple(same[each.system]))
            for each in run.systems
            if each.system in same
        ),
    )


def with_a_frozen_set(conn: Connection) -> list[str]:
    """Return the names of the repositories that have a frozen set of questions, in order."""
    return [name for (name,) in conn.execute(QUERIES["repositories_with_a_frozen_set"]).fetchall()]


def _rows(conn: Connection, query: str, **values: object) -> list[dict[str, Any]]:
    with conn.cursor(row_factory=dict_row) as cursor:
        return cursor.execute(QUERIES[query], values).fetchall()


def _gathered(rows: Iterable[Mapping[str, Any]]) -> list[Run]:
    found: dict[str, list[SystemRun]] = {}
    for row in rows:
        found.setdefault(str(row["run_id"]), []).append(results.read(row))
    runs = [
        Run(
            run_id=run_id,
            started_at=min(each.started_at for each in systems),
            set_name=systems[0].set_name,
            set_digest=systems[0].set_digest,
            systems=tuple(sorted(systems, key=_order)),
        )
        for run_id, systems in found.items()
    ]
    return sorted(runs, key=lambda run: (run.started_at, run.run_id))


def _order(system: SystemRun) -> tuple[bool, bool, str]:
    """Ours before the yardsticks, ablations last."""
    return system.ablation is not None, not is_ours(system), system.system
