"""A small history to give vectors to."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import psycopg
import pytest
from fake_encoder import FakeEncoder

sys.path.append(str(Path(__file__).parents[1] / "derive"))

from rows import History

from relore_assets.embeddings.embed import Embedded, embed
from relore_assets.local.postgres import LocalPostgres
from relore_serve.search.scope import Repo


@pytest.fixture
def repo(history: History) -> Repo:
    """Three threads, the last without an opening post."""
    repo = history.repo()
    history.thread(repo, 1, "Boat leaks", "Water comes in.")
    history.thread(repo, 2, "Mast is bent", "See the `mast`.")
    history.thread(repo, 3, "Paint")
    history.conn.commit()
    return repo


@pytest.fixture
def encoder() -> FakeEncoder:
    """An encoder of no model."""
    return FakeEncoder()


@pytest.fixture
def owner(database_url: str) -> Iterator[psycopg.Connection]:
    """The owner's connection, as assets have it."""
    with psycopg.connect(database_url, autocommit=True) as connection:
        yield connection


@pytest.fixture
def made(
    owner: psycopg.Connection, postgres: LocalPostgres, encoder: FakeEncoder
) -> Callable[[Repo], Embedded]:
    """Gives a repository's threads their vectors."""
    return lambda repo: embed(
        owner, repo.id, encoder, administer=lambda: postgres.add_vectors(owner.info.dbname)
    )
