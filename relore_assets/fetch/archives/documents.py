"""JSON documents from a file, one at a time: one a line, several run together, or spread over lines.

Files may be compressed with gzip. A document that cannot be read is named by its line and does not cost the
ones around it; nor does a file that cannot be opened, which is named by its first line.
"""

from __future__ import annotations

import gzip
import json
import math
import re
import stat
import zlib
from contextlib import contextmanager
from dataclasses import dataclass
from typing import IO, TYPE_CHECKING, Any, NoReturn, cast

import orjson

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterable, Iterator
    from pathlib import Path

#: A document longer than this is refused, so that one broken file cannot fill the memory. GitHub's longest
#: objects (a body of 65,536 characters, a list of 3,000 files) stay far below.
MAX_DOCUMENT = 64 * 1024 * 1024

# Deeper than anything GitHub sends, and as deep as orjson writes.
_MAX_DEPTH = 250

# Whole numbers that are kept as such, and how long the longest of them are. Longer ones become floats, which is
# what orjson makes of them.
_WHOLE = range(-(2**63), 2**64)
_MAX_DIGITS = 20

_BOM = b"\xef\xbb\xbf"


@dataclass(frozen=True, slots=True)
class Document:
    """One value and the line it begins on; the first line is 1."""

    line: int
    value: Any


@dataclass(frozen=True, slots=True)
class Broken:
    """Where no value could be read, and why, in words that quote nothing of the file."""

    line: int
    reason: str


class _UnreadableError(ValueError):
    """A text or a file cannot be read; the message says what is wrong with it."""


def read(path: Path, on_bytes: Callable[[int], object] | None = None) -> Iterator[Document | Broken]:
    """Yield the documents of ``path``. Arrays are opened: their elements come one by one.

    Files whose name says JSON lines (``.jsonl``, ``.ndjson``) hold a document a line. In any other a document
    goes on until the next line that starts with an opening bracket at its very beginning.

    Args:
        path: the file, compressed when its name ends in ``.gz``.
        on_bytes: told how many bytes of the file (as it lies on disk) have been read since it was last told.
    """
    continues = path.name.removesuffix(".gz").rsplit(".", 1)[-1] not in {"jsonl", "ndjson"}
    try:
        opened = _opened(path)
    except _UnreadableError as error:
        yield Broken(1, str(error))
        return
    with opened as file, _content(path, file) as content:
        yield from (_continued if continues else _by_line)(_lines(content, _teller(file, on_bytes)))


def size(path: Path) -> int | None:
    """Return how many bytes lie on disk; None for what is no regular file, or does not show itself."""
    try:
        facts = path.stat()
    except OSError:
        return None
    return facts.st_size if stat.S_ISREG(facts.st_mode) else None


def _opened(path: Path) -> IO[bytes]:
    """Open a file.

    Raises:
        _UnreadableError: nothing can be read there, or one might wait for ever for it.
    """
    try:
        mode = path.stat().st_mode
        if not (stat.S_ISREG(mode) or stat.S_ISDIR(mode)):
            raise _UnreadableError("not a regular file")
        return path.open("rb")
    except OSError as error:
        raise _UnreadableError(_refusal(error)) from None


def _refusal(error: OSError) -> str:
    """Say in the system's words why it does not let us read."""
    return f"could not be read: {(error.strerror or type(error).__name__).lower()}"


@contextmanager
def _content(path: Path, file: IO[bytes]) -> Generator[IO[bytes]]:
    """Open what the file holds."""
    if path.suffix != ".gz":
        yield file
        return
    with gzip.GzipFile(fileobj=file) as unpacked:
        yield cast("IO[bytes]", unpacked)


def _teller(file: IO[bytes], on_bytes: Callable[[int], object] | None) -> Callable[[], None]:
    """Return a function that reports how far the file has been read since it was last called."""
    told = 0

    def tell() -> None:
        nonlocal told
        if on_bytes is not None and (now := file.tell()) != told:
            on_bytes(now - told)
            told = now

    return tell


def _lines(content: IO[bytes], tell: Callable[[], None]) -> Iterator[tuple[int, bytes | Broken]]:
    """Yield numbered lines, without their ends. What cannot be unpacked or is too long comes as `Broken`."""
    number = 0
    try:
        while line := content.readline(MAX_DOCUMENT + 1):
            number += 1
            tell()
            if len(line) > MAX_DOCUMENT:
                yield number, Broken(number, f"a line of more than {MAX_DOCUMENT:,} bytes")
                _skip_line(content)
            else:
                yield number, line.removeprefix(_BOM) if number == 1 else line
    except EOFError:
        yield number + 1, Broken(number + 1, "the compressed data ends in the middle")
    except (gzip.BadGzipFile, zlib.error):
        yield number + 1, Broken(number + 1, "the compressed data is damaged from here on")
    except OSError as error:
        yield number + 1, Broken(number + 1, _refusal(error))
    tell()


