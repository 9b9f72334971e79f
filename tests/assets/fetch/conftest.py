"""What tests of fetching share."""

from __future__ import annotations

from collections.abc import Iterator

import psycopg
import pytest
from fake_github import FakeGitHub

from relore_assets.fetch.github.client import GitHub
from relore_assets.fetch.github.tokens import PersonalToken


@pytest.fixture
def client(github: FakeGitHub) -> Iterator[GitHub]:
    """A client of the test's GitHub, which waits by that GitHub's clock."""
    tokens = PersonalToken.parse(github.token, "GITHUB_TOKEN")
    with GitHub(github.url, tokens, sleep=github.clock.sleep, now=github.clock.time) as client:
        yield client


@pytest.fixture
def store(database_url: str) -> Iterator[psycopg.Connection]:
    """A connection of the owner on which every statement stands for itself."""
    with psycopg.connect(database_url, autocommit=True) as conn:
        yield conn
