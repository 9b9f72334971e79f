"""Where the marks of a chart stand: numbers in, places out; the templates draw them.

Charts are narrow enough to be read at the width of a telephone without being made smaller.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

WIDTH = 360
_LABELS = 132  # of it, for names
_MARGIN = 18
_ROW = 15
_GAP = 9
_HEAD = 20
_LINE_HEIGHT = 120
_LONGEST = 20


@dataclass(frozen=True, slots=True)
class Point:
    """One value to draw, with its interval where it has one; ``kind`` names its look."""

    value: float
    low: float | None
    high: float | None
    kind: str


@dataclass(frozen=True, slots=True)
class Mark:
    """A dot at ``x`` with a whisker from ``left`` to ``right``, on the line ``y``."""

    x: float
    y: float
    left: float
    right: float
    kind: str


@dataclass(frozen=True, slots=True)
class Label:
    """A word beside the line ``y``."""

    text: str
    y: float


@dataclass(frozen=True, slots=True)
class Tick:
    """A value of the axis, at ``x`` (or ``y``, in a chart of lines)."""

    text: str
    at: float


@dataclass(frozen=True, slots=True)
class Dots:
    """A chart of dots and whiskers, one label per row and one dot per point of it.

    Attributes:
        ident: unique in its page. title, desc: what it shows, in words, for those who do not see it.
        zero: where nothing is, None when that is the axis' end. kinds: the looks that occur, for the key.
    """

    ident: str
    title: str
    desc: str
    height: float
    marks: tuple[Mark, ...]
    labels: tuple[Label, ...]
    ticks: tuple[Tick, ...]
    zero: float | None
    kinds: tuple[str, ...]
    width: int = WIDTH


@dataclass(frozen=True, slots=True)
class Line:
    """Values one after the other, joined; ``path`` is the polyline's points."""

    kind: str
    path: str
    marks: tuple[Mark, ...]


@dataclass(frozen=True, slots=True)
class Lines:
    """A chart of values over runs; ``ringed`` are the marks of accepted runs."""

    ident: str
    title: str
    desc: str
    lines: tuple[Line, ...]
    ringed: tuple[Mark, ...]
    ticks: tuple[Tick, ...]
    first: str
    last: str
    width: int = WIDTH
    height: float = _LINE_HEIGHT


def dots(
    ident: str, title: str, rows: Sequence[tuple[str, Sequence[Point]]], *, symmetric: bool = False
) -> Dots:
    """Lay out a chart of dots and whiskers.

    Args:
        ident: unique in its page.
        title: what is shown.
        rows: a name and its points, at least one.
        symmetric: show differences, which lie about zero; else shares, from 0 to 1.
    """
    low, high = _span(rows) if symmetric else (0.0, 1.0)
    left, right = _LABELS + _MARGIN, WIDTH - _MARGIN

    def place(value: float) -> float:
        return round(left + (min(max(value, low), high) - low) / (high - low) * (right - left), 1)

    marks: list[Mark] = []
    labels: list[Label] = []
    y = float(_HEAD)
    for name, points in rows:
        labels.append(Label(shortened(name), round(y + _ROW * len(points) / 2, 1)))
        for point in points:
            marks.append(
                Mark(
                    x=place(point.value),
                    y=round(y + _ROW / 2, 1),
                    left=place(point.value if point.low is None else point.low),
                    right=place(point.value if point.high is None else point.high),
                    kind=point.kind,
                )
            )
            y += _ROW
        y += _GAP
    steps = [low + (high - low) * step / 4 for step in range(5)]
    return Dots(
        ident=ident,
        title=title,
        desc="; ".join(f"{name}: {' and '.join(map(_told, points))}" for name, points in rows) + ".",
        height=y + 4,
        marks=tuple(marks),
        labels=tuple(labels),
        ticks=tuple(Tick(signed(step) if symmetric else f"{step:g}", place(step)) for step in steps),
        zero=place(0.0) if symmetric else None,
        kinds=tuple(dict.fromkeys(point.kind for _, points in rows for point in points)),
    )


def lines(
    ident: str,
    title: str,
    series: Sequence[tuple[str, Sequence[float | None]]],
    *,
    accepted: Sequence[bool],
    first: str,
    last: str,
) -> Lines:
    """Lay out values between 0 and 1 over runs, which stand at equal distances; a run without a value is passed over.

    Args:
        ident: unique in its page.
        title: what is shown.
        series: a name and one value per run.
        accepted: by run.
        first: what the left end of the axis is called.
        last: what the right one is called.
    """
    left, right, top, bottom = 34.0, WIDTH - float(_MARGIN), 10.0, _LINE_HEIGHT - 24.0
    step = (right - left) / max(len(accepted) - 1, 1)

    def at(index: int, value: float, kind: str) -> Mark:
        x, y = round(left + step * index, 1), round(bottom - value * (bottom - top), 1)
        return Mark(x, y, x, x, kind)

    drawn: list[Line] = []
    ringed: list[Mark] = []
    for name, values in series:
        marks = {index: at(index, value, name) for index, value in enumerate(values) if value is not None}
        drawn.append(
            Line(name, " ".join(f"{mark.x},{mark.y}" for mark in marks.values()), tuple(marks.values()))
        )
        ringed += [mark for index, mark in marks.items() if accepted[index]]
    told = (
        f"{name}: {', '.join('none' if value is None else f'{value:.3f}' for value in values)}"
        for name, values in series
    )
    return Lines(
        ident=ident,
        title=title,
        desc="; ".join(told) + ".",
        lines=tuple(drawn),
        ringed=tuple(ringed),
        ticks=tuple(
            Tick(f"{value:g}", round(bottom - value * (bottom - top), 1)) for value in (0.0, 0.5, 1.0)
        ),
        first=first,
        last=last,
    )


def signed(value: float, digits: int = 2) -> str:
    """Return a difference with its sign, none where it is nothing."""
    text = f"{value:+.{digits}f}"
    return f"{0:.{digits}f}" if not float(text) else text.replace("-", "\N{MINUS SIGN}")


def shortened(name: str) -> str:
    """Return a name as it fits beside a row."""
    return name if len(name) <= _LONGEST else name[: _LONGEST - 1] + "\N{HORIZONTAL ELLIPSIS}"


def _span(rows: Sequence[tuple[str, Sequence[Point]]]) -> tuple[float, float]:
    """Return a span about zero that holds everything, in whole tenths."""
    ends = [
        abs(end)
        for _, points in rows
        for point in points
        for end in (point.value, point.low, point.high)
        if end is not None
    ]
    reach = max(ceil(round(max(ends, default=0.0) * 10, 6)) / 10, 0.1)
    return -reach, reach


def _told(point: Point) -> str:
    interval = (
        "" if point.low is None or point.high is None else f" (from {point.low:.3f} to {point.high:.3f})"
    )
    return f"{point.kind} {point.value:.3f}{interval}"
