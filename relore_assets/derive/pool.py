"""Runs batches on worker processes and hands their results back as they come."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
from collections import deque
from contextlib import contextmanager, suppress
from queue import SimpleQueue
from typing import IO, TYPE_CHECKING, cast

from relore_assets.derive.batch import BatchResult
from relore_assets.derive.writer import Written
from relore_assets.errors import ReloreError

if TYPE_CHECKING:
    from collections.abc import Generator, Iterator, Sequence


class WorkerDied(ReloreError):
    """A worker process ended in the middle of its work; what it had committed stays, and a new run resumes."""


def run_batches(
    database_url: str, repo_id: int, repo: str, batches: Sequence[list[int]], workers: int
) -> Iterator[BatchResult]:
    """Yield one result per batch, in the order in which they are done.

    Raises:
        WorkerDied: a worker ended early. Closing the generator early ends the workers after their batch.
    """
    todo = deque(batches)
    results: SimpleQueue[BatchResult | Exception | None] = SimpleQueue()
    task = {"database_url": database_url, "repo_id": repo_id, "repo": repo}
    stop = threading.Event()
    threads = [
        threading.Thread(target=_drive, args=(task, todo, results, stop), daemon=True)
        for _ in range(min(workers, len(batches)))
    ]
    for thread in threads:
        thread.start()
    running = len(threads)
    try:
        while running:
            result = results.get()
            if result is None:
                running -= 1
            elif isinstance(result, Exception):
                raise result
            else:
                yield result
    finally:
        stop.set()
        for thread in threads:
            thread.join()


def _drive(
    task: dict[str, object],
    todo: deque[list[int]],
    results: SimpleQueue[BatchResult | Exception | None],
    stop: threading.Event,
) -> None:
    """Feed one worker from the shared deque until it is empty."""
    try:
        with _worker(task) as (stdin, stdout, worker):
            while not stop.is_set():
                try:
                    numbers = todo.popleft()
                except IndexError:
                    break
                _ask(stdin, numbers)
                line = stdout.readline()
                if not line:
                    results.put(WorkerDied(f"a derive worker ended early (exit {worker.wait()})"))
                    break
                results.put(_result(json.loads(line)))
    except OSError as error:
        results.put(WorkerDied(f"a derive worker ended early: {error}"))
    finally:
        results.put(None)


@contextmanager
def _worker(task: dict[str, object]) -> Generator[tuple[IO[str], IO[str], subprocess.Popen[str]]]:
    worker = subprocess.Popen(
        [sys.executable, "-m", "relore_assets.derive.worker"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        encoding="utf-8",
        start_new_session=True,
        env={**os.environ, "PYTHONIOENCODING": "utf-8"},
    )
    stdin, stdout = cast("IO[str]", worker.stdin), cast("IO[str]", worker.stdout)
    try:
        _ask(stdin, task)
        yield stdin, stdout, worker
    finally:
        # The end of its input is what a worker ends on; one that died has closed its end already.
        with suppress(BrokenPipeError):
            stdin.close()
        worker.wait()
        stdout.close()


def _ask(stdin: IO[str], what: object) -> None:
    stdin.write(json.dumps(what) + "\n")
    stdin.flush()


def _result(payload: dict[str, object]) -> BatchResult:
    written = payload["written"]
    failed = payload["failed"]
    assert isinstance(written, dict)  # noqa: S101 - the worker's own asdict
    assert isinstance(failed, dict)  # noqa: S101
    return BatchResult(
        threads=int(str(payload["threads"])),
        documents=int(str(payload["documents"])),
        written=Written(**written),  # pyright: ignore[reportUnknownArgumentType]
        failed={int(number): str(reason) for number, reason in failed.items()},  # pyright: ignore[reportUnknownArgumentType, reportUnknownVariableType]
    )
