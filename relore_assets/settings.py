"""Where this installation keeps its state and how it reaches its databases, read from the environment once.

Nothing is connected to, started or written until a method is asked to; see docs/operations.md for the table
of variables.
"""

from __future__ import annotations

import errno
import os
import warnings
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import parse_qsl, quote, unquote, urlencode, urlsplit, urlunsplit

from relore_assets.errors import ReloreError
from relore_assets.local.state import require_usable_name, state_errors

if TYPE_CHECKING:
    from collections.abc import Mapping

    from relore_assets.fetch.github.settings import GitHubSettings
    from relore_assets.local.postgres import LocalPostgres
    from relore_assets.schema import Upgrade

_POSTGRES = ("postgresql", "postgres")
_DAGSTER_SCHEMA = "dagster"  # on a foreign server; the embedded one has a database for it


class SettingsError(ReloreError):
    """A variable of the environment holds what we cannot use."""


@dataclass(frozen=True)
class Settings:
    """What the environment says.

    Attributes:
        home: the state folder: embedded Postgres, Dagster's logs, records of running services.
        external_database: the owner's address of a server that is not ours to start; None means the
        embedded one. external_reader: the reader's address there, where it has a login of its own.
        external_dagster: the address of Dagster's own storage, in any of the usual forms.
        reports_folder: where reports of the benchmark go; None means into the state folder.
    """

    home: Path
    external_database: str | None = None
    external_reader: str | None = None
    external_dagster: str | None = None
    reports_folder: Path | None = None

    @classmethod
    def from_env(cls, environment: Mapping[str, str] | None = None) -> Settings:
        """Read the environment; an empty variable counts as unset.

        Raises:
            SettingsError: a database address is not one of Postgres.
            StateError: the state folder has a name that cannot be used.
        """
        env = {
            name: value
            for name, value in (os.environ if environment is None else environment).items()
            if value
        }
        return cls(
            home=_home(env),
            external_database=_libpq("RELORE_DATABASE_URL", env),
            external_reader=_libpq("RELORE_READER_URL", env),
            external_dagster=_libpq("RELORE_DAGSTER_URL", env),
            reports_folder=_folder("RELORE_REPORTS", env),
        )

    @property
    def embedded(self) -> bool:
        """Whether the database is the embedded one."""
        return self.external_database is None

    @property
    def dagster_home(self) -> Path:
        """Where Dagster finds its dagster.yaml and keeps its logs."""
        return self.home / "dagster"

    @property
    def reports(self) -> Path:
        """The folder of the benchmark's reports."""
        return self.reports_folder or self.home / "reports"

    def local_postgres(self) -> LocalPostgres:
        """Return the embedded server, which may or may not be running."""
        from relore_assets.local.postgres import LocalPostgres  # noqa: PLC0415 - not needed with a server of one's own

        return LocalPostgres(self.home / "postgres")

    @property
    def database_url(self) -> str:
        """The owner's address, in libpq's form.

        Raises:
            LocalPostgresError: it is the embedded server's, which is not running.
        """
        return self.external_database or self.local_postgres().url()

    @property
    def reader_url(self) -> str:
        """The reader's address, in libpq's form; raises as `database_url` does.

        Where a foreign server has no login for the reader it is the owner's: sessions become the reader by
        SET ROLE.
        """
        from relore_assets.local.postgres import READER  # noqa: PLC0415 - not needed with a server of one's own

        return self.external_reader or self.external_database or self.local_postgres().url(user=READER)

    @property
    def dagster_url(self) -> str:
        """The address of Dagster's storage, in SQLAlchemy's form; raises as `database_url` does."""
        from relore_assets.local.postgres import DAGSTER_DATABASE  # noqa: PLC0415 - likewise

        if self.external_dagster is not None:
            return _for_dagster(self.external_dagster)
        if self.external_database is not None:
            return _for_dagster(_in_schema(self.external_database, _DAGSTER_SCHEMA))
        return _for_dagster(self.local_postgres().url(DAGSTER_DATABASE))

    def github(self, environment: Mapping[str, str] | None = None) -> GitHubSettings:
        """Return how GitHub is reached, with its tokens.

        To be asked for once per process: what is known of the tokens' quotas is kept with them.

        Raises:
            SettingsError: an address or a file cannot be used.
            BadToken: there is no token.
        """
        from relore_assets.fetch.github.settings import GitHubSettings  # noqa: PLC0415 - most verbs never fetch

        return GitHubSettings.from_env(os.environ if environment is None else environment, self.home)

    def make_home(self) -> None:
        """Create the state folder where it is missing.

        Raises:
            StateError: it cannot be created, or is no folder.
        """
        with state_errors(self.home):
            if self.home.exists() and not self.home.is_dir():
                raise NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR), str(self.home))
            self.home.mkdir(parents=True, exist_ok=True)

    def start_database(self) -> None:
        """Start the embedded server if it is the one and does not run; leave a foreign one alone."""
        if self.embedded:
            self.local_postgres().start()

    def ensure_database(self) -> Upgrade:
        """Make sure that the database is up and of the current schema; returns what that took.

        Raises:
            LocalPostgresError: the embedded server cannot be started.
            MigrationError: the schema cannot be brought to this program's version.
            StoreUnavailable: a foreign server cannot be reached.
        """
        from relore_assets.schema import upgrade  # noqa: PLC0415 - loads the driver

        self.start_database()
        return upgrade(self.database_url)

    def prepare_dagster(self) -> None:
        """Make the instance's folder, and tell this process and its children where it is.

        To be called with the database up and before Dagster reads its instance.

        Raises:
            StateError: the folder cannot be written to.
        """
        logs = self.dagster_home / "logs"
        packaged = files("relore_assets.instance").joinpath("dagster.yaml").read_text(encoding="utf-8")
        with state_errors(self.home):
            logs.mkdir(parents=True, exist_ok=True)
            self.dagster_home.chmod(0o700)
            _write_whole(self.dagster_home / "dagster.yaml", packaged)
        if self.external_database is not None and self.external_dagster is None:
            _create_schema(self.external_database, _DAGSTER_SCHEMA)
        os.environ.update(
            RELORE_HOME=str(self.home),
            RELORE_DAGSTER_URL=self.dagster_url,
            RELORE_DAGSTER_LOGS=str(logs),
            DAGSTER_HOME=str(self.dagster_home),
            DAGSTER_DISABLE_TELEMETRY="1",
        )
        # The parts of Dagster that we use and that it calls beta are pinned by our constraints.
        warnings.filterwarnings("ignore", message=".* is currently in (beta|preview)")
        # Each event is a round trip and a connection of its own; written a thousand at a time they cost a
        # third.
        os.environ.setdefault("DAGSTER_EVENT_BATCH_SIZE", "1000")


