"""Secrets out of everything that is stored.

Detection, not a guarantee: what says by its form that it is a secret (`token_formats`), and what is assigned
to a name that does (`assigned_secrets`). A placeholder says which kind stood there; the value is never kept.
What only looks random (hashes, ids, test vectors) stays.

Rules are versioned: rows remember the version they were written with, so that a later one can be run over
them.
"""

import re
import string
from collections import Counter
from collections.abc import Iterable
from typing import Any, AnyStr, Final, NamedTuple, cast

import orjson

from relore_assets.fetch import assigned_secrets, lenient, token_formats
from relore_serve.hidden_characters import HIDDEN, replace_unstorable

VERSION: Final = 1

_SHORTEST = 8  # ://a:b@c
_WORD_CHARACTERS = frozenset(string.ascii_letters + string.digits + "_-.~+/=")


class RedactedJson(NamedTuple):
    """One JSON object without secrets and without characters that Postgres cannot hold."""

    payload: dict[str, Any]
    redactions: dict[str, int]
    """How many of each kind were replaced."""
    replacements: int
    """How many NULs and lone surrogates became U+FFFD."""


# Nearly every text is dismissed here, in one pass an expression. JSON is dismissed as it comes, before it
# is taken apart.
_BEGINNINGS = tuple(re.compile(pattern, re.ASCII) for pattern in token_formats.BEGINNINGS)
_LOWER_BEGINNINGS = tuple(re.compile(pattern, re.ASCII) for pattern in assigned_secrets.BEGINNINGS)
_JSON_BEGINNINGS = tuple(re.compile(pattern.encode()) for pattern in token_formats.BEGINNINGS)
_JSON_LOWER_BEGINNINGS = tuple(re.compile(pattern.encode()) for pattern in assigned_secrets.BEGINNINGS)

# Escapes of characters that show nothing or cannot be stored, and of those that a token or an address is
# made of.
_JSON_ESCAPE = re.compile(
    rb"\\(?:[bf/]|r(?!\\n)|u(?:00[0-9]|00[aA][dD]|034|061|11[56]|17[bB]|180|20[026]|316|[fF][eEfF]"
    rb"|[dD][bB]4[0-3]|[dD]834|[dD]82[fF]))"
)
# The same characters in UTF-8.
_UTF8_HIDDEN = re.compile(
    rb"\xc2[\x80-\x9f\xad]|\xcd\x8f|\xd8\x9c|\xe1(?:\x85[\x9f\xa0]|\x9e[\xb4\xb5]|\xa0[\x8b-\x8f])"
    rb"|\xe2(?:\x80[\x8b-\x8f\xa8-\xae]|\x81[\xa0-\xaf])|\xe3\x85\xa4|\xef(?:\xb8[\x80-\x8f]|\xbb\xbf|\xbe\xa0"
    rb"|\xbf[\xb0-\xbb])|\xf0(?:\x9b\xb2|\x9d\x85)|\xf3\xa0"
)

# A carriage return before a line feed is a line end like any other.
_UNSEEN = re.compile(f"(?!\r\n){HIDDEN.pattern}|[\ud800-\udfff]")


def redact_text(text: str) -> tuple[str, dict[str, int]]:
    """The text with a placeholder for each secret, and how many of each kind there were."""
    counts: Counter[str] = Counter()
    seen, places = _seen(text)
    found = _secrets(seen)
    while found:
        pieces: list[str] = []
        done = 0
        for start, end, kind in found:
            first, last = (start, end) if places is None else (places[start], places[end - 1] + 1)
            pieces += (text[done:first], f"[redacted {kind}]")
            done = last
            counts[kind] += 1
        text = "".join(pieces) + text[done:]
        # What was written in one word with a secret may have become one: then all of that word goes.
        seen, places = _seen(text)
        found = [_word_around(seen, place) for place in _secrets(seen)]
    return text, dict(counts)


def contains_secret(text: str) -> bool:
    """Whether `redact_text` would change this text."""
    return bool(_secrets(_seen(text)[0]))


