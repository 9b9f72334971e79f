"""What a request may say: named fields, each with one reader, and nothing besides.

A name that no field has is refused with the nearest one that exists, because a parameter that is dropped in
silence changes nothing and looks as if it had. Query strings and JSON bodies go through the same readers; a
query string's values are first turned into what JSON would have held.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from datetime import UTC, datetime
from difflib import get_close_matches
from typing import TYPE_CHECKING, Any, Protocol, cast

from relore_serve.pages.untrusted import name as shown
from relore_serve.web.errors import Refused

if TYPE_CHECKING:
    from collections.abc import Mapping

    from werkzeug.datastructures import MultiDict

MAX_WORD = 200
"""Characters of a name, an id or a cursor."""
MAX_NUMBER = 2**31 - 1
"""The largest number a thread can have in the tables."""

_REPO = re.compile(r"[A-Za-z0-9][A-Za-z0-9-]{0,99}/[A-Za-z0-9._-]{1,100}")
_MOMENT = re.compile(
    r"[0-9]{4}-[0-9]{2}-[0-9]{2}"
    r"(?:[T ][0-9]{2}:[0-9]{2}(?::[0-9]{2}(?:\.[0-9]{1,6})?)?(Z|[+-][0-9]{2}:[0-9]{2})?)?"
)
_EXCLUSION = re.compile(rf"(?:({_REPO.pattern}))?#?([0-9]{{1,10}})")
_NUMBER = re.compile(r"[0-9]{1,10}")
_ID = re.compile(r"[A-Za-z0-9_.:-]{1,80}")
_WRONG_CHARACTER = re.compile("[\x00\ud800-\udfff]")


class BadValue(Exception):
    """Why a value cannot be taken; the field's name is put before it."""


class Field(Protocol):
    """Turns the JSON value of one parameter into ours."""

    @property
    def many(self) -> bool:
        """Whether the parameter holds a list."""
        ...

    def decode(self, text: str) -> object:
        """Return what JSON would have held for a query string's ``text``."""
        ...

    def __call__(self, value: object) -> Any:
        """Return the value checked, or raise `BadValue`."""
        ...


@dataclass(frozen=True)
class Text:
    """Any text up to ``longest`` characters."""

    longest: int
    many: bool = False

    def decode(self, text: str) -> object:
        """Return the text itself."""
        return text

    def __call__(self, value: object) -> str:
        """Return the text; a NUL or half a character would be an error further down."""
        if not isinstance(value, str):
            raise BadValue("is text")
        if len(value) > self.longest:
            raise BadValue(f"has {len(value):,} characters and at most {self.longest:,} are read")
        if _WRONG_CHARACTER.search(value):
            raise BadValue("holds a NUL or a lone surrogate, which no text has")
        return value


@dataclass(frozen=True)
class Flag:
    """True or false."""

    many: bool = False

    def decode(self, text: str) -> object:
        """Read ``true``, ``false``, ``1`` and ``0``."""
        return {"true": True, "1": True, "false": False, "0": False}.get(text.lower(), text)

    def __call__(self, value: object) -> bool:
        """Return the flag."""
        if not isinstance(value, bool):
            raise BadValue("is true or false")
        return value


@dataclass(frozen=True)
class Whole:
    """A whole number within bounds."""

    lowest: int
    highest: int
    many: bool = False

    def decode(self, text: str) -> object:
        """Read decimal digits."""
        return int(text) if _NUMBER.fullmatch(text) else text

    def __call__(self, value: object) -> int:
        """Return the number."""
        if isinstance(value, bool) or not isinstance(value, int) or not self.lowest <= value <= self.highest:
            raise BadValue(f"is a whole number from {self.lowest} to {self.highest}")
        return value


@dataclass(frozen=True)
class Choice:
    """One of a few words."""

    words: tuple[str, ...]
    many: bool = False

    def decode(self, text: str) -> object:
        """Return the text itself."""
        return text

    def __call__(self, value: object) -> str:
        """Return the word."""
        if not isinstance(value, str) or value not in self.words:
            raise BadValue(f"is one of {', '.join(self.words)}")
        return value


@dataclass(frozen=True)
class Moment:
    """An instant with its time zone, or a day, which begins at midnight UTC."""

    many: bool = False

    def decode(self, text: str) -> object:
        """Return the text; a plus sign that the query string turned into a space is put back."""
        return re.sub(r" (?=[0-9]{2}:[0-9]{2}$)", "+", text) if text.count(":") > 1 else text

    def __call__(self, value: object) -> datetime:
        """Return the instant in UTC."""
        if not isinstance(value, str) or not (match := _MOMENT.fullmatch(value)):
            raise BadValue("is a time such as 2026-03-01T00:00:00Z, or a day such as 2026-03-01")
        if len(value) > len("2026-03-01") and match.group(1) is None:
            raise BadValue("needs a time zone, for instance a Z at its end")
        try:
            moment = datetime.fromisoformat(value)
            return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).astimezone(UTC)
        except (ValueError, OverflowError):
            raise BadValue("is no date of the calendar") from None


