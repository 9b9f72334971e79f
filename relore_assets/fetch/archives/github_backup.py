"""A JSON file per thread, as python-github-backup writes them: ``issues/7.json`` and ``pulls/8.json``.

A file is the head itself, with what belongs to it nested under names that end in ``_data``. Files that hold
several documents run together are read too. There are no lists of changed files.
https://github.com/josegonzalez/python-github-backup
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

from relore_assets.fetch.archives import found
from relore_assets.fetch.archives import objects as shape
from relore_assets.fetch.archives.found import Passed, Payload, Rejected, as_object, objects_in
from relore_assets.fetch.archives.thread_files import documents, files, part

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from relore_assets.fetch.archives.documents import Document
    from relore_assets.fetch.archives.found import Item, Raw

__all__ = ["NAME", "files", "holds", "objects"]

NAME = "github_backup"

# Where the parts of a head are nested. The writer calls inline comments of a pull request plain comment_data.
_ISSUE_PARTS = {"comment_data": found.ISSUE_COMMENT, "event_data": found.EVENT}
_PULL_PARTS = {
    "comment_regular_data": found.ISSUE_COMMENT,
    "review_data": found.REVIEW,
    "comment_data": found.REVIEW_COMMENT,
    "event_data": found.EVENT,
}
_COMMITS = "commit_data"
_TIMELINE = "timeline_data"

# Of a timeline, what has an endpoint of its own and is not an event there.
_ELSEWHERE = frozenset({"commented", "reviewed", "committed", "line-commented", "commit-commented"})
ELSEWHERE_REASON = "a timeline entry whose object is nested under its own name"


def holds(payload: Payload) -> bool:
    """Return whether a file's document is of this layout."""
    return "number" in payload and "title" in payload


def objects(root: Path, on_bytes: Callable[[int], object] | None = None) -> Iterator[Item]:
    """Yield everything the files hold."""
    return documents(root, _thread, on_bytes)


def _thread(file: str, document: Document, kind: str) -> Iterator[Item]:
    """Take one document apart."""
    line, thread = document.line, as_object(document.value)
    if thread is None:
        yield Rejected(file, line, "not a JSON object", kind)
        return
    try:
        head = shape.head(kind, {key: value for key, value in thread.items() if not _is_nested(key, value)})
    except shape.UnfitError as error:
        yield Rejected(file, line, str(error), kind)
        return
    yield head
    for key, part_kind in (_PULL_PARTS if kind == found.PULL else _ISSUE_PARTS).items():
        for payload in _nested(thread, key):
            yield from part(file, line, part_kind, payload, head.thread_number, head.updated_at)
    yield from _timeline(file, line, thread, head)
    if _COMMITS in thread:
        commits = _nested(thread, _COMMITS)
        yield shape.listing(found.PULL_COMMITS, head.thread_number, commits, head.updated_at)


def _timeline(file: str, line: int, thread: Payload, head: Raw) -> Iterator[Item]:
    """Yield the events that only the timeline has, such as cross-references."""
    known = {ident for event in _nested(thread, "event_data") if isinstance(ident := event.get("id"), int)}
    for entry in _nested(thread, _TIMELINE):
        ident = entry.get("id")
        if shape.event_name(entry) in _ELSEWHERE:
            yield Passed(found.EVENT, ELSEWHERE_REASON)
        elif not isinstance(ident, int) or ident not in known:
            yield from part(file, line, found.EVENT, entry, head.thread_number, head.updated_at)


def _is_nested(key: str, value: object) -> bool:
    """Return whether a field is the writer's own. GitHub has no lists under such names."""
    return key.endswith("_data") and isinstance(value, list)


def _nested(thread: Payload, key: str) -> list[Payload]:
    """Return the objects nested under ``key``; pages that were not joined are."""
    value: Any = thread.get(key)
    if not isinstance(value, list):
        return []
    flat: list[Any] = []
    for entry in cast("list[Any]", value):
        flat.extend(cast("list[Any]", entry) if isinstance(entry, list) else [entry])
    return objects_in(flat)
