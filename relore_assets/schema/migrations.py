"""Brings a database to the shape that this program needs, one process at a time.

The steps are Alembic's, each the raw SQL of one file; the role that readers work under is made here too,
where the server lets us.
"""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, cast

import psycopg
from psycopg import sql

from relore_assets.errors import ReloreError
from relore_serve.database import (
    SCHEMA_VERSION,
    refuse_unless_older,
    require_utf8,
    schema_version,
    store_errors,
)
from relore_serve.sql import load

if TYPE_CHECKING:
    from collections.abc import Generator

    from alembic.config import Config

HEAD = SCHEMA_VERSION
"""The version that the last step leads to; it is the one the readers are written for."""

VERSION_TABLE = "schema_version"
READER = "relore_reader"
SUPPORTED_POSTGRES = 15

_SQL = load("relore_assets.schema", "statements.sql")


class MigrationError(ReloreError):
    """The database cannot be brought to this program's shape."""


@dataclass(frozen=True)
class Upgrade:
    """What an upgrade did: the version found (None: an empty database) and the version left."""

    before: str | None
    after: str

    @property
    def changed(self) -> bool:
        """Whether any step was applied."""
        return self.before != self.after


def upgrade(url: str) -> Upgrade:
    """Apply every step that the database at ``url`` still lacks, under a lock that all upgraders share.

    The steps are one transaction: either all of them hold afterwards, or none.

    Raises:
        StoreUnavailable: the server cannot be reached.
        SchemaMismatch: the schema is newer than this program, or none of ours.
        StoreError: the database does not hold text as UTF-8.
        MigrationError: the server is too old, a step fails, or the reader's role is missing and we may not
            create it.
    """
    with store_errors():
        with psycopg.connect(url) as connection:
            _require_server(connection)
            before = current(connection)
            if before == HEAD and _reader_exists(connection):
                return Upgrade(before=before, after=HEAD)
        return _upgrade(url)


def current(connection: psycopg.Connection) -> str | None:
    """Return the version of the schema, None where there is no schema of ours."""
    return schema_version(connection)


def configuration() -> Config:
    """Return Alembic's configuration for this package's steps."""
    from alembic.config import Config  # noqa: PLC0415 - costs what most verbs never use

    config = Config()
    config.set_main_option("script_location", str(Path(__file__).parent))
    config.set_main_option("path_separator", "os")
    return config


def _upgrade(url: str) -> Upgrade:
    from alembic import command  # noqa: PLC0415 - costs what most verbs never use
    from sqlalchemy import NullPool, create_engine  # noqa: PLC0415 - likewise

    engine = create_engine("postgresql+psycopg://", creator=lambda: psycopg.connect(url), poolclass=NullPool)
    with engine.begin() as shared:
        connection = cast("psycopg.Connection", shared.connection.driver_connection)
        # Held until the transaction ends, however it ends.
        connection.execute(_SQL["lock"])
        before = current(connection)
        if before is not None:
            refuse_unless_older(before)
        _ensure_reader(connection)
        config = configuration()
        config.attributes["connection"] = shared
        with _step_errors(before):
            connection.execute(_SQL["create_schema"])
            command.upgrade(config, "head")
    return Upgrade(before=before, after=HEAD)


@contextmanager
def _step_errors(before: str | None) -> Generator[None]:
    """Say what Postgres has against a step: mostly that a table stands in the way, or that a right is missing."""
    from sqlalchemy.exc import DBAPIError  # noqa: PLC0415 - costs what most verbs never use

    try:
        try:
            yield
        except DBAPIError as error:  # of a statement of Alembic's own
            raise error.orig or error from error
    except psycopg.OperationalError:
        raise
    except psycopg.Error as error:
        said = str(error).strip().splitlines()[0]
        raise MigrationError(
            f"The schema cannot be brought from {before or 'nothing'} to version {HEAD}, and is as it was: {said}."
        ) from error


def _require_server(connection: psycopg.Connection) -> None:
    major = connection.info.server_version // 10_000
    if major < SUPPORTED_POSTGRES:
        raise MigrationError(f"This server is Postgres {major}; relore needs {SUPPORTED_POSTGRES} or newer.")
    require_utf8(connection)


def _reader_exists(connection: psycopg.Connection) -> bool:
    return connection.execute(_SQL["role_exists"], {"role": READER}).fetchone() is not None


def _ensure_reader(connection: psycopg.Connection) -> None:
    """Create the reader's role where it is missing."""
    if _reader_exists(connection):
        return
    reader = sql.Identifier(READER)
    owner = sql.Identifier(connection.info.user)
    try:
        with connection.transaction():
            for name in ("create_reader", "default_read_only", "default_timeout", "let_owner_become_reader"):
                connection.execute(sql.SQL(_SQL[name]).format(reader=reader, owner=owner))
    except psycopg.errors.InsufficientPrivilege as error:
        raise MigrationError(
            f"The role {READER} is missing and {connection.info.user} may not create it. Ask the server's "
            f"administrator to run: CREATE ROLE {READER} NOLOGIN; "
            f"GRANT {READER} TO {owner.as_string(connection)};"
        ) from error
    except (psycopg.errors.DuplicateObject, psycopg.errors.UniqueViolation):
        # Roles belong to the server and the lock to the database: an upgrade of another database was faster.
        return
