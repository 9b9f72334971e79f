"""Requests of a full backfill by endpoint, beside the fewest that GitHub's page sizes allow.

    GITHUB_TOKEN=... RELORE_GITHUB_URL=http://127.0.0.1:8470 python benchmarks/fetch_requests.py owner/name

Runs against an embedded Postgres of its own. The fewest are reckoned from what was staged: full pages of every list,
as many threads in a query as we ever put there, and a query more wherever a thread's list goes beyond its first page.
A second fetch, of which nothing is new, is measured too.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
import time
from collections import Counter
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

import psycopg

from relore_assets.fetch import repos
from relore_assets.fetch.github.activity import NullActivity
from relore_assets.fetch.passes.details import CONTINUATIONS, ISSUES, PULLS
from relore_assets.fetch.passes.window import fetch_windows
from relore_assets.local.postgres import LocalPostgres
from relore_assets.partitions import all_windows
from relore_assets.schema import upgrade
from relore_assets.settings import Settings

if TYPE_CHECKING:
    from psycopg import Connection

PAGE = 100
BUDGET = 1.05


def main() -> int:
    """Fetch a repository and print the table; leaves with 1 when it took more than the budget."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("repo")
    arguments = parser.parse_args()
    folder = Path(tempfile.mkdtemp(prefix="relore-bench-"))
    folder.chmod(0o711)
    server = LocalPostgres(folder / "postgres")
    server.start()
    try:
        upgrade(server.url())
        with psycopg.connect(server.url(), autocommit=True) as conn:
            return _run(conn, arguments.repo)
    finally:
        server.stop()


def _run(conn: Connection, name: str) -> int:
    github = Settings.from_env().github(os.environ)
    repo = repos.register(conn, name, "api", github.base.url)
    spent: list[Counter[str]] = []
    for run in ("first", "second"):
        activity = NullActivity()
        started = time.perf_counter()
        with github.client(activity) as client:
            result = fetch_windows(conn, client, repo, all_windows(datetime.now(UTC)))
        print(
            f"{run} fetch: {time.perf_counter() - started:.1f} s, {result.staged.written:,} rows written, "
            f"{activity.counts.total} requests, {activity.counts.points} GraphQL points, "
            f"retries {dict(activity.counts.retries) or 'none'}"
        )
        spent.append(activity.counts.requests)
    return _print(spent[0], _fewest(conn, repo.id))


def _print(spent: Counter[str], fewest: Counter[str]) -> int:
    print(f"{'endpoint':22} {'requests':>8} {'fewest':>7} {'ratio':>6}")
    for endpoint in sorted(spent | fewest):
        _line(endpoint, spent[endpoint], fewest[endpoint])
    _line("all", spent.total(), fewest.total())
    return 0 if spent.total() <= BUDGET * fewest.total() else 1


def _line(name: str, spent: int, fewest: int) -> None:
    print(f"{name:22} {spent:8} {fewest:7} {spent / fewest if fewest else 0:6.3f}")


def _fewest(conn: Connection, repo_id: int) -> Counter[str]:
    """Reckon the fewest requests that bring what is staged."""
    held = dict(
        conn.execute(
            "SELECT kind, count(*) FROM relore.raw_objects WHERE repo_id = %s GROUP BY kind", (repo_id,)
        ).fetchall()
    )
    fewest = Counter(
        {
            "issues": _pages(held.get("issue", 0)),
            "issues/comments": _pages(held.get("issue_comment", 0)),
            "pulls/comments": _pages(held.get("review_comment", 0)),
            "pulls": _pages(held.get("pull", 0)),
        }
    )
    fewest["graphql"] = -(-held.get("pull_detail", 0) // PULLS) + -(-held.get("issue_detail", 0) // ISSUES)
    further = conn.execute(
        """
        SELECT thread_number, kind, CASE WHEN kind IN ('review', 'event') THEN count(*)
               ELSE max(jsonb_array_length(payload -> 'items')) END AS members
        FROM relore.raw_objects
        WHERE repo_id = %s AND kind IN ('review', 'event', 'pull_files', 'pull_commits', 'pull_closing')
        GROUP BY thread_number, kind
        """,
        (repo_id,),
    ).fetchall()
    rounds: Counter[int] = Counter()
    for _, _, members in further:
        for page in range(1, _pages(members)):
            rounds[page] += 1
    fewest["graphql"] += sum(-(-threads // CONTINUATIONS) for threads in rounds.values())
    moved = conn.execute(
        """
        SELECT jsonb_array_length(payload -> 'items') FROM relore.raw_objects
        WHERE repo_id = %s AND kind = 'pull_files'
          AND jsonb_path_exists(payload, '$.items[*] ? (@.status == "renamed" || @.status == "copied")')
        """,
        (repo_id,),
    ).fetchall()
    fewest["pulls/N/files"] = sum(_pages(files) for (files,) in moved)
    return fewest


def _pages(entries: int) -> int:
    return max(1, -(-entries // PAGE))


if __name__ == "__main__":
    sys.exit(main())
