"""A small history to mine from: the one that tests of serving use."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

sys.path.append(str(Path(__file__).parents[2] / "serve"))

from rows import History

if TYPE_CHECKING:
    from psycopg import Connection


@pytest.fixture
def history(conn: Connection) -> History:
    """Writes rows into the test's database."""
    return History(conn)
