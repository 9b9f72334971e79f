"""Derives one batch of threads in one transaction: lock, read what is staged, fold, write."""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import groupby
from operator import itemgetter
from typing import TYPE_CHECKING, Any

import orjson
import psycopg
from psycopg.rows import tuple_row

from relore_assets.derive import writer
from relore_assets.derive.events import TOLD
from relore_assets.derive.fold import RULE_SET, fold
from relore_assets.derive.staged import gather
from relore_assets.derive.writer import QUERIES, Written

if TYPE_CHECKING:
    from relore_assets.authority.lookup import Standing
    from relore_assets.derive.rows import Derived


@dataclass(slots=True)
class BatchResult:
    """What a batch did. ``failed`` says why a number could not be derived; it kept the rows it had."""

    threads: int = 0
    documents: int = 0
    written: Written = field(default_factory=Written)
    failed: dict[int, str] = field(default_factory=dict[int, str])

    def add(self, other: BatchResult) -> None:
        """Add another batch's counts to these."""
        self.threads += other.threads
        self.documents += other.documents
        self.written.add(other.written)
        self.failed.update(other.failed)


def derive_batch(
    conn: psycopg.Connection, repo_id: int, repo: str, numbers: list[int], standing: Standing
) -> BatchResult:
    """Derive some threads. A thread that cannot be derived is named and does not hold up the others.

    Raises:
        psycopg.OperationalError: the database went away; the batch has not happened.
    """
    try:
        return _derive_together(conn, repo_id, repo, numbers, standing)
    except Exception as error:  # whatever one odd payload trips over must not stop the repository's others
        if _store_is_gone(error):
            raise
        if len(numbers) == 1:
            return BatchResult(failed={numbers[0]: f"{type(error).__name__}: {error}".splitlines()[0]})
    result = BatchResult()
    for number in numbers:
        result.add(derive_batch(conn, repo_id, repo, [number], standing))
    return result


def _store_is_gone(error: Exception) -> bool:
    """Return whether trying the batch's threads one by one is of no use. A row too large for an index is no outage."""
    gone = isinstance(error, psycopg.OperationalError | psycopg.InterfaceError)
    return gone and not isinstance(error, psycopg.errors.ProgramLimitExceeded)


def _derive_together(
    conn: psycopg.Connection, repo_id: int, repo: str, numbers: list[int], standing: Standing
) -> BatchResult:
    scope = {"repo_id": repo_id, "numbers": numbers}
    with conn.transaction():
        with conn.cursor(row_factory=tuple_row) as cur:
            cur.execute(QUERIES["lock_threads"], scope)
            # Hashes first: what arrives between the two reads is then derived again, never overlooked.
            hashes = {
                number: value
                for number, value, _ in cur.execute(QUERIES["input_hashes"], {**scope, "rules": RULE_SET})
            }
            rows = cur.execute(QUERIES["staged"], {**scope, "events": list(TOLD)}).fetchall()
        derived = [each for each in folded(rows, repo, standing) if each.thread.number in hashes]
        written = writer.write(conn, repo_id, derived, hashes)
    return BatchResult(
        threads=len(derived), documents=sum(len(each.documents) for each in derived), written=written
    )


def folded(rows: list[tuple[Any, ...]], repo: str, standing: Standing) -> list[Derived]:
    """Return the rows of every thread in ``rows`` of (number, kind, payload), ordered by number; orphans yield none."""
    found: list[Derived] = []
    for number, group in groupby(rows, key=itemgetter(0)):
        staged = gather(number, ((kind, orjson.loads(payload)) for _, kind, payload in group))
        if staged is not None:
            found.append(fold(staged, repo, standing))
    return found
