"""What is indexed, how complete it is and how fresh: the facts behind `status`, as JSON."""

from __future__ import annotations

from dataclasses import asdict
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from psycopg.rows import dict_row

from relore_serve import signals
from relore_serve.database import SCHEMA_VERSION, schema_version
from relore_serve.search import tokens
from relore_serve.status.accounts import SQL, accounts

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from psycopg import Connection

PASSES_NOTE = "when passes last ran here; GitHub may have changed since"
UNFINISHED_NOTE = "did not end when it last ran; run it again"

TIERS = ("authoritative", "unresolved", "machine")

# How many rejected lines are named; the total is always said.
_NAMED = 5


def facts(
    conn: Connection, repo_ids: Sequence[int] | None = None, *, rules: Mapping[str, int] | None = None
) -> dict[str, Any]:
    """Return the facts about these repositories, about all for None.

    Args:
        conn: any connection that may read; the numbers agree with each other when its transactions see one
            state (repeatable read).
        repo_ids: ids of repositories; unknown ones are ignored.
        rules: versions of the rules that the asking program knows besides those of this package.
    """
    with conn.transaction():
        repos = _rows(conn, "repositories", None if repo_ids is None else list(repo_ids))
        ids = [repo["id"] for repo in repos]
        sections = _Sections(
            conn, ids, {"signals": signals.VERSION, "tokens": tokens.VERSION, **(rules or {})}
        )
        found = [sections.of(repo) for repo in repos]
        passes = [_pass(row) for row in _rows(conn, "passes", ids)]
        schema = _schema(conn)
    sizes = ("threads", "documents", "raw_objects", "superseded_documents")
    return {
        "schema": schema,
        **{size: sum(repo[size] for repo in found) for size in sizes},
        "repositories": found,
        "passes": passes,
        "passes_note": PASSES_NOTE,
        "samples": [],
    }


class _Sections:
    """The sections of the page, each read once for all repositories."""

    def __init__(self, conn: Connection, ids: list[int], rules: dict[str, int]) -> None:
        self._accounts = accounts(conn, ids)
        self._sizes = _by_repo(_rows(conn, "sizes", ids))
        self._orphans = _by_repo(_rows(conn, "orphans", ids))
        self._rules = _by_repo(_rows(conn, "rules", ids))
        self._rejected = _by_repo(_rows(conn, "rejected", ids, named=_NAMED))
        self._cleaned = _by_repo(_rows(conn, "cleaned", ids))
        self._authors = _by_repo(_rows(conn, "authors", ids))
        self._known_rules = rules

    def of(self, repo: dict[str, Any]) -> dict[str, Any]:
        """Return one repository's facts."""
        key: int = repo["id"]
        sizes = self._sizes[key][0]
        orphans = self._orphans.get(key, [{"objects": 0, "numbers": 0}])[0]
        cleaned = self._cleaned.get(key, [{"secrets": 0, "objects_with_secrets": 0, "characters": 0}])[0]
        rejected = self._rejected.get(key, [])
        tiers = {row["tier"]: row["logins"] for row in self._authors.get(key, [])}
        return {
            "repo": repo["full_name"],
            "source": repo["source_kind"],
            **{name: count for name, count in sizes.items() if name != "repo_id"},
            "objects": [asdict(account) for account in self._accounts[key]],
            "unexplained": sum(account.unexplained for account in self._accounts[key]),
            "orphans": {"objects": orphans["objects"], "numbers": orphans["numbers"]},
            "rules": [self._rule(row) for row in self._rules.get(key, [])],
            "rejected": {
                "lines": rejected[0]["total"] if rejected else 0,
                "first": [{name: row[name] for name in ("file", "line", "reason")} for row in rejected],
            },
            "redactions": {name: count for name, count in cleaned.items() if name != "repo_id"},
            "authors": {tier: tiers.get(tier, 0) for tier in TIERS},
        }

    def _rule(self, row: dict[str, Any]) -> dict[str, Any]:
        """Compare a stored version with the program's, where the program knows the rule."""
        known = self._known_rules.get(row["rule"])
        return {
            "rule": row["rule"],
            "stored": row["version"],
            "program": known,
            "current": None if known is None else known == row["version"],
        }


def _rows(conn: Connection, name: str, repo_ids: list[int] | None, **values: object) -> list[dict[str, Any]]:
    with conn.cursor(row_factory=dict_row) as cursor:
        return cursor.execute(SQL[name], {"repo_ids": repo_ids, **values}).fetchall()


def _by_repo(rows: list[dict[str, Any]]) -> dict[int, list[dict[str, Any]]]:
    found: dict[int, list[dict[str, Any]]] = {}
    for row in rows:
        found.setdefault(row["repo_id"], []).append(row)
    return found


def _pass(row: dict[str, Any]) -> dict[str, Any]:
    return {
        "repo": row["repo"],
        "pass": row["pass"],
        "note": UNFINISHED_NOTE if row["is_unfinished"] else None,
        "high_water": _stamp(row["high_water"]),
        "last_run_at": _stamp(row["last_run_at"]),
        "last_ok_at": _stamp(row["last_ok_at"]),
        "cursor": row["cursor"],
        "error": row["error"],
    }


def _stamp(moment: datetime | None) -> str | None:
    """Write a moment as GitHub writes them."""
    return None if moment is None else moment.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def _schema(conn: Connection) -> dict[str, Any]:
    applied = schema_version(conn)
    return {
        "dialect": "postgresql",
        "applied": [] if applied is None else [applied],
        "pending": [] if applied == SCHEMA_VERSION else [SCHEMA_VERSION],
    }
