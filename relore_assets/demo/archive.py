"""Turns the sample history into the objects that GitHub's REST API would have returned for it.

The layout is one gzip file of JSON lines for each kind of object, beside a meta.json that counts them. Same sources,
same bytes: ids come from dates, nothing asks for the time, and gzip's own date is left at zero.
"""

from __future__ import annotations

import gzip
import json
from typing import TYPE_CHECKING

from relore_assets.demo.events import Events
from relore_assets.demo.reviews import Reviews
from relore_assets.demo.shapes import (
    API,
    NAME,
    OWNER,
    REPOSITORY,
    REPOSITORY_ID,
    URL,
    Accounts,
    Ids,
    Json,
    label,
    node_id,
    stamp,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from pathlib import Path

    from relore_assets.demo.chronicle import Chronicle, Commit, PullCommits
    from relore_assets.demo.people import Person
    from relore_assets.demo.threads import Entry, Thread

FILES = (
    "issues",
    "pulls",
    "issue_comments",
    "reviews",
    "review_comments",
    "events",
    "timeline",
    "commits",
    "files",
)
Objects = dict[str, list[Json]]


def objects(threads: Iterable[Thread], people: Mapping[str, Person], chronicle: Chronicle) -> Objects:
    """Every object of the archive, by the file that holds it, in the order of the threads."""
    found: Objects = {name: [] for name in FILES}
    accounts = Accounts(people)
    for thread in threads:
        _ThreadObjects(thread, accounts, chronicle).add_to(found)
    return found


def write(directory: Path, found: Objects) -> Path:
    """The archive as files in directory, which is made; returns it."""
    directory.mkdir(parents=True, exist_ok=True)
    for name, rows in found.items():
        with (
            (directory / f"{name}.jsonl.gz").open("wb") as out,
            gzip.GzipFile("", "wb", 9, out, mtime=0) as packed,
        ):
            for row in rows:
                packed.write(_line(row))
    meta = {
        "repo": REPOSITORY,
        "repository": _repository(found),
        "counts": {name: len(rows) for name, rows in sorted(found.items())},
    }
    (directory / "meta.json").write_text(json.dumps(meta, indent=1) + "\n", encoding="ascii")
    return directory


def _line(row: Json) -> bytes:
    # ASCII with escapes: the only form in which a lone surrogate can be written down.
    return json.dumps(row, separators=(",", ":")).encode("ascii") + b"\n"


def _repository(found: Objects) -> Json:
    open_issues = sum(issue["state"] == "open" for issue in found["issues"])
    return {
        "id": REPOSITORY_ID,
        "node_id": node_id("Repository", REPOSITORY_ID),
        "name": NAME,
        "full_name": REPOSITORY,
        "private": False,
        "html_url": URL,
        "description": "Keep two directories in step over a bad connection",
        "fork": False,
        "language": "Python",
        "default_branch": "main",
        "open_issues_count": open_issues,
        "archived": False,
        "created_at": "2023-09-04T19:02:11Z",
        "updated_at": max(issue["updated_at"] for issue in found["issues"]),
    }


class _ThreadObjects:
    def __init__(self, thread: Thread, accounts: Accounts, chronicle: Chronicle) -> None:
        self._thread = thread
        self._accounts = accounts
        self._ids = Ids(thread.number)
        self._pull = chronicle.pulls.get(thread.number)
        self._git = chronicle.git
        self._events = Events(thread, Ids(thread.number), accounts, chronicle.pulls)
        self._place = f"{URL}/{'pull' if thread.is_pull else 'issues'}/{thread.number}"

    def add_to(self, found: Objects) -> None:
        thread, events = self._thread, self._events.all()
        comments = [self._comment(entry) for entry in thread.entries if entry.kind == "comment"]
        found["issues"].append(self._issue(len(comments), events))
        found["issue_comments"] += comments
        found["events"] += events
        reviews: list[Json] = []
        if self._pull is not None:
            written = Reviews(thread, self._pull, self._git, self._ids, self._accounts)
            reviews = written.reviews
            found["pulls"].append(self._pull_object(self._pull, written, len(comments)))
            found["reviews"] += reviews
            found["review_comments"] += written.comments
            found["commits"] += [self._commit(commit) for commit in self._pull.commits]
            found["files"] += self._files(written)
        found["timeline"].append({"_n": thread.number, "order": self._order(comments, reviews, events)})

    def _head(self) -> Json:
        """What an issue object and a pull object say in the same words."""
        thread = self._thread
        end = thread.merging or thread.closing
        return {
            "number": thread.number,
            "html_url": self._place,
            "title": thread.title,
            "body": thread.body or None,
            "user": self._accounts.account(thread.author),
            "state": "closed" if end else "open",
            "labels": [label(name) for name in thread.labels],
            "assignee": None,
            "assignees": [],
            "milestone": {"title": thread.milestone} if thread.milestone else None,
            "locked": thread.locked is not None,
            "active_lock_reason": thread.locked,
            "author_association": self._accounts.association(thread.author),
            "created_at": stamp(thread.opened),
            "updated_at": stamp(thread.updated),
            "closed_at": stamp(end.at) if end else None,
        }

    def _issue(self, comments: int, events: list[Json]) -> Json:
        thread = self._thread
        number = self._ids.take("issue", thread.opened)
        closers = [event["actor"] for event in events if event["event"] == "closed"]
        issue = self._head() | {
            "id": number,
            "node_id": node_id("Issue", number),
            "comments": comments,
            "state_reason": self._state_reason(events),
            "closed_by": closers[-1] if closers and (thread.merging or thread.closing) else None,
        }
        if thread.is_pull:
            issue["draft"] = thread.draft
            issue["pull_request"] = {
                "html_url": self._place,
                "merged_at": stamp(thread.merging.at) if thread.merging else None,
            }
        return issue

    def _state_reason(self, events: list[Json]) -> str | None:
        if self._thread.is_pull:
            return None
        if self._thread.closing:
            return self._thread.closing.reason or "completed"
        return "reopened" if any(event["event"] == "reopened" for event in events) else None

    def _comment(self, entry: Entry) -> Json:
        number = self._ids.take("comment", entry.at)
        return {
            "id": number,
            "node_id": node_id("IssueComment", number),
            "html_url": f"{self._place}#issuecomment-{number}",
            "body": entry.text,
            "user": self._accounts.account(entry.author),
            "created_at": stamp(entry.at),
            "updated_at": stamp(entry.at),
            "author_association": self._accounts.association(entry.author),
            "issue_url": f"{API}/issues/{self._thread.number}",
        }

    def _pull_object(self, pull: PullCommits, written: Reviews, comments: int) -> Json:
        thread, files = self._thread, written.files()
        number = self._ids.take("pull", thread.opened)
        teams = [name for name in thread.requested if "/" in name]
        people = [name for name in thread.requested if "/" not in name]
        return self._head() | {
            "id": number,
            "node_id": node_id("PullRequest", number),
            "draft": thread.draft,
            "merged": thread.merging is not None,
            "merged_at": stamp(thread.merging.at) if thread.merging else None,
            "merged_by": self._accounts.account(thread.merging.by) if thread.merging else None,
            "merge_commit_sha": pull.merge_sha,
            "mergeable": None,
            "mergeable_state": "unknown",
            "rebaseable": None,
            "maintainer_can_modify": False,
            "requested_reviewers": [self._accounts.account(name) for name in people],
            "requested_teams": [_team(name) for name in teams],
            "head": self._end(thread.author, thread.branch, pull.head),
            "base": self._end(OWNER, "main", pull.base),
            "additions": sum(file.additions for file in files),
            "deletions": sum(file.deletions for file in files),
            "changed_files": len(files),
            "commits": len(pull.commits),
            "review_comments": len(written.comments),
            "comments": comments,
        }

    def _end(self, owner: str, branch: str, sha: str) -> Json:
        """One end of a pull request. Everybody but the project itself works in a fork."""
        account = self._accounts.account(owner)
        return {
            "label": f"{owner}:{branch}",
            "ref": branch,
            "sha": sha,
            "user": account,
            "repo": {
                "name": NAME,
                "full_name": f"{owner}/{NAME}",
                "owner": account,
                "private": False,
                "html_url": f"https://github.com/{owner}/{NAME}",
                "fork": owner != OWNER,
                "default_branch": "main",
            },
        }

    def _commit(self, commit: Commit) -> Json:
        who = {"name": commit.author.login, "email": commit.author.email, "date": stamp(commit.at)}
        return {
            "_n": self._thread.number,
            "sha": commit.sha,
            "node_id": node_id("Commit", commit.sha),
            "html_url": f"{URL}/commit/{commit.sha}",
            "commit": {
                "message": commit.message,
                "author": who,
                "committer": who,
                "tree": {"sha": commit.tree},
            },
            "author": self._accounts.account(commit.author.login),
            "committer": self._accounts.account(commit.author.login),
            "parents": [{"sha": parent} for parent in commit.parents],
        }

    def _files(self, written: Reviews) -> list[Json]:
        files = written.files()[: self._thread.files_listed]
        return [
            {
                "_n": self._thread.number,
                "sha": file.blob,
                "filename": file.path,
                "status": file.status,
                "additions": file.additions,
                "deletions": file.deletions,
                "changes": file.additions + file.deletions,
                **({"previous_filename": file.previous_path} if file.previous_path else {}),
                **({"patch": file.patch} if file.patch else {}),
            }
            for file in files
        ]

    def _order(self, comments: list[Json], reviews: list[Json], events: list[Json]) -> list[list[object]]:
        commits = self._pull.commits if self._pull else ()
        dated: list[tuple[str, int, list[object]]] = [
            *((stamp(commit.at), 0, ["committed", commit.sha]) for commit in commits),
            *((comment["created_at"], 1, ["commented", comment["id"]]) for comment in comments),
            *((review["submitted_at"], 2, ["reviewed", review["id"]]) for review in reviews),
            *((event["created_at"], 3, [event["event"], event["id"]]) for event in events),
        ]
        return [item for _, _, item in sorted(dated, key=lambda row: row[:2])]


def _team(name: str) -> Json:
    organisation, _, slug = name.partition("/")
    return {"name": slug, "slug": slug, "organization": {"login": organisation}}
