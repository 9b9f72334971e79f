"""One question of the benchmark: what is asked, as of when, what is withheld, and which threads answer it.

Everything that handles questions (mining, judging, running, reporting) passes this one shape on.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field
from datetime import UTC, datetime
from hashlib import sha256
from typing import TYPE_CHECKING, Any, Final, Literal, cast

from relore_assets.errors import ReloreError

if TYPE_CHECKING:
    from collections.abc import Mapping

Slice = Literal[
    "failure",
    "precedent",
    "rationale",
    "closing-title",
    "closing-text",
    "closing",
    "duplicate",
    "answered",
    "traceback",
    "asked",
]

#: Slices whose answers are proposed, and stay so until somebody has judged them.
TO_JUDGE: Final[tuple[Slice, ...]] = ("failure", "precedent", "rationale")

#: Slices whose answers the record itself states.
SELF_EVIDENT: Final[tuple[Slice, ...]] = (
    "closing-title",
    "closing-text",
    "closing",
    "duplicate",
    "answered",
    "traceback",
)

#: The slice of questions that people asked while they judged answers; no thread asks them.
ASKED: Final[Slice] = "asked"

#: Slices whose asking thread may answer. A finding and the reason given for it stand side by side in one thread, so a
#: rationale that was asked there is answered there: it leaks, unless the finding is a machine's, which nobody is shown.
NOT_WITHHELD: Final[tuple[Slice, ...]] = ("rationale", ASKED)

SLICES: Final[tuple[Slice, ...]] = (*TO_JUDGE, *SELF_EVIDENT, ASKED)

#: What may be said of an answer; ``proposed`` is what nobody has judged.
VERDICTS: Final = ("relevant", "decisive", "not_relevant", "proposed")
JUDGES: Final = ("record", "human", "model")
KINDS: Final = ("failure", "precedent", "rationale")

#: Verdicts that make a thread an answer.
_ANSWERS = frozenset({"relevant", "decisive"})


_ID: Final = re.compile(rf"(?:{'|'.join(SLICES)})-[0-9a-f]{{16}}")


class BadExample(ReloreError):
    """A line is no example; the message says what of it is wrong."""


@dataclass(frozen=True, slots=True)
class Filters:
    """The filters of a question, as `relore_serve.search.question.Question` has them."""

    files: tuple[str, ...] = ()
    symbols: tuple[str, ...] = ()
    errors: tuple[str, ...] = ()
    tests: tuple[str, ...] = ()
    kind: str | None = None


@dataclass(frozen=True, slots=True)
class Asked:
    """The text that asks: its thread, the document's source_type and source_id, its address, its date.

    A question of the slice `ASKED` stands in no thread: its ``number`` is 0, its date that of its first verdict.
    """

    number: int
    source_type: str
    source_id: str
    url: str
    at: datetime


@dataclass(frozen=True, slots=True)
class Answer:
    """What is said of one thread as an answer.

    Attributes:
        number: the thread.
        verdict: one of `VERDICTS`.
        judged_by: one of `JUDGES`; None exactly where the verdict is ``proposed``.
        why: evidence in words; never words of others.
    """

    number: int
    verdict: str
    judged_by: str | None = None
    why: str | None = None


@dataclass(frozen=True, slots=True)
class Example:
    """One question.

    Attributes:
        id: slice, hyphen, 16 hexadecimal digits of what is asked; see `identity`.
        slice: one of `SLICES`.
        query: the question's words, their case kept.
        filters: what it filters by.
        asked: the text that asks.
        withheld: numbers of threads left out, in order; the asking thread is one of them but for `NOT_WITHHELD`.
        before: the cutoff: only what was there strictly before it may answer. None for today.
        answers: verdicts by thread, in order of number.
        leaks: whether the truth can be had without being found; ``leak`` says why.
        evidence: how it was mined: scores, cues, counts.
    """

    id: str
    slice: Slice
    query: str
    filters: Filters
    asked: Asked
    withheld: tuple[int, ...]
    before: datetime | None
    answers: tuple[Answer, ...]
    leaks: bool = False
    leak: str | None = None
    evidence: Mapping[str, str | int | float] = field(default_factory=dict[str, str | int | float])

    @property
    def relevant(self) -> tuple[int, ...]:
        """The numbers of the threads that somebody judged to answer it, in order."""
        return tuple(sorted({answer.number for answer in self.answers if answer.verdict in _ANSWERS}))

    @property
    def proposed(self) -> tuple[int, ...]:
        """The numbers of the threads that mining proposes, in order."""
        return tuple(sorted({answer.number for answer in self.answers if answer.verdict == "proposed"}))

    @property
    def needs_judging(self) -> bool:
        """Whether nobody has judged any thread to answer it."""
        return not self.relevant


def identity(repo: str, slice_: Slice, query: str, filters: Filters, number: int) -> str:
    """Return the id of a question: the same on every machine and in every process.

    Args:
        repo: owner/name, in any case.
        slice_: one of `SLICES`.
        query: the words as they are asked.
        filters: what it filters by.
        number: the thread that asks.
    """
    asked = {
        "repo": repo.lower(),
        "slice": slice_,
        "query": query,
        "filters": _filters_json(filters),
        "number": number,
    }
    return f"{slice_}-{sha256(canonical(asked).encode()).hexdigest()[:16]}"


def canonical(value: object) -> str:
    """Return the one JSON text of a value: keys sorted, no spaces, everything beyond ASCII escaped."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=True, allow_nan=False)


