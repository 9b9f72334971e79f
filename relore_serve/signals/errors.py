"""Failures of any language or tool, in one normal form on both sides.

An error has a type and a message. The type is the class where there is one (``ValueError``), the code where the
compiler gives one (``E0382``, ``C2065``, ``TS2304``), and otherwise the family below:

========================  ===============================================================================
``error``, ``warning``    any tool's ``error: …`` (compilers, linkers' drivers, configure, pip, cargo)
``ld``                    linking and loading: undefined references, missing libraries
``make``, ``cmake``       the build tool's own failure
``panic``                 Rust and Go
``assertion``             C ``assert``, test conditions; Python's keeps its class, ``AssertionError``
``AddressSanitizer`` …    each sanitizer by its name; ``runtime error`` for undefined behaviour
``valgrind``              its findings
``SIGSEGV`` …             death by signal
``shell``                 command not found
``fatal``                 git's ``fatal: …``
========================  ===============================================================================

The normal form of a message keeps what two runs of one failure share: no addresses, numbers, directories or
typographic quotes. `error_lines` knows what each tool's lines look like.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from relore_serve.signals.error_lines import (
    AFTER,
    BEFORE,
    TRIGGER,
    bare_type,
    last_part,
    may_hold_errors,
    read_line,
)
from relore_serve.signals.signal import Signal

if TYPE_CHECKING:
    from collections.abc import Iterator

    from relore_serve.signals.signal import Source

__all__ = [
    "ErrorPattern",
    "FoundError",
    "bare_type",
    "error_signals",
    "find_errors",
    "may_hold_errors",
    "normal_form",
    "normalize_error",
    "parse_error",
    "raised",
]

MESSAGE_LIMIT = 300
_RAW_LIMIT = 2_000

# Compilers quote in ASCII or typographically, by locale; reports of one failure differ in nothing else.
_QUOTES = str.maketrans(dict.fromkeys('"`\u2018\u2019\u201c\u201d\u00b4\u00ab\u00bb', "'"))
_MARKDOWN_LINK = re.compile(r"\[([^\[\]\n]{0,500})\]\([^()\s]{0,500}\)")
_ADDRESS = re.compile(r"\b0x[0-9a-f]+\b|(?<![\w?])(?=[a-f]*[0-9])[0-9a-f]{16,}\b")
_DIRECTORY = re.compile(r"(?<![\w.~/\\<?])(?:~|[a-z]:)?[/\\](?:[\w.+@~-]+[/\\]+)+(?=[\w.])")
_LIST = re.compile(r"(?<![\w.])-?\d+(?:\.\d+)?(?:, ?-?\d+(?:\.\d+)?){2,}(?![\w.])")
_NUMBER = re.compile(r"(?<!\w)(?<!\w\.)(?!0x)\d+(?:[.,:]\d+)*")
_BLANKS = re.compile(r"\s+")
# The name of the check that complains: `[-Wunused]`, `[bugprone-macro]`.
_FLAG = re.compile(r"\s*\[(?:-|[a-z]+[.-])[a-z][\w.+=<>-]*(?:, ?-?[a-z][\w.+=<>-]*)*\]\Z")
_WORD = re.compile(r"[^\W\d]{3,}")
_PLACEHOLDER = re.compile(r"<n>|<values>|0x\?")
_LONG_WORD = 8

# A Python traceback's frames are indented; the line below them names the class, whatever it is called.
_TRACEBACK = re.compile(r"Traceback \(most recent call last\):[ \t\r]*\n(?:[ \t|+][^\n]*+\n|\r?\n)*+")
_LAST_LINE = re.compile(r"(?P<type>[A-Za-z_][\w.]{0,200})(?::[ ]?(?P<message>[^\n]*))?(?=\n|\Z)")
# What only follows from an error before it.
_CONSEQUENCES = frozenset({"make"})
_CONSEQUENCE = re.compile(
    r"ld returned|linker command failed|could not compile|aborting due to|process didn't exit|subcommand failed"
    r"|build failed|command '|recipe for target|process completed with exit code"
)
_FIRST_COUNTS = frozenset({"error", "ld", "warning", "cmake"})


class ErrorPattern(NamedTuple):
    """What a question about an error asks for.

    An uninformative message (``<n>``, ``'x'``) says nothing without its type and must match whole.
    """

    type: str | None
    message: str
    informative: bool


class FoundError(NamedTuple):
    """An error read off a text, in normal form, and where its line began."""

    type: str
    message: str
    start: int


def normal_form(message: str) -> str:
    """Return what two reports of the same failure share of its message; applying it twice changes nothing."""
    text = message[:_RAW_LIMIT]
    for _ in range(4):
        again = _normalize_once(text)
        if again == text:
            break
        text = again
    return text


def _normalize_once(text: str) -> str:
    text = text.lower().translate(_QUOTES)
    if "](" in text:
        text = _MARKDOWN_LINK.sub(r"\1", text)
    text = _ADDRESS.sub("0x?", text)
    if "/" in text or "\\" in text:
        text = _DIRECTORY.sub("", text)
    text = _LIST.sub("<values>", text)
    text = _NUMBER.sub("<n>", text)
    text = _BLANKS.sub(" ", text).strip()
    if len(text) > MESSAGE_LIMIT:
        # A placeholder is not cut in two.
        text = text[: MESSAGE_LIMIT + 1]
        text = text.rsplit(" ", 1)[0] if " " in text else text[:MESSAGE_LIMIT]
    while (shorter := _FLAG.sub("", text).rstrip(" .:;,")) != text:
        text = shorter
    return text


def normalize_error(error_type: str | None, message: str) -> ErrorPattern:
    """Return the pattern that a stored error of this type and message also has."""
    normal = normal_form(message)
    words = _WORD.findall(_PLACEHOLDER.sub(" ", normal))
    return ErrorPattern(error_type, normal, len(words) > 1 or any(len(word) >= _LONG_WORD for word in words))


def parse_error(text: str) -> ErrorPattern:
    """Return the error that a question or a paste is about.

    Of several the raised one is meant: the last exception, the first diagnostic of a compiler, and a build tool's
    complaint only if nothing else is there. Without any, the last line that is not blank.
    """
    if found := list(find_errors(text)):
        best = raised(found)
        return normalize_error(best.type, best.message)
    line = next((line.strip() for line in reversed(text.splitlines()) if line.strip()), "").strip("`* ")
    if error_type := bare_type(line):
        return normalize_error(error_type, "")
    return normalize_error(None, line)


def raised(found: list[FoundError]) -> FoundError:
    """Of the errors of one paste, in order, return the one that the others follow from."""
    causes = [
        one for one in found if one.type not in _CONSEQUENCES and not _CONSEQUENCE.match(one.message)
    ] or found
    errors = [one for one in causes if one.type != "warning"] or causes
    if errors[-1].type in _FIRST_COUNTS:
        return next(one for one in errors if one.type in _FIRST_COUNTS)
    last = errors[-1]
    if last.message:
        return last
    # `what():  std::bad_alloc` only repeats the class.
    return next((one for one in reversed(errors) if one.type == last.type and one.message), last)


def find_errors(text: str) -> Iterator[FoundError]:
    """Yield the errors of a text, one at most from each line, in order."""
    if not may_hold_errors(text):
        return
    tracebacks = _last_lines_of_tracebacks(text)
    seen: set[str] = set()
    for start, end in _telling_lines(text, set(tracebacks)):
        if start in tracebacks:
            yield tracebacks[start]
            continue
        line = text[start:end].strip()
        if line not in seen:
            seen.add(line)
            if error := read_line(line, text, end):
                yield FoundError(error[0], normal_form(error[1]), start)


def error_signals(text: str, source: Source) -> Iterator[Signal]:
    """Yield the errors of a text as signals."""
    for error in find_errors(text):
        yield Signal("error", error.message, error.type, source)


def _telling_lines(text: str, known: set[int]) -> Iterator[tuple[int, int]]:
    """Yield begin and end of the lines that may report an error, and of those beginning at a ``known`` position.

    Of a line too long to be one, the part around each telling word.
    """
    position = 0
    waiting = sorted(known, reverse=True)
    while found := TRIGGER.search(text, position):
        at = found.start()
        start = text.rfind("\n", max(position, at - BEFORE), at) + 1 or max(position, at - BEFORE)
        end = text.find("\n", at, at + AFTER)
        end = min(len(text), at + AFTER) if end < 0 else end
        while waiting and waiting[-1] < start:
            yield waiting[-1], waiting.pop()
        if waiting and waiting[-1] == start:
            waiting.pop()
        yield start, end
        position = end
    while waiting:
        yield waiting[-1], waiting.pop()


def _last_lines_of_tracebacks(text: str) -> dict[int, FoundError]:
    found: dict[int, FoundError] = {}
    if "Traceback (most recent call last):" in text:
        # What the frames reach over is not looked at again, so that many beginnings of one cost no more than one.
        for frames in _TRACEBACK.finditer(text):
            start = frames.end()
            if last := _LAST_LINE.match(text, start):
                found[start] = FoundError(last_part(last["type"]), normal_form(last["message"] or ""), start)
    return found
