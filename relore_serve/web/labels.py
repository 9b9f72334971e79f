"""The file that people's verdicts go to: one JSON object a line, added at the end and never read here.

What somebody thinks of an answer must not become part of an answer, so nothing in this package opens the file to
read it; `relored judge` does, for the benchmark.
"""

from __future__ import annotations

import errno
import fcntl
import json
import os
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Self

if TYPE_CHECKING:
    from collections.abc import Mapping

VARIABLE = "RELORE_LABELS_PATH"


class LabelsError(Exception):
    """The file cannot be written to; the message says why and never quotes its path."""


@dataclass(frozen=True, slots=True)
class Labels:
    """A file of labels; without a path there is none, and `append` refuses.

    Any number of processes of one machine may append to one file: each line is one write at its end, under a lock of
    the file, and is on the disk when `append` returns.
    """

    path: Path | None = None

    def __bool__(self) -> bool:
        return self.path is not None

    @classmethod
    def from_env(cls, environ: Mapping[str, str]) -> Self:
        """Read where labels go; an empty variable is none.

        Raises:
            LabelsError: the file could not be made there, which is better known before somebody has judged something.
        """
        named = environ.get(VARIABLE, "")
        if not named:
            return cls()
        path = Path(named).absolute()
        if path.is_dir() or not path.parent.is_dir():
            raise LabelsError(f"{VARIABLE} names no file in a folder that is there")
        return cls(path)

    def append(self, row: Mapping[str, object]) -> None:
        """Add one line.

        Raises:
            LabelsError: there is no file, or it could not be written; it is then as it was before.
        """
        if self.path is None:
            raise LabelsError(f"{VARIABLE} is not set")
        line = json.dumps(row, ensure_ascii=True, separators=(",", ":")).encode() + b"\n"
        try:
            # What people think of texts is the operator's business alone.
            file = os.open(self.path, os.O_RDWR | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC, 0o600)
        except OSError as error:
            raise LabelsError(f"the file cannot be opened ({error.strerror})") from error
        try:
            fcntl.flock(file, fcntl.LOCK_EX)
            _append(file, line)
        except OSError as error:
            raise LabelsError(f"the file cannot be written ({error.strerror})") from error
        finally:
            os.close(file)


def _append(file: int, line: bytes) -> None:
    """Write ``line`` whole or not at all; the caller holds the lock."""
    size = os.fstat(file).st_size
    # A line that a crash or another program cut short must not swallow this one.
    if size and os.pread(file, 1, size - 1) != b"\n":
        line = b"\n" + line
    try:
        written = os.write(file, line)
        os.fsync(file)
    except OSError:
        # What could not be written is the failure to tell of, whether or not its beginning could be taken back.
        with suppress(OSError):
            os.ftruncate(file, size)
        raise
    if written != len(line):
        os.ftruncate(file, size)
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
