"""What each field of the GraphQL schema answers, read off the fields of the REST payloads.

A field of the schema that has no answer here is an error, never a null.
"""

from __future__ import annotations

from operator import itemgetter
from typing import TYPE_CHECKING, Any

from fake_github import shapes
from fake_github.connections import Node, Refusal, connection
from fake_github.fields import (
    account,
    actor,
    always,
    commit_by,
    commit_node,
    fragment,
    id_of,
    label_node,
    own_repository,
    reviewer,
    side_of,
    snake,
    thread_node,
    thread_url,
    value,
    word,
)
from fake_github.timelines import EVENTS, EVERY_EVENT, timeline

if TYPE_CHECKING:
    from collections.abc import Callable

    from graphql import GraphQLResolveInfo

    from fake_github.connections import Arguments, Resolver
    from fake_github.graphql_api import Session
    from fake_github.world import Thread


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
    for key in (name, snake(name)):
        if key in source.fields:
            return source.fields[key]
    raise LookupError(f"no answer for {parent}.{name}")


def resolver_of(type_name: str, name: str) -> Resolver | None:
    """Return what answers a field other than by its own name in the payload."""
    shared = EVERY_EVENT if type_name.endswith("Event") else {}
    for table in (_RESOLVERS.get(type_name, {}), EVENTS.get(type_name, {}), shared):
        if name in table:
            return table[name]
    return None


def _repository(session: Session, arguments: Arguments) -> Node:
    """Find a repository; one that was renamed under its old name too, unless told otherwise."""
    name = f"{arguments['owner']}/{arguments['name']}"
    found = session.world.find(name)
    if found is None and arguments["followRenames"]:
        found = session.world.renamed.get(name.lower())
    if found is None or found.blocked:
        raise Refusal("NOT_FOUND", f"Could not resolve to a Repository with the name '{name}'.")
    return Node("Repository", found.fields, found)


def _one(*kinds: str) -> Resolver:
    """Return a resolver that finds a thread by number."""

    def resolver(node: Node, arguments: Arguments, session: Session) -> Node:
        number, repository = arguments["number"], node.repository
        thread = repository.threads.get(number)
        found = thread_node(repository, thread) if thread is not None else None
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
        threads = [thread_node(node.repository, one) for one in node.repository.threads.values()]
        found = [
            one
            for one in threads
            if one.type == kind
            and one.thread.updated_at >= since
            and (not states or _state(one, {}, session) in states)
        ]
        found.sort(key=lambda one: (_ordinal(one.thread, order["field"]), one.thread.number))
        return connection(found[::-1] if order["direction"] == "DESC" else found, arguments)

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


def _head_owner(node: Node, _arguments: Arguments, _session: Session) -> Node | None:
    head = node.fields.get("head") or {}
    owner = node.repository.world.account(node.repository.full_name.split("/")[0])
    return actor(head.get("user", owner))


def _is_cross(node: Node, _arguments: Arguments, _session: Session) -> bool:
    repo = (node.fields.get("head") or {}).get("repo")
    return bool(repo) and repo.get("full_name") != node.repository.full_name


def _merge_commit(node: Node, _arguments: Arguments, _session: Session) -> Node | None:
    sha = node.fields.get("merge_commit_sha")
    return commit_node(node, sha) if sha and shapes.is_merged(node.thread) else None


def _review_requests(node: Node, arguments: Arguments, _session: Session) -> Node:
    asked = [*node.fields.get("requested_reviewers", ()), *node.fields.get("requested_teams", ())]
    found = [
        Node("ReviewRequest", {"id": one["id"], "requested_reviewer": one}, node.repository) for one in asked
    ]
    return connection(found, arguments)


def _closing(node: Node, arguments: Arguments, session: Session) -> Node:
    """List the issues that the pull request closes, as far as they exist."""
    repositories = ((session.world.find(name), number) for name, number in node.thread.closes)
    found = [(repo, repo.threads[number]) for repo, number in repositories if repo and number in repo.threads]
    return connection([thread_node(repo, thread) for repo, thread in found if not thread.is_pull], arguments)


