"""Files of labels, as `POST /api/v1/label` adds to them: a line says whether a thread answers a question.

A line that cannot be read is named by its number and costs itself alone.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final, cast

from relore_assets.errors import ReloreError
from relore_assets.mine.example import KINDS, Filters, parse_instant
from relore_serve.search.question import MAX_NUMBER, clean

if TYPE_CHECKING:
    from datetime import datetime
    from pathlib import Path

VERDICTS: Final = ("relevant", "decisive", "not_relevant")
JUDGES: Final = ("human", "model")

_SAME_QUESTION: Final = frozenset({"expand", "repos"})
"""Filters that leave the question what it is: how it is widened, and that it is asked here among others."""
_OF_EXAMPLES: Final = frozenset({"files", "symbols", "errors", "tests", "before", "exclude"})
_USUAL: Final[dict[str, object]] = {"sort": "relevance"}
_MADE_WITH: Final = ("backend", "versions")
_THREAD: Final = re.compile(r"([^#\s]+)#([0-9]{1,10})")


class NoLabels(ReloreError):
    """The file of labels cannot be read."""

    exit_code = 2


class _Bad(ValueError):
    """What is wrong with a line."""


@dataclass(frozen=True, slots=True)
class Label:
    """One verdict.

    Attributes:
        line: its number in the file, from 1 on.
        repo: the thread's, in lower case.
        judge: human or model; None where the line does not say.
        query: the question's words, their case kept, in the form in which all texts are held.
        filters: those that a question of a set can have, their values sorted.
        before: the cutoff that was asked with.
        exclude: numbers of threads of the repository that were withheld.
        narrowed: names of other filters that were asked with; a question of a set has none of these.
        row: the line as it stands in the file.
    """

    line: int
    repo: str
    number: int
    verdict: str
    judge: str | None
    query: str
    filters: Filters
    before: datetime | None
    exclude: frozenset[int]
    narrowed: tuple[str, ...]
    at: datetime
    row: dict[str, Any] = field(default_factory=dict[str, Any], compare=False)

    @property
    def why(self) -> str:
        """What was judged and when; none of the words of whoever judged."""
        kind, source = (clean(str(self.row.get(name) or "")) for name in ("source_type", "source_id"))
        text = f"{kind} {source}".strip() or "the thread"
        return f"label of {self.at:%Y-%m-%d} on {text}"

    @property
    def body(self) -> dict[str, Any]:
        """What of the line is worth keeping besides."""
        kept = ("source_type", "source_id", "note", "caller")
        said = {name: clean(str(self.row[name])) for name in kept if self.row.get(name)}
        return {**said, "line": self.line, "backend": self.backend}

    @property
    def backend(self) -> str:
        """What answered when it was judged, versions included, in words."""
        named = {name: value for part in _MADE_WITH for name, value in _object(self.row, part).items()}
        return clean(" ".join(f"{name} {value}" for name, value in sorted(named.items()))) or "not known"


@dataclass(frozen=True, slots=True)
class Read:
    """What a file holds: labels in its order, and by number of the line why others cannot be read."""

    labels: tuple[Label, ...]
    unreadable: dict[int, str]


def read(path: Path) -> Read:
    """Read a file of labels.

    Raises:
        NoLabels: there is no such file, or it cannot be opened.
    """
    try:
        lines = path.read_bytes().split(b"\n")
    except OSError as error:
        raise NoLabels(f"{path} cannot be read: {error.strerror}.") from error
    labels: list[Label] = []
    unreadable: dict[int, str] = {}
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            labels.append(_label(number, line))
        except _Bad as error:
            unreadable[number] = str(error)
    return Read(tuple(labels), unreadable)


def without_order(filters: Filters) -> Filters:
    """Return filters with their values in one order: they are alternatives, whichever stands first."""
    return Filters(
        **{
            name: tuple(sorted({clean(value) for value in getattr(filters, name)}))
            for name in ("files", "symbols", "errors", "tests")
        },
        kind=filters.kind,
    )


def _label(number: int, line: bytes) -> Label:
    try:
        row = json.loads(line.decode("utf-8"))
    except (ValueError, RecursionError):
        raise _Bad("no JSON") from None
    if not isinstance(row, dict):
        raise _Bad("no JSON object")
    entry = cast("dict[str, Any]", row)
    filters = _object(entry, "filters")
    for name in _MADE_WITH:
        _object(entry, name)
    repo = _text(entry, "repo").lower()
    return Label(
        line=number,
        repo=repo,
        number=_number(entry.get("number")),
        verdict=_one_of(entry, "verdict", VERDICTS),
        judge=_one_of(entry, "judge", JUDGES) if entry.get("judge") is not None else None,
        query=clean(_text(entry, "query")),
        filters=_filters(entry, filters),
        before=_instant(filters, "before") if filters.get("before") else None,
        exclude=_exclude(filters, repo),
        narrowed=_narrowed(filters),
        at=_instant(entry, "labelled_at"),
        row=entry,
    )


def _filters(entry: dict[str, Any], filters: dict[str, Any]) -> Filters:
    kind = _one_of(entry, "kind", KINDS) if entry.get("kind") is not None else None
    values = {name: _texts(filters, name) for name in ("files", "symbols", "errors", "tests")}
    found = without_order(Filters(**values, kind=kind))
    if not (clean(_text(entry, "query")) or any(values.values()) or _narrowed(filters)):
        raise _Bad("it asks nothing")
    return found


def _narrowed(filters: dict[str, Any]) -> tuple[str, ...]:
    """Return the filters that no question of a set has, those included that are not known here."""
    return tuple(
        sorted(
            clean(name)
            for name, value in filters.items()
            if value and value != _USUAL.get(name) and name not in _SAME_QUESTION | _OF_EXAMPLES
        )
    )


def _exclude(filters: dict[str, Any], repo: str) -> frozenset[int]:
    found: set[int] = set()
    for each in _texts(filters, "exclude"):
        match = _THREAD.fullmatch(each)
        if match is None:
            raise _Bad("exclude names no thread")
        if match[1].lower() == repo:
            found.add(_number(int(match[2])))
    return frozenset(found)


def _object(entry: dict[str, Any], name: str) -> dict[str, Any]:
    value = entry.get(name)
    if value is None:
        return {}
    if not isinstance(value, dict):
        raise _Bad(f"{name} is no object")
    return cast("dict[str, Any]", value)


def _text(entry: dict[str, Any], name: str) -> str:
    value = entry.get(name)
    if not isinstance(value, str):
        raise _Bad(f"{name} is no text")
    return value


def _texts(entry: dict[str, Any], name: str) -> tuple[str, ...]:
    value: object = entry.get(name) or []
    texts = cast("list[object]", value) if isinstance(value, list) else [None]
    if not all(isinstance(one, str) for one in texts):
        raise _Bad(f"{name} is no list of texts")
    return tuple(cast("list[str]", texts))


def _one_of(entry: dict[str, Any], name: str, choices: tuple[str, ...]) -> str:
    value = entry.get(name)
    if value not in choices:
        raise _Bad(f"{name} is none of {', '.join(choices)}")
    return cast("str", value)


def _number(value: object) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or not 1 <= value <= MAX_NUMBER:
        raise _Bad("number is that of no thread")
    return value


def _instant(entry: dict[str, Any], name: str) -> datetime:
    try:
        return parse_instant(_text(entry, name))
    except ValueError:
        raise _Bad(f"{name} is no moment with a time zone") from None
