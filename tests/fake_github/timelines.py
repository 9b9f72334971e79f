"""Timelines, and the events in them.

https://docs.github.com/en/graphql/reference/unions#pullrequesttimelineitems
"""

from __future__ import annotations

import re
from itertools import chain
from operator import itemgetter
from typing import TYPE_CHECKING, Any

from fake_github.connections import Node, connection
from fake_github.fields import (
    account,
    actor,
    commit_by,
    commit_node,
    fragment,
    id_of,
    label_node,
    own_repository,
    side_of,
    snake,
    thread_node,
    value,
    word,
)

if TYPE_CHECKING:
    from fake_github.connections import Arguments, Resolver
    from fake_github.graphql_api import Session

_EVENT_TYPES = {"renamed": "RenamedTitleEvent"}
_ITEM_TYPES = {
    "IssueComment": "ISSUE_COMMENT",
    "PullRequestReview": "PULL_REQUEST_REVIEW",
    "PullRequestCommit": "PULL_REQUEST_COMMIT",
}


def event_type(event: str) -> str:
    """Return the GraphQL type of an event that REST calls so: "head_ref_deleted", "cross-referenced"."""
    return _EVENT_TYPES.get(event) or "".join(word.title() for word in re.split("[-_]", event)) + "Event"


def timeline(node: Node, arguments: Arguments, _session: Session) -> Node:
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
        if moment >= since and (not wanted or _ITEM_TYPES.get(kind, snake(kind).upper()) in wanted)
    ]
    return connection(found, arguments, updated_at=thread.updated_at)


def _subject(key: str) -> Resolver:
    """Return a resolver of the thread that an event of two threads names, as (repository, number) or number."""

    def resolver(node: Node, _arguments: Arguments, session: Session) -> Node | None:
        named = node.fields.get(key, node.thread.number)
        name, number = named if isinstance(named, tuple) else (node.repository.full_name, named)
        repository = session.world.find(name)
        thread = repository.threads.get(number) if repository else None
        return thread_node(repository, thread) if repository and thread else None

    return resolver


def _crosses(node: Node, _arguments: Arguments, _session: Session) -> bool:
    named = node.fields.get("source")
    return isinstance(named, tuple) and named[0] != node.repository.full_name


def _reviewer_of_event(node: Node, _arguments: Arguments, _session: Session) -> Node | None:
    team = node.fields.get("requested_team")
    return Node("Team", team) if team else actor(node.fields.get("requested_reviewer"))


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


EVERY_EVENT: dict[str, Resolver] = {
    "id": id_of("EV"),
    "databaseId": value("id"),
    "actor": account("actor"),
    "isCrossRepository": _crosses,
}


EVENTS: dict[str, dict[str, Resolver]] = {
    "LabeledEvent": {"label": lambda node, _arguments, _session: label_node(node.fields["label"])},
    "UnlabeledEvent": {"label": lambda node, _arguments, _session: label_node(node.fields["label"])},
    "ClosedEvent": {
        "closer": lambda node, _arguments, _session: commit_node(node, node.fields.get("commit_id")),
        "stateReason": word("state_reason"),
        "url": fragment("event-"),
    },
    "ReopenedEvent": {"stateReason": word("state_reason")},
    "MergedEvent": {
        "commit": commit_by("commit_id"),
        "mergeRefName": lambda node, _arguments, session: side_of("base", "ref")(
            thread_node(node.repository, node.thread), {}, session
        ),
        "url": fragment("event-"),
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
    "AssignedEvent": {"assignee": account("assignee")},
    "UnassignedEvent": {"assignee": account("assignee")},
    "MilestonedEvent": {
        "milestoneTitle": lambda node, _arguments, _session: node.fields["milestone"]["title"]
    },
    "DemilestonedEvent": {
        "milestoneTitle": lambda node, _arguments, _session: node.fields["milestone"]["title"]
    },
    "LockedEvent": {"lockReason": word("lock_reason")},
    "HeadRefDeletedEvent": {
        "headRefName": lambda node, _arguments, session: side_of("head", "ref")(
            thread_node(node.repository, node.thread), {}, session
        )
    },
    "BaseRefChangedEvent": {
        "currentRefName": value("current_ref", "main"),
        "previousRefName": value("previous_ref", "main"),
    },
    "CrossReferencedEvent": {
        "source": _subject("source"),
        "willCloseTarget": lambda node, _arguments, _session: node.fields.get("will_close_target", False),
        "referencedAt": value("created_at"),
        "url": fragment("ref-"),
    },
    "ReferencedEvent": {"commit": commit_by("commit_id"), "commitRepository": own_repository},
    "ConnectedEvent": {"source": _subject("source"), "subject": _subject("subject")},
    "DisconnectedEvent": {"source": _subject("source"), "subject": _subject("subject")},
    "MarkedAsDuplicateEvent": {"canonical": _subject("canonical")},
    "UnmarkedAsDuplicateEvent": {"canonical": _subject("canonical")},
}
