"""What exists on this GitHub: repositories with their threads, written down as the fields of GitHub's REST payloads.

A test names the fields it cares about; `shapes` fills in the others when something is asked for. The same methods
build a world and change it later: whatever is added moves the ``updated_at`` of its thread, as on GitHub.
"""

from __future__ import annotations

import itertools
import zlib
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any

Fields = dict[str, Any]

_START = datetime(2024, 1, 1, tzinfo=UTC)
_STEP = timedelta(hours=1)
_PARTS = ("comments", "reviews", "review_comments")
_ACCOUNTS = (
    "user",
    "actor",
    "author",
    "committer",
    "merged_by",
    "closed_by",
    "assignee",
    "assigner",
    "requested_reviewer",
    "review_requester",
)


@dataclass
class Thread:
    """An issue or a pull request and everything said in it. ``fields`` win over what would be counted or derived."""

    number: int
    is_pull: bool
    fields: Fields
    comments: list[Fields] = field(default_factory=list[Fields])
    reviews: list[Fields] = field(default_factory=list[Fields])
    review_comments: list[Fields] = field(default_factory=list[Fields])
    events: list[Fields] = field(default_factory=list[Fields])
    commits: list[Fields] = field(default_factory=list[Fields])
    files: list[Fields] = field(default_factory=list[Fields])
    #: The issues that merging it closes, as (repository, number).
    closes: list[tuple[str, int]] = field(default_factory=list[tuple[str, int]])

    @property
    def updated_at(self) -> str:
        """When the thread last changed."""
        return self.fields["updated_at"]


class World:
    """All repositories and accounts."""

    def __init__(self) -> None:
        self.repositories: dict[str, Repository] = {}
        #: Old names that GitHub redirects, with the repository they lead to.
        self.renamed: dict[str, Repository] = {}
        self.accounts: dict[str, Fields] = {}
        self._ids = itertools.count(1001)
        self._latest = _START - _STEP

    def repository(self, full_name: str, **fields: Any) -> Repository:
        """Add a repository; ``fields`` are those of its payload."""
        repository = Repository(self, full_name, self.new_id(), fields)
        self.repositories[full_name.lower()] = repository
        return repository

    def __getitem__(self, full_name: str) -> Repository:
        return self.repositories[full_name.lower()]

    def find(self, full_name: str) -> Repository | None:
        """Return the repository of that very name, however it is capitalised."""
        return self.repositories.get(full_name.lower())

    def by_id(self, repository_id: int) -> Repository | None:
        """Return a repository by its number, which outlives its name."""
        return next((one for one in self.repositories.values() if one.id == repository_id), None)

    def rename(self, old: str, new: str) -> Repository:
        """Give a repository another name; the old one redirects from now on."""
        repository = self.repositories.pop(old.lower())
        repository.full_name = new
        self.repositories[new.lower()] = self.renamed[old.lower()] = repository
        return repository

    def account(self, login: str, **fields: Any) -> Fields:
        """Return the account of a login, with these fields from now on. "…[bot]" are bots without being told."""
        kind = "Bot" if login.endswith("[bot]") else "User"
        known = self.accounts.setdefault(
            login, {"login": login, "id": zlib.crc32(login.encode()) & 0x7FFFFFFF, "type": kind}
        )
        known.update(fields)
        return known

    def delete_account(self, login: str) -> None:
        """Delete an account: whatever it wrote stays, written by nobody (``user`` is null)."""
        self.accounts.pop(login, None)
        for repository in self.repositories.values():
            for thread in repository.threads.values():
                parts = [
                    thread.fields,
                    *itertools.chain.from_iterable(getattr(thread, name) for name in _PARTS),
                ]
                for part in [*parts, *thread.events, *thread.commits]:
                    for key in _ACCOUNTS:
                        if isinstance(part.get(key), dict) and part[key].get("login") == login:
                            part[key] = None

    def new_id(self) -> int:
        """Return an id that nothing has yet."""
        return next(self._ids)

    def moment(self, named: str | datetime | None = None) -> str:
        """Return a time as GitHub writes it: the one named, or an hour after the latest one so far."""
        if isinstance(named, str):
            named = datetime.fromisoformat(named)
        time = named or self._latest + _STEP
        self._latest = max(self._latest, time)
        return time.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


