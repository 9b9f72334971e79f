"""The events of a thread: those that its source spells out, and those that follow from its head."""

from __future__ import annotations

from typing import TYPE_CHECKING

from relore_assets.demo.errors import SourceError
from relore_assets.demo.shapes import URL, Ids, Json, label, node_id, stamp

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from datetime import datetime

    from relore_assets.demo.chronicle import PullCommits
    from relore_assets.demo.shapes import Accounts
    from relore_assets.demo.threads import Thread

MAINTAINER = "keel-maintainer"
_MAY_LABEL = {"OWNER", "COLLABORATOR", "MEMBER"}
_PLAIN = {
    "reopened", "marked_as_duplicate", "ready_for_review", "convert_to_draft", "head_ref_force_pushed",
    "head_ref_deleted", "comment_deleted", "unlocked", "pinned",
}  # fmt: skip


class Events:
    """Writes the events of one thread."""

    def __init__(
        self, thread: Thread, ids: Ids, accounts: Accounts, pulls: Mapping[int, PullCommits]
    ) -> None:
        self._thread = thread
        self._ids = ids
        self._accounts = accounts
        self._pulls = pulls
        self._details: dict[str, Callable[[str], Json]] = {
            "labeled": _label,
            "unlabeled": _label,
            "renamed": self._rename,
            "milestoned": lambda title: {"milestone": {"title": title}},
            "demilestoned": lambda title: {"milestone": {"title": title}},
            "assigned": lambda login: {"assignee": accounts.account(login)},
            "unassigned": lambda login: {"assignee": accounts.account(login)},
            "review_requested": lambda login: {"requested_reviewer": accounts.account(login)},
            "review_request_removed": lambda login: {"requested_reviewer": accounts.account(login)},
            "locked": lambda reason: {"lock_reason": reason or None},
            "closed": self._closed_with,
            "cross-referenced": self._reference,
        }

    def all(self) -> list[Json]:
        """Every event, oldest first."""
        events = [*self._opening(), *self._told(), *self._ending()]
        return sorted(events, key=lambda event: (event["created_at"], event["id"]))

    def closers(self) -> list[str]:
        """Who closed the thread, each time that it was closed."""
        return [event["actor"]["login"] for event in self.all() if event["event"] == "closed"]

    def _event(self, kind: str, actor: str, at: datetime, detail: Json, commit: str | None = None) -> Json:
        number = self._ids.take("event", at)
        return {
            "_n": self._thread.number,
            "event": kind,
            "id": number,
            "node_id": node_id("Event", number),
            "actor": self._accounts.account(actor),
            "commit_id": detail.pop("commit_id", commit),
            "created_at": stamp(at),
            **detail,
        }

    def _opening(self) -> list[Json]:
        thread = self._thread
        told = {entry.detail[0] for entry in thread.entries if entry.kind == "event"}
        may_label = self._accounts.association(thread.author) in _MAY_LABEL
        actor = thread.author if may_label else MAINTAINER
        events = [
            self._event("labeled", actor, thread.opened, _label(name))
            for name in thread.labels
            if f"labeled {name}" not in told
        ]
        if thread.milestone:
            events.append(
                self._event("milestoned", actor, thread.opened, {"milestone": {"title": thread.milestone}})
            )
        people = [login for login in thread.requested if "/" not in login]
        for login in people:
            detail = {"requested_reviewer": self._accounts.account(login)}
            events.append(self._event("review_requested", thread.author, thread.opened, detail))
        return events

    def _told(self) -> list[Json]:
        events: list[Json] = []
        for entry in self._thread.entries:
            if entry.kind != "event":
                continue
            kind, _, rest = entry.detail[0].partition(" ")
            if kind in _PLAIN and not rest:
                events.append(self._event(kind, entry.author, entry.at, {}))
            elif kind in self._details:
                events.append(self._event(kind, entry.author, entry.at, self._details[kind](rest)))
            else:
                raise SourceError(f"{self._thread.source}: no such event: {entry.detail[0]}")
        return events

    def _ending(self) -> list[Json]:
        thread = self._thread
        events: list[Json] = []
        if thread.merging:
            at, by = thread.merging.at, thread.merging.by
            events.append(self._event("merged", by, at, {}, self._merge_sha(thread.number)))
            events.append(self._event("closed", by, at, {}))
            events.append(self._event("head_ref_deleted", by, at, {}))
        if thread.closing:
            closing = thread.closing
            commit = self._merge_sha(closing.by_pull) if closing.by_pull else None
            events.append(self._event("closed", closing.by, closing.at, {}, commit))
            if closing.reason == "duplicate":
                events.append(self._event("marked_as_duplicate", closing.by, closing.at, {}))
        if thread.locked:
            events.append(self._event("locked", MAINTAINER, thread.updated, {"lock_reason": thread.locked}))
        return events

    def _closed_with(self, rest: str) -> Json:
        return {"commit_id": self._merge_sha(int(rest.removeprefix("with #")))} if rest else {}

    def _merge_sha(self, number: int) -> str:
        built = self._pulls.get(number)
        if built is None or built.merge_sha is None:
            raise SourceError(f"{self._thread.source}: closed with #{number}, which was not merged")
        return built.merge_sha

    def _rename(self, rest: str) -> Json:
        before, arrow, after = rest.partition(" -> ")
        if not arrow:
            raise SourceError(f"{self._thread.source}: renamed from what -> to what?")
        return {"rename": {"from": before, "to": after}}

    def _reference(self, rest: str) -> Json:
        number = int(rest.removeprefix("#"))
        kind = "pull" if number in self._pulls else "issues"
        issue = {"number": number, "html_url": f"{URL}/{kind}/{number}"}
        return {"source": {"type": "issue", "issue": issue}}


def _label(name: str) -> Json:
    shown = label(name)
    return {"label": {"name": shown["name"], "color": shown["color"]}}
