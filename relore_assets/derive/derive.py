"""Derives a repository, or some windows of it: finds what changed, spreads it over the cores, records the pass."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from datetime import UTC, date, datetime
from typing import TYPE_CHECKING, Any

import psycopg
from psycopg.rows import tuple_row
from psycopg.types.json import Jsonb

from relore_assets import books
from relore_assets.authority.authors import load_standing
from relore_assets.derive import chunks, fold, term_stats, writer
from relore_assets.derive.batch import BatchResult, derive_batch
from relore_assets.derive.pool import run_batches
from relore_assets.derive.writer import QUERIES
from relore_assets.fetch import repos
from relore_assets.windows import FIRST_WINDOW, NO_WINDOW, end_of
from relore_serve import signals
from relore_serve.search import tokens

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Sequence

#: Staged objects per batch: long enough to pay for its statements, short enough for steady progress.
BATCH_OBJECTS = 600
#: Below this many objects a worker process costs more than it brings.
INLINE_OBJECTS = 300

RULE_VERSIONS = {
    "signals": signals.VERSION,
    "tokens": tokens.VERSION,
    "chunks": chunks.VERSION,
    "derive": fold.VERSION,
}


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a derive is: staged objects done of those to do, and documents derived."""

    done: int
    total: int
    documents: int


@dataclass(slots=True)
class DeriveResult:
    """What a derive found and did.

    ``unchanged`` threads were left alone because nothing they derive from had changed; ``orphans`` maps numbers
    without a head to how many objects wait under them; ``failed`` numbers kept the rows they had.
    """

    considered: int = 0
    unchanged: int = 0
    batch: BatchResult = field(default_factory=BatchResult)
    orphans: dict[int, int] = field(default_factory=dict[int, int])
    lexemes_moved: int = 0

    @property
    def rows_written(self) -> int:
        """All rows of all tables that this run wrote or removed."""
        return self.batch.written.total


def derive(
    database_url: str,
    repo: str,
    *,
    windows: Sequence[date] | None = None,
    numbers: Collection[int] | None = None,
    full: bool = False,
    workers: int | None = None,
    on_progress: Callable[[Progress], None] | None = None,
) -> DeriveResult:
    """Make the derived tables equal to what is staged.

    Args:
        database_url: the owner's connection string.
        repo: ``owner/name`` of an indexed repository.
        windows: starts of quarters; only threads with an object changed inside one of them are considered,
            each once and from everything staged. None considers every thread. A derive that considers all
            of them also removes those whose head is staged no more.
        numbers: just these threads, which are removed where their head is staged no more. No pass over windows,
            and not recorded as one.
        full: compute every considered thread again, even where nothing it derives from has changed. Writes
            only what then differs.
        workers: processes; by default one per core.
        on_progress: called after every batch.

    Raises:
        BadName, UnknownRepository: the name is none, or the repository is not indexed.
        WorkerDied: a worker process ended early; a new run resumes.
    """
    with psycopg.connect(database_url, autocommit=True) as conn:
        known = repos.known(conn, repo)
        repo_id, name = known.id, known.full_name
        books.at_work(conn, repo_id, "derive")
        if numbers is None:
            _record_start(conn, repo_id, windows)
        result = DeriveResult()
        touched, everything = (
            _touched(conn, repo_id, windows) if numbers is None else (sorted(numbers), False)
        )
        changed, objects = _changed(conn, repo_id, touched, result, full=full)
        batches = list(_batches(changed, objects))
        total = sum(objects[number] for number in changed)
        done = 0
        for batch, outcome in _run(
            conn, database_url, (repo_id, name), batches, total, workers or os.cpu_count() or 1
        ):
            result.batch.add(outcome)
            done += batch
            if on_progress:
                on_progress(Progress(min(done, total), total, result.batch.documents))
        if everything or numbers is not None:
            _remove_vanished(conn, repo_id, None if everything else touched, result)
        result.orphans = _orphans(conn, repo_id)
        with conn.transaction():
            result.lexemes_moved = term_stats.fold(conn, repo_id).lexemes
        if numbers is None:
            _record_end(conn, repo_id, windows, result)
        if everything and not result.batch.failed:
            _record_rules(conn, repo_id)
        books.add_up(conn, repo_id)
    return result


