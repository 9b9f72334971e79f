"""What each field of the GraphQL schema answers, read off the fields of the REST payloads.

A field of the schema that has no answer here is an error, never a null.
"""

from __future__ import annotations

import base64
import binascii
import re
from dataclasses import dataclass, field
from itertools import chain
from operator import itemgetter
from typing import TYPE_CHECKING, Any

from fake_github import shapes

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from graphql import GraphQLResolveInfo

    from fake_github.graphql_api import Session
    from fake_github.world import Fields, Repository, Thread

    Resolver = Callable[["Node", "Arguments", "Session"], Any]
    Arguments = dict[str, Any]


class Refusal(Exception):
    """A field that GitHub answers with null and an error of a certain type."""

    def __init__(self, kind: str, message: str) -> None:
        super().__init__(message)
        self.kind = kind


@dataclass(frozen=True)
class Node:
    """An object of the schema: its type and its fields, and where it belongs."""

    type: str
    fields: Fields = field(default_factory=dict[str, Any])
    repository: Any = None
    thread: Any = None


def resolve(source: Node | None, info: GraphQLResolveInfo, **arguments: Any) -> Any:
    """Return the value of a field.

    Raises:
        LookupError: for a field that has no answer, which a test of all of them prevents.
    """
    parent, name = info.parent_type.name, info.field_name
    if source is None:
        return _QUERY[name](info.context, arguments)
    if (resolver := resolver_of(parent, name)) is not None:
        return resolver(source, arguments, info.context)
    for key in (name, _snake(name)):
        if key in source.fields:
            return source.fields[key]
    raise LookupError(f"no answer for {parent}.{name}")


def resolver_of(type_name: str, name: str) -> Resolver | None:
    """Return what answers a field other than by its own name in the payload."""
    for table in (_RESOLVERS.get(type_name, {}), _EVENT if type_name.endswith("Event") else {}):
        if name in table:
            return table[name]
    return None


def _snake(name: str) -> str:
    return re.sub(r"(?<!^)([A-Z])", r"_\1", name).lower()


# -- connections -------------------------------------------------------------------------------------


def _connection(items: Sequence[Node], arguments: Arguments, **more: Any) -> Node:
    """Return a page of a list, between cursors."""
    low, high = 0, len(items)
    if (after := arguments.get("after")) is not None:
        low = min(_position(after), high)
    if (before := arguments.get("before")) is not None:
        high = max(_position(before) - 1, low)
    if (first := arguments.get("first")) is not None:
        start, stop = low, min(low + first, high)
    elif (last := arguments.get("last")) is not None:
        start, stop = max(low, high - last), high
    else:
        start = stop = low
    page = Node(
        "PageInfo",
        {
            "has_next_page": stop < high,
            "has_previous_page": start > low,
            "start_cursor": _cursor(start + 1) if stop > start else None,
            "end_cursor": _cursor(stop) if stop > start else None,
        },
    )
    counts = {"total_count": len(items), "filtered_count": high - low, "page_count": stop - start}
    return Node("Connection", {"nodes": list(items[start:stop]), "page_info": page} | counts | more)


def _cursor(position: int) -> str:
    return base64.b64encode(f"cursor:v2:{position}".encode()).decode()


def _position(cursor: str) -> int:
    try:
        return int(base64.b64decode(cursor, validate=True).decode().removeprefix("cursor:v2:"))
    except (binascii.Error, ValueError):
        message = f"`{cursor}` does not appear to be a valid cursor."
        raise Refusal("INVALID_CURSOR_ARGUMENTS", message) from None


# -- accounts ----------------------------------------------------------------------------------------


def _actor(fields: Fields | None) -> Node | None:
    """Return an account as an Actor: bots go without the suffix that REST writes after their login.

    https://docs.github.com/en/graphql/reference/objects#bot
    """
    if fields is None:
        return None
    kind = fields["type"] if fields["type"] in {"Bot", "Organization", "Mannequin"} else "User"
    if kind == "Bot":
        return Node(kind, fields | {"login": fields["login"].removesuffix("[bot]")})
    return Node(kind, fields)


def _reviewer(fields: Fields) -> Node | None:
    return Node("Team", fields) if "slug" in fields else _actor(fields)


