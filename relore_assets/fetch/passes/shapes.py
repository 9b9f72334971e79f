"""Brings GitHub's answers into the form in which they are staged: REST's objects, whoever told them.

REST's own objects stay verbatim but for what a server can compute (addresses of other resources) and what says
nothing of the history (counters of accounts and repositories). What GraphQL tells takes the same names. Pure.
"""

from __future__ import annotations

import re
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, cast

from relore_assets.fetch.archives import found
from relore_assets.fetch.archives import objects as shape
from relore_assets.fetch.archives.found import Payload, Raw, Rejected

if TYPE_CHECKING:
    from collections.abc import Iterable

_KEPT_ADDRESSES = frozenset({"html_url", "issue_url", "pull_request_url"})
_ACCOUNT = ("login", "id", "node_id", "type", "site_admin")
_REPOSITORY = ("id", "node_id", "name", "full_name", "owner", "private", "fork", "html_url", "default_branch")

#: GraphQL's names of what happened to a file, where REST has another.
_CHANGES = {"DELETED": "removed"}

#: Changes of which REST tells the path that the file had before, and GraphQL does not.
MOVED = frozenset({"RENAMED", "COPIED"})

UNFIT = "could not be read"

#: Events by their GraphQL types, of issues and of pull requests, under REST's names. Left out is what happens to
#: nobody's work (subscriptions, mentions, project boards) and what texts say themselves (references).
ISSUE_EVENTS = {
    "AssignedEvent": "assigned",
    "ClosedEvent": "closed",
    "CommentDeletedEvent": "comment_deleted",
    "ConvertedToDiscussionEvent": "converted_to_discussion",
    "DemilestonedEvent": "demilestoned",
    "LabeledEvent": "labeled",
    "LockedEvent": "locked",
    "MarkedAsDuplicateEvent": "marked_as_duplicate",
    "MilestonedEvent": "milestoned",
    "PinnedEvent": "pinned",
    "RenamedTitleEvent": "renamed",
    "ReopenedEvent": "reopened",
    "TransferredEvent": "transferred",
    "UnassignedEvent": "unassigned",
    "UnlabeledEvent": "unlabeled",
    "UnlockedEvent": "unlocked",
    "UnmarkedAsDuplicateEvent": "unmarked_as_duplicate",
    "UnpinnedEvent": "unpinned",
}
PULL_EVENTS = ISSUE_EVENTS | {
    "ConvertToDraftEvent": "convert_to_draft",
    "MergedEvent": "merged",
    "ReadyForReviewEvent": "ready_for_review",
    "ReviewDismissedEvent": "review_dismissed",
    "ReviewRequestRemovedEvent": "review_request_removed",
    "ReviewRequestedEvent": "review_requested",
}


def item_types(events: Iterable[str]) -> list[str]:
    """Return the names that a timeline is filtered by: ``ClosedEvent`` is ``CLOSED_EVENT`` there."""
    return [re.sub(r"(?<!^)(?=[A-Z])", "_", name).upper() for name in events]


def trimmed(value: Any) -> Any:
    """Return a JSON value of REST's as it is staged."""
    if isinstance(value, list):
        return [trimmed(item) for item in cast("list[Any]", value)]
    if not isinstance(value, dict):
        return value
    entry = cast("Payload", value)
    if "login" in entry and "type" in entry:
        return {key: entry[key] for key in _ACCOUNT if key in entry}
    if "full_name" in entry:
        return {key: trimmed(entry[key]) for key in _REPOSITORY if key in entry}
    return {
        key: trimmed(each)
        for key, each in entry.items()
        if key not in {"url", "_links"} and (not key.endswith("_url") or key in _KEPT_ADDRESSES)
    }


def head(kind: str, payload: Payload) -> Raw | Rejected:
    """Return an issue or pull request of a list or by itself."""
    try:
        return shape.head(kind, trimmed(payload))
    except (shape.UnfitError, AttributeError) as error:
        return _unfit(kind, payload, "number", error)


def part(kind: str, payload: Payload) -> Raw | Rejected:
    """Return a comment, which names its thread by address."""
    try:
        return shape.part(kind, trimmed(payload))
    except shape.UnfitError as error:
        return _unfit(kind, payload, "id", error)


def _unfit(kind: str, payload: object, key: str, error: Exception) -> Rejected:
    """Return that an entry of a list cannot be filed: by the list, and by the number that it has there."""
    entry = cast("Payload", payload) if isinstance(payload, dict) else {}
    named = entry.get(key)
    line = named if isinstance(named, int) and 0 <= named < 2**63 else 0
    reason = str(error) if isinstance(error, shape.UnfitError) else UNFIT
    return Rejected(found.LISTS[kind], line, reason, kind)


