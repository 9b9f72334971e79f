"""A reader's session."""

from __future__ import annotations

from contextlib import closing
from typing import TYPE_CHECKING

import pytest

from relore_serve.database import connect_reader

if TYPE_CHECKING:
    from collections.abc import Iterator

    from psycopg import Connection


@pytest.fixture
def reader(reader_url: str) -> Iterator[Connection]:
    """A session that may read and nothing else."""
    with closing(connect_reader(reader_url)) as session:
        yield session
