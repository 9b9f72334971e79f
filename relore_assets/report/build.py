"""From rows to a file: the report of a repository's latest run, and what Dagster is told of it."""

from __future__ import annotations

import base64
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import TYPE_CHECKING

from relore_assets.errors import ReloreError
from relore_assets.report import page, regression, words
from relore_assets.report.comparing import history
from relore_assets.report.runs import read, topics, whole
from relore_assets.report.tables import overview, parts

if TYPE_CHECKING:
    from psycopg import Connection

    from relore_assets.fetch.repos import Repo
    from relore_assets.report.runs import Run

#: Measures that are told to Dagster as numbers, which it plots over time.
PLOTTED = ("R@10", "MRR", "nDCG@10", "wasted")


class NothingMeasured(ReloreError):
    """There is no run to report."""

    exit_code = 2


class ReportNotWritten(ReloreError):
    """The file cannot be written."""


@dataclass(frozen=True, slots=True)
class Report:
    """A report: the page, and the figures that are shown beside its address.

    Attributes:
        html: the file's text. table: of all systems, as Markdown. image: a small chart as Markdown, by its title;
        nothing where there are too few questions. numbers: of the served search, by topic and measure. said: how it
        compares with the accepted run, in words.
    """

    run_id: str
    html: str
    table: str
    image: dict[str, str]
    numbers: dict[str, float]
    said: str


def build(conn: Connection, repo: Repo) -> Report:
    """Make the report of a repository's latest run; the same rows make the same report, to the byte.

    Raises:
        NothingMeasured: the benchmark has not run.
    """
    sorted_out = history(read(conn, repo.id))
    if sorted_out is None:
        raise NothingMeasured(
            f"Nothing has been measured on {repo.full_name} yet: freeze a set with relored judge, then give relored "
            f"bench --repo {repo.full_name}."
        )
    of = sorted_out.read_whole(lambda run: whole(conn, repo.id, run))
    moved = [] if of.accepted is None else regression.compare(of.accepted, of.latest)
    return Report(
        run_id=of.latest.run_id,
        html=page.render(repo.full_name, of, moved),
        table=overview(of.latest).markdown(),
        image=_image(of.latest),
        numbers=numbers(of.latest),
        said=regression.told(of.accepted, of.latest, moved),
    )


def path_of(folder: Path, repo: str) -> Path:
    """Return where the report of a repository stands below a folder: ``owner/name.html``."""
    owner, name = repo.split("/")
    return folder / owner / f"{name}.html"


def write(path: Path, text: str) -> bool:
    """Write a report, whole or not at all; returns whether that changed anything.

    Raises:
        ReportNotWritten: the folder or the file cannot be written to.
    """
    content = text.encode()
    try:
        if path.is_file() and path.read_bytes() == content:
            return False
        path.parent.mkdir(parents=True, exist_ok=True)
        with NamedTemporaryFile("wb", dir=path.parent, prefix=f".{path.name}-", delete=False) as file:
            unfinished = Path(file.name)
            try:
                file.write(content)
                file.close()
                unfinished.chmod(0o644)
                unfinished.replace(path)
            except BaseException:
                with suppress(OSError):
                    unfinished.unlink()
                raise
    except OSError as error:
        raise ReportNotWritten(f"The report cannot be written to {path}: {error.strerror}.") from error
    return True


def numbers(run: Run) -> dict[str, float]:
    """Return what the served search is worth, by topic and measure, of the part that speaks for each topic."""
    told: dict[str, float] = {}
    for topic in topics([run.main]):
        cell = topic.cell(run.main, parts(run, topic)[0])
        if cell is None:
            continue
        for name in PLOTTED:
            if name in cell.measures:
                told[f"{topic.label}: {words.measure(name)}"] = round(cell.measures[name].mean, 4)
        told[f"{topic.label}: questions"] = cell.n
    return told


def _image(run: Run) -> dict[str, str]:
    """Return a chart as Markdown, short enough that Dagster shows it at once and not behind a click."""
    title, drawn = page.small(run)
    encoded = base64.b64encode(drawn.encode()).decode()
    return {title: f"![{title}](data:image/svg+xml;base64,{encoded})"} if drawn else {}