def account(node: Payload | None) -> Payload | None:
    """Return an account as REST has it; None for one that is gone."""
    if node is None:
        return None
    login, kind = str(node["login"]), str(node["__typename"])
    # GraphQL calls the bot of an App `dependabot`, after the App, and everybody else `dependabot[bot]`. Bots with
    # capital letters are not named after an App, and have one name only.
    if kind == "Bot" and login.islower() and not login.endswith("[bot]"):
        login += "[bot]"
    kept: Payload = {"login": login, "type": kind}
    if node.get("databaseId") is not None:
        kept["id"] = node["databaseId"]
    if node.get("id") is not None:
        kept["node_id"] = node["id"]
    return kept


def review(number: int, node: Payload) -> Raw | None:
    """Return a review; None for one that has not been submitted."""
    if node["state"] == "PENDING" or node["fullDatabaseId"] is None:
        return None
    payload: Payload = {
        "id": int(node["fullDatabaseId"]),
        "node_id": node["id"],
        "html_url": node["url"],
        "user": account(node["author"]),
        "state": node["state"],
        "body": node["body"],
        "submitted_at": node["submittedAt"],
        "updated_at": node["updatedAt"],
        "commit_id": (node["commit"] or {}).get("oid"),
        "author_association": node["authorAssociation"],
    }
    return Raw(found.REVIEW, str(payload["id"]), number, payload, shape.own_date(payload))


def comment(number: int, node: Payload) -> Raw | None:
    """Return a comment; None for one without an id."""
    if node["fullDatabaseId"] is None:
        return None
    payload: Payload = {
        "id": int(node["fullDatabaseId"]),
        "node_id": node["id"],
        "html_url": node["url"],
        "user": account(node["author"]),
        "body": node["body"],
        "created_at": node["createdAt"],
        "updated_at": node["updatedAt"],
        "author_association": node["authorAssociation"],
    }
    return Raw(found.ISSUE_COMMENT, str(payload["id"]), number, payload, shape.own_date(payload))


def event(number: int, node: Payload) -> Raw | None:
    """Return an event; None for one of a type that was not asked for."""
    name = PULL_EVENTS.get(str(node.get("__typename")))
    if name is None:
        return None
    payload: Payload = {
        "node_id": node["id"],
        "event": name,
        "actor": account(node["actor"]),
        "created_at": node["createdAt"],
    }
    if "label" in node:
        payload["label"] = {"name": node["label"]["name"], "color": node["label"]["color"]}
    if "previousTitle" in node:
        payload["rename"] = {"from": node["previousTitle"], "to": node["currentTitle"]}
    if "milestoneTitle" in node:
        payload["milestone"] = {"title": node["milestoneTitle"]}
    if node.get("assignee"):
        payload["assignee"] = account(node["assignee"])
    if node.get("commit"):
        payload["commit_id"] = node["commit"]["oid"]
    if (node.get("requestedReviewer") or {}).get("login"):
        payload["requested_reviewer"] = account(node["requestedReviewer"])
    if node.get("review"):
        payload["dismissed_review"] = {
            "review_id": int(node["review"]["fullDatabaseId"]),
            "state": node["previousReviewState"].lower(),
        }
    return Raw(found.EVENT, str(node["id"]), number, payload, shape.own_date(payload))


def commit(node: Payload) -> Payload:
    """Return a commit of a pull request's list."""
    git = node["commit"]
    author: Payload = git["author"] or {}
    committer: Payload = git["committer"] or {}
    return {
        "sha": git["oid"],
        "html_url": git["url"],
        "commit": {
            "message": git["message"],
            "author": {"name": author.get("name"), "date": _utc(author.get("date"))},
            "committer": {"name": committer.get("name"), "date": _utc(committer.get("date"))},
        },
        "author": account(author.get("user")),
    }


def file(node: Payload) -> Payload:
    """Return a changed file of a pull request's list."""
    change = str(node["changeType"])
    return {
        "filename": node["path"],
        "status": _CHANGES.get(change, change.lower()),
        "additions": node["additions"],
        "deletions": node["deletions"],
    }


def closing(node: Payload) -> Payload:
    """Return an issue that a pull request closes when it is merged."""
    return {"repo": node["repository"]["nameWithOwner"], "number": node["number"]}


def pull_detail(node: Payload, commits: int | None) -> Payload:
    """Return what only the single pull request tells, under the names that ``GET /pulls/N`` has for it."""
    total, talk = node["totalCommentsCount"], node["comments"]["totalCount"]
    return {
        "number": node["number"],
        "merged": node["merged"],
        "merged_at": node["mergedAt"],
        "merged_by": account(node["mergedBy"]),
        "merge_commit_sha": (node["mergeCommit"] or {}).get("oid"),
        "additions": node["additions"],
        "deletions": node["deletions"],
        "changed_files": node["changedFiles"],
        "commits": commits,
        # GitHub counts both kinds of comment together.
        "review_comments": None if total is None else max(total - talk, 0),
    }


def _utc(date: str | None) -> str | None:
    """Return a git date as REST writes it: in UTC. GraphQL keeps the zone of whoever committed."""
    if date is None:
        return None
    try:
        moment = datetime.fromisoformat(date)
    except ValueError:
        return date
    return moment.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ") if moment.tzinfo else date
