"""What each part of the ranking earns: tables and a chart of runs in which one part was switched off."""

from __future__ import annotations

from typing import TYPE_CHECKING

from relore_assets.bench.results import POOLED
from relore_assets.report import charts, words
from relore_assets.report.charts import Point
from relore_assets.report.runs import PARTS, Topic, topics, without
from relore_assets.report.tables import Group, Row, Table, against, difference

if TYPE_CHECKING:
    from relore_assets.bench.results import Comparison, SystemRun
    from relore_assets.report.charts import Dots
    from relore_assets.report.runs import Run


def tables(run: Run) -> list[Table]:
    """Return a table per measure: a row per part of the ranking, a column per topic, the parts of the set as groups.

    Topics without enough questions have no column. What earns most, over all topics, stands first.
    """
    return [table for measure in words.GUARDED if (table := _table(run, measure)).groups]


def chart(run: Run) -> Dots | None:
    """Return what each part earns in R@10 over all topics, or over the first where they were not pooled."""
    told = _enough(run)
    if not told:
        return None
    topic = next((topic for topic in told if topic.slice == POOLED), told[0])
    part = next(part for part in PARTS if _asked(run, topic, part) >= words.FEWEST)
    rows = [
        (without(each), [Point(earned.difference, earned.low, earned.high, "earns")])
        for each in _ordered(run)
        if (earned := earns(run, each, topic, part, "R@10")) is not None
    ]
    title = f"What each part earns in R@10, {topic.label}, {words.part(part)}, n = {_asked(run, topic, part)}"
    return charts.dots("ablations-chart", title, rows, symmetric=True) if rows else None


def earns(run: Run, ablation: SystemRun, topic: Topic, part: str, measure: str) -> Comparison | None:
    """Return by how much the whole ranking is better than one that lacks a part; None where it was not compared."""
    if ablation.ablation is None:
        return None
    return against(run.system(str(ablation.ablation.get("of"))) or run.main, ablation, topic, part, measure)


def _table(run: Run, measure: str) -> Table:
    columns = _enough(run)
    groups: list[Group] = []
    for part in PARTS:
        shown = [topic if _asked(run, topic, part) >= words.FEWEST else None for topic in columns]
        rows = [
            Row(
                without(each),
                tuple(
                    difference(None if topic is None else earns(run, each, topic, part, measure))
                    for topic in shown
                ),
            )
            for each in _ordered(run)
        ]
        if rows and any(shown):
            asked = ", ".join(f"{topic.label} {_asked(run, topic, part)}" for topic in shown if topic)
            groups.append(Group(f"{words.part(part)}, questions: {asked}", tuple(rows)))
    return Table(
        caption=f"{words.measure(measure)} of the whole ranking less that of the ranking without a part",
        head="without",
        columns=tuple(topic.label for topic in columns),
        groups=tuple(groups),
    )


def _ordered(run: Run) -> list[SystemRun]:
    """Return the ablations, what earns most first: the part by the topic with the most questions."""
    columns = _enough(run)
    ablated = [each for each in run.systems if each.ablation is not None]
    if not columns:
        return ablated
    widest = max(columns, key=lambda topic: _asked(run, topic, "all"))

    def worth(each: SystemRun) -> tuple[float, float, str]:
        found = [earns(run, each, widest, "all", measure) for measure in words.GUARDED]
        recall, reciprocal = (0.0 if told is None else -told.difference for told in found)
        return recall, reciprocal, each.system

    return sorted(ablated, key=worth)


def _enough(run: Run) -> list[Topic]:
    """Return the topics on which ablations were put enough questions to say anything."""
    ablated = [each for each in run.systems if each.ablation is not None]
    return [topic for topic in topics(ablated) if _asked(run, topic, "all") >= words.FEWEST]


def _asked(run: Run, topic: Topic, part: str) -> int:
    cells = [topic.cell(each, part) for each in run.systems if each.ablation is not None]
    return max((cell.n for cell in cells if cell is not None), default=0)
