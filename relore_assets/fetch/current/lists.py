"""GitHub's repository-wide lists, walked whole or from a moment on."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from relore_assets.fetch import removals
from relore_assets.fetch.archives import found
from relore_assets.fetch.archives.objects import head, part
from relore_assets.fetch.github.errors import CapReached

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from relore_assets.fetch.archives.found import Raw
    from relore_assets.fetch.github.client import GitHub


def _walk(path: str, make: Callable[..., Raw], client: GitHub, repo: str) -> Iterator[Raw]:
    since: dict[str, str] = {}
    while True:
        last = ""
        try:
            order = {"sort": "updated", "direction": "asc", "state": "all", **since}
            for page in client.pages(f"/repos/{repo}{path}", order):
                for item in page.items:
                    last = item["updated_at"]
                    yield make(item)
        except CapReached:
            if not last or last == since.get("since"):
                raise
            since = {"since": last}
        else:
            return


WALKS = {
    removals.THREAD: partial(_walk, "/issues", partial(head, found.ISSUE)),
    found.ISSUE_COMMENT: partial(_walk, "/issues/comments", partial(part, found.ISSUE_COMMENT)),
    found.REVIEW_COMMENT: partial(_walk, "/pulls/comments", partial(part, found.REVIEW_COMMENT)),
}
