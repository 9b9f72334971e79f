"""Makes the tables equal to what a batch of threads derives to, and touches nothing that already is.

One transaction per batch: killed at any point, a batch has happened whole or not at all.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field, fields
from typing import TYPE_CHECKING, Any, LiteralString, NamedTuple

from psycopg.rows import tuple_row

from relore_assets.derive.rows import (
    CommitRow,
    Derived,
    DocumentRow,
    EventRow,
    FileRow,
    LinkRow,
    ThreadRow,
    VerdictRow,
)
from relore_serve import sql

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from datetime import datetime

    import psycopg

    from relore_assets.authority.standing import Trust

QUERIES = sql.load("relore_assets.derive", "writer.sql")

_DOCUMENT_COLUMNS = (
    "source_type, source_id, chunk_index, chunk_count, author, author_association, trust, machine, url, body, "
    "search_vector, lexemes, unsearchable, created_at, updated_at, path, line, original_line, side, "
    "in_reply_to, commit_sha, enclosing_symbol, review_id, review_state, content_hash, noise, trust_until, trust_then"
)
_COPY_DOCUMENTS = f"COPY relore.documents (id, repo_id, thread_id, {_DOCUMENT_COLUMNS}) FROM STDIN"
_COPY_NEW_DOCUMENTS = f"COPY new_documents (id, repo_id, thread_id, {_DOCUMENT_COLUMNS}) FROM STDIN"
_NEW_DOCUMENTS = (
    "CREATE TEMPORARY TABLE IF NOT EXISTS new_documents (LIKE relore.documents) ON COMMIT DELETE ROWS"
)
_NEW_THREADS = "CREATE TEMPORARY TABLE IF NOT EXISTS new_threads (LIKE relore.threads) ON COMMIT DELETE ROWS"
# A temporary copy has the columns' NOT NULL but none of their defaults.
_RELAX_THREADS: LiteralString = (
    "ALTER TABLE new_threads ALTER id DROP NOT NULL, "
    "ALTER repo_id DROP NOT NULL, ALTER indexed_at DROP NOT NULL"
)


class StoredDocument(NamedTuple):
    """What is held of one document: enough to tell whether it changed."""

    thread_id: int
    source_type: str
    source_id: str
    chunk_index: int
    id: int
    content_hash: bytes
    trust: str
    machine: bool
    trust_until: list[datetime] | None
    trust_then: list[Trust] | None


class Moved(NamedTuple):
    """The tiers of a document whose words are what they were."""

    id: int
    trust: str
    machine: bool
    trust_until: list[datetime] | None
    trust_then: list[Trust] | None


@dataclass(slots=True)
class Written:
    """Rows written by a batch, by table; all zero when nothing had changed."""

    threads: int = 0
    documents: int = 0
    versions: int = 0
    signals: int = 0
    files: int = 0
    links: int = 0
    commits: int = 0
    verdicts: int = 0
    events: int = 0
    removed_threads: int = 0
    removed_documents: int = 0

    @property
    def total(self) -> int:
        """All rows together."""
        return sum(getattr(self, each.name) for each in fields(self))

    def add(self, other: Written) -> None:
        """Add another batch's counts to these."""
        for each in fields(self):
            setattr(self, each.name, getattr(self, each.name) + getattr(other, each.name))


@dataclass(slots=True)
class Batch:
    """A batch's plan: which document rows are new, changed or gone."""

    new: list[tuple[int, int, DocumentRow]] = field(default_factory=list[tuple[int, int, DocumentRow]])
    changed: list[tuple[int, int, DocumentRow]] = field(default_factory=list[tuple[int, int, DocumentRow]])
    gone: list[int] = field(default_factory=list[int])
    moved: list[Moved] = field(default_factory=list[Moved])


def prepare(conn: psycopg.Connection) -> None:
    """Create the session's temporary tables. Call once per connection, outside a batch."""
    with conn.transaction():
        conn.execute(_NEW_DOCUMENTS)
        conn.execute(_NEW_THREADS)
        conn.execute(_RELAX_THREADS)