def _account(key: str) -> Resolver:
    return lambda node, _arguments, _session: _actor(node.fields.get(key))


def _value(key: str, default: Any = None) -> Resolver:
    return lambda node, _arguments, _session: node.fields.get(key, default)


def _word(key: str, default: str | None = None) -> Resolver:
    """Return a word as the enumerations of GraphQL write it."""

    def resolver(node: Node, _arguments: Arguments, _session: Session) -> str | None:
        word = node.fields.get(key) or default
        return word.upper().replace("-", "_").replace(" ", "_") if word else None

    return resolver


# -- threads -----------------------------------------------------------------------------------------


def _repository(session: Session, arguments: Arguments) -> Node:
    """Find a repository; one that was renamed under its old name too, unless told otherwise."""
    name = f"{arguments['owner']}/{arguments['name']}"
    found = session.world.find(name)
    if found is None and arguments["followRenames"]:
        found = session.world.renamed.get(name.lower())
    if found is None or found.blocked:
        raise Refusal("NOT_FOUND", f"Could not resolve to a Repository with the name '{name}'.")
    return Node("Repository", found.fields, found)


def _thread_node(repository: Repository, thread: Thread) -> Node:
    return Node("PullRequest" if thread.is_pull else "Issue", thread.fields, repository, thread)


def _one(*kinds: str) -> Resolver:
    """Return a resolver that finds a thread by number."""

    def resolver(node: Node, arguments: Arguments, session: Session) -> Node:
        number, repository = arguments["number"], node.repository
        thread = repository.threads.get(number)
        found = _thread_node(repository, thread) if thread is not None else None
        hidden = found is not None and found.type == "PullRequest" and number in repository.missing_pulls
        if found is None or found.type not in kinds or hidden:
            what = "issue or pull request" if len(kinds) > 1 else kinds[0]
            article = "an" if what[0] in "iI" else "a"
            message = f"Could not resolve to {article} {what} with the number of {number}."
            raise Refusal("NOT_FOUND", message)
        _allow(session, "pull_requests" if found.type == "PullRequest" else "issues")
        return found

    return resolver


def _allow(session: Session, resource: str) -> None:
    if not session.token.may_read(resource):
        kind = "integration" if session.token.is_installation else "personal access token"
        raise Refusal("FORBIDDEN", f"Resource not accessible by {kind}")


def _listing(kind: str) -> Resolver:
    """Return a resolver that lists threads, in the order of their creation unless told."""

    def resolver(node: Node, arguments: Arguments, session: Session) -> Node:
        _allow(session, "pull_requests" if kind == "PullRequest" else "issues")
        since = (arguments.get("filterBy") or {}).get("since") or ""
        states = arguments.get("states")
        order = arguments.get("orderBy") or {"field": "CREATED_AT", "direction": "ASC"}
        threads = [_thread_node(node.repository, one) for one in node.repository.threads.values()]
        found = [
            one
            for one in threads
            if one.type == kind
            and one.thread.updated_at >= since
            and (not states or _state(one, {}, session) in states)
        ]
        found.sort(key=lambda one: (_ordinal(one.thread, order["field"]), one.thread.number))
        return _connection(found[::-1] if order["direction"] == "DESC" else found, arguments)

    return resolver


def _ordinal(thread: Thread, key: str) -> Any:
    if key == "COMMENTS":
        return len(thread.comments)
    return thread.updated_at if key == "UPDATED_AT" else thread.fields["created_at"]


def _state(node: Node, _arguments: Arguments, _session: Session) -> str:
    merged = node.type == "PullRequest" and shapes.is_merged(node.thread)
    return "MERGED" if merged else shapes.state(node.thread).upper()


def _count(key: str) -> Resolver:
    return lambda node, _arguments, _session: shapes.counts(node.thread)[key]


def _url(node: Node, _arguments: Arguments, _session: Session) -> str:
    kind = "pull" if node.type == "PullRequest" else "issues"
    default = f"{shapes.SITE}/{node.repository.full_name}/{kind}/{node.thread.number}"
    return node.fields.get("html_url", default)


