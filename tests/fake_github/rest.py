"""The REST endpoints, each a function from a call to an answer.

https://docs.github.com/en/rest/issues, https://docs.github.com/en/rest/pulls
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from operator import itemgetter
from typing import TYPE_CHECKING, Any

from fake_github import paging, shapes
from fake_github.answer import Answer, ApiError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from fake_github.access import Token
    from fake_github.limits import Limits
    from fake_github.shapes import Shapes
    from fake_github.world import Fields, Repository, Thread


@dataclass(frozen=True)
class Call:
    """A request to something of one repository."""

    repository: Repository
    values: dict[str, str]
    query: dict[str, str]
    token: Token | None
    limits: Limits
    shapes: Shapes
    #: The address without the query, in its numeric form.
    url: str

    def number(self) -> int:
        """Return the thread that is asked for."""
        return int(self.values["number"])

    def page(self, items: Iterable[Any], show: Callable[[Any], Fields], **how: Any) -> Answer:
        """Return a page of a list."""
        return paging.page(list(items), show, paging.Address(self.url, self.query), self.limits, **how)

    def choice(self, name: str, default: str, *others: str) -> str:
        """Return a parameter that is one of a few words; 422 for another word."""
        value = self.query.get(name, default)
        if value not in {default, *others}:
            raise ApiError(
                422, "Validation Failed", errors=[{"field": name, "code": "invalid", "value": value}]
            )
        return value


# -- threads ---------------------------------------------------------------------------------------


def repository(call: Call) -> Answer:
    """The repository itself."""
    return Answer(body=call.shapes.repository(call.repository))


def issues(call: Call) -> Answer:
    """Issues and pull requests; only open ones and newest first, unless told."""
    state = call.choice("state", "open", "closed", "all")
    key = call.choice("sort", "created", "updated", "comments")
    wanted = set(filter(None, call.query.get("labels", "").split(",")))
    found = [
        thread
        for thread in call.repository.threads.values()
        if state in {"all", shapes.state(thread)}
        and thread.updated_at >= call.query.get("since", "")
        and wanted
        <= {label if isinstance(label, str) else label["name"] for label in thread.fields.get("labels", ())}
    ]
    found.sort(
        key=lambda thread: (_sort_value(thread, key), thread.number), reverse=_descending(call, "desc")
    )
    return call.page(found, lambda thread: call.shapes.issue(call.repository, thread), by_cursor=True)


def issue(call: Call) -> Answer:
    """One issue; where a deleted or transferred one is gone to."""
    thread = _thread(call)
    return Answer(body=call.shapes.issue(call.repository, thread), last_modified=thread.updated_at)


def pulls(call: Call) -> Answer:
    """Pull requests; only open ones and newest first, unless told. There is no ``since``."""
    state = call.choice("state", "open", "closed", "all")
    key = call.choice("sort", "created", "updated", "popularity", "long-running")
    found = [
        thread
        for thread in call.repository.threads.values()
        if thread.is_pull
        and state in {"all", shapes.state(thread)}
        and thread.number not in call.repository.missing_pulls
    ]
    # GitHub: «Default: desc when sort is created or sort is not specified, otherwise asc.»
    descending = _descending(call, "desc" if key == "created" else "asc")
    found.sort(key=lambda thread: (_sort_value(thread, key), thread.number), reverse=descending)
    return call.page(found, lambda thread: call.shapes.pull(call.repository, thread, detail=False))


def pull(call: Call) -> Answer:
    """One pull request in detail."""
    thread = _pull(call)
    return Answer(
        body=call.shapes.pull(call.repository, thread, detail=True), last_modified=thread.updated_at
    )


# -- what is said in them ----------------------------------------------------------------------------


def all_comments(call: Call) -> Answer:
    """Comments of all issues and pull requests, which end at a cap."""
    found = [(thread, one) for thread in call.repository.threads.values() for one in thread.comments]
    cap = call.limits.comments
    return call.page(_ordered(call, found), lambda pair: call.shapes.comment(call.repository, *pair), cap=cap)


def comments(call: Call) -> Answer:
    """Comments of one thread, oldest first."""
    thread = _thread(call)
    since = call.query.get("since", "")
    found = sorted((one for one in thread.comments if one["updated_at"] >= since), key=itemgetter("id"))
    return call.page(found, lambda one: call.shapes.comment(call.repository, thread, one))


def comment(call: Call) -> Answer:
    """One comment."""
    thread, one = _one_of(call, "comments")
    return Answer(body=call.shapes.comment(call.repository, thread, one), last_modified=one["updated_at"])


def all_review_comments(call: Call) -> Answer:
    """Line comments of all pull requests."""
    found = [(thread, one) for thread in call.repository.threads.values() for one in thread.review_comments]
    return call.page(_ordered(call, found), lambda pair: call.shapes.review_comment(call.repository, *pair))


def review_comments(call: Call) -> Answer:
    """Line comments of one pull request."""
    thread = _pull(call)
    found = _ordered(call, [(thread, one) for one in thread.review_comments])
    return call.page(found, lambda pair: call.shapes.review_comment(call.repository, *pair))


def review_comment(call: Call) -> Answer:
    """One line comment."""
    thread, one = _one_of(call, "review_comments")
    return Answer(
        body=call.shapes.review_comment(call.repository, thread, one), last_modified=one["updated_at"]
    )


def reviews(call: Call) -> Answer:
    """Reviews of one pull request, oldest first."""
    thread = _pull(call)
    found = sorted(thread.reviews, key=itemgetter("submitted_at", "id"))
    return call.page(found, lambda one: call.shapes.review(call.repository, thread, one))


def review(call: Call) -> Answer:
    """One review."""
    thread = _pull(call)
    one = next((one for one in thread.reviews if one["id"] == int(call.values["id"])), None)
    if one is None:
        raise ApiError(404, "Not Found")
    return Answer(body=call.shapes.review(call.repository, thread, one))


def files(call: Call) -> Answer:
    """Changed files of one pull request: "a maximum of 3000 files"."""
    thread = _pull(call)
    return call.page(
        thread.files[: call.limits.files], lambda one: call.shapes.file(call.repository, thread, one)
    )


def commits(call: Call) -> Answer:
    """Commits of one pull request: "a maximum of 250 commits"."""
    thread = _pull(call)
    return call.page(
        thread.commits[: call.limits.commits], lambda one: call.shapes.commit(call.repository, one)
    )


def events(call: Call) -> Answer:
    """Events of one thread, oldest first; mentions in other threads are told by its timeline alone.

    https://docs.github.com/en/rest/using-the-rest-api/issue-event-types#cross-referenced
    """
    told = [one for one in _thread(call).events if one["event"] != "cross-referenced"]
    found = sorted(told, key=itemgetter("created_at", "id"))
    return call.page(found, lambda one: call.shapes.event(call.repository, one, hidden=shapes.NOT_IN_EVENTS))


def all_events(call: Call) -> Answer:
    """Events of all threads, newest first, each with its thread."""
    threads = call.repository.threads.values()
    found = [
        (thread, one) for thread in threads for one in thread.events if one["event"] != "cross-referenced"
    ]
    found.sort(key=lambda pair: (pair[1]["created_at"], pair[1]["id"]), reverse=True)

    def show(pair: tuple[Thread, Fields]) -> Fields:
        thread, one = pair
        event = call.shapes.event(call.repository, one, hidden=shapes.NOT_IN_EVENTS)
        return event | {"issue": call.shapes.issue(call.repository, thread)}

    return call.page(found, show)


def timeline(call: Call) -> Answer:
    """Everything that happened in one thread, in order: events, comments, reviews and commits."""
    thread = _thread(call)
    found = [(one["created_at"], "", one) for one in thread.events]
    found += [(one["created_at"], "commented", one) for one in thread.comments]
    found += [(one["submitted_at"], "reviewed", one) for one in thread.reviews if one["state"] != "PENDING"]
    found += [(one["commit"]["committer"]["date"], "committed", one) for one in thread.commits]
    found.sort(key=itemgetter(0))

    def show(item: tuple[str, str, Fields]) -> Fields:
        _, kind, one = item
        if kind == "commented":
            shown = call.shapes.comment(call.repository, thread, one)
            return shown | {"event": kind, "actor": shown["user"]}
        if kind == "reviewed":
            return call.shapes.review(call.repository, thread, one) | {
                "event": kind,
                "state": one["state"].lower(),
            }
        if kind == "committed":
            shown = call.shapes.commit(call.repository, one)
            told = {key: shown[key] for key in ("sha", "node_id", "url", "html_url", "parents")}
            git = ("message", "author", "committer", "tree", "verification")
            return told | {key: shown["commit"][key] for key in git} | {"event": kind}
        if one["event"] == "cross-referenced":
            return _reference(call, one)
        return call.shapes.event(call.repository, one, hidden=shapes.NOT_IN_TIMELINES)

    return call.page(found, show)


def _reference(call: Call, event: Fields) -> Fields:
    """Show that another thread, given as (repository, number) or number, mentioned this one."""
    named = event["source"]
    name, number = named if isinstance(named, tuple) else (call.repository.full_name, named)
    repository = call.repository.world.find(name)
    if repository is None or number not in repository.threads:
        raise KeyError(named)
    issue = call.shapes.issue(repository, repository.threads[number])
    shown = {
        "event": event["event"],
        "actor": call.shapes.account(event["actor"]),
        "created_at": event["created_at"],
    }
    return shown | {"updated_at": event["created_at"], "source": {"type": "issue", "issue": issue}}


# -- people ------------------------------------------------------------------------------------------


def permission(call: Call) -> Answer:
    """What somebody may do here: «the maintain role is mapped to write and the triage role is mapped to read».

    https://docs.github.com/en/rest/collaborators/collaborators#get-repository-permissions-for-a-user
    """
    if call.token is None or not call.token.push:
        raise ApiError(403, "Must have push access to view collaborator permission.")
    login, world = call.values["login"], call.repository.world
    if login not in world.accounts and login not in call.repository.permissions:
        raise ApiError(404, f"{login} is not a user")
    role = call.repository.permissions.get(login, "none" if call.repository.fields.get("private") else "read")
    level = {"maintain": "write", "triage": "read"}.get(role, role)
    user = call.shapes.account(world.account(login)) or {}
    return Answer(body={"permission": level, "role_name": role, "user": user | {"role_name": role}})


# -- parts -------------------------------------------------------------------------------------------


def _thread(call: Call) -> Thread:
    """Return the thread that is asked for.

    "If the issue was deleted from a repository where the authenticated user has read access, the API returns a 410
    Gone status." "A 301 Moved Permanently status if the issue was transferred to another repository."
    https://docs.github.com/en/rest/issues/issues#get-an-issue
    """
    number, here = call.number(), call.repository
    if number in here.transferred:
        there, new = here.transferred[number]
        tail = re.sub(r"^.*/issues/\d+", f"/repositories/{there.id}/issues/{new}", call.url)
        url = call.shapes.api + tail
        raise ApiError(301, "Moved Permanently", headers={"Location": url}, url=url)
    if number in here.deleted:
        raise ApiError(410, "This issue was deleted")
    if number not in here.threads:
        raise ApiError(404, "Not Found")
    return here.threads[number]


def _pull(call: Call) -> Thread:
    thread = call.repository.threads.get(call.number())
    if thread is None or not thread.is_pull or thread.number in call.repository.missing_pulls:
        raise ApiError(404, "Not Found")
    return thread


def _one_of(call: Call, parts: str) -> tuple[Thread, Fields]:
    wanted = int(call.values["id"])
    for thread in call.repository.threads.values():
        for part in getattr(thread, parts):
            if part["id"] == wanted:
                return thread, part
    raise ApiError(404, "Not Found")


def _ordered(call: Call, pairs: list[tuple[Thread, Fields]]) -> list[tuple[Thread, Fields]]:
    """Filter by ``since`` and sort. By id without ``sort``, and then ``direction`` is ignored."""
    since = call.query.get("since", "")
    found = [pair for pair in pairs if pair[1]["updated_at"] >= since]
    key = call.query.get("sort")
    if key is None:
        return sorted(found, key=lambda pair: pair[1]["id"])
    call.choice("sort", "created", "updated")
    found.sort(key=lambda pair: (pair[1][f"{key}_at"], pair[1]["id"]), reverse=_descending(call, "desc"))
    return found


def _descending(call: Call, default: str) -> bool:
    return call.choice("direction", default, "asc", "desc") == "desc"


def _sort_value(thread: Thread, key: str) -> Any:
    if key in {"comments", "popularity"}:
        return shapes.counts(thread)["comments"]
    return thread.updated_at if key == "updated" else thread.fields["created_at"]


#: Below ``/repos/{owner}/{repo}``, with what a token must be allowed to read: one of these.
#: https://docs.github.com/en/rest/authentication/permissions-required-for-fine-grained-personal-access-tokens
ROUTES: list[tuple[str, str, Callable[[Call], Answer]]] = [
    ("", "metadata", repository),
    ("/issues", "issues", issues),
    ("/issues/comments", "issues; pull_requests", all_comments),
    ("/issues/comments/{id}", "issues; pull_requests", comment),
    ("/issues/events", "issues; pull_requests", all_events),
    ("/issues/{number}", "issues", issue),
    ("/issues/{number}/comments", "issues; pull_requests", comments),
    ("/issues/{number}/events", "issues; pull_requests", events),
    ("/issues/{number}/timeline", "issues; pull_requests", timeline),
    ("/pulls", "pull_requests", pulls),
    ("/pulls/comments", "pull_requests", all_review_comments),
    ("/pulls/comments/{id}", "pull_requests", review_comment),
    ("/pulls/{number}", "pull_requests", pull),
    ("/pulls/{number}/reviews", "pull_requests", reviews),
    ("/pulls/{number}/reviews/{id}", "pull_requests", review),
    ("/pulls/{number}/comments", "pull_requests", review_comments),
    ("/pulls/{number}/files", "pull_requests", files),
    ("/pulls/{number}/commits", "pull_requests", commits),
    ("/collaborators/{login}/permission", "metadata", permission),
]


def pattern(template: str) -> re.Pattern[str]:
    """Return what matches a template of a path, naming its values; numbers and ids are digits."""
    parts = re.split(r"\{(\w+)\}", template)
    text = ""
    for index, part in enumerate(parts):
        value = r"\d+" if part in {"number", "id"} else "[^/]+"
        text += f"(?P<{part}>{value})" if index % 2 else re.escape(part)
    return re.compile(text)
