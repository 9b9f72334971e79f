"""The books are added up when a pass has ended, and stored with the moment up to which they are true."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import pytest
from psycopg.types.json import Jsonb

from relore_assets import books
from relore_assets.derive.derive import derive
from relore_assets.fetch.archives.found import Found
from relore_assets.fetch.repos import register
from relore_assets.fetch.staging import Stage
from relore_serve.status import facts

if TYPE_CHECKING:
    from psycopg import Connection

NAME = "harbor/tide"
EARLY = datetime(2024, 6, 1, tzinfo=UTC)


@pytest.fixture
def repo_id(conn: Connection) -> int:
    """A repository without history."""
    return register(conn, NAME, "archive", "/nowhere").id


def stored(conn: Connection) -> tuple[datetime, dict[str, Any]]:
    """Return the one row of books."""
    row = conn.execute("SELECT counted_at, facts FROM relore.books").fetchone()
    conn.commit()
    assert row is not None
    return row


def stage(conn: Connection, repo_id: int, *numbers: int) -> None:
    """Stage issues."""
    held = Stage(conn, repo_id, marks="import", source="archive")
    for number in numbers:
        payload = {
            "number": number,
            "title": f"Leak number {number}",
            "body": "It leaks.",
            "state": "open",
            "user": {"login": "buoy", "type": "User"},
            "html_url": f"https://github.test/{NAME}/issues/{number}",
            "created_at": "2024-05-01T00:00:00Z",
            "updated_at": "2024-05-01T00:00:00Z",
        }
        held.add(Found("issue", str(number), number, payload, EARLY, 1, 0, 0))
    held.end()


def test_an_empty_repository_has_books(conn: Connection, repo_id: int) -> None:
    """All of them zero, which is known and not assumed."""
    assert books.add_up(conn, repo_id)["unexplained"] == 0
    assert stored(conn)[1]["threads"] == 0


def test_counting_again_moves_the_date_and_nothing_else(conn: Connection, repo_id: int) -> None:
    """The date says up to when somebody looked."""
    stage(conn, repo_id, 1)
    books.add_up(conn, repo_id)
    first_at, first = stored(conn)
    books.add_up(conn, repo_id)
    again_at, again = stored(conn)
    assert again == first
    assert again_at > first_at


def test_a_counting_that_ends_later_but_began_earlier_does_not_win(conn: Connection, repo_id: int) -> None:
    """Two passes may end at the same time; the one that saw less may write last."""
    books.add_up(conn, repo_id)
    at, facts_then = stored(conn)
    conn.execute(
        books.SQL["store"],
        {"repo_id": repo_id, "counted_at": EARLY, "facts": Jsonb({"threads": -1})},
    )
    assert stored(conn) == (at, facts_then)


def test_derive_leaves_the_books_added_up(conn: Connection, repo_id: int, database_url: str) -> None:
    """Also a derive of single threads, and one that finds nothing to do."""
    stage(conn, repo_id, 1, 2)
    derive(database_url, NAME, workers=1)
    first_at, first = stored(conn)
    assert (first["threads"], first["raw_objects"], first["unexplained"]) == (2, 2, 0)
    derive(database_url, NAME, workers=1)
    idle_at, idle = stored(conn)
    assert (idle_at > first_at, idle) == (True, first)
    conn.execute("DELETE FROM relore.raw_objects WHERE thread_number = 2")
    conn.commit()
    derive(database_url, NAME, numbers=[2], workers=1)
    assert stored(conn)[1]["threads"] == 1


def test_after_a_derive_nothing_has_run_since(conn: Connection, repo_id: int, database_url: str) -> None:
    """The marks of the pass itself are older than its counting."""
    stage(conn, repo_id, 1)
    derive(database_url, NAME, workers=1)
    (repo,) = facts(conn, now=datetime.now(UTC))["repositories"]
    assert (repo["ran_since"], repo["under_way"]) == ([], [])
    stage(conn, repo_id, 1, 2)
    (repo,) = facts(conn, now=datetime.now(UTC))["repositories"]
    assert repo["ran_since"] == ["import"]
