"""Reviews and inline comments of a pull request, anchored in its real diff."""

from __future__ import annotations

from typing import TYPE_CHECKING

from relore_assets.demo.diffs import Anchor, ChangedFile, anchor, changed_files
from relore_assets.demo.errors import SourceError
from relore_assets.demo.shapes import API, URL, Ids, Json, node_id, stamp

if TYPE_CHECKING:
    from relore_assets.demo.chronicle import Commit, PullCommits
    from relore_assets.demo.git import Git
    from relore_assets.demo.shapes import Accounts
    from relore_assets.demo.threads import Entry, Thread

STATES = {
    "approved": "APPROVED",
    "changes requested": "CHANGES_REQUESTED",
    "commented": "COMMENTED",
    "dismissed": "DISMISSED",
}


class Reviews:
    """Writes the reviews of one pull request and the comments that stand on its lines."""

    def __init__(self, thread: Thread, pull: PullCommits, git: Git, ids: Ids, accounts: Accounts) -> None:
        self.reviews: list[Json] = []
        self.comments: list[Json] = []
        self._thread = thread
        self._pull = pull
        self._git = git
        self._ids = ids
        self._accounts = accounts
        self._diffs: dict[str, dict[str, ChangedFile]] = {}
        self._reviews_by_place: dict[int, Json] = {}
        self._inlines_by_place: dict[int, Json] = {}
        for entry in thread.entries:
            if entry.kind == "review":
                self._review(entry, self._state(entry), entry.text)
            elif entry.kind == "inline":
                self._inline(entry)
            elif entry.kind == "reply":
                self._reply(entry)

    def files(self) -> list[ChangedFile]:
        """The pull request's diff as it ended."""
        return list(self._diff(self._pull.head).values())

    def _state(self, entry: Entry) -> str:
        if entry.detail[0] not in STATES:
            raise SourceError(f"{self._thread.source}: no such verdict: {entry.detail[0]}")
        return STATES[entry.detail[0]]

    def _review(self, entry: Entry, state: str, body: str) -> Json:
        number = self._ids.take("review", entry.at)
        review: Json = {
            "id": number,
            "node_id": node_id("PullRequestReview", number),
            "html_url": f"{URL}/pull/{self._thread.number}#pullrequestreview-{number}",
            "user": self._accounts.account(entry.author),
            "state": state,
            "submitted_at": stamp(entry.at),
            "commit_id": self._seen_by(entry).sha,
            "author_association": self._accounts.association(entry.author),
            "body": body,
            "updated_at": stamp(entry.at),
            "pull_request_url": f"{API}/pulls/{self._thread.number}",
        }
        self.reviews.append(review)
        self._reviews_by_place[entry.place] = review
        return review

    def _review_of(self, entry: Entry) -> Json:
        """The review that an inline comment came with; GitHub makes an empty one for a comment on its own."""
        if entry.parent is None:
            return self._review(entry, "COMMENTED", "")
        return self._reviews_by_place[entry.parent]

    def _inline(self, entry: Entry) -> None:
        path, quoted = entry.detail
        seen = self._seen_by(entry)
        place = self._anchor(seen.sha, path, quoted)
        if place is None:
            raise SourceError(
                f"{self._thread.source}: no line for the comment on {path} at {entry.at}: {quoted}"
            )
        today = self._anchor(self._pull.head, path, quoted)
        self._comment(entry, path, seen, place, today, self._review_of(entry), None)

    def _reply(self, entry: Entry) -> None:
        first = self._inlines_by_place.get(entry.parent if entry.parent is not None else -1)
        if first is None:
            raise SourceError(f"{self._thread.source}: the reply at {entry.at} is older than what it answers")
        review = self._review(entry, "COMMENTED", "")
        reply = self._frame(entry, review, first["id"])
        kept = ("diff_hunk", "path", "position", "original_position", "commit_id", "original_commit_id")
        kept += ("line", "original_line", "side")
        self.comments.append(reply | {name: first[name] for name in kept})

    def _comment(
        self,
        entry: Entry,
        path: str,
        seen: Commit,
        place: Anchor,
        today: Anchor | None,
        review: Json,
        reply_to: int | None,
    ) -> None:
        comment = self._frame(entry, review, reply_to) | {
            "diff_hunk": place.hunk,
            "path": path,
            "position": today.position if today else None,
            "original_position": place.position,
            # An outdated comment keeps the commit it was made on.
            "commit_id": self._pull.head if today else seen.sha,
            "original_commit_id": seen.sha,
            "line": today.line if today else None,
            "original_line": place.line,
            "side": place.side,
        }
        self.comments.append(comment)
        self._inlines_by_place[entry.place] = comment

    def _frame(self, entry: Entry, review: Json, reply_to: int | None) -> Json:
        number = self._ids.take("review_comment", entry.at)
        frame: Json = {
            "pull_request_review_id": review["id"],
            "id": number,
            "node_id": node_id("PullRequestReviewComment", number),
            "user": self._accounts.account(entry.author),
            "body": entry.text,
            "created_at": stamp(entry.at),
            "updated_at": stamp(entry.at),
            "html_url": f"{URL}/pull/{self._thread.number}#discussion_r{number}",
            "author_association": self._accounts.association(entry.author),
            "start_line": None,
            "original_start_line": None,
            "start_side": None,
            "pull_request_url": f"{API}/pulls/{self._thread.number}",
        }
        return frame | ({"in_reply_to_id": reply_to} if reply_to else {})

    def _seen_by(self, entry: Entry) -> Commit:
        """The tip of the branch when somebody wrote."""
        return [
            commit
            for commit in self._pull.commits
            if commit.at <= entry.at or commit is self._pull.commits[0]
        ][-1]

    def _diff(self, sha: str) -> dict[str, ChangedFile]:
        if sha not in self._diffs:
            files = changed_files(self._git, self._pull.base, sha)
            self._diffs[sha] = {file.path: file for file in files}
        return self._diffs[sha]

    def _anchor(self, sha: str, path: str, quoted: str) -> Anchor | None:
        file = self._diff(sha).get(path)
        return anchor(file.patch, quoted) if file else None
