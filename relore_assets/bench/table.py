"""A run as tables of text: figures with their intervals, how many questions, and what has to be known of them."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, Final

from relore_assets.bench import cells
from relore_assets.bench.store import one_engine
from relore_assets.bench.systems.choosing import NAMES

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from relore_assets.bench.results import Cell, Comparison, Result, SystemRun

_HEADINGS: Final = (
    "slice", "n", "system", "R@5", "R@10", "", "MRR", "", "nDCG@10", "page R", "wasted", "empty", "p50 ms", "p95 ms",
)  # fmt: skip
_COMPARED: Final = ("slice", "n", "system", "against", "R@10", "", "p", "MRR", "", "p")
_EARNED: Final = ("without", "slice", "n", "R@10", "", "p", "MRR", "", "p")
_LEAK: Final = " (leaks)"

_CLAIMS: Final = ("closing-title", "closing-text")

SERVED: Final = "index+expand"
"""The system that answers as search does where nobody chooses."""

Row = tuple[str, ...]


def tables(runs: Sequence[SystemRun]) -> Iterator[tuple[str, Row, list[Row]]]:
    """Yield every table of a run: its title, its headings, its rows.

    Raises:
        MixedEngines: the rows come from different engines.
    """
    one_engine(runs)
    runs = sorted(runs, key=_order)
    whole = [run for run in runs if run.ablation is None]
    everywhere = [run for run in whole if not run.configuration.get("not_put")]
    for part in cells.PARTS:
        rows = list(_figures(everywhere, part))
        if rows:
            yield f"Part {part}", _HEADINGS, rows
    if len(everywhere) < len(whole):
        yield from _of_same_questions(whole)
    yield from _by_number(whole)
    rows = list(_comparisons(whole))
    if rows:
        yield "Differences, part all (interval; p after Holm)", _COMPARED, rows
    rows = list(_earned([run for run in runs if run.ablation is not None]))
    if rows:
        yield "What is lost without a part of the ranking, part all (interval; p after Holm)", _EARNED, rows


def notes(runs: Sequence[SystemRun]) -> Iterator[str]:
    """Yield what has to be known of a run's figures, a line each."""
    if not runs:
        return
    first = runs[0]
    told = first.configuration
    held = told["set"]
    frozen = f"frozen {held['frozen_at']}" if held["frozen_at"] else "NOT FROZEN"
    yield (
        f"Set {first.set_name}, {frozen}, split at {held['split'] or 'no date'}, digest {first.set_digest[:12]}, "
        f"scored by {held['scored_by']}."
    )
    engine = told["engine"]
    rules = ", ".join(f"{name} {number}" for name, number in sorted(told["versions"].items()))
    yield (
        f"Engine {engine['server']}, {engine['ranking']}; {rules}; "
        f"{told['corpus']['threads']:,} threads, {told['corpus']['documents']:,} documents."
    )
    for each in told["left_out"]:
        yield f"Left out, {each['n']}: {each['why']} ({_some(each['ids'])})."
    found = [each["id"] for each in told["leaks"] if not each["marked"]]
    if found:
        yield f"Found to leak though not marked so, {len(found)}: {_some(found)}."
    judges = sorted({result.judged_by for run in runs for result in run.results} - {"record"})
    if judges:
        yield f"Answers were judged by {', '.join(judges)}, besides the record."
    for run in runs:
        for why, n in run.configuration["not_put"].items():
            yield f"{run.system} was not put {n} questions: {why}."
        troubled = [result.note for result in run.results if result.note]
        if troubled:
            yield f"{run.system} had trouble with {len(troubled)} questions: {', '.join(sorted(set(troubled)))}."
    yield from dict.fromkeys(caveat for run in runs for caveat in run.caveats)
    yield "Intervals are 95 % by bootstrap over asking threads; p is two-sided, corrected within a table and measure."


def text(runs: Sequence[SystemRun]) -> str:
    """Return a run as aligned text."""
    parts = [f"{title}\n{_aligned(headings, rows)}" for title, headings, rows in tables(runs)]
    return "\n\n".join([*parts, "\n".join(notes(runs))])


def markdown(runs: Sequence[SystemRun]) -> str:
    """Return a run as Markdown."""
    parts: list[str] = []
    for title, headings, rows in tables(runs):
        lines = [
            " | ".join(headings),
            " | ".join("---" for _ in headings),
            *(" | ".join(row) for row in rows),
        ]
        parts.append(f"### {title}\n\n" + "\n".join(f"| {line} |" for line in lines))
    return "\n\n".join([*parts, "\n".join(f"- {note}" for note in notes(runs))])


def _of_same_questions(runs: Sequence[SystemRun]) -> Iterator[tuple[str, Row, list[Row]]]:
    """Yield the table of those questions alone that every system was put."""
    shared = cells.shared({run.system: run.results for run in runs})
    yield "The questions that every system was put, both parts", _HEADINGS, _anew(shared)


