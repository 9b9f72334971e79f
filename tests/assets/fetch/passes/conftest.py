"""A repository at a GitHub of the test's own, and a database that follows it."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from datetime import UTC, date, datetime
from typing import Any

import psycopg
import pytest
from fake_github import FakeGitHub, Repository

from relore_assets.authority.authors import refresh
from relore_assets.derive.derive import derive
from relore_assets.fetch import repos
from relore_assets.fetch.github.client import GitHub
from relore_assets.fetch.passes.window import FetchResult, fetch_windows
from relore_assets.fingerprint import fingerprint
from relore_assets.partitions import all_windows

REPO = "harbor/tide"
NOW = datetime.now(UTC)


@dataclass
class Desk:
    """One database that follows a repository."""

    url: str
    client: GitHub
    conn: psycopg.Connection
    repo: repos.Repo

    def fetch(self, windows: Collection[date] | None = None, **how: Any) -> FetchResult:
        """Fetch some windows, all of them unless told."""
        return fetch_windows(self.conn, self.client, self.repo, windows or all_windows(NOW), **how)

    def derive(self) -> None:
        """Bring every table in line with what is staged."""
        with self.conn.transaction():
            refresh(self.conn, self.repo.id)
        derive(self.url, REPO, workers=1)

    def prints(self) -> dict[str, str]:
        """Return the print of every table."""
        return fingerprint(self.conn, REPO)

    def rows(self, query: str) -> list[Any]:
        """Return what a query finds."""
        return self.conn.execute(query).fetchall()

    def one(self, query: str) -> Any:
        """Return the one value that a query finds."""
        return self.conn.execute(query).fetchone()[0]

    def staged(self, kind: str) -> set[str]:
        """Return the ids of what is staged of a kind."""
        query = "SELECT object_id FROM relore.raw_objects WHERE kind = %s"
        return {row[0] for row in self.conn.execute(query, (kind,))}

    def payload(self, kind: str, object_id: object) -> dict[str, Any]:
        """Return a staged payload."""
        query = "SELECT payload FROM relore.raw_objects WHERE kind = %s AND object_id = %s"
        row = self.conn.execute(query, (kind, str(object_id))).fetchone()
        assert row is not None
        return row[0]


@pytest.fixture
def tide(github: FakeGitHub) -> Repository:
    return github.world.repository(REPO)


@pytest.fixture
def desk(database_url: str, client: GitHub, tide: Repository) -> Iterator[Desk]:
    with psycopg.connect(database_url, autocommit=True) as conn:
        yield Desk(database_url, client, conn, repos.register(conn, tide.full_name, "api", client.base.url))