def _labels(node: Node, arguments: Arguments, _session: Session) -> Node:
    labels = [label_node(one) for one in node.fields.get("labels", ())]
    return connection(labels, arguments)


def _assignees(node: Node, arguments: Arguments, _session: Session) -> Node:
    return connection([Node("User", one) for one in node.fields.get("assignees", ())], arguments)


def _milestone(node: Node, _arguments: Arguments, _session: Session) -> Node | None:
    milestone = node.fields.get("milestone")
    return Node("Milestone", {"id": milestone["number"]} | milestone, node.repository) if milestone else None


def _parts(name: str, kind: str, dated: str) -> Resolver:
    def resolver(node: Node, arguments: Arguments, _session: Session) -> Node:
        states = arguments.get("states")
        parts = [one for one in getattr(node.thread, name) if not states or one["state"] in states]
        parts.sort(key=itemgetter(dated, "id"))
        return connection([Node(kind, one, node.repository, node.thread) for one in parts], arguments)

    return resolver


def _files(node: Node, arguments: Arguments, session: Session) -> Node:
    """List changed files: never more than 3,000, which ``totalCount`` does not tell and ``changedFiles`` does."""
    changed = node.thread.files[: session.limits.files]
    return connection([Node("PullRequestChangedFile", one) for one in changed], arguments)


def _commits(node: Node, arguments: Arguments, _session: Session) -> Node:
    """List commits: here the 250 of REST are no end."""
    found = [Node("PullRequestCommit", one, node.repository, node.thread) for one in node.thread.commits]
    return connection(found, arguments)


def _comments_of_review(node: Node, arguments: Arguments, _session: Session) -> Node:
    own = [
        one for one in node.thread.review_comments if one.get("pull_request_review_id") == node.fields["id"]
    ]
    return connection(
        [Node("PullRequestReviewComment", one, node.repository, node.thread) for one in own], arguments
    )


def _reply_to(node: Node, _arguments: Arguments, _session: Session) -> Node | None:
    wanted = node.fields.get("in_reply_to_id")
    found = next((one for one in node.thread.review_comments if one["id"] == wanted), None)
    return Node(node.type, found, node.repository, node.thread) if found else None


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


def _of_repository(key: str) -> Resolver:
    def resolver(node: Node, _arguments: Arguments, _session: Session) -> Any:
        return shapes.Shapes("").repository(node.repository)[key]

    return resolver


_ACCOUNT: dict[str, Resolver] = {
    "id": id_of("U"),
    "databaseId": value("id"),
    "name": value("name"),
    "url": lambda node, _arguments, _session: (
        f"{shapes.SITE}/{'apps/' if node.type == 'Bot' else ''}{node.fields['login']}"
    ),
    "avatarUrl": lambda node, _arguments, _session: (
        f"https://avatars.githubusercontent.com/u/{node.fields['id']}?v=4"
    ),
}


_POSTED: dict[str, Resolver] = {
    "databaseId": value("id"),
    "fullDatabaseId": value("id"),
    "body": lambda node, _arguments, _session: node.fields.get("body") or "",
    "author": account("user"),
    "authorAssociation": value("author_association", "NONE"),
    "lastEditedAt": value("last_edited_at"),
}


_THREAD: dict[str, Resolver] = _POSTED | {
    "url": thread_url,
    "state": _state,
    "closed": lambda node, _arguments, _session: shapes.state(node.thread) == "closed",
    "closedAt": lambda node, _arguments, _session: (
        node.fields.get("closed_at") or node.fields.get("merged_at")
    ),
    "locked": value("locked", default=False),
    "activeLockReason": word("active_lock_reason"),
    "labels": _labels,
    "assignees": _assignees,
    "milestone": _milestone,
    "comments": _parts("comments", "IssueComment", "created_at"),
    "timelineItems": timeline,
    "repository": own_repository,
}


