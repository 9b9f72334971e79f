"""A history with vectors, made by the asset's own function with a fake encoder."""

from __future__ import annotations

from collections.abc import Callable

import psycopg
import pytest
from fake_encoder import FakeEncoder
from rows import History

from relore_assets.embeddings.embed import embed
from relore_assets.local.postgres import LocalPostgres
from relore_serve.search.scope import Repo


@pytest.fixture
def encoder() -> FakeEncoder:
    """Knows that a boat is a vessel, and that a leak is an ingress of water."""
    return FakeEncoder({"boat": "vessel", "leaks": "ingress", "harbour": "port"})


@pytest.fixture
def embedded(
    history: History, database_url: str, postgres: LocalPostgres, encoder: FakeEncoder
) -> Callable[[Repo], None]:
    """Commits what was written, and gives the threads of a repository their vectors."""

    def made(repo: Repo) -> None:
        history.fold()
        history.conn.commit()
        with psycopg.connect(database_url, autocommit=True) as conn:
            embed(conn, repo.id, encoder, administer=lambda: postgres.add_vectors(conn.info.dbname))

    return made
