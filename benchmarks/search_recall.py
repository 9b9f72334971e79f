"""How often a question finds the thread it was taken from on the page of ten, and how long that takes in process.

    python benchmarks/search_recall.py DATABASE_URL QUESTIONS.jsonl [--repo owner/name] [--misses]

A question is a line with ``kind``, ``query``, ``from_thread`` and, for some, ``symbols`` or ``files``.
"""

from __future__ import annotations

import argparse
import json
import statistics
import time
from collections import defaultdict
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from relore_serve.database import connect_reader
from relore_serve.search.engine import search
from relore_serve.search.question import Question
from relore_serve.search.scope import repositories

if TYPE_CHECKING:
    from psycopg import Connection

    from relore_serve.search.scope import Repo


def main() -> None:
    """Print one line per kind of question, and the misses if asked."""
    parser = argparse.ArgumentParser(description="Recall of search over recorded questions.")
    parser.add_argument("database_url")
    parser.add_argument("questions", type=Path)
    parser.add_argument("--repo", help="the only repository to ask")
    parser.add_argument(
        "--misses", action="store_true", help="name the questions whose thread is not on the page"
    )
    arguments = parser.parse_args()
    questions = [json.loads(line) for line in arguments.questions.read_text(encoding="utf-8").splitlines()]
    with connect_reader(arguments.database_url) as conn:
        repos = repositories(conn, [arguments.repo] if arguments.repo else None)
        report(conn, repos, questions, misses=arguments.misses)


def report(
    conn: Connection, repos: tuple[Repo, ...], questions: list[dict[str, Any]], *, misses: bool
) -> None:
    """Ask every question twice, and print recall and MRR of the first time and the times of the second."""
    places: dict[str, list[int]] = defaultdict(list)
    times: dict[str, list[float]] = defaultdict(list)
    missed: list[str] = []
    for asked in [*questions, *questions]:
        question = Question(
            asked["query"],
            repos=repos,
            symbols=tuple(asked.get("symbols", ())),
            files=tuple(asked.get("files", ())),
        )
        started = time.perf_counter()
        found = search(conn, question, datetime.now(UTC))
        taken = time.perf_counter() - started
        kind = asked["kind"]
        if len(places[kind]) < sum(other["kind"] == kind for other in questions):
            threads = list(dict.fromkeys(hit.number for hit in found.hits))
            wanted = asked["from_thread"]
            places[kind].append(threads.index(wanted) + 1 if wanted in threads else 0)
            if wanted not in threads:
                words = asked["query"] or asked.get("symbols") or asked.get("files")
                missed.append(f"  {kind} {words!r} wants {wanted}, total {found.total}")
        else:
            times[kind].append(taken * 1000)
    for kind, found in places.items():
        rank = statistics.fmean(1 / place if place else 0 for place in found)
        print(
            f"{kind:<12}{sum(place > 0 for place in found):>4} of {len(found):<4} MRR {rank:.3f}"
            f"   p50 {statistics.median(times[kind]):6.1f} ms   max {max(times[kind]):6.1f} ms"
        )
    every = sorted(one for part in times.values() for one in part)
    print(f"{'all':<12}p50 {every[len(every) // 2]:.1f} ms   p95 {every[int(len(every) * 0.95)]:.1f} ms")
    if misses:
        print("\n".join(missed))


if __name__ == "__main__":
    main()