def _by_number(runs: Sequence[SystemRun]) -> Iterator[tuple[str, Row, list[Row]]]:
    """Yield the table of closing claims in their plainest form alone, where there are others too.

    Figures compare by it with those of who reads no other form. It is of the questions that every system was put; what
    leaks has rows of its own here, too.
    """
    ids = set(runs[0].configuration.get("by_number", ())) if runs else set[str]()
    claims = {run.system: [result for result in run.results if result.slice in _CLAIMS] for run in runs}
    plain = cells.shared({name: [each for each in own if each.id in ids] for name, own in claims.items()})
    if any(plain.values()) and any(each.id not in ids for own in claims.values() for each in own):
        yield (
            "Claims to close by number alone (#12 right behind the word), both parts",
            _HEADINGS,
            _anew(plain),
        )


def _anew(results: Mapping[str, Sequence[Result]]) -> list[Row]:
    """Return the figures of some results by system, as if there were no others."""
    told = cells.cells(results, {})
    rows = [
        _figure(name, cell)
        for key in _keys(told.values(), "all")
        for name, own in told.items()
        for cell in own
        if cell.key == key
    ]
    return _grouped(rows)


def _figures(runs: Sequence[SystemRun], part: str) -> Iterator[Row]:
    rows = [
        _figure(run.system, cell)
        for key in _keys((run.cells for run in runs), part)
        for run in runs
        if (cell := run.cell(key[0], key[1], leak_free=key[2])) is not None
    ]
    yield from _grouped(rows)


def _keys(of: Iterable[Iterable[Cell]], part: str) -> list[tuple[str, str, bool]]:
    return list(dict.fromkeys(cell.key for own in of for cell in own if cell.part == part))


def _order(run: SystemRun) -> int:
    """Return a system's place in tables; ablations keep theirs."""
    return NAMES.index(run.system) if run.system in NAMES else len(NAMES)


def _figure(system: str, cell: Cell) -> Row:
    def mean(name: str) -> str:
        return f"{cell.measures[name].mean:.3f}" if name in cell.measures else "-"

    def bounds(name: str) -> str:
        return f"{cell.measures[name].low:.2f}-{cell.measures[name].high:.2f}"

    return (
        _slice(cell),
        str(cell.n),
        system,
        mean("R@5"),
        mean("R@10"),
        bounds("R@10"),
        mean("MRR"),
        bounds("MRR"),
        mean("nDCG@10"),
        mean("page_R"),
        mean("wasted"),
        mean("empty"),
        f"{cell.latency.p50:.1f}",
        f"{cell.latency.p95:.1f}",
    )


def _comparisons(runs: Sequence[SystemRun]) -> Iterator[Row]:
    """Yield how our search as it is served differs from each of the others; a run's row holds every other pair."""
    ours = next((run for run in runs if run.system == SERVED), runs[0] if runs else None)
    for other in runs:
        if ours is not None and other.system != ours.system:
            yield from _grouped(
                (_slice(cell), str(told["R@10"].n), ours.system, other.system, *_differences(told))
                for cell in ours.cells
                if cell.part == "all" and (told := cell.versus.get(other.system))
            )


def _earned(runs: Sequence[SystemRun]) -> Iterator[Row]:
    by_part: dict[str, list[Row]] = defaultdict(list)
    for run in runs:
        told = run.ablation or {}
        by_part[str(told["part"])] += [
            (str(told["part"]), _slice(cell), str(cell.n), *_differences(cell.versus[told["of"]]))
            for cell in run.cells
            if cell.part == "all" and told["of"] in cell.versus
        ]
    for rows in by_part.values():
        yield from _grouped(rows)


def _differences(told: Mapping[str, Comparison]) -> Row:
    return tuple(
        text
        for name in ("R@10", "MRR")
        for each in [told[name]]
        for text in (f"{each.difference:+.3f}", f"{each.low:+.2f} to {each.high:+.2f}", f"{each.p_holm:.3f}")
    )


def _slice(cell: Cell) -> str:
    return cell.slice if cell.leak_free else f"{cell.slice}{_LEAK}"


def _grouped(rows: Iterable[Row]) -> list[Row]:
    """Return rows in which the first column stands only where it changes."""
    told: list[Row] = []
    last = ""
    for first, *rest in rows:
        told.append((first if first != last else "", *rest))
        last = first
    return told


def _some(ids: Sequence[str]) -> str:
    shown = ", ".join(ids[:3])
    return shown if len(ids) <= len(ids[:3]) else f"{shown} and {len(ids) - 3} more"


def _aligned(headings: Row, rows: Sequence[Row]) -> str:
    every = [headings, *rows]
    widths = [max(len(row[column]) for row in every) for column in range(len(headings))]
    numeric = [all(not row[column][:1].isalpha() for row in rows) for column in range(len(headings))]
    return "\n".join(
        "  ".join(
            cell.rjust(width) if right else cell.ljust(width)
            for cell, width, right in zip(row, widths, numeric, strict=True)
        ).rstrip()
        for row in every
    )
