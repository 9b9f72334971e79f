"""Pull request objects: those that are wanted, in as few requests as the list of pull requests allows.

That list has no `since`. It is walked from the newest change backwards, a hundred at a time, until all that are
wanted were met or asking for the rest one by one is no dearer.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from relore_assets.fetch.archives import found
from relore_assets.fetch.github.errors import CapReached, NotFound
from relore_assets.fetch.passes import shapes

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

    from relore_assets.fetch.archives.found import Raw, Rejected
    from relore_assets.fetch.github.client import GitHub


def pulls(client: GitHub, repo: str, wanted: Collection[int]) -> Iterator[list[Raw | Rejected]]:
    """Yield the wanted pull requests in batches. Numbers that GitHub knows no pull request by are left out.

    Raises:
        GitHubError: what was yielded stays good.
    """
    rest = set(wanted)
    if len(rest) > 1:
        yield from _listed(client, repo, rest)
    for number in sorted(rest):
        one = pull(client, repo, number)
        if one is not None:
            yield [one]


def pull(client: GitHub, repo: str, number: int) -> Raw | Rejected | None:
    """Return one pull request; None when there is none by that number, though an issue may tell of it."""
    try:
        answer = client.get(f"/repos/{repo}/pulls/{number}")
    except NotFound:
        return None
    return shapes.head(found.PULL, answer.body)


def _listed(client: GitHub, repo: str, rest: set[int]) -> Iterator[list[Raw | Rejected]]:
    """Yield what the list gives, and take it out of ``rest``."""
    params = {"state": "all", "sort": "updated", "direction": "desc"}
    missed = 0
    try:
        for page in client.pages(f"/repos/{repo}/pulls", params):
            entries = [entry for entry in page.items if entry.get("number") in rest]
            if entries:
                yield [shapes.head(found.PULL, entry) for entry in entries]
                rest -= {int(entry["number"]) for entry in entries}
            else:
                missed += 1
            if missed >= len(rest):
                return
    except CapReached:
        return