def _skip_line(content: IO[bytes]) -> None:
    """Read on to the end of a line that is too long to keep."""
    while (rest := content.readline(1 << 20)) and not rest.endswith(b"\n"):
        pass


def _by_line(lines: Iterator[tuple[int, bytes | Broken]]) -> Iterator[Document | Broken]:
    """Read each line for itself."""
    for number, line in lines:
        if isinstance(line, Broken):
            yield line
        elif line.strip():
            yield from _parsed(line, number)


def _continued(lines: Iterator[tuple[int, bytes | Broken]]) -> Iterator[Document | Broken]:
    """Read documents that may spread over lines."""
    pending: list[bytes] = []
    start = size = 0
    for number, line in lines:
        broken = isinstance(line, Broken)
        # Whoever spreads a document over lines indents what is inside it.
        if pending and (broken or line[:1] in {b"{", b"["}):
            yield from _parsed(b"".join(pending), start)
            pending, size = [], 0
        if broken:
            yield line
        elif line.rstrip() not in {b"", b"[", b"]"}:
            start = start if pending else number
            pending.append(line)
            size += len(line)
            if size > MAX_DOCUMENT:
                yield Broken(start, f"a document of more than {MAX_DOCUMENT:,} bytes")
                pending, size = [], 0
    if pending:
        yield from _parsed(b"".join(pending), start)


def _parsed(text: bytes, line: int) -> Iterator[Document | Broken]:
    """Yield what a text holds, arrays by their elements."""
    try:
        values = _loaded(text)
    except _UnreadableError as error:
        yield Broken(line, str(error))
        return
    for value in values:
        for element in cast("list[Any]", value) if isinstance(value, list) else [value]:
            yield Document(line, element)


def _loaded(text: bytes) -> list[Any]:
    """Return the values of a text, the fast way where it is one value that orjson takes.

    Raises:
        _UnreadableError: somewhere it is not JSON, or nested more deeply than can be stored.
    """
    try:
        values = [orjson.loads(text)]
    except ValueError:
        values = _values(text.rstrip())
    if text.count(b"[") + text.count(b"{") > _MAX_DEPTH and _is_deep(values):
        raise _UnreadableError("nested too deeply")
    return values


def _is_deep(value: object) -> bool:
    """Return whether a value is nested more than `_MAX_DEPTH` levels deep."""
    try:
        orjson.dumps(value)
    except TypeError:  # nesting beyond what it writes, or half a surrogate pair
        layer = [value]
        for _ in range(_MAX_DEPTH):
            layer = [inner for outer in layer for inner in _inside(outer)]
        return bool(layer)
    return False


def _inside(value: object) -> Iterable[object]:
    """Return the arrays and objects directly inside a value."""
    if isinstance(value, dict):
        value = list(cast("dict[str, object]", value).values())
    elif not isinstance(value, list):
        return ()
    inner = cast("list[object]", value)
    return [one for one in inner if isinstance(one, list | dict)]  # pyright: ignore[reportUnknownVariableType]


def _values(text: bytes) -> list[Any]:
    """Parse values run together or set apart by commas, lone surrogates included, which orjson refuses.

    Raises:
        _UnreadableError: somewhere it is not JSON.
    """
    try:
        # CESU-8, as some writers leave halves of surrogate pairs, is read as what they meant.
        source = text.decode("utf-8", "surrogatepass")
    except UnicodeDecodeError as error:
        raise _UnreadableError(f"not UTF-8 at byte {error.start + 1}") from None
    values: list[Any] = []
    at = _next(source, 0)
    while at < len(source):
        try:
            value, at = _DECODER.raw_decode(source, at)
        except json.JSONDecodeError as error:
            raise _UnreadableError(f"not JSON: {_sentence(error)}") from None
        except RecursionError:
            raise _UnreadableError("nested too deeply") from None
        values.append(value)
        at = _next(source, at)
    return values


def _sentence(error: json.JSONDecodeError) -> str:
    """Say what is wrong and where, in characters from the start of the document: nothing of its text."""
    return f"{error.msg[:1].lower()}{error.msg[1:]} (character {error.pos + 1})"


def _next(source: str, at: int) -> int:
    """Return where the next value begins."""
    return cast("re.Match[str]", _BETWEEN.match(source, at)).end()


def _no_constant(name: str) -> NoReturn:
    """Refuse what Python reads and JSON does not know: NaN and the infinities."""
    raise _UnreadableError(f"not JSON: {name} is no JSON number")


def _whole(digits: str) -> int | float:
    """Read a number without fraction or exponent."""
    if len(digits) <= _MAX_DIGITS and (number := int(digits)) in _WHOLE:
        return number
    return _fraction(digits)


def _fraction(digits: str) -> float:
    """Read any number."""
    number = float(digits)
    if math.isinf(number):
        raise _UnreadableError("a number too large to be kept")
    return number


_BETWEEN = re.compile(r"[\s,]*")
_DECODER = json.JSONDecoder(parse_constant=_no_constant, parse_int=_whole, parse_float=_fraction)
