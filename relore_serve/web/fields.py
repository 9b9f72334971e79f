"""Kinds of values that a request may hold: each reads one, and says as JSON Schema what it reads.

Query strings and JSON bodies go through the same readers; a query string's values are first turned into what
JSON would have held. `relore_serve.web.openapi` publishes the same objects, so that what is documented is
what is read.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import UTC, datetime
from difflib import get_close_matches
from typing import TYPE_CHECKING, Any, Protocol, cast

from relore_serve.pages.untrusted import name as shown

if TYPE_CHECKING:
    from collections.abc import Mapping

MAX_WORD = 200
"""Characters of a name, an id or a cursor."""
MAX_NUMBER = 2**31 - 1
"""The largest number a thread can have in the tables."""
MAX_PATHS = 50
"""Paths of an answer that one request may pick."""

Schema = dict[str, Any]
"""A JSON Schema, or a part of one."""

_REPO = re.compile(r"[A-Za-z0-9][A-Za-z0-9-]{0,99}/[A-Za-z0-9._-]{1,100}")
_MOMENT = re.compile(
    r"[0-9]{4}-[0-9]{2}-[0-9]{2}"
    r"(?:[T ][0-9]{2}:[0-9]{2}(?::[0-9]{2}(?:\.[0-9]{1,6})?)?(Z|[+-][0-9]{2}:[0-9]{2})?)?"
)
_ZONED = _MOMENT.pattern.replace(r"[0-9]{2}:[0-9]{2})?)?", r"[0-9]{2}:[0-9]{2}))?")
_EXCLUSION = re.compile(rf"(?:({_REPO.pattern}))?#?([0-9]{{1,10}})")
_NUMBER = re.compile(r"[0-9]{1,10}")
_ID = re.compile(r"[A-Za-z0-9_.:-]{1,80}")
_PATH = re.compile(r"[^,]{1,200}")
_WRONG_CHARACTER = re.compile("[\x00\ud800-\udfff]")


class BadValue(Exception):
    """Why a value cannot be taken; the field's name is put before it."""


class Field(Protocol):
    """Turns the JSON value of one parameter into ours."""

    @property
    def many(self) -> bool:
        """Whether the parameter holds a list."""
        ...

    @property
    def schema(self) -> Schema:
        """The values that are read, as JSON Schema; what lies outside is refused."""
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

    @property
    def schema(self) -> Schema:
        """Text of a bounded length."""
        return {"type": "string", "maxLength": self.longest}

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

    @property
    def schema(self) -> Schema:
        """A boolean."""
        return {"type": "boolean"}

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

    @property
    def schema(self) -> Schema:
        """An integer between the bounds."""
        return {"type": "integer", "minimum": self.lowest, "maximum": self.highest}

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

    @property
    def schema(self) -> Schema:
        """The words."""
        return {"type": "string", "enum": list(self.words)}

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

    @property
    def schema(self) -> Schema:
        """A day, or an instant whose zone is named."""
        return {"type": "string", "pattern": f"^{_ZONED}$", "examples": ["2026-03-01T00:00:00Z"]}

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

    @property
    def schema(self) -> Schema:
        """Owner and name."""
        return {"type": "string", "pattern": f"^{_REPO.pattern}$", "examples": ["octo/kit"]}

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

    @property
    def schema(self) -> Schema:
        """A number, or a repository and a number."""
        return {
            "anyOf": [
                {"type": "integer", "minimum": 1, "maximum": MAX_NUMBER},
                {"type": "string", "pattern": f"^{_EXCLUSION.pattern}$"},
            ],
            "examples": [7, "octo/kit#7"],
        }

    def decode(self, text: str) -> object:
        """Return the text itself."""
        return text

    def __call__(self, value: object) -> tuple[str | None, int]:
        """Return the repository, if it is named, and the number."""
        if isinstance(value, int) and not isinstance(value, bool):
            value = _digits(value)
        match = _EXCLUSION.fullmatch(value) if isinstance(value, str) else None
        if match is None or not 1 <= int(match.group(2)) <= MAX_NUMBER:
            raise BadValue("is a thread's number, or owner/name#number")
        return match.group(1), int(match.group(2))


