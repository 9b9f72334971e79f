"""Figures in, tables out: what stands in which row and column, as text, for HTML and for Markdown alike."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from relore_assets.bench.statistics import LEVEL
from relore_assets.report import words
from relore_assets.report.charts import signed
from relore_assets.report.runs import PARTS, Topic, topics

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from relore_assets.bench.results import Cell, Comparison, SystemRun
    from relore_assets.report.runs import Run

SIGNIFICANT = "\N{DAGGER}"
NOTHING = "\N{EN DASH}"
_MARKDOWN = str.maketrans(
    {"|": r"\|", "\n": " ", "<": "&lt;", ">": "&gt;", "*": r"\*", "_": r"\_", "`": r"\`"}
)


@dataclass(frozen=True, slots=True)
class Entry:
    """What stands in one field: a figure, what is said smaller below it, and whether it is the best of its column."""

    text: str
    below: str = ""
    best: bool = False


@dataclass(frozen=True, slots=True)
class Row:
    """A line of a table, with its name."""

    head: str
    entries: tuple[Entry, ...]


@dataclass(frozen=True, slots=True)
class Group:
    """Lines that belong together; ``head`` is empty where the table has one group only."""

    head: str
    rows: tuple[Row, ...]


@dataclass(frozen=True, slots=True)
class Table:
    """A table; ``head`` names the first column, ``columns`` the others."""

    caption: str
    head: str
    columns: tuple[str, ...]
    groups: tuple[Group, ...]

    def markdown(self) -> str:
        """Return the table as Markdown, its groups as lines of their own."""
        lines = [
            _line([self.head, *self.columns]),
            _line(["---", *("---:" for _ in self.columns)], escaped=False),
        ]
        for group in self.groups:
            if group.head:
                lines.append(_line([group.head, *("" for _ in self.columns)]))
            lines += [
                _line([row.head, *(f"{each.text} {each.below}".strip() for each in row.entries)])
                for row in group.rows
            ]
        return "\n".join(lines)


def comparable(run: Run, topic: Topic, part: str) -> list[tuple[SystemRun, Cell]]:
    """Return the whole systems that were asked as many questions as the main one, with their figures.

    What was asked fewer stands in no table beside it; see `relore_assets.report.runs.on_the_same_questions`.
    """
    asked = topic.cell(run.main, part)
    if asked is None:
        return []
    told = [(each, topic.cell(each, part)) for each in run.systems if each.ablation is None]
    return [(each, cell) for each, cell in told if cell is not None and cell.n == asked.n]


def asked_less(run: Run) -> list[SystemRun]:
    """Return the whole systems that were not asked all questions of the main one."""
    main = {(cell.key, cell.n) for cell in run.main.cells}
    return [
        each
        for each in run.systems
        if each.ablation is None and not main <= {(cell.key, cell.n) for cell in each.cells}
    ]


def parts(run: Run, topic: Topic) -> list[str]:
    """Return the parts of a topic that were measured; both together only where there are both."""
    held = [part for part in PARTS if topic.cell(run.main, part) is not None]
    return held if len(held) == len(PARTS) else held[:1]


def overview(run: Run) -> Table:
    """Return R@10 and MRR of every whole system, one line per topic, of the part that speaks for it.

    What leaks has none, unless there is nothing else.
    """
    names = [each.system for each in run.systems if each.ablation is None]
    rows: list[Row] = []
    measured = topics([run.main])
    for topic in [each for each in measured if each.leak_free] or measured:
        part = parts(run, topic)[0]
        held = {each.system: cell for each, cell in comparable(run, topic, part)}
        asked = max(cell.n for cell in held.values())
        rows.append(
            Row(
                f"{topic.label} ({words.part(part)}, {asked})",
                tuple(pair(held.get(name)) for name in names),
            )
        )
    return Table(
        caption="R@10, and below it MRR, of every system; in brackets which part of a slice, and how many questions",
        head="slice",
        columns=tuple(names),
        groups=(Group("", tuple(rows)),),
    )


def found(run: Run, topic: Topic) -> Table:
    """Return what each system finds of a topic, part by part, with intervals and marks against the main system."""
    measures = _measures(run.systems, words.FOUND)
    asked_most = max(
        (cell.n for part in parts(run, topic) for _, cell in comparable(run, topic, part)), default=0
    )
    compared = words.GUARDED if asked_most >= words.FEWEST else ()
    groups: list[Group] = []
    for part in parts(run, topic):
        side_by_side = comparable(run, topic, part)
        asked = side_by_side[0][1].n
        best = {
            name: max(
                (cell.measures[name].mean for _, cell in side_by_side if name in cell.measures), default=0.0
            )
            for name in measures
            if asked >= words.FEWEST
        }
        rows = [
            Row(
                each.system,
                (
                    *(_share(cell, name, best.get(name)) for name in measures),
                    *(_against_main(run, each, cell, name) for name in compared),
                ),
            )
            for each, cell in side_by_side
        ]
        groups.append(Group(f"{words.part(part)}, n = {asked}", tuple(rows)))
    return Table(
        caption=f"{topic.label}: {words.SLICES.get(topic.slice, 'questions of this slice')}",
        head="system",
        columns=(
            *map(words.measure, measures),
            *(f"{words.measure(name)} against {run.main.system}" for name in compared),
        ),
        groups=tuple(groups),
    )


def pages(run: Run) -> Table:
    """Return what the first page of ten hits is like, topic by topic, over both parts."""
    measures = _measures(run.systems, words.PAGE)
    groups: list[Group] = []
    for topic in topics(run.systems):
        rows = [
            Row(
                each.system,
                (
                    *(_share(cell, measure, None) for measure in measures),
                    Entry(f"{cell.latency.p50:,.0f}"),
                    Entry(f"{cell.latency.p95:,.0f}"),
                ),
            )
            for each, cell in comparable(run, topic, "all")
        ]
        if rows:
            groups.append(Group(topic.label, tuple(rows)))
    return Table(
        caption="The first page of ten hits, as a reader meets it",
        head="system",
        columns=(*map(words.measure, measures), "ms, median", "ms, 95 of 100"),
        groups=tuple(groups),
    )


def against(one: SystemRun, other: SystemRun, topic: Topic, part: str, measure: str) -> Comparison | None:
    """Return by how much ``one`` is above ``other``, whichever of them holds the comparison; None where none does."""
    held = topic.cell(one, part)
    told = None if held is None else held.versus.get(other.system, {}).get(measure)
    if told is not None:
        return told
    held = topic.cell(other, part)
    told = None if held is None else held.versus.get(one.system, {}).get(measure)
    return None if told is None else _turned(told)


def pair(cell: Cell | None) -> Entry:
    """Return R@10 with MRR below it."""
    if cell is None:
        return Entry(NOTHING)
    recall, reciprocal = (f"{cell.measures[name].mean:.3f}" for name in words.GUARDED)
    return Entry(recall, reciprocal)


def difference(told: Comparison | None) -> Entry:
    """Return a difference with its interval, marked where it is more than chance."""
    if told is None:
        return Entry(NOTHING)
    mark = SIGNIFICANT if significant(told) else ""
    interval = "" if told.low == told.high else f"{signed(told.low)} to {signed(told.high)}"
    return Entry(f"{signed(told.difference, 3)}{mark}", interval)


def significant(told: Comparison) -> bool:
    """Whether a difference is more than chance at 5 %, all comparisons of its family taken together."""
    return told.p_holm < 1 - LEVEL


def _turned(told: Comparison) -> Comparison:
    return replace(told, difference=-told.difference, low=-told.high, high=-told.low)


def _share(cell: Cell, measure: str, best: float | None) -> Entry:
    told = cell.measures.get(measure)
    if told is None:
        return Entry(NOTHING)
    shown = cell.n >= words.FEWEST and told.low != told.high
    interval = f"{told.low:.2f} to {told.high:.2f}" if shown else ""
    return Entry(f"{told.mean:.3f}", interval, best=told.mean == best)


def _against_main(run: Run, each: SystemRun, cell: Cell, measure: str) -> Entry:
    if each.system == run.main.system or cell.n < words.FEWEST:
        return Entry(NOTHING)
    return difference(against(each, run.main, Topic(cell.slice, cell.leak_free), cell.part, measure))


def _measures(systems: Iterable[SystemRun], wanted: Sequence[str]) -> list[str]:
    """Return those of the wanted measures that were taken."""
    taken = {name for each in systems for cell in each.cells for name in cell.measures}
    return [name for name in wanted if name in taken]


def _line(fields: Sequence[str], *, escaped: bool = True) -> str:
    return "| " + " | ".join(each.translate(_MARKDOWN) if escaped else each for each in fields) + " |"
