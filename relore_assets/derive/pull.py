"""What only pull requests have: changed files, commits, verdicts, the issues that GitHub says they close."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from relore_assets.derive.rows import CommitRow, FileRow, LinkRow, ThreadRow, VerdictRow
from relore_assets.derive.staged import WORD_LIMIT, Staged, login_of, mapping, text, when, whole, word

if TYPE_CHECKING:
    from collections.abc import Callable

#: Reviews that decide something; DISMISSED takes an earlier verdict back.
#: https://docs.github.com/en/graphql/reference/enums#pullrequestreviewstate
DECISIVE = frozenset({"APPROVED", "CHANGES_REQUESTED", "DISMISSED"})

_SHA = re.compile(r"[0-9a-f]{7,64}\Z")


def sha_of(value: object) -> str | None:
    """Return a commit's id in lower case; None for what is none."""
    sha = (word(value) or "").lower()
    return sha if _SHA.match(sha) else None


def file_rows(staged: Staged, clean: Callable[[str], str]) -> list[FileRow]:
    """Return the diff's paths, each once. GitHub's own list is never second-guessed: any name is a path."""
    rows: dict[str, FileRow] = {}
    for item in staged.files or []:
        path = clean(text(item.get("filename")))
        if path:
            previous = item.get("previous_filename")
            rows[path] = FileRow(
                path=path,
                tail=path.rpartition("/")[2][:WORD_LIMIT],
                change_type=word(item.get("status")) or "modified",
                additions=whole(item.get("additions")) or 0,
                deletions=whole(item.get("deletions")) or 0,
                previous_path=clean(previous) if isinstance(previous, str) else None,
            )
    return sorted(rows.values())


def commit_rows(staged: Staged, merge_sha: str | None, clean: Callable[[str], str]) -> list[CommitRow]:
    """Return the pull request's own commits and, when merged, its merge commit."""
    rows: dict[tuple[str, str], CommitRow] = {}
    for position, item in enumerate(staged.commits or []):
        sha = sha_of(item.get("sha"))
        if sha is None:
            continue
        commit = mapping(item.get("commit"))
        author, committer = mapping(commit.get("author")), mapping(commit.get("committer"))
        rows[(sha, "pull")] = CommitRow(
            sha=sha,
            how="pull",
            position=position,
            author_name=clean(word(author.get("name")) or "") or None,
            author_login=login_of(item.get("author")) if item.get("author") else None,
            authored_at=when(author.get("date")),
            committed_at=when(committer.get("date")),
            subject=clean(text(commit.get("message"))).partition("\n")[0],
        )
    if sha := sha_of(merge_sha):
        rows[(sha, "merge")] = CommitRow(sha, "merge", None, None, None, None, None, None)
    return list(rows.values())


def closing_links(staged: Staged, thread: ThreadRow, stated: list[LinkRow]) -> list[LinkRow]:
    """Return what GitHub says the pull request closes, beyond what its own texts claim: links made by hand.

    GitHub does not say since when; they are dated with the last that is known of the thread.
    """
    claimed = {(link.target_repo, link.target_number) for link in stated if link.relation == "closes"}
    targets: dict[tuple[str, int], LinkRow] = {}
    for item in staged.closing:
        target = (text(item.get("repo")).lower(), whole(item.get("number")) or 0)
        if all(target) and target not in claimed:
            targets[target] = LinkRow("closes", *target, "github", thread.updated_at, None)
    return [targets[target] for target in sorted(targets)]


def verdict_rows(staged: Staged) -> list[VerdictRow]:
    """Return the decisive reviews. A review's date is when it was submitted; REST gives no other."""
    return [
        VerdictRow(
            review_id=str(review["id"]),
            author=login_of(review.get("user")),
            verdict=review["state"],
            stated_at=when(review.get("submitted_at")),
            commit_sha=word(review.get("commit_id")),
        )
        for review in staged.reviews
        if word(review.get("state")) in DECISIVE
    ]
