"""How long `GET /api/v1/status` takes, read from the books and with everything counted live, in one run.

    python benchmarks/status.py ARCHIVE --repo owner/name [--times 200]

Runs against an embedded Postgres of its own with the settings that `relored up` uses. Requests go through the whole
application, without a socket. Counting live is what an answer would cost that trusted no books: the same answer, and
the counting in front of it. `healthz`, which asks Postgres for nothing, tells what the machine has left for anybody.
"""

from __future__ import annotations

import argparse
import os
import statistics
import sys
import tempfile
import time
from contextlib import ExitStack
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

import psycopg

from relore_assets.authority.authors import refresh
from relore_assets.derive.derive import derive
from relore_assets.fetch.importing import import_archive
from relore_assets.local.postgres import READER, LocalPostgres
from relore_assets.schema import upgrade
from relore_serve.database import open_reader
from relore_serve.status.counting import count
from relore_serve.web.app import create_app
from relore_serve.web.tokens import Tokens

if TYPE_CHECKING:
    from collections.abc import Callable

BUDGET_MS = 25.0


def main() -> int:
    """Fill a database, measure, print; 1 when the budget is missed."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("archive", type=Path)
    parser.add_argument("--repo", required=True)
    parser.add_argument("--times", type=int, default=200)
    arguments = parser.parse_args()
    folder = Path(tempfile.mkdtemp(prefix="relore-bench-"))
    folder.chmod(0o711)
    server = LocalPostgres(folder / "postgres")
    with ExitStack() as stack:
        server.start()
        stack.callback(server.stop)
        url = server.url()
        upgrade(url)
        import_archive(url, arguments.repo, arguments.archive)
        with psycopg.connect(url, autocommit=True) as conn:
            with conn.transaction():
                refresh(conn, 1)
            derive(url, arguments.repo)
            conn.execute("ANALYZE")
        return _measure(server, arguments.times)


def _measure(server: LocalPostgres, times: int) -> int:
    with ExitStack() as stack:
        reader = open_reader(server.url(user=READER))
        stack.callback(reader.close)
        app = create_app(
            reader=reader, tokens=Tokens.parse(""), clock=lambda: datetime.now(UTC), version="bench"
        )
        client = app.test_client()

        def from_books() -> None:
            answer = client.get("/api/v1/status?render=true")
            assert answer.status_code == 200
            assert answer.get_json()["repositories"][0]["unexplained"] == 0

        def live() -> None:
            with reader.connection() as conn, conn.transaction():
                count(conn, 1)
            from_books()

        def nothing() -> None:
            assert client.get("/healthz").status_code == 200

        print(f"{os.cpu_count()} cores, load {os.getloadavg()[0]:.1f} before the start")
        asked = {"from the books": from_books, "counted live": live, "floor (healthz)": nothing}
        took: dict[str, list[float]] = {name: [] for name in asked}
        # In turns, so that whatever else the machine does falls on all of them.
        for place in range(times + 5):
            for name, ask in asked.items():
                spent = _timed(ask)
                if place >= 5:
                    took[name].append(spent)
    print(f"{'GET status':<16} {'p50 ms':>8} {'p95 ms':>8}")
    for name, spent in took.items():
        print(f"{name:<16} {statistics.median(spent):>8.1f} {_p95(spent):>8.1f}")
    books, counted, _ = (_p95(spent) for spent in took.values())
    verdict = "kept" if books <= BUDGET_MS else "MISSED"
    print(f"ratio of the p95: {counted / books:.1f}; budget {BUDGET_MS:.0f} ms: {verdict}")
    return 0 if books <= BUDGET_MS else 1


def _timed(ask: Callable[[], None]) -> float:
    started = time.perf_counter()
    ask()
    return (time.perf_counter() - started) * 1_000


def _p95(values: list[float]) -> float:
    return statistics.quantiles(values, n=20)[-1]


if __name__ == "__main__":
    sys.exit(main())