def redact_json(line: bytes) -> RedactedJson:
    """One JSON object, every string of it redacted and fit for Postgres.

    Raises:
        ValueError: The bytes are not one JSON object.
    """
    payload, unpaired = _parsed(line)
    if not (unpaired or _json_may_hold_any(line)):
        return RedactedJson(payload, {}, 0)
    walk = _Walk()
    return RedactedJson(cast("dict[str, Any]", walk.value(payload)), dict(walk.redactions), walk.replacements)


def _parsed(line: bytes) -> tuple[dict[str, Any], bool]:
    """The object in the line, and whether it may hold lone surrogates."""
    unpaired = False
    try:
        payload = orjson.loads(line)
    except ValueError:
        # The fast parser refuses lone surrogates, which GitHub has and the standard library takes.
        unpaired = True
        payload = lenient.loads(line)
    if not isinstance(payload, dict):
        raise ValueError("the JSON is not an object")  # noqa: TRY004 - a value is wrong
    return cast("dict[str, Any]", payload), unpaired


def _json_may_hold_any(line: bytes) -> bool:
    """Whether a line of JSON may hold anything that has to be replaced, lone surrogates apart."""
    return (
        b"\x7f" in line
        or _JSON_ESCAPE.search(line) is not None
        or (not line.isascii() and _UTF8_HIDDEN.search(line) is not None)
        or _begins(line, _JSON_BEGINNINGS, _JSON_LOWER_BEGINNINGS)
    )


def _begins(
    text: AnyStr, beginnings: Iterable[re.Pattern[AnyStr]], lower_beginnings: Iterable[re.Pattern[AnyStr]]
) -> bool:
    """Whether something that may be a secret begins in a text: as it stands, or in lower case."""
    for beginning in beginnings:
        if beginning.search(text):
            return True
    lowered = text.lower()
    for beginning in lower_beginnings:  # noqa: SIM110 - a generator would double the time
        if beginning.search(lowered):
            return True
    return False


class _Walk:
    """A copy of a JSON tree with every string of it, keys included, made fit to be stored."""

    def __init__(self) -> None:
        self.redactions: Counter[str] = Counter()
        self.replacements = 0

    def value(self, value: object) -> object:
        """The copy of one value."""
        if isinstance(value, str):
            return self._text(value)
        if isinstance(value, list):
            return [self.value(item) for item in cast("list[object]", value)]
        if isinstance(value, dict):
            return {self._text(k): self._member(k, v) for k, v in cast("dict[str, object]", value).items()}
        return value

    def _member(self, name: str, value: object) -> object:
        """The copy of a value that has a name, which may say that it is a secret."""
        if not (isinstance(value, str) and assigned_secrets.is_secret(name, value, quoted=True)):
            return self.value(value)
        kind = assigned_secrets.kind_of(name)
        self.redactions[kind] += 1
        return f"[redacted {kind}]"

    def _text(self, text: str) -> str:
        redacted, counts = redact_text(text)
        self.redactions.update(counts)
        stored, replaced = replace_unstorable(redacted)
        self.replacements += replaced
        return stored


def _seen(text: str) -> tuple[str, list[int] | None]:
    """The text as it looks, and where each of its characters stands: hidden ones may split a secret."""
    if not _UNSEEN.search(text):
        return text, None
    places: list[int] = []
    shown = 0
    for hidden in _UNSEEN.finditer(text):
        places.extend(range(shown, hidden.start()))
        shown = hidden.end()
    places.extend(range(shown, len(text)))
    return _UNSEEN.sub("", text), places


def _word_around(text: str, place: tuple[int, int, str]) -> tuple[int, int, str]:
    """The place with what stands in one word with it."""
    start, end, kind = place
    while start > 0 and text[start - 1] in _WORD_CHARACTERS:
        start -= 1
    while end < len(text) and text[end] in _WORD_CHARACTERS:
        end += 1
    return start, end, kind


def _secrets(text: str) -> list[tuple[int, int, str]]:
    """Where secrets stand, in order and apart; of two that overlap, the one that begins first."""
    if len(text) < _SHORTEST or not _begins(text, _BEGINNINGS, _LOWER_BEGINNINGS):
        return []
    found = sorted(
        [*token_formats.find(text), *assigned_secrets.find(text)], key=lambda place: (place[0], -place[1])
    )
    apart: list[tuple[int, int, str]] = []
    end = -1
    for place in found:
        if place[0] >= end:
            apart.append(place)
            end = place[1]
    return apart
