"""A repository's runs in, one HTML file out: complete in itself, without scripts, the same bytes for the same runs.

Nothing of the moment at which it is made stands in it. Foreign words are cleaned of what shows nothing, cut, and
escaped by the templates; the page's own policy admits one style sheet, by its digest, and nothing else.
"""

from __future__ import annotations

import base64
import json
from dataclasses import dataclass
from functools import cache
from hashlib import sha256
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from relore_assets.bench.measures import MEASURES
from relore_assets.report import charts, earning, words
from relore_assets.report.caveats import caveats
from relore_assets.report.charts import Point
from relore_assets.report.questions import Listing, changed, missed
from relore_assets.report.runs import on_the_same_questions, topics
from relore_assets.report.tables import (
    Entry,
    Group,
    Row,
    Table,
    asked_less,
    comparable,
    found,
    overview,
    pages,
    pair,
    parts,
)
from relore_serve.hidden_characters import strip_hidden

if TYPE_CHECKING:
    from collections.abc import Sequence

    from jinja2 import Environment, Template

    from relore_assets.bench.results import Cell
    from relore_assets.report.charts import Dots, Lines
    from relore_assets.report.comparing import History
    from relore_assets.report.regression import Moved
    from relore_assets.report.runs import Run, Topic

#: How the marks of a chart look, by what they are of.
LOOKS = {
    "held-out": "",
    "fit": "second",
    "all": "third",
    "earns": "",
    "R@10": "",
    "MRR": "second",
}


@dataclass(frozen=True, slots=True)
class Section:
    """One topic: what it is called, and its table and chart."""

    ident: str
    label: str
    table: Table
    chart: Dots | None


def render(repo: str, of: History, moved: Sequence[Moved]) -> str:
    """Return the report of the latest run.

    Args:
        repo: ``owner/name``.
        of: the runs, the latest and the accepted one with their single results.
        moved: what became of the accepted figures, empty where no run is accepted.
    """
    latest, accepted = of.latest, of.accepted
    ablated = of.ablated or latest
    main = latest.main
    then = None if accepted is None or accepted.run_id == latest.run_id else accepted.system(main.system)
    return (
        _template("report.html")
        .render(
            repo=repo,
            run=latest,
            main=main,
            set=main.configuration.get("set") or {},
            corpus=main.configuration.get("corpus") or {},
            accepted=accepted,
            moved=moved,
            worse=[each for each in moved if each.why],
            overview=overview(latest),
            sections=_sections(latest),
            cut=[
                (each.system, _sections(on_the_same_questions(latest, each), each.system))
                for each in asked_less(latest)
            ],
            pages=pages(latest),
            ablated=ablated,
            ablations=earning.tables(ablated),
            ablation_chart=earning.chart(ablated),
            history=_history_table(of),
            history_charts=_history_charts(of),
            apart=of.apart,
            missed=missed(main),
            changed=changed(main, then) if then is not None else Listing((), 0),
            caveats=caveats(latest),
            configuration=_configuration(latest),
            measures=MEASURES,
            called=words.measure,
            part=words.part,
            looks=LOOKS,
            style=_style(),
            policy=_policy(),
        )
        .strip()
        + "\n"
    )


def chart(run: Run, topic: Topic, measure: str = "R@10", ident: str = "") -> Dots | None:
    """Return the chart of one topic: a row per system, a dot with its whisker per part; None where nothing compares."""
    by_system: dict[str, list[Point]] = {}
    for part in [part for part in parts(run, topic) if part != "all"]:
        for each, cell in comparable(run, topic, part):
            if not _enough(cell):
                continue
            held = cell.measures.get(measure)
            if held is not None:
                by_system.setdefault(each.system, []).append(Point(held.mean, held.low, held.high, part))
    if not by_system:
        return None
    return charts.dots(
        f"chart-{ident}{topic.ident}",
        f"{words.measure(measure)} of each system, {topic.label}",
        list(by_system.items()),
    )


def small(run: Run) -> tuple[str, str]:
    """Return R@10 of each system on the first topic with enough questions: a title, and an SVG image of some 500 bytes.

    It stands alone, in colours that are read on light and on dark ground. Both are empty where no topic has enough.
    """
    for topic in topics([run.main]):
        part = parts(run, topic)[0]
        rows = [
            (each.system, [Point(held.mean, held.low, held.high, part)])
            for each, cell in comparable(run, topic, part)
            if _enough(cell) and (held := cell.measures.get("R@10")) is not None
        ]
        if rows:
            title = f"R@10, {topic.label}, {words.part(part)}"
            return title, _template("small.svg").render(chart=charts.dots("small", title, rows))
    return "", ""


