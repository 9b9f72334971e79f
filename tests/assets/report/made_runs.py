"""Made runs of the benchmark: where each system found the answer to each question, as rows that hold it."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

from psycopg.types.json import Jsonb

from relore_assets.bench.cells import cells
from relore_assets.bench.results import Result, Slot, SystemRun, metrics_json, results_json

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from psycopg import Connection

BEGUN = datetime(2024, 6, 1, 12, 0, tzinfo=UTC)


@dataclass(frozen=True)
class Made:
    """A run.

    Attributes:
        places: by system and slice, the place of the answer to each question; 0 is not found, None is not asked.
        days: after the first one. ablations: by system, the part that it lacks.
        leaking: the questions that leak, by their place in the slice.
    """

    places: Mapping[str, Mapping[str, Sequence[int | None]]]
    run_id: str = "run-one"
    days: int = 0
    accepted: bool = False
    digest: str = "d" * 64
    scoring: str = "bm25"
    ablations: Mapping[str, str] = field(default_factory=dict[str, str])
    configuration: Mapping[str, Any] = field(default_factory=dict[str, Any])
    question: str = "Sails tear at the luff"
    leaking: frozenset[int] = frozenset()
    judged_by: str = "record"

    def systems(self) -> list[SystemRun]:
        """Return what was measured, one entry per system."""
        results = {
            system: tuple(
                self._result(slice_name, index, place, len(places))
                for slice_name, places in by_slice.items()
                for index, place in enumerate(places)
                if place is not None
            )
            for system, by_slice in self.places.items()
        }
        main = "index+expand" if "index+expand" in results else "index"
        against = {system: [main] for system in results if system != main}
        measured = cells(results, against)
        return [
            SystemRun(
                run_id=self.run_id,
                system=system,
                set_name="first",
                set_digest=self.digest,
                configuration=self._configuration(system),
                started_at=BEGUN + timedelta(days=self.days),
                cells=measured[system],
                results=results[system],
                accepted=self.accepted,
            )
            for system in self.places
        ]

    def write(self, conn: Connection, repo_id: int) -> None:
        """Write one row per system."""
        for each in self.systems():
            conn.execute(
                "INSERT INTO relore.bench_runs (repo_id, run_id, system, set_name, set_digest, configuration,"
                " started_at, metrics, results, accepted) VALUES (%s, %s, %s, %s, %s, %s, %s, %s, %s, %s)",
                [
                    repo_id,
                    each.run_id,
                    each.system,
                    each.set_name,
                    each.set_digest,
                    Jsonb(dict(each.configuration)),
                    each.started_at,
                    Jsonb(metrics_json(each)),
                    Jsonb(results_json(each)),
                    each.accepted,
                ],
            )

    def _configuration(self, system: str) -> dict[str, Any]:
        part = self.ablations.get(system)
        return {
            "engine": {"server": "postgresql 18", "ranking": self.scoring, "rules": {}, "code": {}},
            "code": "0.1.0",
            "set": {
                "name": "first",
                "digest": self.digest,
                "split": "2024-03-01T00:00:00Z",
                "frozen_at": "2024-05-01",
            },
            "corpus": {"threads": 1827, "documents": 18800, "since": "2013-03-01", "until": "2024-05-01"},
            "window_applied": system != "grep",
            "ranking": {"rarity": 0.0 if part == "rarity" else 1.0},
            "ablation": {"part": part, "of": "index+expand", "changed": {part: 0.0}} if part else None,
            **self.configuration,
        }

    def _result(self, slice_name: str, index: int, place: int, total: int) -> Result:
        threads = [9000 + index * 20 + each for each in range(10)]
        if place:
            threads[place - 1] = index + 1
        found = 1.0 if place else 0.0
        return Result(
            id=f"{slice_name}-{index:016x}",
            slice=slice_name,
            part="fit" if index < total // 2 else "held-out",
            leaks=index in self.leaking,
            judged_by=self.judged_by,
            asked=500 + index,
            question=self.question,
            relevant=(index + 1,),
            threads=tuple(threads),
            slots=(Slot(threads[0], "1", wasted=not place),),
            milliseconds=12.0,
            measures={
                "R@5": float(0 < place <= 5),
                "R@10": found,
                "MRR": 1 / place if place else 0.0,
                "nDCG@10": found,
                "page_R": found,
                "wasted": 0.1,
            },
        )
