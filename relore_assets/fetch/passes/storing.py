"""Stores what was read of whole threads: removes what is no more, then stages the rest."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

from relore_assets.fetch import removals
from relore_assets.fetch.archives import found
from relore_assets.fetch.archives.found import Raw
from relore_assets.fetch.current.removing import hold_alone, remove_objects
from relore_assets.fetch.door import clean
from relore_assets.fetch.passes import shapes
from relore_serve.sql import load
from relore_serve.status.presence import LOCK_CLASSES

if TYPE_CHECKING:
    from collections.abc import Collection, Generator, Iterable
    from datetime import datetime

    from psycopg import Connection

    from relore_assets.fetch.archives.found import Rejected
    from relore_assets.fetch.github.client import GitHub
    from relore_assets.fetch.passes.details import Detail, Totals
    from relore_assets.fetch.staging import Stage

SQL = load("relore_assets.fetch.passes", "passes.sql")

# The lock is also what `status` knows a living fetch by.
LOCK_CLASS = LOCK_CLASSES["fetch"]

_EVENTS = sorted(set(shapes.PULL_EVENTS.values()))


@contextmanager
def alone(conn: Connection, repo_id: int) -> Generator[None]:
    """Be the only one who fetches the repository; waits for others. A session that dies lets go."""
    values = {"class": LOCK_CLASS, "repo_id": repo_id}
    with conn.transaction():
        conn.execute(SQL["lock"], values)
    try:
        yield
    finally:
        if not conn.broken:
            with conn.transaction():
                conn.execute(SQL["unlock"], values)


def add(stage: Stage, items: Iterable[Raw | Rejected]) -> None:
    """Clean and add what was read."""
    for item in items:
        stage.add(clean(item) if isinstance(item, Raw) else item)


def clock(conn: Connection) -> datetime:
    """Return the database's time."""
    row = conn.execute(SQL["clock"]).fetchone()
    assert row is not None  # noqa: S101 - a SELECT without FROM always has a row
    return row[0]


def state_totals(conn: Connection, repo_id: int, totals: Totals) -> None:
    """Keep how many threads GitHub counts in a repository, for the books to set against what is held."""
    # Every pull request stands in the list of issues too, where there is one.
    threads = None if totals.issues is None else totals.issues + totals.pulls
    conn.execute(SQL["state_totals"], {"repo_id": repo_id, "threads": threads, "pulls": totals.pulls})


def store_details(
    conn: Connection,
    stage: Stage,
    repo_id: int,
    batch: list[Detail],
    started: datetime,
    moved_files: Iterable[Raw] = (),
) -> None:
    """Store a batch of threads that were read in detail, in one transaction for what is there.

    What is there no more goes before: the mark that a thread was read stands in the transaction after it.
    """
    whole = [detail for detail in batch if not detail.missing]
    numbers = [detail.wanted.number for detail in whole]
    pulls = [detail.wanted.number for detail in whole if detail.wanted.is_pull]
    if pulls:
        reviews = [object_id for detail in whole for object_id in detail.ids(found.REVIEW)]
        drop_absent(conn, repo_id, found.REVIEW, pulls, reviews, started)
    talked = [detail for detail in whole if detail.talked]
    if talked:
        comments = [object_id for detail in talked for object_id in detail.ids(found.ISSUE_COMMENT)]
        numbers_talked = [detail.wanted.number for detail in talked]
        drop_absent(conn, repo_id, found.ISSUE_COMMENT, numbers_talked, comments, started)
    if numbers:
        events = [object_id for detail in whole for object_id in detail.ids(found.EVENT)]
        with conn.transaction():
            conn.execute(
                SQL["drop_events"],
                {
                    "repo_id": repo_id,
                    "numbers": numbers,
                    "events": _EVENTS,
                    "started": started,
                    "object_ids": events,
                },
            )
    replaced = {(raw.kind, raw.object_id): raw for raw in moved_files}
    for detail in batch:
        add(stage, (replaced.get((raw.kind, raw.object_id), raw) for raw in detail.raws))
    stage.flush()


def drop_absent(
    conn: Connection,
    repo_id: int,
    kind: str,
    numbers: Collection[int],
    object_ids: Collection[str],
    started: datetime,
) -> None:
    """Remove comments or reviews of whole threads that were not among ``object_ids``."""
    values = {
        "repo_id": repo_id,
        "kind": kind,
        "numbers": list(numbers),
        "object_ids": list(object_ids),
    }
    gone = [row[0] for row in conn.execute(SQL["absent"], values)]
    if gone:
        with conn.transaction():
            hold_alone(conn, repo_id)
            remove_objects(
                conn,
                repo_id,
                [(kind, object_id) for object_id in gone],
                reason=removals.DELETED,
                unless_stored_since=started,
            )


def files_with_former_paths(client: GitHub, repo: str, batch: list[Detail]) -> list[Raw]:
    """Read the files of those pull requests again in which files had other paths before: GraphQL leaves these out."""
    read: list[Raw] = []
    for detail in batch:
        if not detail.moved:
            continue
        number = detail.wanted.number
        items = [
            shapes.trimmed({key: value for key, value in item.items() if key != "patch"})
            for page in client.pages(f"/repos/{repo}/pulls/{number}/files")
            for item in page.items
        ]
        payload = {"number": number, "items": items}
        read.append(Raw(found.PULL_FILES, str(number), number, payload, detail.wanted.as_of, len(items)))
    return read
