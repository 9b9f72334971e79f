"""Walks over the repository-wide lists that GitHub can order by date of change: threads and both kinds of comment.

A walk goes on by date, not by page number: what changes while it runs moves to the end of the list, pulls everything
behind it one place forward, and numbered pages would pass over one entry at each of their edges. So the next page is
asked for `since` the date of the last entry, and begins with entries that are known already. That also keeps every
walk far from the places where GitHub stops to page (30,000 comments, 10,000 numbered issues). Only where many entries
share one second does a walk follow GitHub's own links until the second is over.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

from relore_assets.fetch.archives import found
from relore_assets.fetch.archives.found import Raw, Rejected
from relore_assets.fetch.github.client import SIZES
from relore_assets.fetch.github.errors import CapReached
from relore_assets.fetch.passes import shapes

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from relore_assets.fetch.archives.found import Payload
    from relore_assets.fetch.github.client import GitHub, Page

#: Entries that share the last second of a page and may be given again; with more, following the link is cheaper.
SHARED_SECOND = 3

_GROW_AFTER = 3


@dataclass(frozen=True)
class Listing:
    """A list of GitHub's: where it is, what it takes to see all of it, and what its entries become."""

    path: str
    params: Mapping[str, str]
    read: Callable[[Payload], Raw | Rejected]


LISTINGS = {
    found.ISSUE: Listing("/issues", {"state": "all"}, lambda entry: shapes.head(found.ISSUE, entry)),
    found.ISSUE_COMMENT: Listing(
        "/issues/comments", {}, lambda entry: shapes.part(found.ISSUE_COMMENT, entry)
    ),
    found.REVIEW_COMMENT: Listing(
        "/pulls/comments", {}, lambda entry: shapes.part(found.REVIEW_COMMENT, entry)
    ),
}

#: The list of pull requests: of all lists the one that is there also where a repository's issues are disabled.
PULLS = Listing("/pulls", {"state": "all"}, lambda entry: shapes.head(found.PULL, entry))

WORDS = {
    found.ISSUE: "threads",
    found.PULL: "pull requests",
    found.ISSUE_COMMENT: "comments",
    found.REVIEW_COMMENT: "inline comments",
}


@dataclass(frozen=True)
class Step:
    """A page of a walk.

    Attributes:
        items: its entries, each once. reached: everything that changed before this moment has been given; None when
        there was nothing. last: whether the walk ends here. passed_end: whether the list goes on beyond the walk's end.
    """

    items: list[Raw | Rejected]
    reached: datetime | None
    last: bool
    passed_end: bool


@dataclass
class _Walk:
    """Where a walk is: the date that it was last taken up at, what the page before held, and how large pages are."""

    anchor: datetime | None
    known: dict[str, datetime | None] = field(default_factory=dict[str, "datetime | None"])
    newest: datetime | None = None
    tail: set[str] = field(default_factory=set[str])
    size: int = SIZES[0]
    good: int = 0


def ascending(
    client: GitHub, repo: str, kind: str, *, since: datetime | None = None, until: datetime | None = None
) -> Iterator[Step]:
    """Walk a list from the oldest change to the newest, page by page.

    Args:
        client: asks GitHub.
        repo: owner/name.
        kind: issue, issue_comment or review_comment.
        since: entries that changed at or after this moment; None for all.
        until: the walk ends before this moment; None for the end of the list.

    Raises:
        GitHubError: see `relore_assets.fetch.github.errors`; steps already given stay good.
    """
    listing = LISTINGS[kind]
    walk = _Walk(anchor=since)
    pages = _pages(client, repo, listing, walk)
    while True:
        try:
            page = next(pages)
        except CapReached:
            if not _can_move_on(walk):
                raise
            pages = _taken_up(client, repo, listing, walk)
            page = next(pages)
        if walk.tail and not walk.tail & {str(entry.get("id")) for entry in page.items} and page.number == 1:
            # `since` may leave out the very second that it names; or what was there has moved on.
            walk.tail = set()
            pages = _pages(client, repo, listing, walk, at=_moved(walk.anchor, -1))
            page = next(pages)
        items, walk_ids = _fresh(listing, page, walk)
        passed_end = until is not None and walk.newest is not None and walk.newest >= until
        if until is not None and passed_end:
            items = [item for item in items if not _changed_since(item, until)]
        last = passed_end or (page.last and not _may_be_cut(page, walk))
        yield Step(items, until if passed_end else walk.newest, last, passed_end)
        if last:
            return
        _resize(walk, page)
        walk.tail = walk_ids
        if _can_move_on(walk) and (page.last or len(walk_ids) <= SHARED_SECOND):
            pages = _taken_up(client, repo, listing, walk)


