"""The state folder as a place: which names it may have, and what is said when it cannot be written to."""

from __future__ import annotations

import os
import re
from contextlib import contextmanager
from typing import TYPE_CHECKING

from relore_assets.errors import ReloreError

if TYPE_CHECKING:
    from collections.abc import Generator
    from pathlib import Path

# What needs quoting nowhere: not in an address, not in a list, not in a shell.
_PLAIN = re.compile(r"[A-Za-z0-9/._+-]+")
# What keeps its meaning between double quotes in a shell.
_SHELL_READS = re.compile(r'["$`\\\n]')
_CONTROL = re.compile(r"[\x00-\x1f\x7f]")


class StateError(ReloreError):
    """The state folder cannot be used; ``reason`` is the system's word for why, where it has one."""

    def __init__(self, sentence: str, reason: str = "") -> None:
        super().__init__(sentence)
        self.reason = reason or sentence


def require_usable_name(folder: Path) -> None:
    """Refuse a name that Postgres or Dagster cannot write down: pid files are read line by line, as UTF-8.

    Raises:
        StateError: the name holds a control character, or is not UTF-8.
    """
    shown = ascii(str(folder))
    try:
        os.fsencode(folder).decode("utf-8")
    except (UnicodeDecodeError, ValueError) as error:
        raise StateError(
            f"The name of the state folder {shown} is not UTF-8: name another in RELORE_HOME."
        ) from error
    if _CONTROL.search(str(folder)):
        raise StateError(
            f"The name of the state folder {shown} holds a line break or another control character: "
            "name another in RELORE_HOME."
        )


def is_plain(path: Path) -> bool:
    """Whether the name needs quoting nowhere."""
    return _PLAIN.fullmatch(str(path)) is not None


def is_safe_in_shell(path: Path) -> bool:
    """Whether a shell reads the name as it stands when it is put between double quotes."""
    return _SHELL_READS.search(str(path)) is None


@contextmanager
def state_errors(folder: Path) -> Generator[None]:
    """Turn the system's refusals to write into the state folder into `StateError`."""
    try:
        yield
    except TimeoutError:  # of a lock: not the folder's fault
        raise
    except OSError as error:
        where = f", at {error.filename}" if error.filename not in (None, str(folder)) else ""
        reason = f"{error.strerror or error}{where}"
        raise StateError(
            f"The state folder {folder} cannot be used: {reason}. "
            "Mend that, or name another folder in RELORE_HOME.",
            reason,
        ) from error