class Repository:
    """A repository. Switches for what GitHub says of it as a whole are plain attributes."""

    def __init__(self, world: World, full_name: str, repository_id: int, fields: Fields) -> None:
        self.world = world
        self.full_name = full_name
        self.id = repository_id
        self.fields = fields
        self.threads: dict[int, Thread] = {}
        #: Numbers of deleted issues (answered 410) and of transferred ones (301) with where they are now.
        self.deleted: set[int] = set()
        self.transferred: dict[int, tuple[Repository, int]] = {}
        #: Pull requests that the list of issues shows and ``/pulls`` does not (404).
        self.missing_pulls: set[int] = set()
        #: 451 for everything.
        self.blocked = False
        #: 410 for everything under ``/issues``.
        self.issues_disabled = False
        #: What GET …/collaborators/{login}/permission says: login to admin, maintain, write, triage, read or none.
        self.permissions: dict[str, str] = {}

    # -- adding ------------------------------------------------------------------------------------

    def issue(self, number: int, **fields: Any) -> Thread:
        """Add an issue; ``user`` and the like may be logins."""
        return self._thread(number, fields, is_pull=False)

    def pull(self, number: int, **fields: Any) -> Thread:
        """Add a pull request. ``merged_at`` alone makes it merged, ``closes=[1]`` names the issues it closes.

        ``head`` and ``base`` may be given in part. Counts (``changed_files``…) are counted unless given.
        """
        closes = [
            one if isinstance(one, tuple) else (self.full_name, one) for one in fields.pop("closes", ())
        ]
        thread = self._thread(number, fields, is_pull=True)
        thread.closes = closes
        return thread

    def comment(self, number: int, body: str | None = "A comment.", **fields: Any) -> Fields:
        """Add a comment to an issue or a pull request, and return it with its id."""
        return self._said(number, "comments", {"body": body} | fields)

    def review(self, number: int, state: str = "COMMENTED", body: str = "", **fields: Any) -> Fields:
        """Add a review to a pull request; its time is ``submitted_at``."""
        fields = {"submitted_at": fields.pop("created_at", None)} | fields
        return self._said(number, "reviews", {"state": state, "body": body} | fields, dated="submitted_at")

    def review_comment(
        self, number: int, body: str | None = "Here.", *, touch: bool = True, **fields: Any
    ) -> Fields:
        """Add a comment on a line. Without ``touch`` the pull request's ``updated_at`` stays, as happens."""
        return self._said(number, "review_comments", {"body": body} | fields, touch=touch)

    def event(self, number: int, event: str, *, touch: bool = True, **fields: Any) -> Fields:
        """Add an event ("labeled", "closed"…): ``actor`` and what its kind has (``label={"name": …}``)."""
        given = {"event": event, "actor": "buoy"} | fields
        return self._said(number, "events", given, touch=touch)

    def commit(self, number: int, message: str = "A commit", **fields: Any) -> Fields:
        """Add a commit to a pull request. ``author`` and ``committer`` are accounts; ``date`` is when."""
        when = self.world.moment(fields.pop("date", None))
        sha = fields.pop("sha", None) or f"{self.world.new_id():040x}"
        who = {"name": "Keel", "email": "keel@example.invalid", "date": when}
        git = {"message": message, "author": who, "committer": who} | fields.pop("commit", {})
        commit = self._with_accounts({"sha": sha, "commit": git, "author": None, "committer": None} | fields)
        self.threads[number].commits.append(commit)
        return commit

    def file(self, number: int, filename: str, **fields: Any) -> Fields:
        """Add a changed file to a pull request."""
        changed = {"filename": filename, "status": "modified", "additions": 1, "deletions": 0} | fields
        self.threads[number].files.append(changed)
        return changed

    # -- changing ----------------------------------------------------------------------------------

    def edit_thread(self, number: int, *, at: str | datetime | None = None, **fields: Any) -> Thread:
        """Change fields of an issue or pull request."""
        thread = self.threads[number]
        thread.fields.update(self._with_accounts(fields))
        self._touch(thread, self.world.moment(at))
        return thread

    def edit(
        self, part_id: int, *, at: str | datetime | None = None, touch: bool = False, **fields: Any
    ) -> Fields:
        """Change a comment, review or line comment; ``touch`` moves its thread's ``updated_at`` too."""
        thread, _, part = self._part(part_id)
        part.update(self._with_accounts(fields))
        part["updated_at"] = self.world.moment(at)
        if touch:
            self._touch(thread, part["updated_at"])
        return part

    def delete(self, part_id: int, *, at: str | datetime | None = None, touch: bool = False) -> None:
        """Delete a comment, review or line comment. Nothing tells of it unless ``touch`` moves the thread."""
        thread, siblings, part = self._part(part_id)
        siblings.remove(part)
        if touch:
            self._touch(thread, self.world.moment(at))

    def delete_thread(self, number: int) -> None:
        """Delete an issue with everything in it."""
        del self.threads[number]
        self.deleted.add(number)

    def transfer(self, number: int, to: Repository, new_number: int) -> Thread:
        """Move an issue with everything in it to another repository."""
        thread = self.threads.pop(number)
        self.transferred[number] = (to, new_number)
        thread.number = thread.fields["number"] = new_number
        to.threads[new_number] = thread
        return thread

    def close(
        self, number: int, by: str = "keel", *, at: str | datetime | None = None, **fields: Any
    ) -> Thread:
        """Close a thread, with the event."""
        when = self.world.moment(at)
        self.event(number, "closed", actor=by, created_at=when)
        return self.edit_thread(number, at=when, state="closed", closed_at=when, closed_by=by, **fields)

    def reopen(self, number: int, by: str = "keel", *, at: str | datetime | None = None) -> Thread:
        """Open a thread again, with the event."""
        when = self.world.moment(at)
        self.event(number, "reopened", actor=by, created_at=when)
        return self.edit_thread(number, at=when, state="open", closed_at=None, closed_by=None)

    def merge(
        self, number: int, by: str = "keel", *, at: str | datetime | None = None, **fields: Any
    ) -> Thread:
        """Merge a pull request, with the events, and close what it closes here."""
        when = self.world.moment(at)
        sha = fields.pop("merge_commit_sha", None) or f"{self.world.new_id():040x}"
        self.event(number, "merged", actor=by, created_at=when, commit_id=sha)
        self.close(number, by, at=when, merged_at=when, merged_by=by, merge_commit_sha=sha, **fields)
        for name, closed in self.threads[number].closes:
            if name == self.full_name and closed in self.threads:
                self.close(closed, by, at=when, state_reason="completed")
        return self.threads[number]

    # -- inside ------------------------------------------------------------------------------------

    def _thread(self, number: int, fields: Fields, *, is_pull: bool) -> Thread:
        created = self.world.moment(fields.get("created_at"))
        given = {"user": "buoy", "title": f"{'Pull' if is_pull else 'Issue'} {number}", "body": ""} | fields
        given |= {"number": number, "created_at": created}
        moments = [
            created,
            *(self.world.moment(given[key]) for key in ("closed_at", "merged_at") if given.get(key)),
        ]
        given["updated_at"] = (
            self.world.moment(given["updated_at"]) if "updated_at" in given else max(moments)
        )
        thread = Thread(number, is_pull, self._with_accounts({"id": self.world.new_id()} | given))
        self.threads[number] = thread
        return thread

    def _said(
        self, number: int, what: str, fields: Fields, *, dated: str = "created_at", touch: bool = True
    ) -> Fields:
        """Add a part to a thread, dated, with an id."""
        thread = self.threads[number]
        when = self.world.moment(fields.get(dated))
        given = {"id": self.world.new_id()} | fields | {dated: when}
        if what != "events":
            given = {"user": "buoy", "updated_at": when} | given
            self.world.moment(given["updated_at"])
        part = self._with_accounts(given)
        getattr(thread, what).append(part)
        if touch:
            self._touch(thread, max(when, given.get("updated_at") or when))
        return part

    def _touch(self, thread: Thread, when: str) -> None:
        thread.fields["updated_at"] = max(thread.fields["updated_at"], when)

    def _part(self, part_id: int) -> tuple[Thread, list[Fields], Fields]:
        for thread in self.threads.values():
            for name in _PARTS:
                for part in getattr(thread, name):
                    if part["id"] == part_id:
                        return thread, getattr(thread, name), part
        raise KeyError(part_id)

    def _with_accounts(self, fields: Fields) -> Fields:
        """Put accounts in place of logins."""
        for key in _ACCOUNTS:
            if isinstance(fields.get(key), str):
                fields[key] = self.world.account(fields[key])
        for key in ("assignees", "requested_reviewers"):
            if key in fields:
                fields[key] = [
                    self.world.account(one) if isinstance(one, str) else one for one in fields[key]
                ]
        return fields