def _write_whole(target: Path, text: str) -> None:
    """Write a file whole or not at all: another process may be reading it."""
    if not target.exists() or target.read_text(encoding="utf-8") != text:
        unfinished = target.with_suffix(f".{os.getpid()}")
        unfinished.write_text(text, encoding="utf-8")
        unfinished.replace(target)


def _home(env: Mapping[str, str]) -> Path:
    home = _folder("RELORE_HOME", env) or _default_home()
    require_usable_name(home)
    return home


def _folder(name: str, env: Mapping[str, str]) -> Path | None:
    try:
        return Path(env[name]).expanduser().absolute() if name in env else None
    except RuntimeError as error:  # ~ or ~name, and no such account has a home
        raise SettingsError(f"{name} names the home of an account that has none.") from error


def _default_home() -> Path:
    from platformdirs import user_data_path  # noqa: PLC0415 - not needed when RELORE_HOME is set

    return user_data_path("relore", appauthor=False)


def _libpq(name: str, env: Mapping[str, str]) -> str | None:
    """Return the variable as libpq spells addresses: without the driver that SQLAlchemy's form may carry."""
    value = env.get(name)
    if value is None:
        return None
    scheme, separator, rest = value.partition(":")
    if scheme.lower().startswith("sqlite"):
        raise SettingsError(
            f"{name} names an SQLite file, and relore runs on Postgres alone: unset it to use the embedded "
            "Postgres, which needs no installation and no configuration."
        )
    if scheme.split("+")[0].lower() not in _POSTGRES or not separator:
        raise SettingsError(f"{name} must be an address like postgresql://user@host/database.")
    address = f"postgresql:{rest}"
    if not _is_read_alike(address):
        # Without the parser's words: they quote the address, and with it the password.
        raise SettingsError(
            f"{name} is malformed; it must be an address like postgresql://user@host/database, and what is special "
            "in a user or password (such as @ / : ? # % [ or a space) must be percent-encoded."
        )
    return address


def _is_read_alike(address: str) -> bool:
    """Whether libpq and the standard library, which our Dagster addresses pass through, read one thing in it.

    A password with a bare ``/`` or ``@`` has parts that would be taken for a host or a port, and be shown as such.
    """
    import psycopg  # noqa: PLC0415 - not needed without an address
    from psycopg.conninfo import conninfo_to_dict  # noqa: PLC0415 - likewise

    try:
        parts = urlsplit(address)
        found = {key: str(value) for key, value in conninfo_to_dict(address).items()}
        named = dict(parse_qsl(parts.query, keep_blank_values=True))
    except (psycopg.Error, ValueError):
        return False
    ports = found.get("port", "").split(",")
    return (
        address.startswith("postgresql://")
        and not parts.fragment
        and "@" not in found.get("host", "")
        and all(port.isdecimal() for port in ports if port)
        and named.get("password", unquote(parts.password or "")) == found.get("password", "")
    )


def _for_dagster(url: str) -> str:
    """Return an address as Dagster's storage needs it: with psycopg2 named, or its notifications fail."""
    parts = urlsplit(url)
    query = parse_qsl(parts.query, keep_blank_values=True)
    return urlunsplit(
        ("postgresql+psycopg2", parts.netloc, parts.path, urlencode(query, quote_via=quote), "")
    )


def _in_schema(url: str, schema: str) -> str:
    """Return the address with every new table going to ``schema``."""
    parts = urlsplit(url)
    query = dict(parse_qsl(parts.query, keep_blank_values=True))
    query["options"] = f"{query.get('options', '')} -c search_path={schema}".strip()
    return urlunsplit(parts._replace(query=urlencode(query, quote_via=quote)))


def _create_schema(url: str, schema: str) -> None:
    import psycopg  # noqa: PLC0415 - most uses of this module never connect
    from psycopg import sql  # noqa: PLC0415

    from relore_serve.database import store_errors  # noqa: PLC0415

    with store_errors(), psycopg.connect(url) as connection:
        connection.execute(sql.SQL("CREATE SCHEMA IF NOT EXISTS {}").format(sql.Identifier(schema)))
