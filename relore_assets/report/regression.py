"""Whether the ranking has become worse than it was when a run was accepted.

The latest run of a ranking over a frozen set is held against the latest accepted run of the same set and ranking, slice
by slice and over both parts, without the questions that leak. A slice has become worse when, in R@10 or MRR,

* its mean has fallen below the 95 % interval of the accepted run, or
* the same questions fare worse by more than chance: the paired difference is below nothing at 5 %, after Holm over all
  slices and measures of the system.

The interval tells how far another draw of questions would lie. The questions are the same here, so a much smaller fall
is seen by the second test; the first catches what is large and rests on few questions. A slice with fewer than ten
questions is told of and fails nothing: one question would decide.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from relore_assets.bench.statistics import LEVEL, holm, interval, paired
from relore_assets.report import words
from relore_assets.report.runs import is_ours

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from relore_assets.bench.results import Result, SystemRun
    from relore_assets.bench.statistics import Interval
    from relore_assets.report.runs import Run


@dataclass(frozen=True, slots=True)
class Moved:
    """What became of one measure of one slice.

    Attributes:
        before: the accepted run's mean over the questions that both were asked, and its interval. now: the latest mean.
        p: how often a difference as large comes about by chance; ``p_holm`` with all comparisons of the system that
        may fail taken together, 1 for those that may not. why: it is worse, in words; else empty.
    """

    system: str
    slice: str
    measure: str
    before: Interval
    now: float
    p: float
    p_holm: float = 1.0
    why: str = ""

    @property
    def changed(self) -> bool:
        """Whether the questions fare otherwise on average."""
        return self.now != self.before.mean

    def __str__(self) -> str:
        what = (
            f"{self.system}, {self.slice}: {words.measure(self.measure)} {self.before.mean:.3f} "
            f"\N{RIGHTWARDS ARROW} {self.now:.3f} over {self.before.n} questions"
        )
        return f"{what}, {self.why}" if self.why else what


def compare(accepted: Run, latest: Run, systems: Sequence[str] | None = None) -> list[Moved]:
    """Hold every accepted ranking of ours against what it is now; what took no part now is passed over.

    Args:
        accepted: with its results.
        latest: likewise, of the same set.
        systems: which rankings to hold; all for None.

    Returns:
        One entry per system, slice and guarded measure, in that order.
    """
    found: list[Moved] = []
    for before in accepted.systems:
        now = latest.system(before.system)
        if systems is not None and before.system not in systems:
            continue
        if now is not None and before.accepted and is_ours(before):
            found += _judged(list(_compared(before, now)))
    return found


def worse(moved: Iterable[Moved]) -> list[Moved]:
    """Return what has become worse."""
    return [each for each in moved if each.why]


def _compared(before: SystemRun, now: SystemRun) -> Iterable[Moved]:
    groups = {each.id: each.group for each in before.results}
    for name in sorted({each.slice for each in before.results}, key=words.slice_order):
        for measure in words.GUARDED:
            old, new = _values(before.results, name, measure), _values(now.results, name, measure)
            both = sorted(old.keys() & new.keys())
            if both:
                yield Moved(
                    system=before.system,
                    slice=name,
                    measure=measure,
                    before=interval([old[key] for key in both], [groups[key] for key in both]),
                    now=sum(new[key] for key in both) / len(both),
                    p=paired(new, old, groups).p,
                )


def _values(results: Sequence[Result], slice_name: str, measure: str) -> Mapping[str, float]:
    return {
        each.id: each.measures[measure]
        for each in results
        if each.slice == slice_name and not each.leaks and measure in each.measures
    }


def _judged(found: Sequence[Moved]) -> list[Moved]:
    """Return the comparisons of one system with what each of them comes to."""
    may_fail = [place for place, each in enumerate(found) if each.before.n >= words.FEWEST]
    told = list(found)
    for place, p in zip(may_fail, holm([found[place].p for place in may_fail]), strict=True):
        told[place] = replace(found[place], p_holm=p, why=_why(found[place], p))
    return told


def _why(each: Moved, p_holm: float) -> str:
    if each.now >= each.before.mean:
        return ""
    if each.now < each.before.low:
        return f"below the accepted run's interval, which begins at {each.before.low:.3f}"
    return f"more than chance (p = {p_holm:.3f})" if p_holm < 1 - LEVEL else ""


def told(accepted: Run | None, latest: Run, moved: Sequence[Moved]) -> str:
    """Return how a run compares with the accepted one, in words."""
    if accepted is None:
        return (
            "No run of this set has been accepted, so nothing says whether the ranking has become worse: accept one "
            "with relored bench --accept."
        )
    if accepted.run_id == latest.run_id:
        return "This run is the accepted one; later runs are held against it."
    which = f"the accepted run {accepted.run_id[:8]} of {accepted.started_at:%Y-%m-%d}"
    fallen = worse(moved)
    if fallen:
        return f"Worse than {which}: {'; '.join(map(str, fallen))}."
    other = [each for each in moved if each.changed]
    said = f"what moved: {'; '.join(map(str, other))}" if other else "no figure has moved"
    return f"Not worse than {which}; {said}."