def _decision(node: Node, _arguments: Arguments, _session: Session) -> str | None:
    """Say what the reviews add up to, going by the last decisive review of everybody."""
    if "review_decision" in node.fields:
        return node.fields["review_decision"]
    latest: dict[str, str] = {}
    for review in sorted(node.thread.reviews, key=itemgetter("submitted_at", "id")):
        if review["state"] in {"APPROVED", "CHANGES_REQUESTED", "DISMISSED"} and review["user"]:
            latest[review["user"]["login"]] = review["state"]
    verdicts = set(latest.values())
    return next((one for one in ("CHANGES_REQUESTED", "APPROVED") if one in verdicts), None)


def _side(side: str, key: str) -> Resolver:
    def resolver(node: Node, _arguments: Arguments, _session: Session) -> str:
        given = node.fields.get(side) or {}
        default = {"base": {"ref": "main", "sha": "b" * 40}}.get(side) or {
            "ref": f"pull-{node.thread.number}",
            "sha": shapes.sha_of(node.thread),
        }
        return given.get(key) or default[key]

    return resolver


def _head_owner(node: Node, _arguments: Arguments, _session: Session) -> Node | None:
    head = node.fields.get("head") or {}
    owner = node.repository.world.account(node.repository.full_name.split("/")[0])
    return _actor(head.get("user", owner))


def _is_cross(node: Node, _arguments: Arguments, _session: Session) -> bool:
    repo = (node.fields.get("head") or {}).get("repo")
    return bool(repo) and repo.get("full_name") != node.repository.full_name


def _merge_commit(node: Node, _arguments: Arguments, _session: Session) -> Node | None:
    sha = node.fields.get("merge_commit_sha")
    return _commit_of(node, sha) if sha and shapes.is_merged(node.thread) else None


def _review_requests(node: Node, arguments: Arguments, _session: Session) -> Node:
    asked = [*node.fields.get("requested_reviewers", ()), *node.fields.get("requested_teams", ())]
    found = [
        Node("ReviewRequest", {"id": one["id"], "requested_reviewer": one}, node.repository) for one in asked
    ]
    return _connection(found, arguments)


def _closing(node: Node, arguments: Arguments, session: Session) -> Node:
    """List the issues that the pull request closes, as far as they exist."""
    repositories = ((session.world.find(name), number) for name, number in node.thread.closes)
    found = [(repo, repo.threads[number]) for repo, number in repositories if repo and number in repo.threads]
    return _connection(
        [_thread_node(repo, thread) for repo, thread in found if not thread.is_pull], arguments
    )


def _labels(node: Node, arguments: Arguments, _session: Session) -> Node:
    labels = [_label(one) for one in node.fields.get("labels", ())]
    return _connection(labels, arguments)


def _label(label: str | Fields) -> Node:
    given = {"name": label} if isinstance(label, str) else label
    return Node("Label", {"color": "ededed", "description": None, "id": sum(given["name"].encode())} | given)


def _assignees(node: Node, arguments: Arguments, _session: Session) -> Node:
    return _connection([Node("User", one) for one in node.fields.get("assignees", ())], arguments)


def _milestone(node: Node, _arguments: Arguments, _session: Session) -> Node | None:
    milestone = node.fields.get("milestone")
    return Node("Milestone", {"id": milestone["number"]} | milestone, node.repository) if milestone else None


# -- what is said in them ----------------------------------------------------------------------------


def _parts(name: str, kind: str, dated: str) -> Resolver:
    def resolver(node: Node, arguments: Arguments, _session: Session) -> Node:
        states = arguments.get("states")
        parts = [one for one in getattr(node.thread, name) if not states or one["state"] in states]
        parts.sort(key=itemgetter(dated, "id"))
        return _connection([Node(kind, one, node.repository, node.thread) for one in parts], arguments)

    return resolver


def _files(node: Node, arguments: Arguments, session: Session) -> Node:
    """List changed files: never more than 3,000, which ``totalCount`` does not tell and ``changedFiles`` does."""
    changed = node.thread.files[: session.limits.files]
    return _connection([Node("PullRequestChangedFile", one) for one in changed], arguments)


def _commits(node: Node, arguments: Arguments, _session: Session) -> Node:
    """List commits: here the 250 of REST are no end."""
    found = [Node("PullRequestCommit", one, node.repository, node.thread) for one in node.thread.commits]
    return _connection(found, arguments)