def to_json(example: Example) -> dict[str, Any]:
    """Return the example as a JSON object; `from_json` reads it back to an equal one."""
    return {
        "id": example.id,
        "slice": example.slice,
        "query": example.query,
        "filters": _filters_json(example.filters),
        "asked": {
            "number": example.asked.number,
            "source_type": example.asked.source_type,
            "source_id": example.asked.source_id,
            "url": example.asked.url,
            "at": instant(example.asked.at),
        },
        "withheld": list(example.withheld),
        "before": None if example.before is None else instant(example.before),
        "answers": [
            {
                "number": answer.number,
                "verdict": answer.verdict,
                "judged_by": answer.judged_by,
                "why": answer.why,
            }
            for answer in example.answers
        ],
        "leaks": example.leaks,
        "leak": example.leak,
        "evidence": dict(example.evidence),
    }


def from_json(value: object) -> Example:
    """Read an example from a JSON object that may come from anywhere.

    Raises:
        BadExample: something is missing, of another type, or contradicts something else.
    """
    entry = _object(value, "the example")
    slice_ = cast("Slice", _one_of(entry, "slice", SLICES))
    identifier = _text(entry, "id")
    if not _ID.fullmatch(identifier):
        raise BadExample("id is not that of a slice and 16 hexadecimal digits.")
    answers = tuple(_answer(each) for each in _list(entry, "answers"))
    example = Example(
        id=identifier,
        slice=slice_,
        query=_text(entry, "query"),
        filters=_filters(_object(entry.get("filters"), "filters")),
        asked=_asked(_object(entry.get("asked"), "asked"), slice_),
        withheld=tuple(_number(each, "withheld") for each in _list(entry, "withheld")),
        before=None if entry.get("before") is None else _instant(entry, "before"),
        answers=answers,
        leaks=_flag(entry, "leaks"),
        leak=_maybe_text(entry, "leak"),
        evidence=_evidence(entry.get("evidence", {})),
    )
    if not (example.query or _asks_by_filter(example.filters)):
        raise BadExample(f"{identifier} asks nothing: it has neither words nor filters.")
    if slice_ not in NOT_WITHHELD and example.asked.number not in example.withheld:
        raise BadExample(f"{identifier} does not withhold #{example.asked.number}, which asks it.")
    return example


def instant(moment: datetime) -> str:
    """Return a moment as ISO 8601 in UTC with a trailing Z."""
    return moment.astimezone(UTC).isoformat().replace("+00:00", "Z")