def write(
    conn: psycopg.Connection, repo_id: int, derived: Sequence[Derived], hashes: Mapping[int, bytes]
) -> Written:
    """Write a batch inside the caller's transaction; the caller holds the threads' locks.

    Args:
        conn: a connection on which :func:`prepare` has run.
        repo_id: the repository of every thread in the batch.
        derived: the threads' rows.
        hashes: the input hash of each number in the batch.
    """
    if not derived:
        return Written()
    written = Written()
    numbers = [each.thread.number for each in derived]
    known = _ids(conn, repo_id, numbers)
    written.threads = _write_threads(conn, repo_id, derived, hashes)
    ids = _ids(conn, repo_id, numbers) if len(known) < len(numbers) else known
    held_ids = list(known.values())
    documents = _write_documents(conn, repo_id, derived, ids, held_ids, written)
    for each in _LISTS:
        wanted = {
            ids[thread.thread.number]: {tuple(row) for row in getattr(thread, each.rows)}
            for thread in derived
        }
        setattr(written, each.rows, _replace_lists(conn, repo_id, each, wanted, held_ids))
    _write_links(conn, repo_id, derived, ids, held_ids, documents, written)
    return written


def remove_threads(conn: psycopg.Connection, repo_id: int, thread_ids: list[int]) -> Written:
    """Remove threads whose head is staged no more, keeping what they said in ``document_versions``."""
    written = Written(removed_threads=len(thread_ids))
    if not thread_ids:
        return written
    prepare(conn)
    with conn.cursor(row_factory=tuple_row) as cur:
        gone = [
            row[0]
            for row in cur.execute(QUERIES["documents_of_threads"], {"thread_ids": thread_ids}).fetchall()
        ]
        cur.execute(QUERIES["subtract_terms"], {"repo_id": repo_id, "replaced": gone})
        written.versions = cur.execute(QUERIES["keep_versions"], {"replaced": gone}).rowcount
        cur.execute(QUERIES["remove_threads"], {"thread_ids": thread_ids})
    written.removed_documents = len(gone)
    return written


def _ids(conn: psycopg.Connection, repo_id: int, numbers: list[int]) -> dict[int, int]:
    with conn.cursor(row_factory=tuple_row) as cur:
        rows = cur.execute(QUERIES["thread_ids"], {"repo_id": repo_id, "numbers": numbers}).fetchall()
    return dict(rows)


def _write_threads(
    conn: psycopg.Connection, repo_id: int, derived: Sequence[Derived], hashes: Mapping[int, bytes]
) -> int:
    columns = ", ".join(ThreadRow._fields)
    with conn.cursor() as cur:
        with cur.copy(f"COPY new_threads ({columns}, input_hash) FROM STDIN") as copy:  # pyright: ignore[reportArgumentType, reportCallIssue]
            for each in derived:
                copy.write_row((*each.thread, hashes[each.thread.number]))
        cur.execute(QUERIES["upsert_threads"], {"repo_id": repo_id})
        return cur.rowcount


def _write_documents(
    conn: psycopg.Connection,
    repo_id: int,
    derived: Sequence[Derived],
    ids: Mapping[int, int],
    held_ids: list[int],
    written: Written,
) -> dict[tuple[int, tuple[str, str, int]], int]:
    """Write the documents that differ and their signals; return every document's id by thread and key."""
    plan, by_key = _plan(conn, derived, ids, held_ids)
    replaced = [document_id for document_id, _, _ in plan.changed] + plan.gone
    with conn.cursor() as cur:
        if plan.changed:
            _copy_documents(cur, _COPY_NEW_DOCUMENTS, repo_id, plan.changed)
        if replaced:
            cur.execute(QUERIES["subtract_terms"], {"repo_id": repo_id, "replaced": replaced})
            written.versions = cur.execute(QUERIES["keep_versions"], {"replaced": replaced}).rowcount
        if plan.changed:
            cur.execute(QUERIES["update_documents"])
            cur.execute(QUERIES["remove_signals"], {"ids": [each[0] for each in plan.changed]})
        if plan.gone:
            cur.execute(QUERIES["remove_documents"], {"ids": plan.gone})
            written.removed_documents = len(plan.gone)
        if plan.moved:
            cur.executemany(QUERIES["move_trust"], [each._asdict() for each in plan.moved])
        if plan.new:
            _copy_documents(cur, _COPY_DOCUMENTS, repo_id, plan.new)
        fresh = plan.new + plan.changed
        if fresh:
            written.signals = _copy_signals(cur, repo_id, fresh)
            _copy_terms(cur, repo_id, (row for _, _, row in fresh))
    written.documents = len(plan.new) + len(plan.changed) + len(plan.moved)
    return by_key


