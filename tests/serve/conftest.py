"""A small history to read, on the test's own database."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from rows import History

if TYPE_CHECKING:
    from psycopg import Connection


@pytest.fixture
def history(conn: Connection) -> History:
    """Writes rows into the test's database; call `fold` when all is written."""
    return History(conn)