def parse_instant(text: str) -> datetime:
    """Read a moment with a time zone.

    Raises:
        ValueError: it is none, has no time zone, or is in UTC before the first or after the last year.
    """
    moment = datetime.fromisoformat(text)
    if moment.tzinfo is None:
        raise ValueError(f"{text!r} has no time zone")
    try:
        return moment.astimezone(UTC)
    except OverflowError:
        raise ValueError(f"{text!r} is a moment beyond all calendars") from None


def _filters_json(filters: Filters) -> dict[str, Any]:
    return {
        "files": list(filters.files),
        "symbols": list(filters.symbols),
        "errors": list(filters.errors),
        "tests": list(filters.tests),
        "kind": filters.kind,
    }


def _asks_by_filter(filters: Filters) -> bool:
    return bool(filters.files or filters.symbols or filters.errors or filters.tests)


def _filters(entry: dict[str, Any]) -> Filters:
    kind = entry.get("kind")
    if kind is not None and kind not in KINDS:
        raise BadExample(f"filters.kind is one of {', '.join(KINDS)} or null.")
    values = {
        name: tuple(_words(each, name) for each in _list(entry, name))
        for name in ("files", "symbols", "errors", "tests")
    }
    return Filters(**values, kind=kind)


def _asked(entry: dict[str, Any], slice_: Slice) -> Asked:
    number = entry.get("number")
    return Asked(
        number=0 if slice_ == ASKED and number == 0 else _number(number, "asked.number"),
        source_type=_text(entry, "source_type"),
        source_id=_text(entry, "source_id"),
        url=_text(entry, "url"),
        at=_instant(entry, "at"),
    )


def _answer(value: object) -> Answer:
    entry = _object(value, "an answer")
    verdict = _one_of(entry, "verdict", VERDICTS)
    judged_by = _maybe_text(entry, "judged_by")
    if judged_by is not None and judged_by not in JUDGES:
        raise BadExample(f"judged_by is one of {', '.join(JUDGES)} or null.")
    if (judged_by is None) != (verdict == "proposed"):
        raise BadExample("an answer that nobody judged is proposed, and only such a one.")
    return Answer(
        _number(entry.get("number"), "an answer's number"), verdict, judged_by, _maybe_text(entry, "why")
    )


def _evidence(value: object) -> dict[str, str | int | float]:
    entry = _object(value, "evidence")
    if any(not isinstance(each, str | int | float) for each in entry.values()):
        raise BadExample("evidence holds texts and numbers.")
    return entry


def _object(value: object, name: str) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise BadExample(f"{name} is no JSON object.")
    return cast("dict[str, Any]", value)


def _list(entry: dict[str, Any], name: str) -> list[Any]:
    value = entry.get(name)
    if not isinstance(value, list):
        raise BadExample(f"{name} is no list.")
    return cast("list[Any]", value)


def _text(entry: dict[str, Any], name: str) -> str:
    return _words(entry.get(name), name)


def _words(value: object, name: str) -> str:
    if not isinstance(value, str):
        raise BadExample(f"{name} is no text.")
    return value


def _maybe_text(entry: dict[str, Any], name: str) -> str | None:
    return None if entry.get(name) is None else _text(entry, name)


def _flag(entry: dict[str, Any], name: str) -> bool:
    value = entry.get(name)
    if not isinstance(value, bool):
        raise BadExample(f"{name} is neither true nor false.")
    return value


def _number(value: object, name: str) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or value < 1:
        raise BadExample(f"{name} is no number of a thread.")
    return value


def _instant(entry: dict[str, Any], name: str) -> datetime:
    try:
        return parse_instant(_text(entry, name))
    except ValueError as error:
        raise BadExample(f"{name} is no moment with a time zone.") from error


def _one_of(entry: dict[str, Any], name: str, choices: tuple[str, ...]) -> str:
    value = _text(entry, name)
    if value not in choices:
        raise BadExample(f"{name} is one of {', '.join(choices)}.")
    return value
