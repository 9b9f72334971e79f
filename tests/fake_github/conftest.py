"""Asking the fake."""

from __future__ import annotations

import pytest

from fake_github import FakeGitHub
from fake_github.asker import Asker


@pytest.fixture
def ask(github: FakeGitHub) -> Asker:
    """Asks a GitHub that has an empty repository, harbor/tide."""
    github.world.repository("harbor/tide")
    return Asker(github)
