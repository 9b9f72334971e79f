"""Exact facts to look for: the caller's filters in their normal form, and what the question's text names."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from relore_serve.search import contains, paths, tokens
from relore_serve.search.question import QuestionError
from relore_serve.signals import errors
from relore_serve.signals.question import signals_of_question

if TYPE_CHECKING:
    from collections.abc import Container, Iterable, Sequence

    from relore_serve.search.question import Question
    from relore_serve.signals import ErrorPattern

KINDS = ("error", "test", "symbol", "file")

_NAMING = re.compile(r"\w")


@dataclass(frozen=True, slots=True)
class Needle:
    """One fact to look for.

    Attributes:
        kind: error, test, symbol or file.
        tail: what the index knows it by; None for an error whose type is not known, and for a folder.
        value: what the fact has to end with, at a boundary; an error has to contain it.
        asked: a filter of the caller, and so a condition.
        whole: nothing but the value will do.
        name: a tsquery for the text itself, where the value is no word but a name wherever it stands.
        absolute: a path from the root of a disk: its first folders may be those of a checkout.
    """

    kind: str
    tail: str | None
    value: str
    asked: bool
    whole: bool = False
    name: str | None = None
    absolute: bool = False

    def __str__(self) -> str:
        if self.kind != "error":
            return self.value
        return ": ".join(part for part in (self.tail, self.value) if part)


@dataclass(frozen=True, slots=True)
class Filters:
    """The caller's filters: what they look for, and which values cannot be looked for."""

    needles: tuple[Needle, ...]
    uninformative_errors: tuple[str, ...]
    untyped_errors: tuple[str, ...]
    hopeless: bool
    """A filter was given of which no value can match anything."""
    parts: tuple[str, ...] = ()
    """Parts of identifiers, one of which each text has to hold; see `contains`."""

    def echo(self) -> dict[str, tuple[str, ...]]:
        """Return the values by the plural name of their filter, in the form they are matched in."""
        found: dict[str, list[str]] = {}
        for needle in self.needles:
            found.setdefault(f"{needle.kind}s", []).append(str(needle))
        if self.parts:
            found["contains"] = list(self.parts)
        return {name: tuple(values) for name, values in found.items()}


def filters(question: Question) -> Filters:
    """Bring the caller's filters into the form in which facts are stored.

    Raises:
        QuestionError: a value names nothing that could be looked for. Left out it would change the question, and
            kept it would make an empty page say that there is nothing. An error too poor to match is named instead.
    """
    errors = [(value, _error(value)) for value in question.errors]
    needles = [needle for _, needle in errors if needle is not None]
    uninformative = tuple(value for value, needle in errors if needle is None)
    hopeless = bool(errors) and not needles
    for kind, values in (("test", question.tests), ("symbol", question.symbols), ("file", question.files)):
        for value in values:
            made = _MAKERS[kind](value)
            if not made:
                raise _unusable(kind, value)
            needles.extend(made)
    for name, values in (("label", question.labels), ("author", question.authors)):
        for value in values:
            if not value.strip(" @"):
                raise _unusable(name, value)
    untyped = [needle.value for needle in needles if needle.kind == "error" and needle.tail is None]
    parts = tuple(dict.fromkeys(map(contains.part, question.contains)))
    return Filters(tuple(dict.fromkeys(needles)), uninformative, tuple(untyped), hopeless, parts)


def located(filters: Filters, held: Container[str]) -> Filters:
    """Return the filters with absolute paths cut to what is ``held`` of them, where anything is."""
    needles = [
        next(
            (_file_needle(ending) for ending in paths.endings(needle.value) if ending in held),
            needle,
        )
        if needle.absolute
        else needle
        for needle in filters.needles
    ]
    return replace(filters, needles=tuple(dict.fromkeys(needles)))


def absolute_endings(filters: Filters) -> list[str]:
    """Return what may be left of the absolute paths among the filters."""
    return [ending for needle in filters.needles if needle.absolute for ending in paths.endings(needle.value)]


def _unusable(kind: str, value: str) -> QuestionError:
    return QuestionError(
        "bad_value", f"{value!r} names no {kind}: leave it out, or {_REMEDIES[kind]}.", f"{kind}s"
    )


def read_off(text: str, asked: Sequence[Needle], per_kind: int) -> list[Needle]:
    """Return the first facts of each kind that a text names, without those that are asked anyway."""
    found: dict[str, dict[Needle, None]] = {kind: {} for kind in KINDS}
    known = {(needle.kind, needle.tail, needle.value) for needle in asked}
    for signal in signals_of_question(text):
        if signal.kind not in found or len(found[signal.kind]) == per_kind:
            continue
        needle = _from_signal(signal.kind, signal.value, signal.tail)
        if needle is not None and (needle.kind, needle.tail, needle.value) not in known:
            found[signal.kind][needle] = None
    return [needle for kind in KINDS for needle in found[kind]]


def by_kind(needles: Iterable[Needle]) -> dict[str, int]:
    """Count needles by kind."""
    counts: dict[str, int] = {}
    for needle in needles:
        counts[needle.kind] = counts.get(needle.kind, 0) + 1
    return counts


def _from_signal(kind: str, value: str, tail: str) -> Needle | None:
    if kind == "error":
        return _error_needle(errors.normalize_error(tail or None, value), asked=False)
    made = _MAKERS[kind](value)
    return Needle(kind, made[0].tail, made[0].value, asked=False) if made else None


def _error(value: str) -> Needle | None:
    # A line copied out of Markdown often brings its marks along.
    return _error_needle(errors.parse_error(value.strip().strip("`")), asked=True)


def _error_needle(pattern: ErrorPattern, *, asked: bool) -> Needle | None:
    if pattern.type is None and not pattern.informative:
        return None
    # A message of a placeholder or two is found in half of all messages, and so has to be all of it. A type
    # alone asks for every message of that type.
    whole = bool(pattern.message) and not pattern.informative
    return Needle("error", pattern.type, pattern.message, asked=asked, whole=whole)


def _test(value: str) -> list[Needle]:
    name = value.strip().replace("\\", "/")
    while name.startswith("./"):
        name = name[2:]
    bare = name.split("[", 1)[0]
    tail = bare.rsplit("::", 1)[-1].rsplit(".", 1)[-1] if "::" not in bare else bare.rsplit("::", 1)[-1]
    return [Needle("test", tail, name, asked=True)] if _NAMING.search(tail) else []


def _symbol(value: str) -> list[Needle]:
    spelled = value.strip().strip("`").split("(", 1)[0].strip()
    name = spelled.replace("->", ".").replace("::", ".").replace("#", ".").strip(".")
    if not _NAMING.search(name):
        return []
    return [Needle("symbol", name.rsplit(".", 1)[-1], name, asked=True, name=tokens.whole_name(spelled))]


def _file(value: str) -> list[Needle]:
    absolute = paths.is_absolute(value)
    return [_file_needle(path, absolute=absolute) for path in paths.spellings(value)]


def _file_needle(path: str, *, absolute: bool = False) -> Needle:
    tail = path.rsplit("/", 1)[-1] or None
    return Needle("file", tail, path, asked=True, absolute=absolute and "/" in path.rstrip("/"))


_MAKERS = {"test": _test, "symbol": _symbol, "file": _file}
_REMEDIES = {
    "test": "give its id: tests/test_x.py::test_y",
    "symbol": "give the name of a function, class or method",
    "file": "give any trailing part of its path, or a folder with a slash at its end",
    "label": "give a label's name",
    "author": "give a login",
}