_RESOLVERS: dict[str, dict[str, Resolver]] = {
    "User": _ACCOUNT,
    "Bot": _ACCOUNT,
    "Organization": _ACCOUNT,
    "Mannequin": _ACCOUNT,
    "Team": {"id": id_of("T"), "url": value("html_url", shapes.SITE)},
    "Repository": {
        "id": lambda node, _arguments, _session: shapes.node_id("R", node.repository.id),
        "databaseId": lambda node, _arguments, _session: node.repository.id,
        "name": _of_repository("name"),
        "nameWithOwner": lambda node, _arguments, _session: node.repository.full_name,
        "owner": lambda node, _arguments, _session: actor(
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
    "Issue": _THREAD | {"id": id_of("I"), "stateReason": word("state_reason")},
    "PullRequest": _THREAD
    | {
        "id": id_of("PR"),
        "permalink": thread_url,
        "isDraft": value("draft", default=False),
        "merged": lambda node, _arguments, _session: shapes.is_merged(node.thread),
        "mergedAt": value("merged_at"),
        "mergedBy": account("merged_by"),
        "mergeCommit": _merge_commit,
        "mergeable": always("UNKNOWN"),
        "baseRefName": side_of("base", "ref"),
        "baseRefOid": side_of("base", "sha"),
        "headRefName": side_of("head", "ref"),
        "headRefOid": side_of("head", "sha"),
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
        "id": id_of("RR"),
        "requestedReviewer": lambda node, _arguments, _session: reviewer(node.fields["requested_reviewer"]),
        "asCodeOwner": always(value=False),
    },
    "IssueComment": _POSTED | {"id": id_of("IC"), "url": fragment("issuecomment-")},
    "PullRequestReview": _POSTED
    | {
        "id": id_of("PRR"),
        "url": fragment("pullrequestreview-"),
        "createdAt": value("submitted_at"),
        "submittedAt": lambda node, _arguments, _session: (
            None if node.fields["state"] == "PENDING" else node.fields["submitted_at"]
        ),
        "commit": commit_by("commit_id", default_head=True),
        "comments": _comments_of_review,
    },
    "PullRequestReviewComment": _POSTED
    | {
        "id": id_of("PRRC"),
        "url": fragment("discussion_r"),
        "path": value("path", "src/tide.c"),
        "diffHunk": value("diff_hunk", "@@ -1,1 +1,2 @@\n line\n+line"),
        "line": value("line", 2),
        "originalLine": value("original_line", 2),
        "startLine": value("start_line"),
        "originalStartLine": value("original_start_line"),
        "outdated": lambda node, _arguments, _session: node.fields.get("line", 2) is None,
        "commit": commit_by("commit_id", default_head=True),
        "originalCommit": commit_by("original_commit_id", default_head=True),
        "replyTo": _reply_to,
    },
    "PullRequestChangedFile": {
        "path": value("filename"),
        # https://docs.github.com/en/graphql/reference/enums#patchstatus
        "changeType": lambda node, _arguments, _session: (
            "DELETED" if node.fields["status"] == "removed" else node.fields["status"].upper()
        ),
    },
    "PullRequestCommit": {
        "id": lambda node, _arguments, _session: shapes.node_id("PURC", node.fields["sha"]),
        "commit": lambda node, _arguments, _session: Node("Commit", node.fields, node.repository),
        "url": lambda node, _arguments, session: (
            f"{thread_url(thread_node(node.repository, node.thread), {}, session)}/commits/{node.fields['sha']}"
        ),
    },
    "Commit": {
        "id": lambda node, _arguments, _session: shapes.node_id("C", node.fields["sha"]),
        "oid": value("sha"),
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
    "Label": {"id": id_of("LA")},
    "Milestone": {
        "id": id_of("MI"),
        "state": word("state", "OPEN"),
        "url": lambda node, _arguments, _session: (
            f"{shapes.SITE}/{node.repository.full_name}/milestone/{node.fields['number']}"
        ),
    },
}


_QUERY: dict[str, Callable[[Session, Arguments], Any]] = {
    "repository": _repository,
    "rateLimit": lambda session, _arguments: session.rate_limit(),
    "viewer": lambda session, _arguments: Node("User", session.world.account("viewer")),
}
