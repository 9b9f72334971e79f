"""A worker process: batches of numbers in on standard input, results out on standard output, JSON by line.

A process of its own, and not a forked one: the parent may be a Dagster run with threads, sockets and a
``__main__`` that costs seconds to import. It ends when its input does, so a killed parent leaves nothing behind;
the batch it was on is then committed or rolled back whole.
"""

from __future__ import annotations

import gc
import json
import signal
import sys
from dataclasses import asdict

import psycopg

from relore_assets.authority.authors import load_standing
from relore_assets.derive import writer
from relore_assets.derive.batch import derive_batch


def main() -> None:
    """Serve batches until standard input ends. The first line names the database and the repository."""
    # The parent decides when work stops; the terminal's Ctrl-C reaches it alone.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    # Rows are many, small and free of cycles: looking for cycles as often as by default takes a quarter of the time.
    gc.set_threshold(50_000, 20, 20)
    task = json.loads(sys.stdin.readline())
    with psycopg.connect(task["database_url"], autocommit=True) as conn:
        standing = load_standing(conn, task["repo_id"])
        writer.prepare(conn)
        for line in sys.stdin:
            result = derive_batch(conn, task["repo_id"], task["repo"], json.loads(line), standing)
            print(json.dumps(asdict(result)), flush=True)


if __name__ == "__main__":
    main()
