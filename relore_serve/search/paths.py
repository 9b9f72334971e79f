"""Paths as people and programs paste them: with a position, the side of a diff, backticks, an absolute place."""

from __future__ import annotations

import re
import unicodedata

_POSITION = re.compile(
    r"(?::\d{1,7}(?:[:.-]\d{1,7})?|#L\d{1,7}(?:C\d{1,5})?(?:-L?\d{1,7}(?:C\d{1,5})?)?|\(\d{1,7}(?:,\d{1,7})?\)):?\Z"
)
_DRIVE = re.compile(r"[A-Za-z]:[\\/]")
_SIDES = ("a/", "b/")
_MOST_PARTS = 32


def spellings(text: str) -> tuple[str, ...]:
    """Return the paths that ``text`` may mean, without what only says where in a file; none where it names no file.

    A folder ends in a slash. A backslash is a separator or part of a name, and ``a/`` the side of a diff or a folder:
    both are meant.
    """
    path = text.strip().strip("`'\"").strip()
    path = _POSITION.sub("", path) if not _DRIVE.fullmatch(path) else path
    readings = [path.replace("\\", "/")]
    if "\\" in path and not _DRIVE.match(path):
        readings.append(path)
    found: dict[str, None] = {}
    for reading in map(_tidied, readings):
        # One computer types an accent as a character of its own and the next does not; git keeps what was typed.
        for form in (reading, *(unicodedata.normalize(name, reading) for name in ("NFC", "NFD"))):
            found[form] = None
            if form.startswith(_SIDES):
                found[form[2:]] = None
    return tuple(path for path in found if path.strip("/. "))


def is_absolute(text: str) -> bool:
    """Whether a path begins at the root of a disk, and so with folders that no repository knows."""
    path = text.strip().strip("`'\"").strip()
    return path.startswith(("/", "\\\\")) or _DRIVE.match(path) is not None


def endings(path: str) -> list[str]:
    """Return what may be left of a path when the folders of a checkout are taken off its front, the longest first."""
    parts = path.split("/")[-_MOST_PARTS:]
    return [ending for first in range(len(parts)) if (ending := "/".join(parts[first:]))]


def _tidied(path: str) -> str:
    folder = path.endswith(("/", "/."))
    drive = _DRIVE.match(path)
    parts = [part for part in (path[3:] if drive else path).split("/") if part not in {"", "."}]
    while parts and parts[0] == "..":
        parts = parts[1:]
    return "/".join(parts) + ("/" if folder and parts else "")
