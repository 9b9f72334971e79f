"""The shape of what is measured: one row of table ``bench_runs`` per system and run, as dataclasses and as JSON.

What a system answered stands in its results, question by question; the cells are what follows from them.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass, field, replace
from typing import TYPE_CHECKING, Any, cast

from relore_assets.bench.statistics import Interval

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import datetime

POOLED = "all"
"""The name of the cells over all slices; what leaks is in none of them."""


@dataclass(frozen=True, slots=True)
class Slot:
    """One hit of a page: the thread, the text by its source_id, and whether the slot is wasted."""

    number: int
    source_id: str
    wasted: bool


@dataclass(frozen=True, slots=True)
class Result:
    """What a system answered to one question, and what that is worth.

    Attributes:
        id: the question's. slice, part: where it counts.
        leaks: it counts apart. judged_by: who judged its answers: record, human or model.
        asked: the thread that asks.
        question: the beginning of its words.
        relevant: the threads that answer it and are indexed.
        threads: distinct threads, the best first, ten at most.
        slots: the first page.
        milliseconds: to the first page.
        measures: by name; ``wasted`` only where there are slots.
        note: what kept the system from answering, where something did.
    """

    id: str
    slice: str
    part: str
    leaks: bool
    judged_by: str
    asked: int
    question: str
    relevant: tuple[int, ...]
    threads: tuple[int, ...]
    slots: tuple[Slot, ...]
    milliseconds: float
    measures: Mapping[str, float]
    note: str | None = None

    @property
    def empty(self) -> bool:
        """Whether the answer was nothing."""
        return not self.threads

    @property
    def group(self) -> str:
        """Whose questions stand and fall together: those of one thread."""
        return str(self.asked) if self.asked else self.id


@dataclass(frozen=True, slots=True)
class Latency:
    """Milliseconds to the first page."""

    mean: float
    p50: float
    p95: float


@dataclass(frozen=True, slots=True)
class Comparison:
    """How one system differs from another in one measure, on the ``n`` questions that both were asked.

    Attributes:
        p: two-sided. p_holm: corrected for all comparisons of the same measure in the same table.
    """

    n: int
    difference: float
    low: float
    high: float
    p: float
    p_holm: float


@dataclass(frozen=True, slots=True)
class Cell:
    """What a system measured on one slice and part.

    Attributes:
        slice: one of the set's, or `POOLED`. part: fit, held-out or all.
        leak_free: False for the questions that leak, which are in no other cell.
        n: how many questions.
        measures: with their intervals; a measure that no question has a value of is missing.
        versus: by the other system's name and the measure's.
    """

    slice: str
    part: str
    leak_free: bool
    n: int
    measures: Mapping[str, Interval]
    latency: Latency
    versus: Mapping[str, Mapping[str, Comparison]] = field(
        default_factory=dict[str, "Mapping[str, Comparison]"]
    )

    @property
    def key(self) -> tuple[str, str, bool]:
        """What makes cells of two systems comparable."""
        return self.slice, self.part, self.leak_free


@dataclass(frozen=True, slots=True)
class SystemRun:
    """One system's share of a run: a row of ``bench_runs``.

    Attributes:
        configuration: everything that decides an answer: ranking, engine, versions of rules, set, corpus, bounds in
            time, what was left out, and the system's caveats.
        accepted: later runs are held against it.
    """

    run_id: str
    system: str
    set_name: str
    set_digest: str
    configuration: Mapping[str, Any]
    started_at: datetime
    cells: tuple[Cell, ...]
    results: tuple[Result, ...]
    accepted: bool = False

    def cell(self, slice_: str, part: str, *, leak_free: bool = True) -> Cell | None:
        """Return one cell, None where no question is in it."""
        return next((each for each in self.cells if each.key == (slice_, part, leak_free)), None)

    @property
    def caveats(self) -> tuple[str, ...]:
        """What has to be known of this system's figures, a sentence each."""
        return tuple(self.configuration.get("caveats", ()))

    @property
    def ablation(self) -> Mapping[str, Any] | None:
        """Of an ablation: the ``part`` that was switched off, ``of`` which system, and what that ``changed``."""
        return cast("Mapping[str, Any] | None", self.configuration.get("ablation"))


def metrics_json(run: SystemRun) -> dict[str, Any]:
    """Return what the column ``metrics`` holds."""
    return {"cells": [_cell_json(cell) for cell in run.cells]}


def results_json(run: SystemRun) -> list[dict[str, Any]]:
    """Return what the column ``results`` holds."""
    return [_result_json(result) for result in run.results]


def read(row: Mapping[str, Any]) -> SystemRun:
    """Return a row of ``bench_runs``, its columns by name."""
    return SystemRun(
        run_id=row["run_id"],
        system=row["system"],
        set_name=row["set_name"],
        set_digest=row["set_digest"],
        configuration=row["configuration"],
        started_at=row["started_at"],
        cells=tuple(_cell(each) for each in row["metrics"]["cells"]),
        results=tuple(_result(each) for each in row["results"]),
        accepted=row["accepted"],
    )


def without_times(result: Result) -> Result:
    """Return what is the same of a result whenever the same index is asked again."""
    return replace(result, milliseconds=0.0)


def _cell_json(cell: Cell) -> dict[str, Any]:
    return {
        "slice": cell.slice,
        "part": cell.part,
        "leak_free": cell.leak_free,
        "n": cell.n,
        "measures": {
            **{name: asdict(value) for name, value in cell.measures.items()},
            "ms": asdict(cell.latency),
        },
        "versus": {
            other: {name: asdict(value) for name, value in measures.items()}
            for other, measures in cell.versus.items()
        },
    }


def _cell(entry: Mapping[str, Any]) -> Cell:
    measures = dict(entry["measures"])
    latency = Latency(**measures.pop("ms"))
    return Cell(
        slice=entry["slice"],
        part=entry["part"],
        leak_free=entry["leak_free"],
        n=entry["n"],
        measures={name: Interval(**value) for name, value in measures.items()},
        latency=latency,
        versus={
            other: {name: Comparison(**value) for name, value in told.items()}
            for other, told in entry["versus"].items()
        },
    )


def _result_json(result: Result) -> dict[str, Any]:
    return {
        "id": result.id,
        "slice": result.slice,
        "part": result.part,
        "leaks": result.leaks,
        "judged_by": result.judged_by,
        "asked": result.asked,
        "question": result.question,
        "relevant": list(result.relevant),
        "threads": list(result.threads),
        "slots": [asdict(slot) for slot in result.slots],
        "empty": result.empty,
        "ms": round(result.milliseconds, 3),
        "measures": dict(result.measures),
        "note": result.note,
    }


def _result(entry: Mapping[str, Any]) -> Result:
    return Result(
        id=entry["id"],
        slice=entry["slice"],
        part=entry["part"],
        leaks=entry["leaks"],
        judged_by=entry["judged_by"],
        asked=entry["asked"],
        question=entry["question"],
        relevant=tuple(entry["relevant"]),
        threads=tuple(entry["threads"]),
        slots=tuple(Slot(**slot) for slot in entry["slots"]),
        milliseconds=entry["ms"],
        measures=entry["measures"],
        note=entry["note"],
    )
