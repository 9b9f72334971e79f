"""Documents per second of import, first derive and unchanged derive, and where the time goes.

    python benchmarks/pipeline.py ARCHIVE --repo owner/name [--stated-floor 330 393]

Runs against an embedded Postgres of its own with the settings that `relored up` uses. Everything is measured in one
run on one machine; the last column compares with documents/s that were stated for the same archive elsewhere.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
import time
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import psutil
import psycopg

from relore_assets.authority.authors import load_standing, refresh
from relore_assets.derive import batch
from relore_assets.derive.derive import derive
from relore_assets.derive.writer import QUERIES
from relore_assets.fetch.importing import import_archive
from relore_assets.local.postgres import LocalPostgres
from relore_assets.schema import upgrade

if TYPE_CHECKING:
    from collections.abc import Iterator


@dataclass
class Spent:
    """Wall seconds, and processor seconds of our processes and of Postgres."""

    wall: float = 0.0
    ours: float = 0.0
    postgres: float = 0.0


@contextmanager
def measured(server: LocalPostgres) -> Iterator[Spent]:
    """Measure what happens inside, workers and the server's backends included."""
    spent = Spent()
    ours, theirs, started = _ours(), _postgres(server), time.perf_counter()
    yield spent
    spent.wall = time.perf_counter() - started
    spent.ours = _ours() - ours
    spent.postgres = _postgres(server) - theirs


def _ours() -> float:
    times = os.times()
    return times.user + times.system + times.children_user + times.children_system


def _postgres(server: LocalPostgres) -> float:
    running = server.status()
    assert running is not None
    parent = psutil.Process(running.pid)
    times = parent.cpu_times()
    total = times.user + times.system + times.children_user + times.children_system
    for child in parent.children():
        try:
            used = child.cpu_times()
        except psutil.NoSuchProcess:
            continue
        total += used.user + used.system
    return total


def main() -> int:
    """Run the pipeline on one archive and print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("archive", type=Path)
    parser.add_argument("--repo", required=True)
    parser.add_argument(
        "--stated-floor", nargs=2, type=float, metavar=("FIRST", "UNCHANGED"), default=(330.0, 393.0)
    )
    parser.add_argument(
        "--stated-documents", type=int, default=None, help="documents that the floor was stated for"
    )
    arguments = parser.parse_args()
    folder = Path(tempfile.mkdtemp(prefix="relore-bench-"))
    folder.chmod(0o711)
    server = LocalPostgres(folder / "postgres")
    server.start()
    try:
        return _run(server, arguments)
    finally:
        server.stop()


def _run(server: LocalPostgres, arguments: argparse.Namespace) -> int:
    url = server.url()
    upgrade(url)
    print(f"{os.cpu_count()} cores, load {os.getloadavg()[0]:.1f} before the start")
    results: list[tuple[str, int, Spent, str]] = []
    for name in ("import", "import again"):
        with measured(server) as spent:
            staged = import_archive(url, arguments.repo, arguments.archive).staged
        results.append(
            (name, staged.read, spent, f"{staged.written} objects written, {staged.rejected} rejected")
        )
    with psycopg.connect(url, autocommit=True) as conn:
        repo_id = conn.execute("SELECT id FROM relore.repos").fetchone()[0]  # type: ignore[index]
        with measured(server) as spent, conn.transaction():
            refresh(conn, repo_id)
    results.append(("authority", 0, spent, ""))
    first_documents = 0
    for name, full in (
        ("derive, first", False),
        ("derive, unchanged", False),
        ("derive --full, unchanged", True),
    ):
        with measured(server) as spent:
            result = derive(url, arguments.repo, full=full)
        first_documents = first_documents or result.batch.documents
        results.append((name, first_documents, spent, f"{result.rows_written} rows written"))
    _print(results, arguments, first_documents)
    _where(url, arguments.repo, repo_id)
    return 0


def _print(results: list[tuple[str, int, Spent, str]], arguments: argparse.Namespace, documents: int) -> None:
    print(f"{'step':26} {'items':>8} {'wall s':>7} {'items/s':>9} {'ours s':>7} {'pg s':>6}  note")
    for name, items, spent, note in results:
        rate = f"{items / spent.wall:9,.0f}" if items else " " * 9
        print(
            f"{name:26} {items:8,} {spent.wall:7.2f} {rate} {spent.ours:7.2f} {spent.postgres:6.2f}  {note}"
        )
    stated = arguments.stated_documents or documents
    floors = {"derive, first": arguments.stated_floor[0], "derive, unchanged": arguments.stated_floor[1],
              "derive --full, unchanged": arguments.stated_floor[1]}  # fmt: skip
    for name, _, spent, _ in results:
        if name in floors:
            rate = stated / spent.wall
            print(
                f"{name}: {rate:,.0f} documents/s of {stated:,}, {rate / floors[name]:.1f} x {floors[name]:.0f}"
            )


def _where(url: str, repo: str, repo_id: int) -> None:
    """Print the processor time of derive's own parts, in one process and without the database's writes."""
    with psycopg.connect(url, autocommit=True) as conn:
        standing = load_standing(conn, repo_id)
        started = time.process_time()
        numbers = [row[0] for row in conn.execute("SELECT number FROM relore.threads")]
        rows = conn.execute(QUERIES["staged"], {"repo_id": repo_id, "numbers": numbers}).fetchall()
        read = time.process_time() - started
        started = time.process_time()
        folded = batch.folded(rows, repo, standing)
        fold = time.process_time() - started
    documents = sum(len(each.documents) for each in folded)
    print(f"of derive: reading staged objects {read:.2f} s, folding {fold:.2f} s "
          f"({fold / documents * 1e6:.0f} us a document); the rest is comparing and COPY")  # fmt: skip


if __name__ == "__main__":
    sys.exit(main())
