"""From an issue or pull request object to its row of ``threads``."""

from __future__ import annotations

from typing import TYPE_CHECKING

from relore_assets.derive.rows import ThreadRow
from relore_assets.derive.staged import Payload, Staged, listed, login_of, mapping, text, when, whole, word

if TYPE_CHECKING:
    from collections.abc import Callable

MERGED = "merged_at"


def thread_row(staged: Staged, repo: str, clean: Callable[[str], str]) -> ThreadRow:
    """Fold a head and the counts of what is staged beside it.

    Args:
        staged: everything under the number.
        repo: ``owner/name``, for the address of a head that lacks one and for team names.
        clean: removes characters that show nothing; applied to every foreign string.

    Raises:
        ValueError: the head has no creation date, without which nothing can be asked of it as of a date.
    """
    head = staged.head
    created = when(head.get("created_at"))
    if created is None:
        raise ValueError(f"{repo}#{staged.number}: its head carries no created_at")
    merged_at = when(head.get(MERGED)) or when(_stub(head).get(MERGED))
    merged = merged_at is not None or head.get("merged") is True
    closed = head.get("state") == "closed"
    return ThreadRow(
        number=staged.number,
        kind="pr" if staged.is_pull else "issue",
        title=clean(text(head.get("title"))),
        author=clean(login_of(head.get("user"))),
        author_association=word(head.get("author_association")),
        state="closed" if closed else "open",
        state_reason=word(head.get("state_reason")) if closed else None,
        draft=head.get("draft") is True,
        merged=merged,
        locked=head.get("locked") is True,
        closed_by=_closed_by(staged) if closed else None,
        merged_by=login_of(head["merged_by"]) if merged and head.get("merged_by") else None,
        # Before a merge the field names GitHub's throw-away test merge.
        # https://docs.github.com/en/rest/pulls/pulls#get-a-pull-request
        merge_sha=word(head.get("merge_commit_sha")) if merged else None,
        labels=sorted({clean(name) for name in _labels(head)}),
        requested_reviewers=_requested(head, repo, clean),
        stated_comments=whole(head.get("comments")),
        stated_review_comments=whole(head.get("review_comments")) if staged.is_pull else None,
        stated_commits=whole(head.get("commits")) if staged.is_pull else None,
        stated_files=whole(head.get("changed_files")) if staged.is_pull else None,
        collected_comments=len(staged.issue_comments),
        collected_reviews=len(staged.reviews),
        collected_review_comments=len(staged.review_comments),
        collected_commits=_collected(staged.commits, head.get("commits")),
        collected_files=_collected(staged.files, head.get("changed_files")),
        url=text(head.get("html_url"))
        or f"https://github.com/{repo}/{'pull' if staged.is_pull else 'issues'}/{staged.number}",
        created_at=created,
        updated_at=when(head.get("updated_at")) or created,
        closed_at=when(head.get("closed_at")),
        merged_at=merged_at,
        undated=[],
    )


def _collected(items: list[Payload] | None, stated: object) -> int | None:
    """Return how many of a list are held: of an empty list all are, whether or not the list itself is."""
    return len(items) if items is not None else 0 if whole(stated) == 0 else None


def _stub(head: Payload) -> Payload:
    """Return the pull_request part that the issues list carries: the only place it gives merged_at."""
    return mapping(head.get("pull_request"))


def _closed_by(staged: Staged) -> str | None:
    """Return who closed it: the head's word, else the actor of the last closing event."""
    if staged.head.get("closed_by"):
        return login_of(staged.head["closed_by"])
    closings = [event for event in staged.events if event.get("event") == "closed"]
    if not closings:
        return None
    last = max(closings, key=lambda event: str(event.get("created_at") or ""))
    return login_of(last.get("actor"))


def _labels(head: Payload) -> list[str]:
    """Return label names; GitHub sends objects, some archives bare strings."""
    names = [word(mapping(label).get("name")) or word(label) for label in listed(head.get("labels"))]
    return [name for name in names if name is not None]


def _requested(head: Payload, repo: str, clean: Callable[[str], str]) -> list[str]:
    """Return logins, and teams as ``@owner/team``, in alphabetical order."""
    owner = repo.partition("/")[0]
    people = [login_of(user) for user in listed(head.get("requested_reviewers"))]
    slugs = [word(mapping(team).get("slug")) for team in listed(head.get("requested_teams"))]
    teams = [f"@{owner}/{slug}" for slug in slugs if slug]
    return sorted(clean(name) for name in {*people, *teams})