@dataclass(frozen=True)
class Id:
    """What a page prints to ask for a comment by."""

    many: bool = False

    @property
    def schema(self) -> Schema:
        """A number, or the kind of a comment and a number."""
        return {
            "anyOf": [{"type": "string", "pattern": f"^{_ID.pattern}$"}, {"type": "integer", "minimum": 0}]
        }

    def decode(self, text: str) -> object:
        """Return the text itself."""
        return text

    def __call__(self, value: object) -> str:
        """Return the id."""
        if isinstance(value, int) and not isinstance(value, bool):
            value = _digits(value)
        if not isinstance(value, str) or not _ID.fullmatch(value):
            raise BadValue("is the id of a comment, as the thread's page or outline prints it")
        return value


@dataclass(frozen=True)
class Paths:
    """Dotted paths into an answer, divided by commas."""

    many: bool = False

    @property
    def schema(self) -> Schema:
        """Paths of names."""
        return {
            "type": "string",
            "minLength": 1,
            "maxLength": MAX_PATHS * MAX_WORD,
            "examples": ["count,hits.url"],
        }

    def decode(self, text: str) -> object:
        """Return the text itself."""
        return text

    def __call__(self, value: object) -> tuple[tuple[str, ...], ...]:
        """Return each path as its names; whether there are such names is for the answer to say."""
        if not isinstance(value, str):
            raise BadValue("is a text of dotted paths, divided by commas")
        paths = [path.strip() for path in value.split(",")]
        if len(paths) > MAX_PATHS:
            raise BadValue(f"holds {len(paths)} paths and at most {MAX_PATHS} are read")
        if not all(_PATH.fullmatch(path) for path in paths):
            raise BadValue(f"holds a path that is empty, or longer than {MAX_WORD} characters")
        return tuple(tuple(path.split(".")) for path in dict.fromkeys(paths))


@dataclass(frozen=True)
class Several:
    """A list of what ``item`` reads, at most ``most`` of them."""

    item: Field
    most: int
    many: bool = True

    @property
    def schema(self) -> Schema:
        """A bounded list."""
        return {"type": "array", "items": self.item.schema, "maxItems": self.most}

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


@dataclass(frozen=True, eq=False)
class Named:
    """An object of its own named fields; null is as good as not given, as in a body."""

    fields: Mapping[str, Field]
    many: bool = False

    @property
    def schema(self) -> Schema:
        """An object that holds nothing but these fields."""
        properties = {name: {"anyOf": [kind.schema, {"type": "null"}]} for name, kind in self.fields.items()}
        return {"type": "object", "properties": properties, "additionalProperties": False}

    def decode(self, text: str) -> object:
        """Return the text itself; a query string holds no objects."""
        return text

    def __call__(self, value: object) -> dict[str, Any]:
        """Return the checked values of the fields that were given."""
        if not isinstance(value, dict):
            raise BadValue("is an object")
        checked: dict[str, Any] = {}
        for name, one in cast("dict[str, object]", value).items():
            if name not in self.fields:
                near = get_close_matches(name[:MAX_WORD], self.fields, n=1, cutoff=0.5)
                guess = f"the nearest is {near[0]}" if near else f"known are {', '.join(self.fields)}"
                raise BadValue(f"holds {shown(name[:MAX_WORD])}, a name that is not known; {guess}")
            if one is None:
                continue
            try:
                checked[name] = self.fields[name](one)
            except BadValue as error:
                raise BadValue(f"holds {name}, which {error}") from None
        return checked


def thread_number(text: str) -> int:
    """Return the number in a path.

    Raises:
        BadValue: it is none that a thread can have.
    """
    if _NUMBER.fullmatch(text) and 1 <= int(text) <= MAX_NUMBER:
        return int(text)
    raise BadValue(f"is asked for by its number, 1 to {MAX_NUMBER:,}")


def _digits(value: int) -> str:
    # Python refuses to write out numbers of thousands of digits; none of these is an id.
    return str(value) if abs(value) < 10**80 else ""
