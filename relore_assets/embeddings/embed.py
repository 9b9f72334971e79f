"""Gives every thread of a repository a vector of its title and the head of its opening post; a second run makes none.

A batch is one transaction, so a run that is killed has lost nothing: what has a vector of today's words is not made
again. Threads that vanish take their vectors with them.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, LiteralString

from psycopg.rows import class_row, scalar_row

from relore_assets.embeddings.keeping import SQL, VectorsUnavailable, composed, ready
from relore_serve.semantic import text, vectors
from relore_serve.semantic.encoder import EncoderUnavailable, installed
from relore_serve.status.presence import LOCK_CLASSES

if TYPE_CHECKING:
    from collections.abc import Generator, Sequence

    from psycopg import Connection

    from relore_serve.semantic.encoder import Encoder

BATCH = 64
"""Threads of a transaction: a few seconds' work."""
MOST_WORKERS = 8

Say = Callable[[str], object]


@dataclass(frozen=True, slots=True)
class Embedded:
    """What is held after a run, and how many vectors the run wrote."""

    threads: int
    vectors: int
    written: int


@dataclass(frozen=True, slots=True)
class _Due:
    """A thread of which a vector is to be made."""

    thread_id: int
    title: str
    body: str
    digest: bytes


def require_encoder() -> Encoder:
    """Return the encoder that is installed.

    Raises:
        VectorsUnavailable: none is.
    """
    found = installed()
    if found is None:
        raise VectorsUnavailable(
            "No model is installed to make vectors with: install relore[semantic], or leave the semantic tier off."
        )
    return found


def embed(
    conn: Connection,
    repo_id: int,
    encoder: Encoder,
    *,
    administer: Callable[[], None] | None = None,
    say: Say | None = None,
) -> Embedded:
    """Make the vectors that are missing, or of other words than their threads' today.

    Args:
        conn: the owner's, in autocommit mode.
        repo_id: the repository.
        encoder: the model; what it is called is stored with each vector.
        administer: see `keeping.ready`.
        say: is told how far it is, batch by batch.

    Raises:
        VectorsUnavailable: they cannot be made, or not be kept in this database.
    """
    home = ready(conn, administer=administer)
    with _alone(conn, repo_id):
        scope = {"repo_id": repo_id, "model": encoder.name, "head": text.HEAD}
        with conn.cursor(row_factory=scalar_row) as cursor:
            due = cursor.execute(composed("due_count", home), scope).fetchone() or 0
        written = done = 0
        for batch in _batches(conn, composed("due", home), scope):
            written += _write(conn, home, scope, batch, _encoded(encoder, batch))
            done += len(batch)
            if say is not None:
                say(f"{done:,} of {due:,} vectors")
        counted = vectors.count(conn, repo_id, encoder.name)
        assert counted is not None  # noqa: S101 - the tables are there
        held = {"threads": counted["threads"], "vectors": counted["vectors"]}
        conn.execute(SQL["record"], {"repo_id": repo_id, **held})
    return Embedded(written=written, **held)


@contextmanager
def _alone(conn: Connection, repo_id: int) -> Generator[None]:
    values = {"class": LOCK_CLASSES["embeddings"], "repo_id": repo_id}
    conn.execute(SQL["alone"], values)
    try:
        yield
    finally:
        if not conn.closed and not conn.broken:
            conn.execute(SQL["let_go"], values)


def _batches(conn: Connection, statement: LiteralString, scope: dict[str, Any]) -> Generator[list[_Due]]:
    after = 0
    while True:
        with conn.cursor(row_factory=class_row(_Due)) as cursor:
            rows = cursor.execute(statement, {**scope, "after": after, "batch": BATCH}).fetchall()
        if not rows:
            return
        yield rows
        after = rows[-1].thread_id


def _encoded(encoder: Encoder, batch: Sequence[_Due]) -> list[str]:
    """Return the vectors of a batch as pgvector reads them. One core each: a model run by itself is as fast."""
    try:
        with ThreadPoolExecutor(_workers()) as pool:
            found = pool.map(encoder.vector, (text.of_thread(row.title, row.body) for row in batch))
            return [vectors.literal(vector) for vector in found]
    except EncoderUnavailable as error:
        raise VectorsUnavailable(str(error)) from error


def _workers() -> int:
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return min(cores, MOST_WORKERS)


def _write(
    conn: Connection, home: str, scope: dict[str, Any], batch: Sequence[_Due], embeddings: list[str]
) -> int:
    values = {
        **scope,
        "thread_ids": [row.thread_id for row in batch],
        "digests": [row.digest for row in batch],
        "embeddings": embeddings,
    }
    with conn.transaction():
        # Held before the texts are looked at again, so that nothing removed meanwhile is brought back.
        conn.execute(SQL["hold_threads"], values)
        written = [row[0] for row in conn.execute(composed("write", home), values)]
        conn.execute(composed("write_signs", home), {**values, "thread_ids": written})
    return len(written)