def _comments_of_review(node: Node, arguments: Arguments, _session: Session) -> Node:
    own = [
        one for one in node.thread.review_comments if one.get("pull_request_review_id") == node.fields["id"]
    ]
    return _connection(
        [Node("PullRequestReviewComment", one, node.repository, node.thread) for one in own], arguments
    )


def _fragment(kind: str) -> Resolver:
    """Return a resolver of the address of something in a thread."""

    def resolver(node: Node, _arguments: Arguments, session: Session) -> str:
        thread = _url(_thread_node(node.repository, node.thread), {}, session)
        return node.fields.get("html_url", f"{thread}#{kind}{node.fields['id']}")

    return resolver


def _reply_to(node: Node, _arguments: Arguments, _session: Session) -> Node | None:
    wanted = node.fields.get("in_reply_to_id")
    found = next((one for one in node.thread.review_comments if one["id"] == wanted), None)
    return Node(node.type, found, node.repository, node.thread) if found else None


def _commit_of(node: Node, sha: str | None) -> Node | None:
    """Return a commit by its hash; what is said in it only where the world has it."""
    if not sha:
        return None
    known = (
        one for thread in node.repository.threads.values() for one in thread.commits if one["sha"] == sha
    )
    unknown = {"name": "GitHub", "email": "noreply@github.com", "date": "2024-01-01T00:00:00Z"}
    blank = {"sha": sha, "commit": {"message": "", "author": unknown, "committer": unknown}}
    return Node("Commit", next(known, blank), node.repository)


def _commit_by(key: str, *, default_head: bool = False) -> Resolver:
    def resolver(node: Node, _arguments: Arguments, _session: Session) -> Node | None:
        default = shapes.sha_of(node.thread) if default_head else None
        return _commit_of(node, node.fields.get(key, default))

    return resolver


def _git_actor(role: str) -> Resolver:
    def resolver(node: Node, _arguments: Arguments, _session: Session) -> Node:
        account = node.fields.get(role)
        # Unlike an Actor, the account of a bot keeps its suffix here.
        return Node(
            "GitActor", node.fields["commit"][role] | {"user": Node("User", account) if account else None}
        )

    return resolver


def _message(part: str) -> Resolver:
    def resolver(node: Node, _arguments: Arguments, _session: Session) -> str:
        headline, _, body = node.fields["commit"]["message"].partition("\n")
        return headline if part == "headline" else body.strip("\n")

    return resolver


# -- timelines ---------------------------------------------------------------------------------------

_EVENT_TYPES = {"renamed": "RenamedTitleEvent", "convert_to_draft": "ConvertToDraftEvent"}
_ITEM_TYPES = {
    "IssueComment": "ISSUE_COMMENT",
    "PullRequestReview": "PULL_REQUEST_REVIEW",
    "PullRequestCommit": "PULL_REQUEST_COMMIT",
}


def event_type(event: str) -> str:
    """Return the GraphQL type of an event that REST calls so: "head_ref_deleted", "cross-referenced"."""
    return _EVENT_TYPES.get(event) or "".join(word.title() for word in re.split("[-_]", event)) + "Event"


def _timeline(node: Node, arguments: Arguments, _session: Session) -> Node:
    """List what happened in a thread, in order. ``totalCount`` counts what ``itemTypes`` leave."""
    thread = node.thread
    dated = chain(
        ((one["created_at"], event_type(one["event"]), one) for one in thread.events),
        ((one["created_at"], "IssueComment", one) for one in thread.comments),
        (
            (one["submitted_at"], "PullRequestReview", one)
            for one in thread.reviews
            if one["state"] != "PENDING"
        ),
        ((one["commit"]["committer"]["date"], "PullRequestCommit", one) for one in thread.commits),
    )
    wanted, since = arguments.get("itemTypes"), arguments.get("since") or ""
    found = [
        Node(kind, one, node.repository, thread)
        for moment, kind, one in sorted(dated, key=itemgetter(0))
        if moment >= since and (not wanted or _ITEM_TYPES.get(kind, _snake(kind).upper()) in wanted)
    ]
    return _connection(found, arguments, updated_at=thread.updated_at)


def _subject(key: str) -> Resolver:
    """Return a resolver of the thread that an event of two threads names, as (repository, number) or number."""

    def resolver(node: Node, _arguments: Arguments, session: Session) -> Node | None:
        named = node.fields.get(key, node.thread.number)
        name, number = named if isinstance(named, tuple) else (node.repository.full_name, named)
        repository = session.world.find(name)
        thread = repository.threads.get(number) if repository else None
        return _thread_node(repository, thread) if repository and thread else None

    return resolver