def _sections(run: Run, cut_to: str = "") -> list[Section]:
    """Return a section per topic; ``cut_to`` names the system whose questions the run is cut to."""
    prefix = f"{cut_to}-" if cut_to else ""
    return [
        Section(f"{prefix}{topic.ident}", topic.label, found(run, topic), chart(run, topic, ident=prefix))
        for topic in topics([run.main])
    ]


def _enough(cell: Cell | None) -> bool:
    return cell is not None and cell.n >= words.FEWEST


def _history_table(of: History) -> Table:
    """Return one line per comparable run, newest first, with its main system's figures topic by topic."""
    latest = of.latest
    shown = [(topic, parts(latest, topic)[0]) for topic in topics([latest.main])]
    rows = [
        Row(
            f"{run.started_at:%Y-%m-%d %H:%M} {run.run_id[:8]}",
            (
                Entry("accepted" if run.accepted else "\N{EN DASH}"),
                Entry(str(run.main.configuration.get("code", "\N{EN DASH}"))),
                *(pair(topic.cell(run.system(latest.main.system), part)) for topic, part in shown),
            ),
        )
        for run in reversed(of.runs)
    ]
    return Table(
        caption=f"Runs over the same set, newest first: R@10 of {latest.main.system}, MRR below it",
        head="run (UTC)",
        columns=("state", "code", *(f"{topic.label}, {words.part(part)}" for topic, part in shown)),
        groups=(Group("", tuple(rows)),),
    )


def _history_charts(of: History) -> list[Lines]:
    """Return a chart per topic where there are at least two runs to join."""
    runs, main = of.runs, of.latest.main
    if len(runs) < 2:  # noqa: PLR2004 - a line has two ends
        return []
    drawn: list[Lines] = []
    for topic in topics([main]):
        part = parts(of.latest, topic)[0]
        measured = [topic.cell(run.system(main.system), part) for run in runs]
        drawn.append(
            charts.lines(
                f"history-{topic.ident}",
                f"{main.system} over the runs, {topic.label}, {words.part(part)}",
                [
                    (name, [None if cell is None else cell.measures[name].mean for cell in measured])
                    for name in words.GUARDED
                ],
                accepted=[run.accepted for run in runs],
                first=f"{runs[0].started_at:%Y-%m-%d}",
                last=f"{runs[-1].started_at:%Y-%m-%d}",
            )
        )
    return drawn


def _configuration(run: Run) -> str:
    """Return everything that decided an answer, as JSON: what all systems share once, what differs by system."""
    shared: dict[str, Any] = dict(run.main.configuration)
    by_system: dict[str, dict[str, Any]] = {}
    for each in run.systems:
        for name in list(shared):
            if each.configuration.get(name) != shared[name]:
                del shared[name]
    for each in run.systems:
        by_system[each.system] = {
            name: value for name, value in each.configuration.items() if name not in shared
        }
    whole = {
        "run": run.run_id,
        "set_digest": run.set_digest,
        "all systems": shared,
        **by_system,
    }
    return json.dumps(whole, indent=2, sort_keys=False, ensure_ascii=False, default=str)


@cache
def _environment() -> Environment:
    import jinja2  # noqa: PLC0415 - only who reports needs it

    environment = jinja2.Environment(
        loader=jinja2.PackageLoader("relore_assets.report", "templates"),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=False,
        finalize=_cleaned,
    )
    environment.filters["thousands"] = lambda value: f"{value:,}" if isinstance(value, int) else value
    return environment


def _cleaned(value: object) -> object:
    """Take out what shows nothing, wherever a value came from; what a template has made is left as it is."""
    return strip_hidden(value)[0] if type(value) is str else value


def _template(name: str) -> Template:
    return _environment().get_template(name)


@cache
def _style() -> str:
    return files("relore_assets.report").joinpath("templates/report.css").read_text(encoding="utf-8")


@cache
def _policy() -> str:
    digest = base64.b64encode(sha256(_style().encode()).digest()).decode()
    return f"default-src 'none'; style-src 'sha256-{digest}'; base-uri 'none'; form-action 'none'"