def pulls_descending(
    client: GitHub, repo: str, *, since: datetime | None = None, until: datetime | None = None
) -> Iterator[Step]:
    """Walk the list of pull requests, which has no `since`: from the newest change back to the oldest that is wanted.

    Only the last step tells how far the walk has come: an interrupted one has a gap at its end. What changes while it
    runs moves to the front, where the next walk begins.

    Args:
        client: asks GitHub.
        repo: owner/name.
        since: entries that changed at or after this moment; None for all.
        until: and before this one.

    Raises:
        GitHubError: see `relore_assets.fetch.github.errors`; steps already given stay good.
    """
    params = {**PULLS.params, "sort": "updated", "direction": "desc"}
    newest: datetime | None = None
    for page in client.pages(f"/repos/{repo}{PULLS.path}", params):
        items = [PULLS.read(entry) for entry in page.items]
        now = datetime.now(UTC)
        dates = [item.updated_at for item in items if isinstance(item, Raw) and item.updated_at is not None]
        if newest is None:
            newest = max((date for date in dates if date <= now), default=None)
        last = page.last or (since is not None and bool(dates) and dates[-1] < since)
        passed_end = until is not None and newest is not None and newest >= until
        wanted = [item for item in items if _changed_between(item, since, until)]
        yield Step(wanted, (until if passed_end else newest) if last else None, last, passed_end)
        if last:
            return


def everything(client: GitHub, repo: str, kind: str) -> Iterator[Raw]:
    """Walk a list from beginning to end, entry by entry; that of pull requests the other way round."""
    steps = pulls_descending(client, repo) if kind == found.PULL else ascending(client, repo, kind)
    for step in steps:
        for item in step.items:
            if isinstance(item, Raw):
                yield item


def _changed_between(item: Raw | Rejected, since: datetime | None, until: datetime | None) -> bool:
    if not isinstance(item, Raw) or item.updated_at is None:
        return True
    return (since is None or item.updated_at >= since) and (until is None or item.updated_at < until)


def _changed_since(item: Raw | Rejected, moment: datetime) -> bool:
    return isinstance(item, Raw) and item.updated_at is not None and item.updated_at >= moment


def _pages(
    client: GitHub, repo: str, listing: Listing, walk: _Walk, at: datetime | None = None
) -> Iterator[Page]:
    params = {**listing.params, "sort": "updated", "direction": "asc"}
    since = at or walk.anchor
    if since is not None:
        params["since"] = stamp(since)
    return client.pages(f"/repos/{repo}{listing.path}", params, per_page=walk.size)


def _taken_up(client: GitHub, repo: str, listing: Listing, walk: _Walk) -> Iterator[Page]:
    walk.anchor = walk.newest
    return _pages(client, repo, listing, walk)


def _may_be_cut(page: Page, walk: _Walk) -> bool:
    """Whether a list that ends here may go on: where GitHub stops to page it says nothing, and the page is full."""
    return page.number > 1 and len(page.items) >= page.per_page and _can_move_on(walk)


def _can_move_on(walk: _Walk) -> bool:
    return walk.newest is not None and (walk.anchor is None or walk.newest > walk.anchor)


def _fresh(listing: Listing, page: Page, walk: _Walk) -> tuple[list[Raw | Rejected], set[str]]:
    """Read a page: return what the page before did not hold, and the ids that share the newest second.

    How far the list has come is what its last entry says, since it is in order: one entry with a date that cannot be,
    in the future or far ahead of what follows it, leads nobody past the others.
    """
    items: list[Raw | Rejected] = []
    seen: dict[str, datetime | None] = {}
    now = datetime.now(UTC)
    reached: datetime | None = None
    for entry in page.items:
        item = listing.read(entry)
        if isinstance(item, Raw):
            seen[str(entry.get("id"))] = item.updated_at
            if item.updated_at is not None and item.updated_at <= now:
                reached = item.updated_at
        if not isinstance(item, Raw) or walk.known.get(str(entry.get("id")), ...) != item.updated_at:
            items.append(item)
    if reached is not None and (walk.newest is None or reached > walk.newest):
        walk.newest = reached
    walk.known = seen
    return items, {known for known, at in seen.items() if at is not None and at == walk.newest}


def _resize(walk: _Walk, page: Page) -> None:
    """Keep to the size of page that GitHub could build, and try a larger one when it could a few times."""
    if page.per_page < walk.size:
        walk.size, walk.good = page.per_page, 0
        return
    walk.good += 1
    if walk.good >= _GROW_AFTER and walk.size < SIZES[0]:
        walk.size, walk.good = next(size for size in reversed(SIZES) if size > walk.size), 0


def _moved(moment: datetime | None, seconds: int) -> datetime | None:
    return None if moment is None else moment + timedelta(seconds=seconds)


def stamp(moment: datetime) -> str:
    """Write a moment as GitHub takes it."""
    return moment.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
