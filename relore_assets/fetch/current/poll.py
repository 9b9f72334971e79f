"""What a poll of a repository has to fetch: nothing, while nothing moved; else the windows in which news may be.

A poll is a fetch of the open window that is begun only when there is something to fetch. It goes on from the marks
of what is committed, a minute earlier, list by list and oldest first: so a backlog drains in the order in which it
arose. A fetch that failed after its lists were walked leaves threads to be read in detail, and a run that ended before
its tables were derived leaves these: the next poll does both, whether anything has moved since or not.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import orjson
from psycopg.rows import tuple_row

from relore_assets.errors import ReloreError
from relore_assets.fetch.current.heads import Committed, Heads, from_json, look, to_json, waiting, watermark
from relore_assets.fetch.passes.window import MARKED, OVERLAP, mark, windows_since_mark
from relore_assets.windows import FIRST_WINDOW, end_of, window_of
from relore_serve.sql import load
from relore_serve.status.presence import LOCK_CLASSES

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import date, datetime

    from psycopg import Connection

    from relore_assets.fetch.current.heads import Head
    from relore_assets.fetch.github.client import GitHub
    from relore_assets.fetch.repos import Repo

SQL = load("relore_assets.fetch.current", "poll.sql")


class NotFetched(ReloreError):
    """A repository has no fetch to go on from."""


@dataclass(frozen=True, slots=True)
class Due:
    """What a look at a repository came to.

    Attributes:
        heads: what was seen, for the next look.
        windows: what is to be fetched, oldest first; none when nothing waits.
        watermark: names what was newest.
    """

    heads: Heads
    windows: list[date]
    watermark: str


def due(conn: Connection, client: GitHub, repo: Repo, seen: Mapping[str, Head]) -> Due:
    """Look at a repository, and say which windows are to be fetched.

    Args:
        conn: the owner's connection.
        client: asks GitHub.
        repo: a repository that is fetched from GitHub.
        seen: what the last look saw; nothing costs a request a list.

    Raises:
        NotFetched: its open window was never fetched, so there is nothing to go on from.
        GitHubError: GitHub cannot be asked.
    """
    committed, now = _committed(conn, repo)
    heads = look(client, repo.full_name, seen, now)
    firsts = [windows_since(committed, heads, now)[0]] if waiting(heads, committed) else []
    firsts += _left(conn, repo.id, now)
    return Due(heads, _up_to(now, min(firsts)) if firsts else [], watermark(heads))


def windows_since(committed: Committed, heads: Mapping[str, Head], now: datetime) -> list[date]:
    """Return the windows from the oldest mark to the open one, in order.

    A list that is empty has no mark, and one that was when it was fetched had none either: what it holds now came
    after the marks of the others. Where all were empty everything is new.
    """
    marks = [committed.marks.get(kind) for kind, head in heads.items() if head.newest is not None]
    known = [moment for moment in marks if moment is not None]
    return _up_to(now, max(window_of(min(known) - OVERLAP), FIRST_WINDOW) if known else FIRST_WINDOW)


def _up_to(now: datetime, first: date) -> list[date]:
    """Return the windows from ``first`` to the open one."""
    found = [first]
    while end_of(found[-1]) <= window_of(now):
        found.append(end_of(found[-1]))
    return found


def _left(conn: Connection, repo_id: int, now: datetime) -> list[date]:
    """Return where a run has to begin for what an earlier one did not get to, though its lists were walked; or nothing.

    While somebody is at it, nothing is left behind yet.
    """
    classes = [LOCK_CLASSES["fetch"], LOCK_CLASSES["derive"]]
    settled, not_derived, at_work = _one(conn, "left", {"repo_id": repo_id, "classes": classes})
    if at_work:
        return []
    firsts = [] if settled else windows_since_mark(conn, repo_id, now)[:1]
    return firsts if not_derived is None else [*firsts, not_derived]


def recall(conn: Connection, repo_id: int) -> Heads:
    """Return what the last poll from a shell has seen."""
    row = conn.execute(SQL["seen"], {"repo_id": repo_id}).fetchone()
    return from_json(orjson.loads(row[0])) if row else {}


def remember(conn: Connection, repo_id: int, heads: Mapping[str, Head], *, error: str | None = None) -> None:
    """Keep what was seen, and whether everything that was there has been fetched and derived."""
    text = orjson.dumps(to_json(heads)).decode()
    conn.execute(SQL["remember"], {"repo_id": repo_id, "cursor": text, "error": error})


def _committed(conn: Connection, repo: Repo) -> tuple[Committed, datetime]:
    row = _one(conn, "fetched", {"repo_id": repo.id})
    now, followed, since = row
    if not followed:
        raise NotFetched(
            f"{repo.full_name} has not been fetched up to now, so there is nothing for a poll to go on from: "
            f"relored backfill --repo {repo.full_name}."
        )
    return Committed({kind: mark(conn, repo.id, kind) for kind in MARKED}, since), now


def _one(conn: Connection, name: str, values: dict[str, Any]) -> tuple[Any, ...]:
    with conn.cursor(row_factory=tuple_row) as cursor:
        row = cursor.execute(SQL[name], values).fetchone()
    assert row is not None  # noqa: S101 - a SELECT without FROM always has a row
    return row
