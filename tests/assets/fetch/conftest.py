"""What tests of fetching share."""

from __future__ import annotations

import os
from pathlib import Path

import pytest


@pytest.fixture
def corpus() -> Path:
    """A recorded history of a real repository, where one is to be had."""
    named = os.environ.get("RELORE_TEST_CORPUS")
    path = Path(named) if named else Path(__file__).parents[4] / "shared/corpora/secp256k1"
    if not (path / "meta.json").is_file():
        pytest.skip("the recorded history is absent: name its folder in RELORE_TEST_CORPUS")
    return path