def _touched(
    conn: psycopg.Connection, repo_id: int, windows: Sequence[date] | None
) -> tuple[list[int] | None, bool]:
    """Return the numbers that the windows touch (None: no need to name them), and whether these are all."""
    if windows is None:
        return None, True
    # Dates in the future (a clock that ran ahead) belong to the open window, dates before GitHub's to the first.
    today = datetime.now(UTC).date()
    bounds = {
        "repo_id": repo_id,
        "starts": ["-infinity" if start == FIRST_WINDOW else f"{start}T00:00Z" for start in windows],
        "ends": ["infinity" if end_of(start) > today else f"{end_of(start)}T00:00Z" for start in windows],
    }
    with conn.cursor(row_factory=tuple_row) as cur:
        row = cur.execute(QUERIES["touched_numbers"], bounds).fetchone()
    assert row is not None  # noqa: S101 - an aggregate always has a row
    return row[0], row[1]


def _changed(
    conn: psycopg.Connection, repo_id: int, touched: list[int] | None, result: DeriveResult, *, full: bool
) -> tuple[list[int], dict[int, int]]:
    """Return the numbers to derive, in order, and how many objects each has."""
    scope: dict[str, Any] = {"repo_id": repo_id, "numbers": touched, "rules": fold.RULE_SET}
    with conn.cursor(row_factory=tuple_row) as cur:
        wanted = cur.execute(QUERIES["input_hashes"], scope).fetchall()
        held = dict(cur.execute(QUERIES["stored_hashes"], {"repo_id": repo_id}).fetchall())
    objects = {number: count for number, _, count in wanted}
    todo = sorted(number for number, digest, _ in wanted if full or held.get(number) != digest)
    result.considered = len(wanted)
    result.unchanged = len(wanted) - len(todo)
    return todo, objects


def _batches(numbers: Iterable[int], objects: dict[int, int]) -> Iterator[list[int]]:
    batch: list[int] = []
    weight = 0
    for number in numbers:
        batch.append(number)
        weight += objects[number]
        if weight >= BATCH_OBJECTS:
            yield batch
            batch, weight = [], 0
    if batch:
        yield batch


def _run(
    conn: psycopg.Connection,
    database_url: str,
    repo: tuple[int, str],
    batches: list[list[int]],
    total: int,
    workers: int,
) -> Iterator[tuple[int, BatchResult]]:
    """Yield how many objects a step was worth, and its result."""
    if not batches:
        return
    share = -(-total // len(batches))
    repo_id, name = repo
    if total <= INLINE_OBJECTS:
        writer.prepare(conn)
        standing = load_standing(conn, repo_id)
        for batch in batches:
            yield share, derive_batch(conn, repo_id, name, batch, standing)
        return
    for outcome in run_batches(database_url, repo_id, name, batches, workers):
        yield share, outcome


def _remove_vanished(
    conn: psycopg.Connection, repo_id: int, numbers: list[int] | None, result: DeriveResult
) -> None:
    scope = {"repo_id": repo_id, "numbers": numbers}
    with conn.transaction(), conn.cursor(row_factory=tuple_row) as cur:
        gone = [row[0] for row in cur.execute(QUERIES["vanished_threads"], scope)]
        result.batch.written.add(writer.remove_threads(conn, repo_id, gone))


def _orphans(conn: psycopg.Connection, repo_id: int) -> dict[int, int]:
    with conn.cursor(row_factory=tuple_row) as cur:
        return dict(cur.execute(QUERIES["orphans"], {"repo_id": repo_id}).fetchall())


def _record_start(conn: psycopg.Connection, repo_id: int, windows: Sequence[date] | None) -> None:
    for window in windows or (NO_WINDOW,):
        conn.execute(QUERIES["record_start"], {"repo_id": repo_id, "window": window})


def _record_end(
    conn: psycopg.Connection, repo_id: int, windows: Sequence[date] | None, result: DeriveResult
) -> None:
    """Record the pass, and which rules the rows are now written with."""
    skipped: dict[str, int] = {}
    if result.batch.failed:
        skipped["could not be derived"] = len(result.batch.failed)
    first = min(result.batch.failed.items()) if result.batch.failed else None
    with conn.transaction():
        for window in windows or (NO_WINDOW,):
            conn.execute(
                QUERIES["record_end"],
                {
                    "repo_id": repo_id,
                    "window": window,
                    "stated": result.considered,
                    "done": result.considered - len(result.batch.failed),
                    "skipped": Jsonb(skipped),
                    "error": f"#{first[0]}: {first[1]}" if first else None,
                },
            )


def _record_rules(conn: psycopg.Connection, repo_id: int) -> None:
    with conn.transaction():
        for rule, version in RULE_VERSIONS.items():
            conn.execute(QUERIES["record_rule"], {"repo_id": repo_id, "rule": rule, "version": version})
