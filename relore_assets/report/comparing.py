"""Which runs may stand in one history, and why the others may not."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from relore_assets.report.runs import Run


@dataclass(frozen=True, slots=True)
class Apart:
    """A run that cannot be compared with the latest, and why."""

    run: Run
    why: str


@dataclass(frozen=True, slots=True)
class History:
    """The runs of a set, oldest first, the latest among them; and those that stand apart."""

    runs: tuple[Run, ...]
    apart: tuple[Apart, ...]

    @property
    def latest(self) -> Run:
        """The run that the report is of."""
        return self.runs[-1]

    @property
    def accepted(self) -> Run | None:
        """The run that the latest is held against: the last accepted one."""
        return next((run for run in reversed(self.runs) if run.accepted), None)


def history(runs: Sequence[Run]) -> History | None:
    """Sort a repository's runs by whether they can be compared with the latest; None where there is none.

    Args:
        runs: oldest first.
    """
    if not runs:
        return None
    latest = runs[-1]
    sorted_out = [(run, _why_apart(run, latest)) for run in runs]
    return History(
        runs=tuple(run for run, why in sorted_out if not why),
        apart=tuple(Apart(run, why) for run, why in sorted_out if why),
    )


def _why_apart(run: Run, latest: Run) -> str:
    if run.set_digest != latest.set_digest:
        other = "another set" if run.set_name != latest.set_name else "the set as it was before"
        return f"{other} of questions ({run.set_name}, {run.set_digest[:12]})"
    engine, now = (str(each.main.configuration.get("engine", "")) for each in (run, latest))
    if _brand(engine) != _brand(now):
        return f"another engine ({engine})"
    return "" if run.system(latest.main.system) else f"{latest.main.system} took no part"


def _brand(engine: str) -> str:
    """Return an engine's name without its version: scores of two engines are not of one scale."""
    return " ".join(word for word in engine.lower().split() if not word[:1].isdigit())
