r"""Reads the sample history: one Markdown file a thread, in `history/`.

A file opens with a head between two `---` lines, then comes the opening post, then any number of entries, each under
a line of its own:

    === comment | LOGIN | DATE
    === review  | LOGIN | DATE | approved
    === inline  | LOGIN | DATE | PATH | a line of the diff, as it stands there
    === reply   | LOGIN | DATE
    === event   | LOGIN | DATE | labeled bug

Dates are UTC, to the minute. An inline comment belongs to the review above it when one person wrote both; a reply
answers the inline comment above it. A line of text that must begin with `===` is written `\===`.
What GitHub makes of all this stands in `archive`.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from relore_assets.demo.errors import SourceError
from relore_assets.demo.notation import expand

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

_HEAD = re.compile(r"---\n(.*?)\n---\n", re.DOTALL)
_ENTRY = re.compile(r"^=== (.*)$", re.MULTILINE)
_KEYS = {
    "number", "type", "title", "author", "opened", "labels", "closed", "merged", "branch", "draft", "requested",
    "locked", "milestone", "files listed",
}  # fmt: skip
_MOMENT = r"(\d{4}-\d\d-\d\d \d\d:\d\d)"
_CLOSED = re.compile(_MOMENT + r" by (\S+)(?: as (completed|not planned|duplicate))?(?: with #(\d+))?")
_MERGED = re.compile(_MOMENT + r" by (\S+) as (squash|merge|rebase)")
_DETAILS = {"comment": 0, "review": 1, "inline": 2, "reply": 0, "event": 1}
_AUTHOR_AND_DATE = 2


@dataclass(frozen=True)
class Entry:
    """Something that somebody did in a thread after it was opened.

    place counts the entries of the source from 0; parent is the place of the review that an inline comment came with,
    or of the inline comment that a reply answers.
    """

    place: int
    parent: int | None
    kind: str
    author: str
    at: datetime
    detail: tuple[str, ...]
    text: str


@dataclass(frozen=True)
class Closing:
    """How a thread was closed without being merged; by_pull is the pull request that did it."""

    at: datetime
    by: str
    reason: str | None
    by_pull: int | None


@dataclass(frozen=True)
class Merging:
    """How a pull request reached the main branch."""

    at: datetime
    by: str
    style: str


@dataclass(frozen=True)
class Thread:
    """One issue or pull request as its source states it."""

    source: str
    number: int
    is_pull: bool
    title: str
    author: str
    opened: datetime
    labels: tuple[str, ...]
    closing: Closing | None
    merging: Merging | None
    branch: str
    draft: bool
    requested: tuple[str, ...]
    locked: str | None
    milestone: str | None
    files_listed: int | None
    body: str
    entries: tuple[Entry, ...]

    @property
    def updated(self) -> datetime:
        """When anything last happened here."""
        ends = [end.at for end in (self.closing, self.merging) if end is not None]
        return max([self.opened, *ends, *(entry.at for entry in self.entries)])


def read_threads(folder: Path) -> list[Thread]:
    """Every thread of the folder, by number.

    Raises:
        SourceError: a file does not follow the form, or two claim one number.
    """
    threads: dict[int, Thread] = {}
    for path in sorted(folder.glob("*.md")):
        thread = parse_thread(path.name, path.read_text(encoding="utf-8"))
        if thread.number in threads:
            raise SourceError(
                f"{path.name}: number {thread.number} is taken by {threads[thread.number].source}"
            )
        threads[thread.number] = thread
    return [threads[number] for number in sorted(threads)]


def parse_thread(source: str, text: str) -> Thread:
    """The thread that one source file describes."""
    head, rest = _split_head(source, text)
    body, *pieces = _ENTRY.split(rest)
    entries = _entries(source, list(zip(pieces[::2], pieces[1::2], strict=True)))
    return Thread(
        source=source,
        number=int(_required(source, head, "number")),
        is_pull=_required(source, head, "type") == "pull request",
        title=expand(_required(source, head, "title")),
        author=_required(source, head, "author"),
        opened=_moment(source, _required(source, head, "opened")),
        labels=_listed(head, "labels"),
        closing=_closing(source, head.get("closed")),
        merging=_merging(source, head.get("merged")),
        branch=expand(head.get("branch", "patch-1")),
        draft=head.get("draft") == "yes",
        requested=_listed(head, "requested"),
        locked=head.get("locked"),
        milestone=head.get("milestone"),
        files_listed=int(head["files listed"]) if "files listed" in head else None,
        body=_prose(body),
        entries=tuple(sorted(entries, key=lambda entry: entry.at)),
    )


def _split_head(source: str, text: str) -> tuple[dict[str, str], str]:
    match = _HEAD.match(text)
    if match is None:
        raise SourceError(f"{source}: does not open with a head between two --- lines")
    head: dict[str, str] = {}
    for line in match[1].splitlines():
        key, colon, value = line.partition(":")
        if not colon or key not in _KEYS:
            raise SourceError(f"{source}: no such line in a head: {line}")
        head[key] = value.strip()
    return head, text[match.end() :]


def _entries(source: str, pieces: list[tuple[str, str]]) -> list[Entry]:
    entries: list[Entry] = []
    review: Entry | None = None
    inline: Entry | None = None
    for place, (heading, content) in enumerate(pieces):
        kind, author, at, detail = _heading(source, heading)
        parent: Entry | None = None
        if kind == "inline":
            parent = review if review and review.author == author else None
        elif kind == "reply":
            if inline is None:
                raise SourceError(f"{source}: the reply at {at} stands below no inline comment")
            parent = inline
        entry = Entry(place, parent and parent.place, kind, author, at, detail, _prose(content))
        entries.append(entry)
        review = entry if kind == "review" else None if kind == "comment" else review
        inline = entry if kind == "inline" else inline
    return entries


def _heading(source: str, heading: str) -> tuple[str, str, datetime, tuple[str, ...]]:
    kind, *fields = (field.strip() for field in heading.split(" | "))
    if kind not in _DETAILS or len(fields) < _AUTHOR_AND_DATE:
        raise SourceError(f"{source}: not an entry: === {heading}")
    author, at, *detail = fields
    # Only an inline comment's last field may hold the separator: it quotes a line of code.
    if kind == "inline" and len(detail) > _DETAILS[kind]:
        detail = [detail[0], " | ".join(detail[1:])]
    if len(detail) != _DETAILS[kind]:
        raise SourceError(f"{source}: wrong number of fields: === {heading}")
    return kind, author, _moment(source, at), tuple(map(expand, detail))


def _prose(text: str) -> str:
    return expand(re.sub(r"^\\===", "===", text.strip("\n"), flags=re.MULTILINE))


def _required(source: str, head: Mapping[str, str], key: str) -> str:
    if not head.get(key):
        raise SourceError(f"{source}: the head lacks {key}")
    return head[key]


def _listed(head: Mapping[str, str], key: str) -> tuple[str, ...]:
    return tuple(expand(part.strip()) for part in head.get(key, "").split(",") if part.strip())


def _moment(source: str, text: str) -> datetime:
    try:
        return datetime.strptime(text, "%Y-%m-%d %H:%M").replace(tzinfo=UTC)
    except ValueError:
        raise SourceError(f"{source}: not a date to the minute: {text}") from None


def _closing(source: str, text: str | None) -> Closing | None:
    if text is None:
        return None
    match = _CLOSED.fullmatch(text)
    if match is None:
        raise SourceError(f"{source}: not a way to be closed: {text}")
    at, by, reason, pull = match.groups()
    return Closing(_moment(source, at), by, reason and reason.replace(" ", "_"), int(pull) if pull else None)


def _merging(source: str, text: str | None) -> Merging | None:
    if text is None:
        return None
    match = _MERGED.fullmatch(text)
    if match is None:
        raise SourceError(f"{source}: not a way to be merged: {text}")
    at, by, style = match.groups()
    return Merging(_moment(source, at), by, style)
