"""Answers that fields of many types have in common."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from fake_github import shapes
from fake_github.connections import Node

if TYPE_CHECKING:
    from fake_github.connections import Arguments, Resolver
    from fake_github.graphql_api import Session
    from fake_github.world import Fields, Repository, Thread


def snake(name: str) -> str:
    return re.sub(r"(?<!^)([A-Z])", r"_\1", name).lower()


def actor(fields: Fields | None) -> Node | None:
    """Return an account as an Actor: bots go without the suffix that REST writes after their login.

    https://docs.github.com/en/graphql/reference/objects#bot
    """
    if fields is None:
        return None
    kind = fields["type"] if fields["type"] in {"Bot", "Organization", "Mannequin"} else "User"
    if kind == "Bot":
        return Node(kind, fields | {"login": fields["login"].removesuffix("[bot]")})
    return Node(kind, fields)


def reviewer(fields: Fields) -> Node | None:
    return Node("Team", fields) if "slug" in fields else actor(fields)


def account(key: str) -> Resolver:
    return lambda node, _arguments, _session: actor(node.fields.get(key))


def value(key: str, default: Any = None) -> Resolver:
    return lambda node, _arguments, _session: node.fields.get(key, default)


def word(key: str, default: str | None = None) -> Resolver:
    """Return a word as the enumerations of GraphQL write it."""

    def resolver(node: Node, _arguments: Arguments, _session: Session) -> str | None:
        word = node.fields.get(key) or default
        return word.upper().replace("-", "_").replace(" ", "_") if word else None

    return resolver


def always(value: Any) -> Resolver:
    return lambda _node, _arguments, _session: value


def id_of(kind: str) -> Resolver:
    return lambda node, _arguments, _session: shapes.node_id(kind, node.fields["id"])


def thread_node(repository: Repository, thread: Thread) -> Node:
    return Node("PullRequest" if thread.is_pull else "Issue", thread.fields, repository, thread)


def thread_url(node: Node, _arguments: Arguments, _session: Session) -> str:
    kind = "pull" if node.type == "PullRequest" else "issues"
    default = f"{shapes.SITE}/{node.repository.full_name}/{kind}/{node.thread.number}"
    return node.fields.get("html_url", default)


def fragment(kind: str) -> Resolver:
    """Return a resolver of the address of something in a thread."""

    def resolver(node: Node, _arguments: Arguments, session: Session) -> str:
        thread = thread_url(thread_node(node.repository, node.thread), {}, session)
        return node.fields.get("html_url", f"{thread}#{kind}{node.fields['id']}")

    return resolver


def label_node(label: str | Fields) -> Node:
    given = {"name": label} if isinstance(label, str) else label
    return Node("Label", {"color": "ededed", "description": None, "id": sum(given["name"].encode())} | given)


def side_of(side: str, key: str) -> Resolver:
    def resolver(node: Node, _arguments: Arguments, _session: Session) -> str:
        given = node.fields.get(side) or {}
        default = {"base": {"ref": "main", "sha": "b" * 40}}.get(side) or {
            "ref": f"pull-{node.thread.number}",
            "sha": shapes.sha_of(node.thread),
        }
        return given.get(key) or default[key]

    return resolver


def commit_node(node: Node, sha: str | None) -> Node | None:
    """Return a commit by its hash; what is said in it only where the world has it."""
    if not sha:
        return None
    known = (
        one for thread in node.repository.threads.values() for one in thread.commits if one["sha"] == sha
    )
    unknown = {"name": "GitHub", "email": "noreply@github.com", "date": "2024-01-01T00:00:00Z"}
    blank = {"sha": sha, "commit": {"message": "", "author": unknown, "committer": unknown}}
    return Node("Commit", next(known, blank), node.repository)


def commit_by(key: str, *, default_head: bool = False) -> Resolver:
    def resolver(node: Node, _arguments: Arguments, _session: Session) -> Node | None:
        default = shapes.sha_of(node.thread) if default_head else None
        return commit_node(node, node.fields.get(key, default))

    return resolver


def own_repository(node: Node, _arguments: Arguments, _session: Session) -> Node:
    return Node("Repository", node.repository.fields, node.repository)
