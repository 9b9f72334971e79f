"""Imports an archive into one repository: reads, keeps to the asked windows, cleans, stages."""

from __future__ import annotations

import re
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from itertools import islice
from typing import TYPE_CHECKING, Any

import psycopg

from relore_assets import books
from relore_assets.fetch import repos
from relore_assets.fetch.archives.found import Raw
from relore_assets.fetch.archives.layout import recognise
from relore_assets.fetch.door import clean
from relore_assets.fetch.staging import SQL, Stage, StageResult
from relore_assets.windows import window_among
from relore_serve.status.presence import LOCK_CLASSES

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Generator
    from datetime import date
    from pathlib import Path

    from psycopg import Connection

    from relore_assets.fetch.archives.layout import Layout
    from relore_assets.fetch.repos import Repo

MARKS = "import"

#: A page of an issue or pull request, on github.com or on a server of one's own.
_ADDRESS = re.compile(r"https?://[^/\s]+/([A-Za-z0-9-]+/[A-Za-z0-9._-]+)/(?:issues|pull)/[0-9]+")
_LOOKED_AT = 1_000

# The lock is also what `status` knows a living import by.
_LOCK_CLASS = LOCK_CLASSES[MARKS]


@dataclass(frozen=True)
class Progress:
    """How far an import has come."""

    bytes_read: int
    bytes_total: int
    read: int
    written: int
    unchanged: int
    rejected: int


@dataclass(frozen=True)
class ImportResult:
    """What an import did."""

    repo: Repo
    layout: str
    staged: StageResult = field(default_factory=StageResult)
    #: What the archive also holds and was left alone, see `Layout.not_read`.
    not_read: tuple[str, ...] = ()


def import_archive(
    database: str | Connection,
    repo: str,
    path: Path,
    *,
    on_progress: Callable[[Progress], object] | None = None,
    only_windows: Collection[date] | None = None,
) -> ImportResult:
    """Stage the archive at ``path`` for the repository ``repo``, which from now on remembers it.

    Run again, it writes only what differs; killed at any point, it is simply run again. Two imports of one
    repository wait for each other.

    Args:
        database: the owner's address, or a connection of the owner with no transaction open.
        repo: ``owner/name``.
        path: a folder in one of the layouts of `relore_assets.fetch.archives`.
        on_progress: told after each batch how far the import has come.
        only_windows: first days of quarters. Objects whose own date (for lists: their thread's) lies outside
            are left for other runs; objects without any date are taken by every run.

    Raises:
        BadNameError: ``repo`` is no repository name.
        UnknownLayoutError: ``path`` holds nothing that can be imported.
    """
    repos.checked_name(repo)
    layout = recognise(path)
    with _connection(database) as conn:
        row = repos.register(conn, repo, "archive", str(path.resolve()))
        with _alone(conn, row.id, shared=only_windows is not None):
            staged = _import(conn, row.id, layout, on_progress, only_windows)
    return ImportResult(row, layout.name, staged, tuple(layout.not_read()))


def books_of(database: str | Connection, repo: str) -> dict[str, Any]:
    """Return a repository's books as the last pass left them, see `relore_assets.books`.

    Raises:
        BadNameError, UnknownRepository: the name is none, or the repository is not indexed.
    """
    with _connection(database) as conn:
        return books.held(conn, repos.known(conn, repo).id)


def named_repository(path: Path) -> str | None:
    """Return the ``owner/name`` in the first address of the archive at ``path``; None where its beginning holds none.

    Raises:
        UnknownLayoutError: ``path`` holds nothing that can be imported.
    """
    for item in islice(recognise(path).objects(), _LOOKED_AT):
        if isinstance(item, Raw) and (found := _ADDRESS.match(str(item.payload.get("html_url") or ""))):
            return found[1]
    return None


def quarters_present(path: Path) -> list[date]:
    """Return the first days of the quarters in which the archive at ``path`` has objects, oldest first.

    Raises:
        UnknownLayoutError: ``path`` holds nothing that can be imported.
    """
    now = datetime.now(UTC)
    return sorted(
        {
            window_among(item.updated_at, now)
            for item in recognise(path).objects()
            if isinstance(item, Raw) and item.updated_at is not None
        }
    )


def _import(
    conn: Connection,
    repo_id: int,
    layout: Layout,
    on_progress: Callable[[Progress], object] | None,
    only_windows: Collection[date] | None,
) -> StageResult:
    total = layout.size()
    read = 0

    def on_bytes(count: int) -> None:
        nonlocal read
        read += count

    def on_batch(result: StageResult) -> None:
        if on_progress is not None:
            on_progress(Progress(read, total, result.read, result.written, result.unchanged, result.rejected))

    now = datetime.now(UTC)
    stage = Stage(conn, repo_id, marks=MARKS, source="archive", windows=only_windows, on_batch=on_batch)
    try:
        for item in layout.objects(on_bytes):
            if not isinstance(item, Raw):
                stage.add(item)
            elif (
                only_windows is None
                or item.updated_at is None
                or window_among(item.updated_at, now) in only_windows
            ):
                stage.add(clean(item))
            else:
                stage.meet(item)
        stage.end()
    except Exception as error:
        if not conn.broken:
            stage.fail(error)
            books.add_up(conn, repo_id)
        raise
    books.add_up(conn, repo_id)
    return stage.result


@contextmanager
def _connection(database: str | Connection) -> Generator[Connection]:
    """Open a connection for the length of an import, or lend the one that was given."""
    if isinstance(database, str):
        with psycopg.connect(database, autocommit=True) as conn:
            yield conn
    else:
        yield database


@contextmanager
def _alone(conn: Connection, repo_id: int, *, shared: bool) -> Generator[None]:
    """Hold the repository's import lock; a session that dies lets go of it."""
    lock, unlock = ("lock_shared", "unlock_shared") if shared else ("lock", "unlock")
    values = {"class": _LOCK_CLASS, "repo_id": repo_id}
    with conn.transaction():
        conn.execute(SQL[lock], values)
    try:
        yield
    finally:
        if not conn.broken:
            with conn.transaction():
                conn.execute(SQL[unlock], values)
