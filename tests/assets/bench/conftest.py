"""A small history to measure on, its index, and a reader's session."""

from __future__ import annotations

import sys
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

sys.path.append(str(Path(__file__).parents[2] / "serve"))

from rows import History

from relore_serve.database import connect_reader

if TYPE_CHECKING:
    from collections.abc import Iterator

    from psycopg import Connection


@pytest.fixture
def history(conn: Connection) -> History:
    """Writes rows into the test's database; what readers are to see has to be folded and committed."""
    return History(conn)


@pytest.fixture
def reader(reader_url: str) -> Iterator[Connection]:
    """A session that may read and nothing else."""
    with closing(connect_reader(reader_url)) as session:
        yield session
