"""Differences between two commits of the bundled repository, in the words of GitHub's file and comment objects."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from relore_assets.demo.errors import SourceError

if TYPE_CHECKING:
    from relore_assets.demo.git import Git

# Fixed, so that no default of a newer git changes a byte of the archive.
_DIFF = ("diff-tree", "-r", "-M50%", "--no-color", "--no-ext-diff", "--no-textconv", "--diff-algorithm=myers")
_STATUS = {"A": "added", "M": "modified", "D": "removed", "R": "renamed", "T": "changed"}
_HUNK = re.compile(r"@@ -(\d+)(?:,\d+)? \+(\d+)(?:,\d+)? @@")


@dataclass(frozen=True)
class ChangedFile:
    """One file of a pull request's diff."""

    path: str
    blob: str
    status: str
    additions: int
    deletions: int
    previous_path: str | None
    patch: str


@dataclass(frozen=True)
class Anchor:
    """Where in a diff an inline comment stands; hunk ends with the line that is commented on."""

    hunk: str
    line: int
    side: str
    position: int


def changed_files(git: Git, base: str, head: str) -> list[ChangedFile]:
    """The files that differ, in path order."""
    fields = iter(git.run(*_DIFF, "-z", "--raw", "--numstat", "--no-abbrev", base, head).split("\0"))
    raw: list[tuple[str, str, str, str | None]] = []
    counts: dict[str, tuple[int, int]] = {}
    for field in fields:
        if field.startswith(":"):
            _, _, _, blob, status = field.split(" ")
            previous = next(fields) if status.startswith("R") else None
            raw.append((next(fields), blob, _STATUS[status[0]], previous))
        elif field:
            added, removed, path = field.split("\t", 2)
            if not path:
                next(fields)
                path = next(fields)
            counts[path] = (int(added), int(removed))
    return [
        ChangedFile(path, blob, status, *counts[path], previous, patch)
        for (path, blob, status, previous), patch in zip(raw, _patches(git, base, head), strict=True)
    ]


def anchor(patch: str, quoted: str) -> Anchor | None:
    """The place of the quoted line in a file's patch, or None where the patch has no such line.

    Spaces around the line do not count. A quotation that begins with - names a removed line.

    Raises:
        SourceError: several lines read like that.
    """
    side, wanted = ("LEFT", quoted[1:]) if quoted.startswith("-") else ("RIGHT", quoted)
    found = [place for place, text in _places(patch) if place.side == side and text.strip() == wanted.strip()]
    if len(found) > 1:
        raise SourceError(f"{len(found)} lines of the diff read {quoted!r}")
    return found[0] if found else None


def _patches(git: Git, base: str, head: str) -> list[str]:
    """Each file's hunks, in the order of --raw; '' for a file that was only renamed."""
    sections = re.split(r"^diff --git ", git.run(*_DIFF, "-p", "-U3", base, head), flags=re.MULTILINE)[1:]
    starts = [(section, re.search(r"^@@ ", section, re.MULTILINE)) for section in sections]
    return [section[start.start() :].rstrip("\n") if start else "" for section, start in starts]


def _places(patch: str) -> list[tuple[Anchor, str]]:
    places: list[tuple[Anchor, str]] = []
    hunk: list[str] = []
    old = new = position = 0
    for line in patch.split("\n"):
        header = _HUNK.match(line)
        if header:
            old, new, hunk = int(header[1]), int(header[2]), [line]
            # GitHub counts positions from the line below the first header, later headers included.
            position += 1 if places else 0
            continue
        hunk.append(line)
        position += 1
        if line.startswith("-"):
            places.append((Anchor("\n".join(hunk), old, "LEFT", position), line[1:]))
            old += 1
        elif not line.startswith("\\"):
            places.append((Anchor("\n".join(hunk), new, "RIGHT", position), line[1:]))
            new += 1
            old += 0 if line.startswith("+") else 1
    return places
