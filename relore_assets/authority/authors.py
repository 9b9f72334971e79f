"""Keeps table ``authors`` equal to what the staged objects prove, and documents' tiers equal to it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from psycopg.rows import class_row, tuple_row

from relore_assets.authority.standing import Account, Interval, Standing, intervals
from relore_serve import sql

if TYPE_CHECKING:
    import psycopg

QUERIES = sql.load("relore_assets.authority", "authors.sql")


@dataclass(frozen=True, slots=True)
class AuthorityResult:
    """What a pass found and wrote: accounts with standing, intervals written, documents whose tier moved."""

    intervals: int
    written: int
    documents_moved: int


def load_standing(conn: psycopg.Connection, repo_id: int) -> Standing:
    """Return the standing recorded for a repository."""
    return Standing(_stored(conn, repo_id))


def refresh(
    conn: psycopg.Connection, repo_id: int, *, configured_bots: frozenset[str] = frozenset()
) -> AuthorityResult:
    """Recompute standing from the staged objects; write only what differs. One transaction, the caller's."""
    # Two passes over one repository would each delete what the other inserts.
    conn.execute("SELECT pg_advisory_xact_lock(hashtext('relore:authority'), %s)", (repo_id,))
    with conn.cursor(row_factory=class_row(Account)) as cur:
        accounts = cur.execute(QUERIES["accounts"], {"repo_id": repo_id}).fetchall()
    with conn.cursor(row_factory=tuple_row) as cur:
        merges = cur.execute(QUERIES["merges"], {"repo_id": repo_id}).fetchall()
    wanted = intervals(accounts, [(login, at) for login, at in merges], configured_bots)
    held = _stored(conn, repo_id)
    changed = {interval.login for interval in set(wanted) ^ set(held)}
    written = 0
    if changed:
        conn.execute(QUERIES["remove"], {"repo_id": repo_id, "logins": sorted(changed)})
        rows = [interval for interval in wanted if interval.login in changed]
        written = len(rows)
        with conn.cursor() as cur:
            cur.executemany(
                QUERIES["add"],
                [
                    {
                        "repo_id": repo_id,
                        "login": row.login,
                        "tier": row.tier,
                        "reason": row.reason,
                        "from_at": row.from_at,
                        "to_at": row.to_at,
                    }
                    for row in rows
                ],
            )
    moved = conn.execute(QUERIES["apply_to_documents"], {"repo_id": repo_id}).rowcount
    return AuthorityResult(intervals=len(wanted), written=written, documents_moved=moved)


def _stored(conn: psycopg.Connection, repo_id: int) -> list[Interval]:
    with conn.cursor(row_factory=class_row(Interval)) as cur:
        return cur.execute(QUERIES["stored"], {"repo_id": repo_id}).fetchall()
