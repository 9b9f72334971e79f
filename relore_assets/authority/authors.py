"""Keeps table ``authors`` equal to what is staged and what GitHub answered, and documents' tiers equal to it."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from psycopg.rows import class_row, tuple_row

from relore_assets.authority.acts import EVENTS, Act
from relore_assets.authority.hindsight import View, views
from relore_assets.authority.lookup import Standing
from relore_assets.authority.standing import Account, Interval, Permission, intervals
from relore_serve import sql

if TYPE_CHECKING:
    import psycopg

QUERIES = sql.load("relore_assets.authority", "authors.sql")


@dataclass(frozen=True, slots=True)
class AuthorityResult:
    """What a pass found and wrote.

    Attributes:
        intervals: how many stretches of standing there are. written: how many of them, and of what was seen otherwise
            earlier, were added or taken away.
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
    return Standing(_stored(conn, repo_id), _stored_then(conn, repo_id))


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
    written = _write(conn, repo_id, wanted)
    written += _write_then(
        conn, repo_id, views(known.accounts, known.acts, known.permissions, configured_bots)
    )
    moved = conn.execute(QUERIES["apply_to_documents"], {"repo_id": repo_id}).rowcount
    with conn.cursor(row_factory=tuple_row) as cur:
        documents = dict(cur.execute(QUERIES["document_tiers"], {"repo_id": repo_id}).fetchall())
    return AuthorityResult(
        intervals=len(wanted),
        written=written,
        documents_moved=moved,
        people=dict(Counter(tier for _, tier in {(row.login, row.tier) for row in wanted})),
        reasons=dict(Counter(row.reason for row in wanted)),
        documents=documents,
    )


def _write(conn: psycopg.Connection, repo_id: int, wanted: list[Interval]) -> int:
    """Return how many intervals were added or taken away."""
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
    return len(differing)


def _write_then(conn: psycopg.Connection, repo_id: int, wanted: list[View]) -> int:
    """Return how many earlier views were added or taken away."""
    differing = set(wanted) ^ set(_stored_then(conn, repo_id))
    changed = {view.login for view in differing}
    if changed:
        conn.execute(QUERIES["remove_then"], {"repo_id": repo_id, "logins": sorted(changed)})
        with conn.cursor() as cursor:
            cursor.executemany(
                QUERIES["add_then"],
                [
                    {
                        "repo_id": repo_id,
                        "login": view.login,
                        "seen_until": view.seen_until,
                        "starts": list(view.starts),
                        "tiers": list(view.tiers),
                    }
                    for view in wanted
                    if view.login in changed
                ],
            )
    return len(differing)


def _stored_then(conn: psycopg.Connection, repo_id: int) -> list[View]:
    with conn.cursor(row_factory=tuple_row) as cur:
        return [
            View(login, seen_until, tuple(starts), tuple(tiers))
            for login, seen_until, starts, tiers in cur.execute(QUERIES["stored_then"], {"repo_id": repo_id})
        ]


def _stored(conn: psycopg.Connection, repo_id: int) -> list[Interval]:
    with conn.cursor(row_factory=class_row(Interval)) as cur:
        return cur.execute(QUERIES["stored"], {"repo_id": repo_id}).fetchall()
