"""A place for servers of their own, which tests may kill."""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from relore_assets.local.postgres import LocalPostgres

if TYPE_CHECKING:
    from collections.abc import Iterator


@pytest.fixture
def place() -> Iterator[Path]:
    """A folder with a short path that the server's account may enter, whoever we are."""
    memory = Path("/dev/shm")  # noqa: S108 - the folder made there has a random name and is ours
    folder = Path(tempfile.mkdtemp(prefix="relore-local-", dir=memory if memory.is_dir() else None))
    folder.chmod(0o711)
    yield folder
    shutil.rmtree(folder)


@pytest.fixture
def server(place: Path) -> Iterator[LocalPostgres]:
    """A server of this test's own, not started yet."""
    server = LocalPostgres(place / "postgres", durable=False, settings={"synchronous_commit": "on"})
    yield server
    server.stop()
