"""GitHub REST objects as JSON lines, a file a kind: ``issues.jsonl.gz``, ``review_comments.jsonl`` and so on.

Objects that do not name their thread (events, commits, files, timeline) carry its number as ``_n``, and the
lists of one pull request stand together. Dumped pages run together (``[..]`` ``[..]`` in ``issues.json``) are
read too.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, cast

from relore_assets.fetch.archives import found
from relore_assets.fetch.archives import objects as shape
from relore_assets.fetch.archives.documents import Broken, read, size
from relore_assets.fetch.archives.found import Passed, Payload, Raw, Rejected, as_object

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from datetime import datetime
    from pathlib import Path

    from relore_assets.fetch.archives.found import Item

NAME = "rest_jsonl"

_HEADS = {"issues": found.ISSUE, "pulls": found.PULL}
_PARTS = {
    "issue_comments": found.ISSUE_COMMENT,
    "reviews": found.REVIEW,
    "review_comments": found.REVIEW_COMMENT,
    "events": found.EVENT,
}
_LISTS = {"commits": found.PULL_COMMITS, "files": found.PULL_FILES}
_TIMELINE = "timeline"

_SUFFIXES = (".jsonl.gz", ".jsonl", ".ndjson.gz", ".ndjson", ".json.gz", ".json")

TIMELINE_REASON = "an order index, which holds no object of its own"


def files(root: Path) -> list[Path]:
    """Return the files of this layout under ``root`` in reading order; none when it is another layout."""
    return [
        path for stem in (*_HEADS, *_PARTS, *_LISTS, _TIMELINE) if (path := _file(root, stem)) is not None
    ]


def objects(root: Path, on_bytes: Callable[[int], object] | None = None) -> Iterator[Item]:
    """Yield everything the files hold."""
    dates: dict[int, datetime] = {}
    for path in files(root):
        stem = path.name.partition(".")[0]
        if stem == _TIMELINE:
            yield from _timeline(path, on_bytes)
        elif stem in _LISTS:
            yield from _lists(path, _LISTS[stem], dates, on_bytes)
        else:
            yield from _single(path, stem, dates, on_bytes)


def spare_files(root: Path) -> list[Path]:
    """Return the files that stand beside one of :func:`files` under the same name and are not read."""
    read_ = set(files(root))
    stems = {path.name.partition(".")[0] for path in read_}
    return [path for stem in sorted(stems) for path in _spellings(root, stem) if path not in read_]


def _file(root: Path, stem: str) -> Path | None:
    """Return the file that holds a kind: the first of the spellings that is one, else that only looks like one."""
    spellings = _spellings(root, stem)
    return next((path for path in spellings if size(path) is not None), next(iter(spellings), None))


def _spellings(root: Path, stem: str) -> list[Path]:
    """Return what bears the name of a kind, whatever it is: also a link that leads nowhere."""
    return [path for suffix in _SUFFIXES if os.path.lexists(path := root / f"{stem}{suffix}")]


def _payloads(
    path: Path, counted: str, on_bytes: Callable[[int], object] | None
) -> Iterator[tuple[int, Payload] | Rejected]:
    """Yield the JSON objects of a file with their lines."""
    for document in read(path, on_bytes):
        if isinstance(document, Broken):
            yield Rejected(path.name, document.line, document.reason, counted)
        elif (payload := as_object(document.value)) is None:
            yield Rejected(path.name, document.line, "not a JSON object", counted)
        else:
            yield document.line, payload


def _single(
    path: Path, stem: str, dates: dict[int, datetime], on_bytes: Callable[[int], object] | None
) -> Iterator[Item]:
    """Yield objects that stand for themselves. The dates of heads are kept for what follows."""
    kind = _HEADS.get(stem) or _PARTS[stem]
    for item in _payloads(path, kind, on_bytes):
        if isinstance(item, Rejected):
            yield item
            continue
        line, payload = item
        try:
            if stem in _HEADS:
                raw = shape.head(kind, payload)
                dates[raw.thread_number] = cast("datetime", raw.updated_at)
            else:
                number = shape.thread_number(payload)
                raw = shape.part(kind, payload, number, dates.get(number or 0))
                payload.pop("_n", None)
        except shape.UnfitError as error:
            yield Rejected(path.name, line, str(error), kind)
            continue
        yield raw


def _lists(
    path: Path, kind: str, dates: dict[int, datetime], on_bytes: Callable[[int], object] | None
) -> Iterator[Item]:
    """Gather neighbouring lines of one pull request into its list."""
    counted = found.counted_as(kind)
    ended: set[int] = set()
    current: int | None = None
    members: list[Payload] = []
    for item in _payloads(path, counted, on_bytes):
        if isinstance(item, Rejected):
            yield item
            continue
        line, payload = item
        number = shape.thread_number(payload)
        if number is None:
            yield Rejected(path.name, line, "no thread number", counted)
            continue
        if number in ended:
            # Its list is staged already; a second one would replace the first.
            yield Rejected(path.name, line, f"stands apart from the other lines of #{number}", counted)
            continue
        if current is not None and number != current:
            yield _list(kind, current, members, dates)
            ended.add(current)
            members = []
        current = number
        payload.pop("_n", None)
        # Source text is not stored; letting it go here keeps a list of 3,000 files small.
        payload.pop("patch", None)
        members.append(payload)
    if current is not None:
        yield _list(kind, current, members, dates)


def _list(kind: str, number: int, members: list[Payload], dates: dict[int, datetime]) -> Raw:
    return shape.listing(kind, number, members, dates.get(number))


def _timeline(path: Path, on_bytes: Callable[[int], object] | None) -> Iterator[Item]:
    """Count the lines of the order index."""
    for document in read(path, on_bytes):
        if isinstance(document, Broken):
            yield Rejected(path.name, document.line, document.reason, _TIMELINE)
        else:
            yield Passed(_TIMELINE, TIMELINE_REASON)