def _crosses(node: Node, _arguments: Arguments, _session: Session) -> bool:
    named = node.fields.get("source")
    return isinstance(named, tuple) and named[0] != node.repository.full_name


def _reviewer_of_event(node: Node, _arguments: Arguments, _session: Session) -> Node | None:
    team = node.fields.get("requested_team")
    return Node("Team", team) if team else _actor(node.fields.get("requested_reviewer"))


def _dismissed(key: str) -> Resolver:
    def resolver(node: Node, _arguments: Arguments, _session: Session) -> Any:
        dismissed = node.fields.get("dismissed_review", {})
        if key == "review":
            found = next(
                (one for one in node.thread.reviews if one["id"] == dismissed.get("review_id")), None
            )
            return Node("PullRequestReview", found, node.repository, node.thread) if found else None
        value = dismissed.get(key)
        return value.upper() if key == "state" and value else value

    return resolver


# -- all fields that are not simply read -------------------------------------------------------------


def _id(kind: str) -> Resolver:
    return lambda node, _arguments, _session: shapes.node_id(kind, node.fields["id"])


def _always(value: Any) -> Resolver:
    return lambda _node, _arguments, _session: value


def _own_repository(node: Node, _arguments: Arguments, _session: Session) -> Node:
    return Node("Repository", node.repository.fields, node.repository)


def _of_repository(key: str) -> Resolver:
    def resolver(node: Node, _arguments: Arguments, _session: Session) -> Any:
        return shapes.Shapes("").repository(node.repository)[key]

    return resolver


