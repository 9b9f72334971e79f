"""Which words of a text are paths of files, judged by their shape: a directory, an ending, a well-known name.

GitHub's own lists (a diff, the anchor of a review comment) need no judging and never come here.
"""

from __future__ import annotations

import posixpath
import re

from relore_serve.signals.vocabulary import (
    BARE,
    DOTFILES,
    EXTENSIONS,
    HOST_ENDINGS,
    NOT_FILES,
    PRODUCTS,
    ROOTS,
    STANDARD,
    WEAK_ENDINGS,
)

# Where installed packages begin; what follows is the path inside the project.
_INSTALLED = re.compile(r".*[/\\](?:site|dist)-packages[/\\]", re.DOTALL)
_DRIVE = re.compile(r"[A-Za-z]:[\\/]")
# Not of this project: the system's own headers and libraries.
_SYSTEM = re.compile(
    r"/(?:usr|lib|lib64|opt|etc|proc|sys|dev|bin|sbin|System|Library|Applications|nix|rustc|snap|Volumes|tmp)(?:/|\Z)"
)
_POSITION = re.compile(
    r"(?::\d{1,7}(?:[:.-]\d{1,7})?|#L\d{1,7}(?:C\d+)?(?:-L?\d{1,7}(?:C\d+)?)?|\(\d{1,7}(?:,\d{1,7})?\)):?\Z"
)
_PLAIN = re.compile(r"[\w.@~+-]+(?:/[\w.@~+=-]+)*\Z")
_COMPOSED = re.compile(r"[a-z][_-]|[a-z]\d|\d[a-z]")
_ENDING = re.compile(r"[a-z][a-z0-9_]{0,15}\Z")

PATH_LIMIT = 260


def path_of(word: str) -> str | None:
    """Return the path that ``word`` (no blanks, no punctuation around it) names, or None.

    A position behind it (``:12:5``, ``#L12``) and a leading ``./`` are dropped.
    """
    if len(word) > PATH_LIMIT:
        return None
    if word[-1:].isdigit() or word[-1:] in {")", ":"}:
        word = _POSITION.sub("", word)
    word = word.replace("\\", "/")
    while word.startswith("./"):
        word = word[2:]
    if word.startswith("/"):
        return _absolute(word)
    if not _PLAIN.match(word) or word.startswith(("../", "~", "-", "@", "+")):
        return None
    if "/" not in word:
        return word if _is_name(word) else None
    first, rest = word.split("/", 1)
    if first in {"a", "b"} and ("/" in rest or _is_name(rest)):
        # The sides of a diff.
        return path_of(rest)
    return word if _is_path(first, word) else None


def located_path(path: str) -> str | None:
    """Return the path inside the project of a file that a tool named with a position, or None for the system's own.

    Tools speak of absolute paths. Without knowing where a checkout stood, what follows the first directory with a usual
    name (``src``, ``tests``) is kept, or else the base name.
    """
    path = path.strip().replace("\\", "/")
    if len(path) > PATH_LIMIT:
        return None
    if installed := _INSTALLED.match(path):
        return path[installed.end() :] or None
    if path.startswith("/") or _DRIVE.match(path):
        return _absolute(path)
    if "/../" in path or "/./" in path:
        path = posixpath.normpath(path)
    while path.startswith(("./", "../", ".../")):
        path = path.split("/", 1)[1]
    if not _PLAIN.match(path):
        return None
    name = path.rsplit("/", 1)[-1]
    ending = name.rpartition(".")[2].lower()
    known = ending in EXTENSIONS or name in BARE or ("/" in path and "." in name and ending not in PRODUCTS)
    return path if known and name not in STANDARD else None


def _absolute(path: str) -> str | None:
    if installed := _INSTALLED.match(path):
        return path[installed.end() :] or None
    if _SYSTEM.match(path):
        return None
    parts = [part for part in path.split("/") if part]
    if len(parts) < 2 or not _is_ending_known(parts[-1]):  # noqa: PLR2004 - a directory and a name
        return None
    for index, part in enumerate(parts[:-1]):
        if part in ROOTS and index:
            return "/".join(parts[index:])
    return parts[-1]


def _is_path(first: str, path: str) -> bool:
    """Whether a word with slashes is a path: by its last part, or by the directory it begins with."""
    name = path.rsplit("/", 1)[1]
    if first.rpartition(".")[2].lower() in HOST_ENDINGS and first.strip(".") != first.rpartition(".")[2]:
        return False
    if first in {"sys", "bits", "linux"} and name.endswith(".h"):
        return False
    if _is_ending_known(name):
        return True
    stem, dot, ending = name.rpartition(".")
    if not dot or not stem or not _ENDING.match(ending) or ending in PRODUCTS:
        return False
    return first in ROOTS or (path.count("/") > 1 and first.lstrip(".").islower())


def _is_ending_known(name: str) -> bool:
    if name in BARE or name in DOTFILES:
        return True
    stem, _, ending = name.rpartition(".")
    return ending.lower() in EXTENSIONS and bool(stem.strip(".")) and not stem.replace(".", "").isdigit()


def _is_name(name: str) -> bool:
    """Whether a word without directories is a file's name."""
    if name in BARE or name in DOTFILES:
        return True
    stem, _, ending = name.rpartition(".")
    if ending not in EXTENSIONS or not stem.strip(".") or stem[-1] == "." or "@" in name or "+" in stem:
        return False
    if (
        ending in HOST_ENDINGS
        or name.lower() in NOT_FILES
        or name in STANDARD
        or stem.replace(".", "").isdigit()
    ):
        return False
    return (
        ending not in WEAK_ENDINGS or _COMPOSED.search(stem) is not None or (ending == "in" and "." in stem)
    )
