"""Keeps table ``authors`` equal to what is staged and what GitHub answered, and documents' tiers equal to it."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from psycopg.rows import class_row, tuple_row

from relore_assets.authority.acts import EVENTS, Act
from relore_assets.authority.standing import Account, Interval, Permission, Standing, intervals
from relore_serve import sql

if TYPE_CHECKING:
    import psycopg

QUERIES = sql.load("relore_assets.authority", "authors.sql")


@dataclass(frozen=True, slots=True)
class AuthorityResult:
    """What a pass found and wrote.

    Attributes:
        intervals: how many stretches of standing there are. written: how many were added or taken away.
        documents_moved: documents that changed their tier.
        people: accounts by the tiers they have or had. reasons: intervals by how each is known.
        documents: documents by tier.
    """

    intervals: int
    written: int
    documents_moved: int
    people: dict[str, int] = field(default_factory=dict[str, int])
    reasons: dict[str, int] = field(default_factory=dict[str, int])
    documents: dict[str, int] = field(default_factory=dict[str, int])


@dataclass(frozen=True, slots=True)
class Evidence:
    """What is known of the people of one repository."""

    accounts: list[Account]
    acts: list[Act]
    permissions: list[Permission]


def load_standing(conn: psycopg.Connection, repo_id: int) -> Standing:
    """Return the standing recorded for a repository."""
    return Standing(_stored(conn, repo_id))


def load_evidence(conn: psycopg.Connection, repo_id: int) -> Evidence:
    """Return what the staged objects and GitHub's answers tell."""
    scope = {"repo_id": repo_id}
    with conn.cursor(row_factory=class_row(Account)) as cur:
        accounts = cur.execute(QUERIES["accounts"], scope).fetchall()
    with conn.cursor(row_factory=class_row(Act)) as cur:
        acts = cur.execute(QUERIES["acts"], {**scope, "events": EVENTS}).fetchall()
    with conn.cursor(row_factory=class_row(Permission)) as cur:
        permissions = cur.execute(QUERIES["permissions"], scope).fetchall()
    return Evidence(accounts, acts, permissions)


def refresh(
    conn: psycopg.Connection, repo_id: int, *, configured_bots: frozenset[str] = frozenset()
) -> AuthorityResult:
    """Recompute standing from what is stored; write only what differs. One transaction, the caller's."""
    # Two passes over one repository would each delete what the other inserts.
    conn.execute("SELECT pg_advisory_xact_lock(hashtext('relore:authority'), %s)", (repo_id,))
    known = load_evidence(conn, repo_id)
    wanted = intervals(known.accounts, known.acts, known.permissions, configured_bots)
    differing = set(wanted) ^ set(_stored(conn, repo_id))
    changed = {interval.login for interval in differing}
    fresh = [interval for interval in wanted if interval.login in changed]
    if changed:
        conn.execute(QUERIES["remove"], {"repo_id": repo_id, "logins": sorted(changed)})
        conn.execute(
            QUERIES["add"],
            {
                "repo_id": repo_id,
                "login": [row.login for row in fresh],
                "tier": [row.tier for row in fresh],
                "reason": [row.reason for row in fresh],
                "from_at": [row.from_at for row in fresh],
                "to_at": [row.to_at for row in fresh],
            },
        )
    moved = conn.execute(QUERIES["apply_to_documents"], {"repo_id": repo_id}).rowcount
    with conn.cursor(row_factory=tuple_row) as cur:
        documents = dict(cur.execute(QUERIES["document_tiers"], {"repo_id": repo_id}).fetchall())
    return AuthorityResult(
        intervals=len(wanted),
        written=len(differing),
        documents_moved=moved,
        people=dict(Counter(tier for _, tier in {(row.login, row.tier) for row in wanted})),
        reasons=dict(Counter(row.reason for row in wanted)),
        documents=documents,
    )


def _stored(conn: psycopg.Connection, repo_id: int) -> list[Interval]:
    with conn.cursor(row_factory=class_row(Interval)) as cur:
        return cur.execute(QUERIES["stored"], {"repo_id": repo_id}).fetchall()
