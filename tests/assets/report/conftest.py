"""A repository to measure, and runs in its tables."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from psycopg import Connection
    from rows import History

    from relore_assets.fetch.repos import Repo


@pytest.fixture
def repo(conn: Connection, history: History) -> Repo:
    """A repository without threads."""
    from relore_assets.fetch import repos  # noqa: PLC0415

    history.repo("harbor/tide")
    conn.commit()
    return repos.known(conn, "harbor/tide")
