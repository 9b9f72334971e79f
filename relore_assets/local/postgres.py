"""A Postgres of this project's own, reached through a unix socket in a private folder and in no other way.

The programs come from a wheel (see `binaries`). Authentication is `trust`, because the folder of the socket
is the fence: mode 0700, owned by the account that runs the server, so that this account and root alone can
connect. The server outlives the process that started it, as it should for a command line;
`LocalPostgres.stop` ends it.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import time
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, LiteralString
from urllib.parse import quote, urlencode

import psutil
from filelock import FileLock
from filelock import Timeout as LockTimeout

from relore_assets.local.binaries import Account, LocalPostgresError, Programs
from relore_assets.local.sockets import private_folder
from relore_assets.local.state import is_safe_in_shell, require_usable_name

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

__all__ = [
    "DAGSTER_DATABASE",
    "DATABASE",
    "OWNER",
    "READER",
    "LocalPostgres",
    "LocalPostgresError",
    "Running",
]

DATABASE = "relore"
DAGSTER_DATABASE = "dagster"
OWNER = "relore_owner"
READER = "relore_reader"
SUPERUSER = "postgres"

_PORT = 5432  # only names the socket; the folder is ours alone
_ROOT_STATE = Path("/var/lib/relore")

_MEGABYTE = 1 << 20
_LEAST_BUFFERS, _MOST_BUFFERS = 128, 1024
# An eighth of the machine's memory, within bounds: a gigabyte holds what searches read of 700,000 documents. What is
# not held there is copied from the system's cache at every look, which costs more than the look.
_BUFFERS = min(_MOST_BUFFERS, max(_LEAST_BUFFERS, psutil.virtual_memory().total // 8 // _MEGABYTE))
_SETTINGS: dict[str, str] = {
    "max_connections": "100",
    "shared_buffers": f"{_BUFFERS}MB",
    "effective_cache_size": f"{4 * _BUFFERS}MB",
    "work_mem": "16MB",
    "maintenance_work_mem": "128MB",
    "max_wal_size": "2GB",
    "checkpoint_timeout": "15min",
    "random_page_cost": "1.1",
    # Compiling a plan costs more than any of our queries takes.
    "jit": "off",
    # `off` loses transactions that were reported as committed when the machine stops.
    "synchronous_commit": "on",
    "timezone": "UTC",
    "log_min_duration_statement": "2s",
    "log_parameter_max_length": "0",
}
# For databases that nobody misses: tests.
_NOT_DURABLE = {"fsync": "off", "full_page_writes": "off", "synchronous_commit": "off"}


@dataclass(frozen=True)
class Running:
    """A server that is up, as its pid file describes it."""

    pid: int
    port: int
    socket_folder: Path
    ready: bool


class LocalPostgres:
    """One cluster in one folder.

    Args:
        home: the cluster's folder; created when missing. Where we are root and the account that runs the
            server cannot reach it (root's own home is private), the cluster lies under /var/lib/relore.
        durable: False trades safety against a stopped machine for speed, for tests.
        settings: Postgres settings over the built-in ones.

    Raises:
        StateError: the folder has a name that Postgres cannot write down.
    """

    def __init__(
        self, home: Path, *, durable: bool = True, settings: Mapping[str, str] | None = None
    ) -> None:
        self.account = Account.for_server()
        self.home = _reachable_home(home, self.account)
        require_usable_name(self.home)
        self.data = self.home / "data"
        self._log = self.home / "postgres.log"
        self._lock = FileLock(str(self.home / "lock"))
        self._settings = {**_SETTINGS, **({} if durable else _NOT_DURABLE), **(settings or {})}

    @cached_property
    def programs(self) -> Programs:
        """The Postgres programs that run this cluster."""
        copies = self.home
        if self.account.switch and not is_safe_in_shell(copies):
            copies = _ROOT_STATE
        return Programs.find(self.account, copies=copies)

    def start(self, *, timeout: float = 120) -> Running:
        """Start the server unless it runs, creating cluster, roles and databases when they are missing.

        A server whose machine or process was killed recovers here. Any number of processes may call this at
        once.

        Raises:
            LocalPostgresError: it cannot be started; the message carries what Postgres said.
        """
        self._make_home()
        try:
            with self._lock.acquire(timeout=timeout):
                if self.status() is None:
                    self._start(timeout)
                running = self._wait_until_ready(timeout)
                # Also where it ran already: whoever started it may have been killed before this point.
                self._prepare()
        except LockTimeout as error:
            raise LocalPostgresError(
                f"Another process has been starting or stopping Postgres in {self.home} for {timeout:.0f} s."
            ) from error
        except OSError as error:
            raise LocalPostgresError(f"Postgres in {self.home} cannot be started: {error}.") from error
        return running

    def stop(self, *, timeout: float = 120) -> bool:
        """Stop the server, ending its sessions; returns False when none was running."""
        if self.status() is None:
            return False
        with self._lock.acquire(timeout=timeout):
            if self.status() is None:
                return False
            self.programs.run(
                "pg_ctl",
                "-D",
                str(self.data),
                "-m",
                "fast",
                "-w",
                "-t",
                str(int(timeout)),
                "stop",
                timeout=timeout + 5,
            )
        return True

    def status(self) -> Running | None:
        """Return the running server, None when there is none."""
        try:
            lines = (self.data / "postmaster.pid").read_text(encoding="utf-8").split("\n")
        except (FileNotFoundError, NotADirectoryError):
            return None
        except OSError as error:
            raise LocalPostgresError(
                f"Whether Postgres runs in {self.home} cannot be seen: {error.strerror}. Is this another account's "
                "state folder?"
            ) from error
        # The file is written line by line: a server that is only just starting shows fewer of them.
        if len(lines) < 5 or not self._is_ours(int(lines[0])):  # noqa: PLR2004
            return None
        ready = len(lines) > 7 and lines[7].strip() == "ready"  # noqa: PLR2004
        return Running(pid=int(lines[0]), port=int(lines[3]), socket_folder=Path(lines[4]), ready=ready)

    def url(self, database: str = DATABASE, *, user: str = OWNER) -> str:
        """Return the address of a database in libpq's form.

        Raises:
            LocalPostgresError: the server is not running.
        """
        running = self.status()
        if running is None:
            raise LocalPostgresError(f"Postgres in {self.home} is not running.")
        # libpq reads a plus as a plus.
        place = urlencode({"host": str(running.socket_folder), "port": running.port}, quote_via=quote)
        return f"postgresql://{quote(user)}@/{quote(database)}?{place}"

    def last_words(self) -> str:
        """Return the end of its log, introduced."""
        return f"The last lines of {self._log}:\n{_tail(self._log)}"

    def sessions(self) -> int:
        """Return how many sessions other than our own are open, 0 when the server is not running or is ending."""
        if self.status() is None:
            return 0
        import psycopg  # noqa: PLC0415 - `status` and `stop` do without the driver

        try:
            with psycopg.connect(self.url("postgres", user=SUPERUSER)) as connection:
                row = connection.execute(
                    "SELECT count(*) FROM pg_stat_activity "
                    "WHERE backend_type = 'client backend' AND pid <> pg_backend_pid()"
                ).fetchone()
        except (psycopg.OperationalError, LocalPostgresError):
            return 0
        return int(row[0]) if row else 0

    def create_database(self, name: str, *, template: str = "template1") -> None:
        """Create a database of the owner which the reader may connect to, and nobody else."""
        self._administer(
            ["CREATE DATABASE {name} OWNER {owner} TEMPLATE {template}"],
            name=name,
            owner=OWNER,
            template=template,
        )
        self._fence(name)

    def drop_database(self, name: str) -> None:
        """Drop a database, ending its sessions."""
        self._administer(["DROP DATABASE IF EXISTS {name} WITH (FORCE)"], name=name)

    def add_vectors(self, database: str = DATABASE, *, schema: str = "relore_semantic") -> None:
        """Create pgvector in a schema of a database, which only the server's administrator may."""
        self._administer(
            ["CREATE EXTENSION IF NOT EXISTS vector WITH SCHEMA {schema}"], database=database, schema=schema
        )

    def _fence(self, name: str) -> None:
        """Take from everybody what Postgres gives to everybody: to connect, and to fill the disk."""
        statements: list[LiteralString] = [
            "REVOKE ALL ON DATABASE {name} FROM PUBLIC",
            "REVOKE EXECUTE ON FUNCTION lo_create, lo_creat, lo_from_bytea FROM PUBLIC",
        ]
        if name != DAGSTER_DATABASE:
            statements.append("GRANT CONNECT ON DATABASE {name} TO {reader}")
        self._administer(statements, database=name, name=name, reader=READER)

    def _administer(
        self, statements: Sequence[LiteralString], *, database: str = SUPERUSER, **identifiers: str
    ) -> None:
        import psycopg  # noqa: PLC0415 - `status` and `stop` do without the driver
        from psycopg import sql  # noqa: PLC0415

        named = {key: sql.Identifier(value) for key, value in identifiers.items()}
        with psycopg.connect(self.url(database, user=SUPERUSER), autocommit=True) as connection:
            for statement in statements:
                connection.execute(sql.SQL(statement).format(**named))

    def _make_home(self) -> None:
        try:
            self.home.mkdir(parents=True, exist_ok=True, mode=0o711 if self.account.switch else 0o700)
            self.account.own(self.home)
            self.home.chmod(0o700)
        except OSError as error:
            raise LocalPostgresError(
                f"The folder {self.home} cannot be made ready: {error.strerror}."
            ) from error

    def _wait_until_ready(self, timeout: float) -> Running:
        """Return the running server once it takes connections; one found recovering may need a while."""
        deadline = time.monotonic() + timeout
        while (running := self.status()) is not None and not running.ready:
            if time.monotonic() > deadline:
                raise LocalPostgresError(
                    f"Postgres in {self.home} is still not ready after {timeout:.0f} seconds."
                )
            time.sleep(0.05)
        if running is None:
            raise LocalPostgresError(f"Postgres stopped right after its start:\n{_tail(self._log)}")
        return running

    def _start(self, timeout: float) -> None:
        # Here no live server owns the pid file. Postgres itself would believe a zombie, or a stranger that
        # got the same number, and refuse to start.
        (self.data / "postmaster.pid").unlink(missing_ok=True)
        if not (self.data / "PG_VERSION").exists():
            self._create_cluster()
        self._check_version()
        sockets = private_folder(self.home / "socket", self.account)
        for left in sockets.glob(".s.PGSQL.*"):
            left.unlink()
        self._write_settings(sockets)
        # pg_ctl hands both names to a shell: relative ones have nothing in them that a shell reads.
        names = ("-D", self.data.name, "-l", self._log.name)
        arguments = (*names, "-w", "-t", str(int(timeout)), "start")
        deadline = time.monotonic() + timeout
        while True:
            with contextlib.suppress(FileNotFoundError):
                self._log.replace(self._log.with_name("postgres.log.1"))
            try:
                self.programs.run("pg_ctl", *arguments, timeout=timeout + 5, cwd=self.home)
            except LocalPostgresError as error:
                said = _tail(self._log)
                # The children of a killed server take a moment to notice; until then they hold its memory.
                if "is still in use" in said and time.monotonic() < deadline:
                    time.sleep(0.1)
                    continue
                raise LocalPostgresError(f"{error}\n{said}") from error
            return

    def _create_cluster(self) -> None:
        unfinished = self.home / "data.unfinished"
        if unfinished.exists():
            import shutil  # noqa: PLC0415 - only after an interrupted first start

            shutil.rmtree(unfinished)
        # The same order of strings on every machine, needing no library of the system.
        builtin = ("--locale-provider=builtin", "--locale=C.UTF-8")
        plain = ("--locale=C",)
        initial = ("-U", SUPERUSER, "-A", "trust", "-E", "UTF8", "--no-instructions", "--no-sync")
        provider = builtin if self.programs.major >= 17 else plain  # noqa: PLR2004 - builtin came with 17
        self.programs.run("initdb", "-D", str(unfinished), *initial, *provider)
        with (unfinished / "postgresql.conf").open("a", encoding="utf-8") as file:
            file.write("\ninclude_if_exists = 'relore.conf'\n")
        # No line for TCP: should someone turn listening on, nobody gets in.
        (unfinished / "pg_hba.conf").write_text("local all all trust\n", encoding="utf-8")
        unfinished.rename(self.data)

    def _check_version(self) -> None:
        written = (self.data / "PG_VERSION").read_text(encoding="utf-8").strip()
        if written != str(self.programs.major):
            raise LocalPostgresError(
                f"The data in {self.data} was written by Postgres {written} and the programs are of version "
                f"{self.programs.major}: name the older ones in RELORE_PG_BINDIR, or move {self.data} away "
                "and import again."
            )

    def _write_settings(self, sockets: Path) -> None:
        settings = {
            **self._settings,
            **self._compression(),
            "listen_addresses": "",
            "port": str(_PORT),
            "unix_socket_directories": str(sockets),
            "unix_socket_permissions": "0700",
        }
        lines = (f"{name} = '{value}'\n" for name, value in settings.items())
        target = self.data / "relore.conf"
        target.write_text("".join(lines), encoding="utf-8")
        self.account.own(target)

    def _compression(self) -> dict[str, str]:
        """Return the settings for lz4, none where this Postgres was built without it."""
        wanted = {"default_toast_compression": "lz4", "wal_compression": "lz4"}
        pairs = [part for name, value in wanted.items() for part in ("-c", f"{name}={value}")]
        try:
            self.programs.run("postgres", "-D", str(self.data), "-C", "wal_compression", *pairs)
        except LocalPostgresError:
            return {"wal_compression": "on"}
        return wanted

    def _prepare(self) -> None:
        """Create the roles and databases that are missing.

        Raises:
            LocalPostgresError: the server went away meanwhile.
        """
        import psycopg  # noqa: PLC0415 - `status` and `stop` do without the driver

        try:
            self._create_missing()
        except psycopg.OperationalError as error:
            raise LocalPostgresError(f"Postgres stopped right after its start: {error}") from error

    def _create_missing(self) -> None:
        import psycopg  # noqa: PLC0415 - `status` and `stop` do without the driver

        with psycopg.connect(self.url("postgres", user=SUPERUSER)) as connection:
            roles = {name for (name,) in connection.execute("SELECT rolname FROM pg_roles")}
            databases = {name for (name,) in connection.execute("SELECT datname FROM pg_database")}
        for role in {OWNER, READER} - roles:
            self._administer(["CREATE ROLE {role} LOGIN"], role=role)
        defaults: list[LiteralString] = [
            "ALTER ROLE {role} SET default_transaction_read_only = on",
            "ALTER ROLE {role} SET statement_timeout = '30s'",
        ]
        self._administer(defaults, role=READER)
        for name in (DATABASE, DAGSTER_DATABASE):
            if name in databases:
                self._fence(name)
            else:
                self.create_database(name)

    def _is_ours(self, pid: int) -> bool:
        """Whether the process is alive, no zombie, and the server of this very cluster."""
        try:
            process = psutil.Process(pid)
            if process.status() in (psutil.STATUS_ZOMBIE, psutil.STATUS_DEAD):
                return False
            if process.name() not in ("postgres", "postmaster"):
                return False
            return os.path.realpath(process.cwd()) == os.path.realpath(self.data)
        except psutil.AccessDenied:
            return True
        except psutil.NoSuchProcess:
            return False


def _reachable_home(home: Path, account: Account) -> Path:
    home = Path(os.path.realpath(home))
    if not account.switch or account.reaches(_first_existing(home.parent)):
        return home
    digest = hashlib.blake2b(os.fsencode(home), digest_size=8).hexdigest()
    return _ROOT_STATE / f"postgres-{digest}"


def _first_existing(path: Path) -> Path:
    return next(folder for folder in [path, *path.parents] if folder.exists())


def _tail(log: Path) -> str:
    try:
        return "\n".join(log.read_text(encoding="utf-8", errors="replace").splitlines()[-10:])
    except OSError:
        return ""