_ACCOUNT: dict[str, Resolver] = {
    "id": _id("U"),
    "databaseId": _value("id"),
    "name": _value("name"),
    "url": lambda node, _arguments, _session: (
        f"{shapes.SITE}/{'apps/' if node.type == 'Bot' else ''}{node.fields['login']}"
    ),
    "avatarUrl": lambda node, _arguments, _session: (
        f"https://avatars.githubusercontent.com/u/{node.fields['id']}?v=4"
    ),
}
_POSTED: dict[str, Resolver] = {
    "databaseId": _value("id"),
    "fullDatabaseId": _value("id"),
    "body": lambda node, _arguments, _session: node.fields.get("body") or "",
    "author": _account("user"),
    "authorAssociation": _value("author_association", "NONE"),
    "lastEditedAt": _value("last_edited_at"),
}
_THREAD: dict[str, Resolver] = _POSTED | {
    "url": _url,
    "state": _state,
    "closed": lambda node, _arguments, _session: shapes.state(node.thread) == "closed",
    "closedAt": lambda node, _arguments, _session: (
        node.fields.get("closed_at") or node.fields.get("merged_at")
    ),
    "locked": _value("locked", default=False),
    "activeLockReason": _word("active_lock_reason"),
    "labels": _labels,
    "assignees": _assignees,
    "milestone": _milestone,
    "comments": _parts("comments", "IssueComment", "created_at"),
    "timelineItems": _timeline,
    "repository": _own_repository,
}
_EVENT: dict[str, Resolver] = {
    "id": _id("EV"),
    "databaseId": _value("id"),
    "actor": _account("actor"),
    "isCrossRepository": _crosses,
}
_RESOLVERS: dict[str, dict[str, Resolver]] = {
    "User": _ACCOUNT,
    "Bot": _ACCOUNT,
    "Organization": _ACCOUNT,
    "Mannequin": _ACCOUNT,
    "Team": {"id": _id("T"), "url": _value("html_url", shapes.SITE)},
    "Repository": {
        "id": lambda node, _arguments, _session: shapes.node_id("R", node.repository.id),
        "databaseId": lambda node, _arguments, _session: node.repository.id,
        "name": _of_repository("name"),
        "nameWithOwner": lambda node, _arguments, _session: node.repository.full_name,
        "owner": lambda node, _arguments, _session: _actor(
            node.repository.world.account(node.repository.full_name.split("/")[0])
        ),
        "url": _of_repository("html_url"),
        "isPrivate": _of_repository("private"),
        "isArchived": _of_repository("archived"),
        "isFork": _of_repository("fork"),
        "hasIssuesEnabled": _of_repository("has_issues"),
        "createdAt": _of_repository("created_at"),
        "updatedAt": _of_repository("updated_at"),
        "pushedAt": _of_repository("pushed_at"),
        "defaultBranchRef": lambda node, arguments, session: Node(
            "Ref", {"id": "REF", "name": _of_repository("default_branch")(node, arguments, session)}
        ),
        "issue": _one("Issue"),
        "pullRequest": _one("PullRequest"),
        "issueOrPullRequest": _one("Issue", "PullRequest"),
        "issues": _listing("Issue"),
        "pullRequests": _listing("PullRequest"),
    },
    "Issue": _THREAD | {"id": _id("I"), "stateReason": _word("state_reason")},
    "PullRequest": _THREAD
    | {
        "id": _id("PR"),
        "permalink": _url,
        "isDraft": _value("draft", default=False),
        "merged": lambda node, _arguments, _session: shapes.is_merged(node.thread),
        "mergedAt": _value("merged_at"),
        "mergedBy": _account("merged_by"),
        "mergeCommit": _merge_commit,
        "mergeable": _always("UNKNOWN"),
        "baseRefName": _side("base", "ref"),
        "baseRefOid": _side("base", "sha"),
        "headRefName": _side("head", "ref"),
        "headRefOid": _side("head", "sha"),
        "headRepositoryOwner": _head_owner,
        "isCrossRepository": _is_cross,
        "additions": _count("additions"),
        "deletions": _count("deletions"),
        "changedFiles": _count("changed_files"),
        "totalCommentsCount": lambda node, _arguments, _session: (
            shapes.counts(node.thread)["comments"] + shapes.counts(node.thread)["review_comments"]
        ),
        "reviewDecision": _decision,
        "reviewRequests": _review_requests,
        "reviews": _parts("reviews", "PullRequestReview", "submitted_at"),
        "files": _files,
        "commits": _commits,
        "closingIssuesReferences": _closing,
    },
    "ReviewRequest": {
        "id": _id("RR"),
        "requestedReviewer": lambda node, _arguments, _session: _reviewer(node.fields["requested_reviewer"]),
        "asCodeOwner": _always(value=False),
    },
    "IssueComment": _POSTED | {"id": _id("IC"), "url": _fragment("issuecomment-")},
    "PullRequestReview": _POSTED
    | {
        "id": _id("PRR"),
        "url": _fragment("pullrequestreview-"),
        "createdAt": _value("submitted_at"),
        "submittedAt": lambda node, _arguments, _session: (
            None if node.fields["state"] == "PENDING" else node.fields["submitted_at"]
        ),
        "commit": _commit_by("commit_id", default_head=True),
        "comments": _comments_of_review,
    },
    "PullRequestReviewComment": _POSTED
    | {
        "id": _id("PRRC"),
        "url": _fragment("discussion_r"),
        "path": _value("path", "src/tide.c"),
        "diffHunk": _value("diff_hunk", "@@ -1,1 +1,2 @@\n line\n+line"),
        "line": _value("line", 2),
        "originalLine": _value("original_line", 2),
        "startLine": _value("start_line"),
        "originalStartLine": _value("original_start_line"),
        "outdated": lambda node, _arguments, _session: node.fields.get("line", 2) is None,
        "commit": _commit_by("commit_id", default_head=True),
        "originalCommit": _commit_by("original_commit_id", default_head=True),
        "replyTo": _reply_to,
    },
    "PullRequestChangedFile": {
        "path": _value("filename"),
        # https://docs.github.com/en/graphql/reference/enums#patchstatus
        "changeType": lambda node, _arguments, _session: (
            "DELETED" if node.fields["status"] == "removed" else node.fields["status"].upper()
        ),
    },
    "PullRequestCommit": {
        "id": lambda node, _arguments, _session: shapes.node_id("PURC", node.fields["sha"]),
        "commit": lambda node, _arguments, _session: Node("Commit", node.fields, node.repository),
        "url": lambda node, _arguments, session: (
            f"{_url(_thread_node(node.repository, node.thread), {}, session)}/commits/{node.fields['sha']}"
        ),
    },
    "Commit": {
        "id": lambda node, _arguments, _session: shapes.node_id("C", node.fields["sha"]),
        "oid": _value("sha"),
        "abbreviatedOid": lambda node, _arguments, _session: node.fields["sha"][:7],
        "url": lambda node, _arguments, _session: (
            f"{shapes.SITE}/{node.repository.full_name}/commit/{node.fields['sha']}"
        ),
        "message": lambda node, _arguments, _session: node.fields["commit"]["message"],
        "messageHeadline": _message("headline"),
        "messageBody": _message("body"),
        "author": _git_actor("author"),
        "committer": _git_actor("committer"),
        "authoredDate": lambda node, _arguments, _session: node.fields["commit"]["author"]["date"],
        "committedDate": lambda node, _arguments, _session: node.fields["commit"]["committer"]["date"],
    },
    "Label": {"id": _id("LA")},
    "Milestone": {
        "id": _id("MI"),
        "state": _word("state", "OPEN"),
        "url": lambda node, _arguments, _session: (
            f"{shapes.SITE}/{node.repository.full_name}/milestone/{node.fields['number']}"
        ),
    },
    "LabeledEvent": {"label": lambda node, _arguments, _session: _label(node.fields["label"])},
    "UnlabeledEvent": {"label": lambda node, _arguments, _session: _label(node.fields["label"])},
    "ClosedEvent": {
        "closer": lambda node, _arguments, _session: _commit_of(node, node.fields.get("commit_id")),
        "stateReason": _word("state_reason"),
        "url": _fragment("event-"),
    },
    "ReopenedEvent": {"stateReason": _word("state_reason")},
    "MergedEvent": {
        "commit": _commit_by("commit_id"),
        "mergeRefName": lambda node, _arguments, session: _side("base", "ref")(
            _thread_node(node.repository, node.thread), {}, session
        ),
        "url": _fragment("event-"),
    },
    "RenamedTitleEvent": {
        "previousTitle": lambda node, _arguments, _session: node.fields["rename"]["from"],
        "currentTitle": lambda node, _arguments, _session: node.fields["rename"]["to"],
    },
    "ReviewRequestedEvent": {"requestedReviewer": _reviewer_of_event},
    "ReviewRequestRemovedEvent": {"requestedReviewer": _reviewer_of_event},
    "ReviewDismissedEvent": {
        "dismissalMessage": _dismissed("dismissal_message"),
        "previousReviewState": _dismissed("state"),
        "review": _dismissed("review"),
    },
    "AssignedEvent": {"assignee": _account("assignee")},
    "UnassignedEvent": {"assignee": _account("assignee")},
    "MilestonedEvent": {
        "milestoneTitle": lambda node, _arguments, _session: node.fields["milestone"]["title"]
    },
    "DemilestonedEvent": {
        "milestoneTitle": lambda node, _arguments, _session: node.fields["milestone"]["title"]
    },
    "LockedEvent": {"lockReason": _word("lock_reason")},
    "HeadRefDeletedEvent": {
        "headRefName": lambda node, _arguments, session: _side("head", "ref")(
            _thread_node(node.repository, node.thread), {}, session
        )
    },
    "BaseRefChangedEvent": {
        "currentRefName": _value("current_ref", "main"),
        "previousRefName": _value("previous_ref", "main"),
    },
    "CrossReferencedEvent": {
        "source": _subject("source"),
        "willCloseTarget": lambda node, _arguments, _session: node.fields.get("will_close_target", False),
        "referencedAt": _value("created_at"),
        "url": _fragment("ref-"),
    },
    "ReferencedEvent": {"commit": _commit_by("commit_id"), "commitRepository": _own_repository},
    "ConnectedEvent": {"source": _subject("source"), "subject": _subject("subject")},
    "DisconnectedEvent": {"source": _subject("source"), "subject": _subject("subject")},
    "MarkedAsDuplicateEvent": {"canonical": _subject("canonical")},
    "UnmarkedAsDuplicateEvent": {"canonical": _subject("canonical")},
}
_QUERY: dict[str, Callable[[Session, Arguments], Any]] = {
    "repository": _repository,
    "rateLimit": lambda session, _arguments: session.rate_limit(),
    "viewer": lambda session, _arguments: Node("User", session.world.account("viewer")),
}
