"""The only way to the terminal: text that cannot steer it, on streams that cannot fail on a character.

The server has scrubbed what it sends. This guard is for the rest: messages of whatever else answered, and a
server that was not ours.
"""

from __future__ import annotations

import contextlib
import io
import os
import sys
from typing import TYPE_CHECKING, NoReturn, TextIO

from relore_client.failures import Unprintable

if TYPE_CHECKING:
    from collections.abc import Iterable

_KEPT = "\t\n"


def _points(*ranges: tuple[int, int]) -> Iterable[int]:
    for first, last in ranges:
        yield from range(first, last + 1)


# Controls of both kinds; marks that turn the direction of what follows; separators that some programs take
# for the end of a line; tags, which spell text that nobody sees.
_STEERING = {
    point: None
    for point in _points(
        (0x00, 0x1F), (0x7F, 0x9F), (0x200E, 0x200F), (0x2028, 0x202E), (0x2066, 0x2069), (0xE0000, 0xE007F)
    )
    if chr(point) not in _KEPT
}


def plain(text: str) -> str:
    """Return ``text`` without characters that a terminal obeys instead of showing."""
    return text.translate(_STEERING)


def prepare_streams() -> None:
    """Make redirected output UTF-8, and let no stream fail on a character it cannot show."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            if stream.isatty():
                stream.reconfigure(errors="replace")
            else:
                stream.reconfigure(encoding="utf-8", errors="replace")


def show(text: str) -> None:
    """Print an answer. Ends the program quietly when nobody reads it any more."""
    stream = _standard_output()
    if stream is None:
        raise Unprintable("Standard output is closed, so the answer cannot be printed.")
    try:
        stream.write(plain(text).rstrip("\n") + "\n")
        stream.flush()
    except BrokenPipeError:
        leave_quietly()
    except OSError as error:
        _discard(stream)
        raise Unprintable(f"Standard output takes no more: {error.strerror}.") from error


def complain(text: str) -> None:
    """Print what went wrong, to standard error, on one line whatever is quoted in it."""
    stream: TextIO | None = sys.stderr
    if stream is None:  # pyright: ignore[reportUnnecessaryComparison] - a program may be started without
        return
    with contextlib.suppress(OSError):
        print(f"relore: {' '.join(plain(text).split())}", file=stream, flush=True)


def _standard_output() -> TextIO | None:
    """Return the stream, None where the program was started without."""
    return sys.stdout


def leave_quietly() -> NoReturn:
    """End after the reader has gone; the question was answered, so this is a success."""
    _discard(sys.stdout)
    sys.exit(0)


def _discard(stream: TextIO) -> None:
    # The interpreter flushes once more on its way out, and would report the closed pipe after all.
    nowhere = os.open(os.devnull, os.O_WRONLY)
    try:
        os.dup2(nowhere, stream.fileno())
    finally:
        os.close(nowhere)