def _plan(
    conn: psycopg.Connection, derived: Sequence[Derived], ids: Mapping[int, int], held_ids: list[int]
) -> tuple[Batch, dict[tuple[int, tuple[str, str, int]], int]]:
    held: dict[tuple[int, tuple[str, str, int]], StoredDocument] = {}
    with conn.cursor(row_factory=tuple_row) as cur:
        if held_ids:
            for row in cur.execute(QUERIES["stored_documents"], {"thread_ids": held_ids}):
                stored = StoredDocument(*row)
                held[(stored.thread_id, (stored.source_type, stored.source_id, stored.chunk_index))] = stored
        plan = Batch()
        unseen: list[tuple[int, DocumentRow]] = []
        by_key: dict[tuple[int, tuple[str, str, int]], int] = {}
        for each in derived:
            thread_id = ids[each.thread.number]
            for row in each.documents:
                stored = held.pop((thread_id, row.key), None)
                if stored is None:
                    unseen.append((thread_id, row))
                    continue
                by_key[(thread_id, row.key)] = stored.id
                if stored.content_hash != row.content_hash:
                    plan.changed.append((stored.id, thread_id, row))
                elif stored[-4:] != (tiers := (row.trust, row.machine, row.trust_until, row.trust_then)):
                    plan.moved.append(Moved(stored.id, *tiers))
        plan.gone = [stored.id for stored in held.values()]
        if unseen:
            fresh = cur.execute(QUERIES["document_ids"], {"count": len(unseen)}).fetchall()
            for (document_id,), (thread_id, row) in zip(fresh, unseen, strict=True):
                plan.new.append((document_id, thread_id, row))
                by_key[(thread_id, row.key)] = document_id
    return plan, by_key


def _copy_documents(
    cur: psycopg.Cursor[Any], statement: str, repo_id: int, rows: Iterable[tuple[int, int, DocumentRow]]
) -> None:
    with cur.copy(statement) as copy:  # pyright: ignore[reportArgumentType, reportCallIssue]
        for document_id, thread_id, row in rows:
            copy.write_row(
                (
                    document_id,
                    repo_id,
                    thread_id,
                    row.source_type,
                    row.source_id,
                    row.chunk_index,
                    row.chunk_count,
                    row.author,
                    row.author_association,
                    row.trust,
                    row.machine,
                    row.url,
                    row.body,
                    row.search_vector,
                    row.lexemes,
                    row.unsearchable,
                    row.created_at,
                    row.updated_at,
                    row.path,
                    row.line,
                    row.original_line,
                    row.side,
                    row.in_reply_to,
                    row.commit_sha,
                    row.enclosing_symbol,
                    row.review_id,
                    row.review_state,
                    row.content_hash,
                    row.noise,
                    row.trust_until,
                    row.trust_then,
                )
            )


def _copy_signals(
    cur: psycopg.Cursor[Any], repo_id: int, rows: Iterable[tuple[int, int, DocumentRow]]
) -> int:
    count = 0
    with cur.copy(
        "COPY relore.signals (repo_id, document_id, kind, value, tail, source, first_seen_at, thread_id) FROM STDIN"
    ) as copy:
        for document_id, thread_id, row in rows:
            for signal in row.signals:
                copy.write_row((repo_id, document_id, *signal, row.created_at, thread_id))
                count += 1
    return count


