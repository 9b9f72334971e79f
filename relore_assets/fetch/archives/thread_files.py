"""A JSON file per thread, as github-metadata-backup writes them: ``issues/7.json`` and ``pulls/8.json``.

A file holds the head under ``issue`` or ``pull``, the thread's timeline under ``events``, and the inline
comments of a pull request under ``comments``. The timeline carries comments, reviews and commits in full, in
a shape of its own. There are no lists of changed files. https://github.com/0xB10C/github-metadata-backup
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from relore_assets.fetch.archives import found
from relore_assets.fetch.archives import objects as shape
from relore_assets.fetch.archives.documents import Broken, Document, read
from relore_assets.fetch.archives.found import Passed, Payload, Rejected, as_object, objects_in

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from datetime import datetime
    from pathlib import Path

    from relore_assets.fetch.archives.found import Item

NAME = "thread_files"

#: Folder of the archive, and the kind of head its files hold.
FOLDERS = {"issues": found.ISSUE, "pulls": found.PULL}

# What the timeline adds to a comment or review that its own endpoint does not send.
_TIMELINE_ONLY = ("event", "actor", "commit_url")

# Entries that only group comments which stand in full elsewhere.
_GROUPS = frozenset({"line-commented", "commit-commented"})
GROUP_REASON = "a timeline entry that only groups comments"


def files(root: Path) -> list[Path]:
    """Return the files under ``root`` by number, issues first.

    A folder that does not show what it holds stands for it: reading it says why.
    """
    return [path for folder in FOLDERS for path in _numbered(root / folder)]


def _numbered(folder: Path) -> list[Path]:
    """Return what a folder holds under numbers."""
    try:
        paths = [path for path in folder.iterdir() if path.suffix == ".json" and path.stem.isdecimal()]
    except (FileNotFoundError, NotADirectoryError):
        return []
    except OSError:
        return [folder]
    return sorted(paths, key=lambda path: (len(path.stem), path.stem))


def holds(payload: Payload) -> bool:
    """Return whether a file's document is of this layout."""
    return any(isinstance(payload.get(kind), dict) for kind in FOLDERS.values()) and "events" in payload


def objects(root: Path, on_bytes: Callable[[int], object] | None = None) -> Iterator[Item]:
    """Yield everything the files hold."""
    return documents(root, _thread, on_bytes)


def documents(
    root: Path,
    thread: Callable[[str, Document, str], Iterator[Item]],
    on_bytes: Callable[[int], object] | None = None,
) -> Iterator[Item]:
    """Yield what ``thread`` finds in each document (its file, itself, its kind of head), and what cannot be read."""
    for path in files(root):
        file = path.relative_to(root).as_posix()
        kind = FOLDERS[file.partition("/")[0]]
        for document in read(path, on_bytes):
            if isinstance(document, Broken):
                yield Rejected(file, document.line, document.reason, kind)
            else:
                yield from thread(file, document, kind)


def _thread(file: str, document: Document, kind: str) -> Iterator[Item]:
    """Take one file apart."""
    thread = as_object(document.value) or {}
    payload = as_object(thread.get(kind))
    if payload is None:
        yield Rejected(file, document.line, f"no {kind}", kind)
        return
    try:
        head = shape.head(kind, payload)
    except shape.UnfitError as error:
        yield Rejected(file, document.line, str(error), kind)
        return
    yield head
    number, moment = head.thread_number, head.updated_at
    commits: list[Payload] = []
    for entry in objects_in(thread.get("events")):
        event = shape.event_name(entry)
        if event == "committed":
            commits.append(_commit(entry))
        elif event in _GROUPS:
            yield Passed(found.EVENT, GROUP_REASON)
        else:
            yield from part(file, document.line, _kind(event), _own_shape(entry), number, moment)
    for comment in objects_in(thread.get("comments")):
        yield from part(file, document.line, found.REVIEW_COMMENT, comment, number, moment)
    if kind == found.PULL:
        yield shape.listing(found.PULL_COMMITS, number, commits, moment)


def part(
    file: str, line: int, kind: str, payload: Payload, number: int, moment: datetime | None
) -> Iterator[Item]:
    """Yield one object of a thread, or why it cannot be filed."""
    try:
        yield shape.part(kind, payload, number, moment)
    except shape.UnfitError as error:
        yield Rejected(file, line, f"{error!s} on one of its {kind.replace('_', ' ')}s", kind)


def _kind(event: str) -> str:
    """Return what a timeline entry is an object of."""
    if event == "commented":
        return found.ISSUE_COMMENT
    return found.REVIEW if event == "reviewed" else found.EVENT


def _own_shape(entry: Payload) -> Payload:
    """Return a comment or review as its own endpoint sends it; events as they are."""
    event = shape.event_name(entry)
    if event not in {"commented", "reviewed"}:
        return entry
    payload = {key: value for key, value in entry.items() if key not in _TIMELINE_ONLY}
    if event == "commented":
        payload.pop("commit_id", None)
    return payload


def _commit(entry: Payload) -> Payload:
    """Return a commit as ``GET /pulls/{n}/commits`` sends it, as far as the timeline tells."""
    inner = {
        key: entry[key] for key in ("message", "author", "committer", "tree", "verification") if key in entry
    }
    outer = {key: entry[key] for key in ("sha", "node_id", "html_url", "parents") if key in entry}
    return {**outer, "commit": inner}
