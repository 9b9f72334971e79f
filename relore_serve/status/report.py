"""What is indexed, how complete it is and how fresh: the facts behind `status`, as JSON.

Numbers that would have to be counted over whole tables come from the books as they were last added up, and each
repository says when that was and what has run since. Everything else is read as it stands.
"""

from __future__ import annotations

from contextlib import nullcontext
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from psycopg.pq import TransactionStatus
from psycopg.rows import dict_row

from relore_serve import signals
from relore_serve.database import SCHEMA_VERSION
from relore_serve.search import tokens
from relore_serve.search.ages import utc
from relore_serve.semantic.tier import Tier
from relore_serve.semantic.vectors import held
from relore_serve.sql import load
from relore_serve.status import activity, presence, vectors, windows
from relore_serve.status.counting import SIZES

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from psycopg import Connection

SQL = load("relore_serve.status", "status.sql")

PASSES_NOTE = "when passes last ran here; GitHub may have changed since"
UNDER_WAY_NOTE = "under way"
UNFINISHED_NOTE = "did not end when it last ran; run it again"

TIERS = ("authoritative", "unresolved", "machine")

#: Passes that write what the books count.
WRITERS = frozenset({"import", "fetch", "derive", "sweep", "sample", "refresh", "forget"})
FORGET = "forget"

# Statements that take the repositories they are about at most.
_SECTIONS = ("repositories", "passes", "samples", "removals", "rules", "authors", "quotas", "schema")

_BOOKS = (*SIZES, "objects", "unexplained", "orphans", "rejected", "redactions", "semantic")


def facts(
    conn: Connection,
    repo_ids: Sequence[int] | None = None,
    *,
    now: datetime,
    rules: Mapping[str, int] | None = None,
    semantic: Tier | None = None,
) -> dict[str, Any]:
    """Return the facts about these repositories, about all for None.

    Args:
        conn: any connection that may read; the numbers agree with each other when its transactions see one
            state (repeatable read).
        repo_ids: ids of repositories; unknown ones are ignored.
        now: what ages and times left are reckoned from.
        rules: versions of the rules that the asking program knows besides those of this package.
        semantic: the semantic tier of the asking program.
    """
    known_rules = {"signals": signals.VERSION, "tokens": tokens.VERSION, **(rules or {})}
    # A savepoint inside the caller's transaction would be two more journeys to the server.
    idle = conn.info.transaction_status is TransactionStatus.IDLE
    with conn.transaction() if idle else nullcontext():
        ids = [row[0] for row in conn.execute(SQL["every"])] if repo_ids is None else list(repo_ids)
        sections = _Sections(conn, ids, known_rules, now, semantic or Tier())
    found = sections.repositories()
    return {
        "schema": sections.schema(),
        **{size: sum(repo[size] or 0 for repo in found) for size in SIZES},
        "repositories": found,
        "passes": sections.passes(),
        "passes_note": PASSES_NOTE,
        "samples": sections.samples(),
        "quotas": sections.quotas(),
        "semantic": vectors.told(semantic or Tier(), [repo["semantic"] for repo in found]),
    }