@dataclass(frozen=True)
class Repo:
    """The name of a repository."""

    many: bool = False

    def decode(self, text: str) -> object:
        """Return the text itself."""
        return text

    def __call__(self, value: object) -> str:
        """Return the name."""
        if not isinstance(value, str) or not _REPO.fullmatch(value):
            raise BadValue("is the name of a repository, owner/name")
        return value


@dataclass(frozen=True)
class Excluded:
    """A thread to withhold: a number, or owner/name#number where several repositories are asked."""

    many: bool = False

    def decode(self, text: str) -> object:
        """Return the text itself."""
        return text

    def __call__(self, value: object) -> tuple[str | None, int]:
        """Return the repository, if it is named, and the number."""
        if isinstance(value, int) and not isinstance(value, bool):
            value = str(value)
        match = _EXCLUSION.fullmatch(value) if isinstance(value, str) else None
        if match is None or not 1 <= int(match.group(2)) <= MAX_NUMBER:
            raise BadValue("is a thread's number, or owner/name#number")
        return match.group(1), int(match.group(2))


@dataclass(frozen=True)
class Id:
    """What a page prints to ask for a comment by."""

    many: bool = False

    def decode(self, text: str) -> object:
        """Return the text itself."""
        return text

    def __call__(self, value: object) -> str:
        """Return the id."""
        if isinstance(value, int) and not isinstance(value, bool):
            value = str(value)
        if not isinstance(value, str) or not _ID.fullmatch(value):
            raise BadValue("is the id of a comment, as the thread's page or outline prints it")
        return value


@dataclass(frozen=True)
class Several:
    """A list of what ``item`` reads, at most ``most`` of them."""

    item: Field
    most: int
    many: bool = True

    def decode(self, text: str) -> object:
        """Decode one of the items."""
        return self.item.decode(text)

    def __call__(self, value: object) -> tuple[Any, ...]:
        """Return the items, without repetitions."""
        if not isinstance(value, list):
            raise BadValue("is a list")
        values = cast("list[object]", value)
        if len(values) > self.most:
            raise BadValue(f"holds {len(values)} values and at most {self.most} are read")
        return tuple(dict.fromkeys(self.item(one) for one in values))


def read(values: Mapping[str, object], fields: Mapping[str, Field]) -> dict[str, Any]:
    """Return the checked values of the fields that were given; null is as good as not given.

    Raises:
        Refused: a name is unknown, or a value cannot be taken; the answer names the parameter.
    """
    unknown = next((given for given in values if given not in fields), None)
    if unknown is not None:
        raise _unknown(unknown, tuple(fields))
    checked: dict[str, Any] = {}
    for given, value in values.items():
        if value is None:
            continue
        try:
            checked[given] = fields[given](value)
        except BadValue as error:
            raise Refused(f"{given} {error}.", code="bad_value", facts={"parameter": given}) from None
    return checked


def read_query(arguments: MultiDict[str, str], fields: Mapping[str, Field]) -> dict[str, Any]:
    """Read a query string; a parameter that takes one value may stand there once.

    Raises:
        Refused: as `read`, or a parameter is given twice.
    """
    values: dict[str, object] = {}
    for given, texts in arguments.lists():
        field = fields.get(given)
        if field is None:
            raise _unknown(given, tuple(fields))
        if not field.many and len(texts) > 1:
            raise Refused(f"{given} is given twice.", code="bad_value", facts={"parameter": given})
        decoded = [field.decode(text) for text in texts]
        values[given] = decoded if field.many else decoded[0]
    return read(values, fields)


def read_body(body: bytes, fields: Mapping[str, Field]) -> dict[str, Any]:
    """Read a JSON object.

    Raises:
        Refused: as `read`, or the body is not a JSON object.
    """
    try:
        decoded: object = json.loads(body.decode("utf-8-sig") or "{}", object_pairs_hook=_once)
    except (ValueError, RecursionError):
        raise Refused("The body is not JSON in UTF-8.") from None
    if not isinstance(decoded, dict):
        raise Refused("The body is a JSON object.")
    return read(cast("dict[str, object]", decoded), fields)


def _once(pairs: list[tuple[str, object]]) -> dict[str, object]:
    """Return an object whose names stand in it once: of two values one would be dropped in silence."""
    found: dict[str, object] = {}
    for name, value in pairs:
        if name in found:
            twice = name[:MAX_WORD]
            raise Refused(f"{shown(twice)} is given twice.", code="bad_value", facts={"parameter": twice})
        found[name] = value
    return found


def thread_number(text: str) -> int:
    """Return the number in a path.

    Raises:
        Refused: it is none that a thread can have.
    """
    if _NUMBER.fullmatch(text) and 1 <= int(text) <= MAX_NUMBER:
        return int(text)
    raise Refused("A thread is asked for by its number.", code="bad_value", facts={"parameter": "number"})


def _unknown(given: str, known: tuple[str, ...]) -> Refused:
    near = get_close_matches(given[:MAX_WORD], known, n=1, cutoff=0.5)
    guess = f" The nearest known one is {near[0]}." if near else f" Known are {', '.join(known)}."
    facts: dict[str, object] = {"parameter": given[:MAX_WORD], "nearest": near[0] if near else None}
    return Refused(
        f"There is no parameter {shown(given[:60])}.{guess}", code="unknown_parameter", facts=facts
    )
