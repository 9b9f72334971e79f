"""A repository to measure, and runs in its tables."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

sys.path.append(str(Path(__file__).parents[2] / "serve"))

from rows import History

if TYPE_CHECKING:
    from psycopg import Connection

    from relore_assets.fetch.repos import Repo


@pytest.fixture
def history(conn: Connection) -> History:
    """Writes rows into the test's database."""
    return History(conn)


@pytest.fixture
def repo(conn: Connection, history: History) -> Repo:
    """A repository without threads."""
    from relore_assets.fetch import repos  # noqa: PLC0415

    history.repo("harbor/tide")
    conn.commit()
    return repos.known(conn, "harbor/tide")