def _copy_terms(cur: psycopg.Cursor[Any], repo_id: int, rows: Iterable[DocumentRow]) -> None:
    counts: Counter[str] = Counter()
    for row in rows:
        counts.update(row.terms)
    with cur.copy("COPY relore.term_deltas (repo_id, lexeme, delta) FROM STDIN") as copy:
        for lexeme, count in counts.items():
            copy.write_row((repo_id, lexeme, count))


@dataclass(frozen=True, slots=True)
class _List:
    """A table that holds whole lists: a thread's rows are all replaced when any of them differs."""

    table: str
    #: The field of `Derived` that the rows come from, and of `Written` that counts them.
    rows: str
    #: Names of the statements that read what is held, and remove it.
    stored: str
    remove: str
    columns: tuple[str, ...]


_LISTS = (
    _List("changed_files", "files", "stored_files", "remove_files", FileRow._fields),
    _List("commits", "commits", "stored_commits", "remove_commits", CommitRow._fields),
    _List("verdicts", "verdicts", "stored_verdicts", "remove_verdicts", VerdictRow._fields),
    _List("thread_events", "events", "stored_events", "remove_events", EventRow._fields),
)


def _replace_lists(
    conn: psycopg.Connection,
    repo_id: int,
    kept: _List,
    wanted: Mapping[int, set[tuple[Any, ...]]],
    held_ids: list[int],
) -> int:
    """Replace the rows of those threads whose set of rows differs; return how many rows were written."""
    held: dict[int, set[tuple[Any, ...]]] = {}
    with conn.cursor(row_factory=tuple_row) as cur:
        if held_ids:
            for thread_id, *rest in cur.execute(QUERIES[kept.stored], {"thread_ids": held_ids}):
                held.setdefault(thread_id, set()).add(tuple(rest))
        differing = [thread_id for thread_id, rows in wanted.items() if held.get(thread_id, set()) != rows]
        stale = [thread_id for thread_id in differing if thread_id in held]
        if stale:
            cur.execute(QUERIES[kept.remove], {"thread_ids": stale})
        count = sum(len(held[thread_id]) for thread_id in stale if not wanted[thread_id])
        into = f"relore.{kept.table} (repo_id, thread_id, {', '.join(kept.columns)})"
        with cur.copy(f"COPY {into} FROM STDIN") as copy:  # pyright: ignore[reportArgumentType, reportCallIssue]
            for thread_id in differing:
                for row in wanted[thread_id]:
                    copy.write_row((repo_id, thread_id, *row))
                    count += 1
    return count


def _write_links(
    conn: psycopg.Connection,
    repo_id: int,
    derived: Sequence[Derived],
    ids: Mapping[int, int],
    held_ids: list[int],
    documents: Mapping[tuple[int, tuple[str, str, int]], int],
    written: Written,
) -> None:
    held: dict[int, set[LinkRow]] = {}
    with conn.cursor(row_factory=tuple_row) as cur:
        if held_ids:
            for row in cur.execute(QUERIES["stored_links"], {"thread_ids": held_ids}):
                thread_id, relation, repo, number, source, at, source_type, source_id, index = row
                key = None if source_type is None else (source_type, source_id, index)
                held.setdefault(thread_id, set()).add(LinkRow(relation, repo, number, source, at, key))
        stale: list[int] = []
        rows: list[tuple[Any, ...]] = []
        for each in derived:
            thread_id = ids[each.thread.number]
            wanted = set(each.links)
            if held.get(thread_id, set()) == wanted:
                continue
            if thread_id in held:
                stale.append(thread_id)
            for link in wanted:
                document_id = documents[(thread_id, link.document)] if link.document else None
                rows.append(
                    (
                        repo_id,
                        thread_id,
                        document_id,
                        link.relation,
                        link.target_repo,
                        link.target_number,
                        link.source,
                        link.stated_at,
                    )
                )
        if stale:
            cur.execute(QUERIES["remove_links"], {"thread_ids": stale})
        with cur.copy(
            "COPY relore.links (repo_id, thread_id, document_id, relation, target_repo, target_number, source, "
            "stated_at) FROM STDIN"
        ) as copy:
            for row in rows:
                copy.write_row(row)
    written.links = len(rows) or sum(len(held[thread_id]) for thread_id in stale)
