"""The sample built once for all tests that only read it."""

from __future__ import annotations

import pytest
from sample_archive import Built, read_archive

from relore_assets.demo.build import write_both
from relore_assets.demo.git import Git


@pytest.fixture(scope="session")
def built(tmp_path_factory: pytest.TempPathFactory) -> Built:
    """Archive and repository as the demo writes them."""
    folder = tmp_path_factory.mktemp("sample")
    write_both(folder / "ebbsync.git", folder / "archive")
    return Built(folder / "archive", Git(folder / "ebbsync.git"), read_archive(folder / "archive"))
