"""Whether anything has moved at GitHub: the newest entry of each repository-wide list, asked for conditionally.

An unchanged answer (304) costs nothing of the quota, so looking is free for as long as nothing happens. What moved is
fetched by walking the lists from the marks of what is committed; looking moves no mark.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any, cast

from relore_assets.fetch.archives import found
from relore_assets.fetch.github.errors import Gone, Unavailable

if TYPE_CHECKING:
    from collections.abc import Mapping

    from relore_assets.fetch.github.client import GitHub

_ORDER = {"sort": "updated", "direction": "desc", "per_page": "1"}

#: Lists by the kind of object they hold. Pull requests are on the list of issues too.
LISTS: Mapping[str, tuple[str, Mapping[str, str]]] = {
    found.ISSUE: ("/issues", {"state": "all", **_ORDER}),
    found.ISSUE_COMMENT: ("/issues/comments", _ORDER),
    found.REVIEW_COMMENT: ("/pulls/comments", _ORDER),
}

#: What is asked for where issues are disabled.
_PULLS = ("/pulls", {"state": "all", **_ORDER})


@dataclass(frozen=True, slots=True)
class Head:
    """The newest entry of a list as it was last seen.

    Attributes:
        etag: by which GitHub tells whether it has changed.
        newest: when that entry was last changed; None where the list is empty.
        moved_at: when the list was found changed, by our clock: dates at GitHub have whole seconds, and alone would
        not show a second change within the second of the first.
    """

    etag: str | None = None
    newest: datetime | None = None
    moved_at: datetime | None = None


Heads = dict[str, Head]


@dataclass(frozen=True, slots=True)
class Committed:
    """How far what is staged goes.

    Attributes:
        marks: by kind, the moment up to which everything is committed; None for nothing yet.
        since: when the last fetch that ended well began, by our clock; None if none did.
    """

    marks: Mapping[str, datetime | None]
    since: datetime | None


def look(client: GitHub, repo: str, seen: Mapping[str, Head], now: datetime) -> Heads:
    """Ask for the head of each list, telling GitHub what was ``seen`` of it.

    Raises:
        GitHubError: a list cannot be read.
    """
    heads: Heads = {}
    for kind in LISTS:
        try:
            heads[kind] = _look(client, repo, kind, seen.get(kind, Head()), now)
        except Gone as error:
            if not error.disabled:
                raise
            # GitHub serves no issues. Comments on pull requests move these.
            if kind == found.ISSUE:
                heads[found.PULL] = _look(client, repo, found.PULL, seen.get(found.PULL, Head()), now)
    return heads


def _look(client: GitHub, repo: str, kind: str, seen: Head, now: datetime) -> Head:
    path, order = LISTS.get(kind, _PULLS)
    answer = client.get(f"/repos/{repo}{path}", order, etag=seen.etag)
    if answer.not_modified:
        return seen
    newest = _newest(answer.body, path)
    # The first look only learns what there is.
    return Head(answer.etag, newest, moved_at=now if seen.etag is not None else None)


def _newest(body: object, path: str) -> datetime | None:
    """Return the date of the first entry of a page, None where there is no entry.

    Raises:
        Unavailable: it is no page.
    """
    try:
        entries = cast("list[dict[str, Any]]", body)
        return datetime.fromisoformat(entries[0]["updated_at"]) if body != [] else None
    except (KeyError, TypeError, ValueError, IndexError):
        raise Unavailable(f"GitHub answered the list {path} with something else: try again later.") from None


def waiting(heads: Mapping[str, Head], committed: Committed) -> dict[str, datetime]:
    """Return the lists on which something may not be staged yet, each with the date of its newest entry."""
    return {
        kind: head.newest
        for kind, head in heads.items()
        if head.newest is not None and _waits(head, head.newest, committed.marks.get(kind), committed.since)
    }


def _waits(head: Head, newest: datetime, mark: datetime | None, since: datetime | None) -> bool:
    if mark is None or newest > mark:
        return True
    # Something that changed in the second of the mark may have come after the walk that set it.
    return newest == mark and head.moved_at is not None and (since is None or since < head.moved_at)


def watermark(heads: Mapping[str, Head]) -> str:
    """Return in one line what was newest on each list, which names a poll."""
    dates = (
        f"{kind}={head.newest.isoformat() if head.newest else '-'}" for kind, head in sorted(heads.items())
    )
    return " ".join(dates)


def to_json(heads: Mapping[str, Head]) -> dict[str, Any]:
    """Return the heads as a cursor keeps them."""
    return {kind: [head.etag, _written(head.newest), _written(head.moved_at)] for kind, head in heads.items()}


def from_json(value: object) -> Heads:
    """Read what `to_json` wrote; anything else is nothing seen, which costs one look."""
    heads: Heads = {}
    for kind, entry in cast("dict[str, Any]", value if isinstance(value, dict) else {}).items():
        if kind in {*LISTS, found.PULL} and isinstance(entry, list) and len(cast("list[Any]", entry)) == 3:  # noqa: PLR2004
            etag, newest, moved_at = cast("list[Any]", entry)
            heads[kind] = Head(etag, _read(newest), _read(moved_at))
    return heads


def _written(moment: datetime | None) -> str | None:
    return None if moment is None else moment.isoformat()


def _read(text: str | None) -> datetime | None:
    return None if text is None else datetime.fromisoformat(text)
