"""Which runs may stand in one history, and why the others may not."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, cast

from relore_assets.report.runs import is_ours

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from relore_assets.report.runs import Run


@dataclass(frozen=True, slots=True)
class Apart:
    """A run that cannot be compared with the latest, and why."""

    run: Run
    why: str


@dataclass(frozen=True, slots=True)
class History:
    """A repository's runs, sorted out.

    Attributes:
        runs: those over the set of the latest, oldest first.
        latest: the run that the report is of: the newest that put its questions to several systems, else the newest.
        accepted: the last accepted run, which the newest is held against; None where there is none.
        ablated: the newest run with parts of the ranking switched off; None where there is none.
        apart: those that cannot be compared.
    """

    runs: tuple[Run, ...]
    latest: Run
    accepted: Run | None
    ablated: Run | None
    apart: tuple[Apart, ...]

    def read_whole(self, whole: Callable[[Run], Run]) -> History:
        """Return the history with the runs whose single results are shown read by ``whole``."""
        return replace(
            self,
            latest=whole(self.latest),
            accepted=None if self.accepted is None else whole(self.accepted),
        )


def history(runs: Sequence[Run]) -> History | None:
    """Sort a repository's runs by whether they can be compared with the newest; None where there is none.

    Args:
        runs: oldest first.
    """
    if not runs:
        return None
    newest = runs[-1]
    sorted_out = [(run, why_apart(run, newest)) for run in runs]
    alike = [run for run, why in sorted_out if not why]
    newest_first = alike[::-1]
    return History(
        runs=tuple(alike),
        latest=next((run for run in newest_first if _compares(run)), newest),
        accepted=next((run for run in newest_first if run.accepted), None),
        ablated=next((run for run in newest_first if any(each.ablation for each in run.systems)), None),
        apart=tuple(Apart(run, why) for run, why in sorted_out if why),
    )


@dataclass(frozen=True, slots=True)
class Guarded:
    """Rankings of ours that are held to what they were: ``latest`` measured them last, ``accepted`` says how it was.

    Without an accepted run there is nothing to hold them to, and ``systems`` are all of ours in the latest.
    """

    latest: Run
    accepted: Run | None
    systems: tuple[str, ...]


def guarded(runs: Sequence[Run]) -> list[Guarded]:
    """Return, for each set, what is held against what: each ranking by its own newest run and its last accepted one.

    A run of some systems alone says nothing of the others: these stay what they were when they were measured last.

    Args:
        runs: oldest first.
    """
    found: list[Guarded] = []
    for digest in dict.fromkeys(run.set_digest for run in runs):
        newest: dict[str, Run] = {}
        for run in runs:
            if run.set_digest == digest:
                newest.update({each.system: run for each in run.systems if is_ours(each)})
        pairs: dict[tuple[str, str], Guarded] = {}
        for system, latest in sorted(newest.items()):
            accepted = _accepted(runs, latest, system)
            if accepted is not None:
                before = pairs.get((latest.run_id, accepted.run_id))
                names = (*(before.systems if before else ()), system)
                pairs[latest.run_id, accepted.run_id] = Guarded(latest, accepted, names)
        if newest and not pairs:
            last = max(newest.values(), key=lambda run: (run.started_at, run.run_id))
            found.append(Guarded(last, None, tuple(sorted(newest))))
        found += pairs.values()
    return found


def _accepted(runs: Sequence[Run], latest: Run, system: str) -> Run | None:
    """Return the last run in which a ranking was accepted that the latest can be held against."""
    return next(
        (
            run
            for run in reversed(runs)
            if (was := run.system(system)) is not None
            and was.accepted
            and run.set_digest == latest.set_digest
            and _family(run) == _family(latest)
        ),
        None,
    )


def why_apart(run: Run, latest: Run) -> str:
    """Return why the figures of two runs are not of one scale, nothing where they are."""
    if run.set_digest != latest.set_digest:
        other = "another set" if run.set_name != latest.set_name else "the set as it was before"
        return f"{other} of questions ({run.set_name}, {run.set_digest[:12]})"
    engine, now = _family(run), _family(latest)
    if engine != now:
        return f"another way of scoring ({engine}, now {now})"
    return "" if run.system(latest.main.system) else f"{latest.main.system} took no part"


def _compares(run: Run) -> bool:
    return sum(each.ablation is None for each in run.systems) > 1


def _family(run: Run) -> str:
    """Return the family of the score: its figures have nothing to do with those of another."""
    engine = cast("Mapping[str, Any]", run.main.configuration.get("engine") or {})
    return str(engine.get("ranking", "unknown"))
