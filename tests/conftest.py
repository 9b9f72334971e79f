"""A real Postgres for the whole session, and a freshly migrated database for every test that asks for one."""

from __future__ import annotations

import itertools
import os
import shutil
import signal
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

import psutil
import psycopg
import pytest
from fake_github import FakeGitHub

from relore_assets.local.postgres import READER, SUPERUSER, LocalPostgres
from relore_assets.schema import upgrade

if TYPE_CHECKING:
    from collections.abc import Iterator

_PREFIX = "relore-tests-"
_MEMORY = Path("/dev/shm")  # noqa: S108 - the folder made there has a random name and is ours
_PLENTY = 4 << 30
_TEMPLATE = "migrated"
_numbers = itertools.count(1)


def pytest_configure() -> None:
    """Take signals as a terminal's programs do, also where a script started us in the background.

    There they arrive ignored, and what is ignored stays so in every process that a test starts.
    """
    for each, handler in ((signal.SIGINT, signal.default_int_handler), (signal.SIGTERM, signal.SIG_DFL)):
        if signal.getsignal(each) == signal.SIG_IGN:
            signal.signal(each, handler)


@pytest.fixture(scope="session")
def postgres() -> Iterator[LocalPostgres]:
    """A server of this session alone, gone with it."""
    _remove_leftovers()
    # Not pytest's own folder: it is private to us, and as root the server runs as somebody else.
    folder = Path(tempfile.mkdtemp(prefix=_PREFIX, dir=_fastest_folder()))
    folder.chmod(0o711)
    process = psutil.Process()
    (folder / "session").write_text(f"{process.pid} {process.create_time()}", encoding="utf-8")
    server = LocalPostgres(folder / "postgres", durable=False)
    try:
        server.start()
        yield server
    finally:
        server.stop()
        shutil.rmtree(folder)


@pytest.fixture(scope="session")
def migrated(postgres: LocalPostgres) -> str:
    """The name of a migrated database that nobody connects to, for copying."""
    postgres.create_database(_TEMPLATE)
    upgrade(postgres.url(_TEMPLATE))
    return _TEMPLATE


@pytest.fixture
def database_url(postgres: LocalPostgres, migrated: str) -> Iterator[str]:
    """The owner's address of a migrated database without rows, for one test."""
    name = f"test_{next(_numbers)}"
    postgres.create_database(name, template=migrated)
    yield postgres.url(name)
    postgres.drop_database(name)


@pytest.fixture
def empty_database_url(postgres: LocalPostgres) -> Iterator[str]:
    """The owner's address of a database without any schema, for one test."""
    name = f"test_{next(_numbers)}"
    postgres.create_database(name)
    yield postgres.url(name)
    postgres.drop_database(name)


@pytest.fixture
def ascii_url(postgres: LocalPostgres) -> Iterator[str]:
    """The administrator's address of a database whose encoding is none, for one test."""
    name = f"test_{next(_numbers)}"
    with psycopg.connect(postgres.url("postgres", user=SUPERUSER), autocommit=True) as connection:
        connection.execute(
            psycopg.sql.SQL(
                "CREATE DATABASE {} ENCODING 'SQL_ASCII' LOCALE_PROVIDER libc LOCALE 'C' TEMPLATE template0"
            ).format(psycopg.sql.Identifier(name))
        )
    yield postgres.url(name, user=SUPERUSER)
    postgres.drop_database(name)


@pytest.fixture
def reader_url(postgres: LocalPostgres, database_url: str) -> str:
    """The reader's address of the test's database."""
    with psycopg.connect(database_url) as connection:
        return postgres.url(connection.info.dbname, user=READER)


@pytest.fixture
def conn(database_url: str) -> Iterator[psycopg.Connection]:
    """A connection of the owner to the test's database."""
    with psycopg.connect(database_url) as connection:
        yield connection


@pytest.fixture
def github() -> Iterator[FakeGitHub]:
    """A GitHub of one test, with an empty world; see `fake_github` for how to fill it."""
    with FakeGitHub() as fake:
        yield fake


def _fastest_folder() -> str | None:
    """Memory where there is plenty: copying the template takes 10 ms there, ten times that on a busy disk."""
    if _MEMORY.is_dir() and shutil.disk_usage(_MEMORY).free > _PLENTY:
        return str(_MEMORY)
    return None


def _remove_leftovers() -> None:
    """Stop and remove the servers of sessions that were killed."""
    places = {Path(tempfile.gettempdir()), _MEMORY}
    for mark in itertools.chain.from_iterable(place.glob(f"{_PREFIX}*/session") for place in places):
        pid, started = mark.read_text(encoding="utf-8").split()
        if not _lives(int(pid), float(started)):
            LocalPostgres(mark.parent / "postgres").stop()
            shutil.rmtree(mark.parent, ignore_errors=True)


def _lives(pid: int, started: float) -> bool:
    try:
        return psutil.Process(pid).create_time() == started
    except psutil.NoSuchProcess:
        return False


@pytest.fixture
def corpus() -> Path:
    """A recorded history of a real repository, where one is to be had."""
    named = os.environ.get("RELORE_TEST_CORPUS")
    path = Path(named) if named else Path(__file__).parents[2] / "shared/corpora/secp256k1"
    if not (path / "meta.json").is_file():
        pytest.skip("the recorded history is absent: name its folder in RELORE_TEST_CORPUS")
    return path
