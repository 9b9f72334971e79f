"""Looks at an installation part by part, and has a remedy for each fault.

Every examination is its own function and none depends on the one before having passed, save that what needs a
database is left out where there is none.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

import psycopg

from relore_assets.errors import ReloreError
from relore_assets.local import services
from relore_assets.local.state import StateError
from relore_assets.schema import HEAD, current
from relore_assets.schema.migrations import SUPPORTED_POSTGRES
from relore_serve.database import (
    READER,
    StoreError,
    connect_reader,
    refuse_unless_older,
    require_utf8,
    store_errors,
)
from relore_serve.sql import load

if TYPE_CHECKING:
    from collections.abc import Generator, Iterator

    from relore_assets.settings import Settings

_PYTHON = ((3, 11), (3, 14))  # from, up to but not including
_DISK = 2 << 30
_SQL = load("relore_assets.local", "doctor.sql")


@dataclass(frozen=True)
class Finding:
    """One line of the report; ``remedy`` is empty where nothing is wrong.

    A ``note`` tells what is not there yet and comes by itself, by the command that its remedy names.
    """

    subject: str
    text: str
    remedy: str = ""
    note: bool = False

    @property
    def healthy(self) -> bool:
        """Whether nothing needs to be mended."""
        return not self.remedy or self.note


def examine(settings: Settings) -> Iterator[Finding]:
    """Yield a finding for every part, in the order in which faults are best mended."""
    yield _python()
    yield _git()
    yield _disk(settings)
    yield from _databases(settings)
    yield _port("api port", services.API_PORT, settings)
    yield _port("ui port", services.DAGSTER_PORT, settings)
    yield _tokens()


def _python() -> Finding:
    found = sys.version_info[:2]
    text = f"{sys.version.split()[0]} at {sys.executable}"
    lowest, beyond = _PYTHON
    good = lowest <= found < beyond
    return Finding("python", text, "" if good else "Use Python 3.11, 3.12 or 3.13.")


def _git() -> Finding:
    path = shutil.which("git")
    if path is None:
        return Finding("git", "not found", "Install git, and see that it is on the PATH.")
    done = subprocess.run([path, "--version"], capture_output=True, text=True, check=False)
    return Finding(
        "git", done.stdout.strip() or "does not run", "" if done.returncode == 0 else "Install git anew."
    )


def _disk(settings: Settings) -> Finding:
    try:
        settings.make_home()
        free = shutil.disk_usage(settings.home).free
        writable = os.access(settings.home, os.W_OK | os.X_OK)
    except StateError as error:
        return Finding("state", f"{settings.home}: {error.reason}", "Name another folder in RELORE_HOME.")
    text = f"{settings.home}, {free / (1 << 30):.1f} GB free"
    if not writable:
        return Finding("state", f"{settings.home} is not writable", "Name another folder in RELORE_HOME.")
    return Finding("state", text, "" if free > _DISK else "Make room: 2 GB are the least to work with.")


def _databases(settings: Settings) -> Iterator[Finding]:
    try:
        with _running_database(settings):
            with store_errors(), psycopg.connect(settings.database_url) as connection:
                yield _server(connection, settings)
                require_utf8(connection)
                schema = _schema(connection, settings)
                yield schema
            # Without a schema there is nothing that the reader could be kept from.
            if not schema.remedy:
                yield _reader(settings)
            yield _dagster(settings)
    except (ReloreError, StoreError) as error:
        remedy = "See what the message says; `relored up` needs this too."
        if not settings.embedded:
            remedy = "Check RELORE_DATABASE_URL, and that the server is up."
        yield Finding("database", str(error), remedy)


@contextmanager
def _running_database(settings: Settings) -> Generator[None]:
    """Run the embedded server for as long as the examination takes, and leave it as it was found."""
    server = settings.local_postgres() if settings.embedded else None
    found_running = server is None or server.status() is not None
    settings.start_database()
    try:
        yield
    finally:
        if server is not None and not found_running:
            server.stop()


def _server(connection: psycopg.Connection, settings: Settings) -> Finding:
    version = connection.info.server_version
    kind = f"embedded in {settings.local_postgres().home}" if settings.embedded else "RELORE_DATABASE_URL"
    text = f"Postgres {version // 10_000}.{version % 10_000}, {kind}"
    good = version >= SUPPORTED_POSTGRES * 10_000
    return Finding("database", text, "" if good else f"Use Postgres {SUPPORTED_POSTGRES} or newer.")


def _schema(connection: psycopg.Connection, settings: Settings) -> Finding:
    found = current(connection)
    text = f"version {found or 'none'}, {HEAD} is needed"
    try:
        outdated = found is None or refuse_unless_older(found)
    except StoreError as error:
        return Finding("schema", text, str(error))
    if not outdated:
        return Finding("schema", f"version {found}")
    if settings.embedded:
        remedy = "`relored up`, and every verb that writes, will see to it; `relored migrate` does so now."
        return Finding("schema", text, remedy, note=True)
    return Finding("schema", text, "Run `relored migrate`.")


def _reader(settings: Settings) -> Finding:
    """Try to write as the reader, with the read-only mode lifted: the role's rights must be what stops it."""
    try:
        with connect_reader(settings.reader_url) as connection:
            connection.execute(_SQL["lift_read_only"])
            connection.execute(_SQL["write"])
            connection.execute(_SQL["undo"])
    except psycopg.errors.InsufficientPrivilege:
        return Finding("reader", f"{READER} reads and cannot write")
    except StoreError as error:
        return Finding("reader", str(error), f"Run `relored migrate`, or GRANT {READER} to that user.")
    return Finding("reader", f"{READER} can write", f"REVOKE what {READER} was granted beyond SELECT.")


def _dagster(settings: Settings) -> Finding:
    settings.prepare_dagster()
    try:
        import dagster as dg  # noqa: PLC0415 - takes seconds, and an installation for serving alone lacks it

        from relore_assets.definitions import defs  # noqa: PLC0415 - likewise

        with dg.DagsterInstance.get() as instance:
            runs = instance.get_runs_count()
        dg.Definitions.validate_loadable(defs())
    except Exception as error:  # noqa: BLE001 - whatever keeps Dagster from loading is the finding
        text = f"{type(error).__name__}: {str(error).splitlines()[0] if str(error) else ''}"
        return Finding("dagster", text, "Install relore[all], and run `relored doctor` again.")
    return Finding("dagster", f"instance and definitions load, {runs} runs recorded")


def _port(subject: str, port: int, settings: Settings) -> Finding:
    record = services.running(settings)
    if record is not None and port in (urlsplit(record.api_url).port, urlsplit(record.dagster_url).port):
        return Finding(subject, f"{port}, in use by our own `relored up`")
    if services.is_free(port):
        return Finding(subject, f"{port} is free")
    return Finding(subject, f"{port} is taken; `relored up` will choose another")


def _tokens() -> Finding:
    try:
        from relore_serve.web.tokens import TokenError, Tokens  # noqa: PLC0415 - loads the web framework
    except ModuleNotFoundError as error:
        return Finding("tokens", f"{error.name} is missing", "Install relore[all].")
    try:
        tokens = Tokens.from_env(os.environ)
    except TokenError as error:
        return Finding("tokens", str(error), "Mend RELORE_API_TOKENS or RELORE_API_TOKENS_FILE.")
    if tokens:
        return Finding("tokens", "set; `relored serve` may listen beyond this machine")
    return Finding("tokens", "none; `relored serve` listens to this machine only")
