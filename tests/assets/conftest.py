"""The small history that tests of serving use, and an instance that measures it."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import dagster as dg
import pytest

from relore_assets.resources import Store

sys.path.append(str(Path(__file__).parents[1] / "serve"))

from rows import History

if TYPE_CHECKING:
    from collections.abc import Iterator

    from psycopg import Connection


@pytest.fixture
def history(conn: Connection) -> History:
    """Writes rows into the test's database; what readers are to see has to be folded and committed."""
    return History(conn)


@pytest.fixture
def store(database_url: str, reader_url: str) -> Store:
    """The test's database, for its owner and for readers."""
    return Store(url=database_url, reader_url=reader_url)


@pytest.fixture
def instance() -> Iterator[dg.DagsterInstance]:
    """An instance that knows the repository that is measured."""
    with dg.DagsterInstance.ephemeral() as made:
        made.add_dynamic_partitions("repos", ["harbor/tide"])
        yield made