class _Sections:
    """The sections of the page, each read once for all repositories."""

    def __init__(
        self, conn: Connection, ids: list[int], rules: dict[str, int], now: datetime, tier: Tier
    ) -> None:
        self._now = now
        self._known_rules = rules
        about = {"repo_ids": ids}
        rows = _read(
            conn,
            {
                **dict.fromkeys(_SECTIONS, about),
                "activity": {**about, "alive_since": now - presence.SILENCE},
                "holders": {**about, **presence.PARAMETERS},
            },
        )
        self._repositories, self._passes, self._samples = (
            rows[name] for name in ("repositories", "passes", "samples")
        )
        self._quotas, self._schema = rows["quotas"], rows["schema"]
        self._holders = _by_repo(rows["holders"])
        self._runs = _by_repo(rows["activity"])
        self._removals = _by_repo(rows["removals"])
        self._rules = _by_repo(rows["rules"])
        self._authors = _by_repo(rows["authors"])
        # Whether there are any vectors is asked, and not looked up: search goes by what there is now.
        self._model = None if tier.likeness is None else tier.likeness.encoder.name
        self._vectors = {} if self._model is None else held(conn, ids, self._model)

    def schema(self) -> dict[str, Any]:
        """Return which version the tables have, and which is missing."""
        applied = [row["version"] for row in self._schema]
        pending = [] if applied == [SCHEMA_VERSION] else [SCHEMA_VERSION]
        return {"dialect": "postgresql", "applied": applied, "pending": pending}

    def repositories(self) -> list[dict[str, Any]]:
        """Return each repository's facts."""
        return [self._of(repo) for repo in self._repositories]

    def _of(self, repo: dict[str, Any]) -> dict[str, Any]:
        """Return one repository's facts."""
        key: int = repo["id"]
        books: dict[str, Any] = repo["facts"] or {}
        removals = self._removals.get(key, [])
        tiers = {row["tier"]: row["logins"] for row in self._authors.get(key, [])}
        return {
            "repo": repo["full_name"],
            "source": repo["source_kind"],
            "counted_at": utc(repo["counted_at"]),
            "ran_since": self._ran_since(key, repo["counted_at"], removals),
            "under_way": self._under_way(key),
            **{fact: books.get(fact) for fact in _BOOKS},
            **self._semantic(key, books),
            "removed": _removed(removals),
            "rules": [self._rule(row) for row in self._rules.get(key, [])],
            "authors": {tier: tiers.get(tier, 0) for tier in TIERS},
            "activity": [activity.told(run, self._now) for run in self._runs.get(key, [])],
        }

    def _semantic(self, repo_id: int, books: dict[str, Any]) -> dict[str, Any]:
        if self._model is None:
            return {}
        return {"semantic": vectors.of_repo(books, self._model, self._vectors.get(repo_id, 0))}

    def passes(self) -> list[dict[str, Any]]:
        """Return how far each pass of each repository has come."""
        return [self._pass(row) for row in self._passes]

    def samples(self) -> list[dict[str, Any]]:
        """Return the histories of which only a part was fetched."""
        return [
            {
                "repo": row["repo"],
                "thread_type": row["kind"],
                "indexed_from": utc(row["floor"]),
                "selector": "merged" if row["merged_only"] else "all",
                "sampled_at": utc(row["declared_at"]),
            }
            for row in self._samples
        ]

    def quotas(self) -> list[dict[str, Any]]:
        """Return what GitHub last said is left."""
        return [_quota(row) for row in self._quotas]

    def _under_way(self, repo_id: int) -> list[str]:
        """Return the passes that are at work now."""
        runs = (
            run["pass"]
            for run in self._runs.get(repo_id, [])
            if presence.lives(run["ended_at"], run["seen_at"], run["waiting_until"], self._now)
        )
        return sorted({*(row["pass"] for row in self._holders.get(repo_id, [])), *runs})

    def _ran_since(
        self, repo_id: int, counted_at: datetime | None, removals: Iterable[dict[str, Any]]
    ) -> list[str]:
        """Return the passes that may have changed what was counted, since then."""
        if counted_at is None:
            return []
        found = {
            row["pass"]
            for row in self._passes
            if row["repo_id"] == repo_id and row["pass"] in WRITERS and _may_have_written(row, counted_at)
        }
        if any(row["reason"] == "forgotten" and row["last_at"] > counted_at for row in removals):
            found.add(FORGET)
        return sorted(found)

    def _pass(self, row: dict[str, Any]) -> dict[str, Any]:
        under_way = row["pass"] in self._under_way(row["repo_id"])
        note = UNFINISHED_NOTE if row["is_unfinished"] else None
        return {
            "repo": row["repo"],
            "pass": row["pass"],
            "note": UNDER_WAY_NOTE if under_way else note,
            "high_water": utc(row["high_water"]),
            "last_run_at": utc(row["last_run_at"]),
            "last_ok_at": utc(row["last_ok_at"]),
            "lag_seconds": _seconds_since(row["last_ok_at"], self._now),
            "cursor": row["cursor"],
            "windows": windows.coverage(
                row["windows_through"],
                row["windows_open"],
                today=self._now.astimezone(UTC).date(),
                gaps=row["pass"] in windows.WITHOUT_GAPS,
            ),
            "error": row["error"],
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


def _read(conn: Connection, asked: Mapping[str, Mapping[str, object]]) -> dict[str, list[dict[str, Any]]]:
    """Return the rows of statements by name, all asked for in one journey."""
    with conn.pipeline():
        cursors = {
            name: conn.cursor(row_factory=dict_row).execute(SQL[name], values)
            for name, values in asked.items()
        }
    return {name: cursor.fetchall() for name, cursor in cursors.items()}


def _by_repo(rows: list[dict[str, Any]]) -> dict[int, list[dict[str, Any]]]:
    found: dict[int, list[dict[str, Any]]] = {}
    for row in rows:
        found.setdefault(row["repo_id"], []).append(row)
    return found


def _may_have_written(mark: dict[str, Any], counted_at: datetime) -> bool:
    """Return whether a pass wrote, or may have written, after the counting."""
    moments = [mark["last_run_at"], mark["last_ok_at"]]
    # One that neither ended nor failed may have gone on after a counting that came in between.
    open_ended = mark["is_unfinished"] and mark["error"] is None
    return open_ended or any(moment > counted_at for moment in moments if moment is not None)


def _removed(rows: Iterable[dict[str, Any]]) -> dict[str, dict[str, int]]:
    """Return how much is gone, by reason and then by kind."""
    found: dict[str, dict[str, int]] = {}
    for row in rows:
        if row["objects"]:
            found.setdefault(row["reason"], {})[row["kind"]] = row["objects"]
    return found


def _seconds_since(moment: datetime | None, now: datetime) -> int | None:
    return None if moment is None else max(round((now - moment).total_seconds()), 0)


def _quota(row: dict[str, Any]) -> dict[str, Any]:
    return {
        "token": row["token_name"],
        "resource": row["resource"],
        "allowed": row["allowed"],
        "remaining": row["remaining"],
        "resets_at": utc(row["resets_at"]),
        "seen_at": utc(row["seen_at"]),
    }
