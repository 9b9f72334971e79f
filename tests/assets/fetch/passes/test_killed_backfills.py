"""A backfill that is killed anywhere, and begun again, ends with the tables of one that was left alone."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
from datetime import UTC, datetime

import psycopg
import pytest
from fake_github import Entry, FakeGitHub, Repository

from relore_assets.authority.authors import refresh
from relore_assets.derive.derive import derive
from relore_assets.fetch import repos
from relore_assets.fetch.github.client import GitHub
from relore_assets.fetch.passes.window import fetch_windows
from relore_assets.fingerprint import fingerprint
from relore_assets.local.postgres import LocalPostgres
from relore_assets.partitions import all_windows

REPO = "harbor/tide"
WINDOWS = all_windows(datetime.now(UTC))

BACKFILL = f"""
import sys
from datetime import UTC, datetime
import psycopg
from relore_assets.authority.authors import refresh
from relore_assets.derive.derive import derive
from relore_assets.fetch import repos
from relore_assets.fetch.github.client import GitHub
from relore_assets.fetch.github.tokens import PersonalToken
from relore_assets.fetch.passes.window import fetch_windows
from relore_assets.partitions import all_windows
url, github, token = sys.argv[1:]
with psycopg.connect(url, autocommit=True) as conn, GitHub(github, PersonalToken.parse(token, "TOKEN")) as client:
    repo = repos.register(conn, "{REPO}", "api", client.base.url)
    fetch_windows(conn, client, repo, all_windows(datetime.now(UTC)))
    print("fetched", flush=True)
    with conn.transaction():
        refresh(conn, repo.id)
derive(url, "{REPO}", workers=1)
print("derived", flush=True)
"""


@pytest.fixture
def long(tide: Repository) -> Repository:
    """Some hundred threads over two quarters, with all that belongs to them."""
    for number in range(1, 151):
        if number % 3:
            tide.issue(number, title=f"Leak {number}", body=f"see #{number + 1}")
        else:
            tide.pull(number, title=f"Caulk {number}", closes=[number - 1])
            tide.commit(number, f"oakum {number}")
            tide.file(number, f"hull/{number % 7}.c")
            tide.review(number, "APPROVED", user="keel")
            tide.review_comment(number, f"inline {number}", path="hull.c")
        for place in range(number % 4):
            tide.comment(number, f"word {place} on {number}", user="gull")
    return tide


def backfill(url: str, github: FakeGitHub, die_at: int | None) -> int:
    """Run a backfill in a process of its own, killed when it asks for the ``die_at``-th time; return its exit code."""
    child = subprocess.Popen([sys.executable, "-c", BACKFILL, url, github.url, github.token])
    asked = 0

    def strike(_: Entry) -> bool:
        nonlocal asked
        asked += 1
        if asked == die_at:
            os.kill(child.pid, signal.SIGKILL)
        return False

    github.clear_faults()
    github.fault(when=strike, times=None, delay=0.0)
    code = child.wait()
    github.clear_faults()
    return code


def tables(url: str) -> dict[str, str]:
    with psycopg.connect(url) as conn:
        return fingerprint(conn, REPO)


@pytest.fixture
def undisturbed(postgres: LocalPostgres, migrated: str, client: GitHub, long: Repository) -> dict[str, str]:
    """The tables of a backfill that nobody kills."""
    assert long.threads
    postgres.create_database("undisturbed", template=migrated)
    try:
        url = postgres.url("undisturbed")
        with psycopg.connect(url, autocommit=True) as conn:
            repo = repos.register(conn, REPO, "api", client.base.url)
            fetch_windows(conn, client, repo, WINDOWS)
            with conn.transaction():
                refresh(conn, repo.id)
        derive(url, REPO, workers=1)
        return tables(url)
    finally:
        postgres.drop_database("undisturbed")


@pytest.mark.parametrize("seed", [3, 17, 40])
def test_killed_at_random_points_it_ends_the_same(
    github: FakeGitHub, database_url: str, undisturbed: dict[str, str], seed: int
) -> None:
    """Each run gets a little further, whatever it was about when it died."""
    rng = random.Random(seed)  # noqa: S311 - repeatable on purpose
    codes = [backfill(database_url, github, rng.randint(2, 6)) for _ in range(4)]
    assert codes[:2] == [-signal.SIGKILL] * 2
    assert backfill(database_url, github, None) == 0
    assert tables(database_url) == undisturbed
