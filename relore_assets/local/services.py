"""The services of one machine as one unit: they come up together, are watched, and go down together.

`Services` is what `relored up` runs in the foreground; `stop_everything` is `relored down`. What runs is
written down in the state folder, so that the next of either finds what a killed one left behind.
"""

from __future__ import annotations

import contextlib
import json
import os
import signal
import socket
import sys
import threading
import uuid
from dataclasses import asdict, dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple, Self

from filelock import FileLock
from filelock import Timeout as LockTimeout

from relore_assets.errors import ReloreError
from relore_assets.local import processes
from relore_assets.local.binaries import Account, LocalPostgresError
from relore_assets.local.processes import Known
from relore_assets.local.readiness import LOOPBACK, answers, definitions_error, definitions_settled
from relore_assets.local.restarts import Restarts
from relore_assets.local.sockets import private_folder
from relore_assets.local.state import state_errors

if TYPE_CHECKING:
    import subprocess
    from collections.abc import Callable
    from pathlib import Path
    from types import FrameType

    import psutil

    from relore_assets.local.postgres import LocalPostgres
    from relore_assets.settings import Settings

API_PORT = 8080
DAGSTER_PORT = 3000

_PATIENCE = 15.0  # seconds that a service gets to finish what it is doing
_LOG_TAIL = 15


class ServiceError(ReloreError):
    """The services cannot be brought up, or one of them cannot be kept up."""


@dataclass(frozen=True)
class Record:
    """What a running `relored up` writes down for whoever comes after it."""

    mark: str
    supervisor: Known
    api_url: str
    dagster_url: str

    def write(self, path: Path) -> None:
        """Replace the record as a whole."""
        unfinished = path.with_suffix(".unfinished")
        unfinished.write_text(json.dumps(asdict(self)), encoding="utf-8")
        unfinished.replace(path)

    @classmethod
    def read(cls, path: Path) -> Record | None:
        """Return the record, None when there is none that can be read."""
        try:
            found: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
            supervisor = Known(**found.pop("supervisor"))
            return cls(supervisor=supervisor, **found)
        except (OSError, ValueError, TypeError, KeyError):
            return None


@dataclass
class _Service:
    """One child: how it is started, how one knows that it answers, and how often it had to be started again."""

    name: str
    arguments: list[str]
    ready: Callable[[], bool]
    log: Path
    process: subprocess.Popen[bytes] | None = None
    restarts: Restarts = field(default_factory=Restarts)

    @property
    def ended(self) -> bool:
        """Whether it was started and runs no more."""
        return self.process is not None and self.process.poll() is not None

    def last_words(self) -> str:
        """Return the end of its log, introduced."""
        lines = self.log.read_text(encoding="utf-8", errors="replace").splitlines()
        return "\n".join([f"The last lines of {self.log}:", *lines[-_LOG_TAIL:]])


class Ports(NamedTuple):
    """Where the two services that listen are."""

    api: int
    dagster: int


class Services:
    """Postgres (when it is the embedded one), the API, and Dagster's code server, daemon and UI.

    Args:
        settings: whose state folder and databases.
        api_port: the API's port; None takes 8080, or any free one when that is taken.
        dagster_port: the UI's port; None takes 3000, or any free one when that is taken.
        say: prints a line for the person at the terminal.
    """

    def __init__(
        self,
        settings: Settings,
        *,
        api_port: int | None = None,
        dagster_port: int | None = None,
        say: Callable[[str], None],
    ) -> None:
        self._settings = settings
        self._wanted_ports = (api_port, dagster_port)
        self._say = _unfailing(say)
        self._mark = uuid.uuid4().hex
        self._stop = threading.Event()
        self._lock = _lock(settings)
        self._services: list[_Service] = []
        self._postgres: LocalPostgres | None = None
        self._postgres_restarts = Restarts()
        self._dagster_port = 0
        self._reaping: subprocess.Popen[bytes] | None = None
        self.api_url = ""
        self.dagster_url = ""

    def __enter__(self) -> Self:
        """Claim the state folder, end what a killed predecessor left, and start everything.

        Raises:
            ServiceError: another `relored up` is running here, or a port that was asked for is taken.
            StateError: the state folder cannot be used.
        """
        self._settings.make_home()
        _claim(self._settings, self._lock)
        try:
            _end_leftovers(self._settings, say=self._say)
            self._start()
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        """Stop everything, the embedded Postgres last and only when nobody else is using it."""
        try:
            children = [self._reaping, *(service.process for service in self._services)]
            started = [child for child in children if child is not None]
            # Also by number: the mark of one that was started this instant may not show yet.
            ours = processes.numbered([child.pid for child in started if child.poll() is None])
            processes.end({*ours, *processes.marked(self._mark)}, patience=_PATIENCE)
            for child in started:
                child.wait()
            if self._settings.embedded:
                _stop_postgres_unless_used(self._settings, say=self._say)
            _record_path(self._settings).unlink(missing_ok=True)
        finally:
            self._lock.release()

    def wait_until_ready(self) -> bool:
        """Return True once every service answers, False as soon as stopping has been asked for.

        Raises:
            ServiceError: a service ended instead.
        """
        for service in self._services:
            while not self._stop.is_set() and not service.ready():
                self._look_after_postgres()
                for other in self._services:
                    if other.ended:
                        raise ServiceError(f"The service {other.name} did not start. {other.last_words()}")
                self._stop.wait(0.1)
        if self._stop.is_set():
            return False
        if fault := definitions_error(self._dagster_port):
            self._say(f"Dagster cannot load the definitions: {fault}")
        return True

    def watch(self) -> None:
        """Keep the services up until `stop` is called or a signal asks for it.

        Raises:
            ServiceError: a service, or Postgres, keeps dying.
        """
        while not self._stop.wait(0.5):
            self._look_after_postgres()
            for service in self._services:
                self._look_after(service)

    def stop(self) -> None:
        """Make `wait_until_ready` and `watch` return."""
        self._stop.set()

    def stop_on_signals(self) -> None:
        """Let Ctrl-C, SIGTERM and a closed terminal stop the services in good order."""

        def asked(_number: int, _frame: FrameType | None) -> None:
            self.stop()

        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            signal.signal(number, asked)

    def _start(self) -> None:
        settings = self._settings
        api_port, dagster_port = ports = self._ports()
        self._dagster_port = dagster_port
        self.api_url, self.dagster_url = (f"http://{LOOPBACK}:{port}" for port in ports)
        supervisor = Known.of(os.getpid())
        assert supervisor is not None  # noqa: S101 - we are running
        with state_errors(settings.home):
            Record(self._mark, supervisor, self.api_url, self.dagster_url).write(_record_path(settings))
        settings.ensure_database()
        self._postgres = settings.local_postgres() if settings.embedded else None
        settings.prepare_dagster()

        logs = settings.home / "logs"
        workspace = settings.dagster_home / "workspace.yaml"
        with state_errors(settings.home):
            logs.mkdir(mode=0o700, exist_ok=True)
            code_socket = private_folder(settings.home / "run", Account.ours()) / "code"
            code_socket.unlink(missing_ok=True)
            server = {"socket": str(code_socket), "location_name": "relore"}
            # JSON is YAML.
            workspace.write_text(json.dumps({"load_from": [{"grpc_server": server}]}), encoding="utf-8")
        run = [sys.executable, "-m"]
        place = ["-w", str(workspace)]
        definitions = ["-m", "relore_assets.definitions", "--location-name", "relore"]
        for name, arguments, ready in (
            (
                "api",
                ["relore_assets", "serve", "--port", str(api_port)],
                partial(answers, api_port, "/healthz"),
            ),
            (
                "code-server",
                ["dagster", "code-server", "start", "-s", str(code_socket), *definitions],
                code_socket.exists,
            ),
            ("daemon", ["dagster._daemon", "run", *place], _always),
            (
                "dagster-ui",
                ["dagster_webserver", "-h", LOOPBACK, "-p", str(dagster_port), *place],
                partial(definitions_settled, dagster_port),
            ),
        ):
            self._services.append(_Service(name, [*run, *arguments], ready, logs / f"{name}.log"))
        for service in self._services:
            service.log.write_bytes(b"")
            self._launch(service)
        reaping = [*run, "relore_assets.local.reaping"]
        self._reaping = processes.start(reaping, mark=self._mark, log=logs / "reaping.log")

    def _launch(self, service: _Service) -> None:
        service.process = processes.start(service.arguments, mark=self._mark, log=service.log)

    def _look_after(self, service: _Service) -> None:
        """Start a service again that has ended, unless it does nothing else."""
        if not service.ended:
            return
        if not service.restarts.one_more():
            raise ServiceError(f"The service {service.name} keeps ending. {service.last_words()}")
        self._say(f"The service {service.name} ended and is started again.")
        self._launch(service)

    def _look_after_postgres(self) -> None:
        """Start the embedded Postgres again where it has ended, as `_look_after` does: the others live on it."""
        server = self._postgres
        if server is None or server.status() is not None or self._stop.is_set():
            return
        if not self._postgres_restarts.one_more():
            raise ServiceError(f"Postgres keeps ending. {server.last_words()}")
        self._say("Postgres ended and is started again.")
        try:
            server.start()
        except LocalPostgresError as error:  # ended again; the next look counts that
            self._say(str(error))

    def _ports(self) -> Ports:
        """Return two different ports: what was asked for comes before what is usual, whichever service it is."""
        api, dagster = self._wanted_ports
        if api is not None and api == dagster:
            raise ServiceError(f"Port {api} is asked for as the API's and as the Dagster UI's: name two.")
        chosen = self._port(api, API_PORT, "API", other=dagster)
        return Ports(chosen, self._port(dagster, DAGSTER_PORT, "Dagster UI", other=chosen))

    def _port(self, wanted: int | None, usual: int, purpose: str, *, other: int | None) -> int:
        port = wanted or usual
        if port != other and is_free(port):
            return port
        if wanted is not None:
            raise ServiceError(f"Port {port}, asked for as the {purpose}'s, is taken.")
        while (port := any_free_port()) == other:
            continue
        self._say(f"Port {usual} is taken; the {purpose} is on {port}.")
        return port


def stop_everything(settings: Settings, *, say: Callable[[str], None]) -> None:
    """Stop a running `relored up`, end what a killed one left behind, and stop the embedded Postgres.

    Raises:
        ServiceError: a running one does not stop.
        StateError: the state folder cannot be used.
    """
    with state_errors(settings.home):
        there = settings.home.exists()
    if not there:
        say("Nothing was running.")
        return
    record = running(settings)
    if record is not None:
        with contextlib.suppress(ProcessLookupError):
            os.kill(record.supervisor.pid, signal.SIGTERM)
        say("Asked the running `relored up` to stop.")
    lock = _lock(settings)
    try:
        with state_errors(settings.home):
            lock.acquire(timeout=4 * _PATIENCE)
    except LockTimeout as error:
        raise ServiceError("The running `relored up` does not stop; end its process by hand.") from error
    try:
        left = _end_leftovers(settings, say=say)
        stopped = settings.embedded and settings.local_postgres().stop()
        say("Everything stopped." if record or left or stopped else "Nothing was running.")
    finally:
        lock.release()


def running(settings: Settings) -> Record | None:
    """Return the record of a `relored up` that is running here."""
    record = Record.read(_record_path(settings))
    return record if record is not None and record.supervisor.alive else None


def _lock(settings: Settings) -> FileLock:
    return FileLock(str(settings.home / "up.lock"))


def _record_path(settings: Settings) -> Path:
    return settings.home / "up.json"


def _claim(settings: Settings, lock: FileLock) -> None:
    try:
        with state_errors(settings.home):
            lock.acquire(timeout=0)
    except LockTimeout as error:
        record = Record.read(_record_path(settings))
        where = (
            f" (process {record.supervisor.pid}): API {record.api_url}, Dagster UI {record.dagster_url}"
            if record
            else ""
        )
        raise ServiceError(
            f"`relored up` is running here already{where}. `relored down` stops it."
        ) from error


def _end_leftovers(settings: Settings, *, say: Callable[[str], None]) -> bool:
    """End the children of an `up` that was killed: those, and only those, that bear its mark."""
    path = _record_path(settings)
    record = Record.read(path)
    if record is None:
        return False
    left: list[psutil.Process] = processes.marked(record.mark)
    if left:
        say(f"Ending {len(left)} processes that an earlier `relored up` left behind.")
        processes.end(left, patience=_PATIENCE)
    path.unlink(missing_ok=True)
    return bool(left)


def _stop_postgres_unless_used(settings: Settings, *, say: Callable[[str], None]) -> None:
    server = settings.local_postgres()
    others = server.sessions()
    if others:
        say(f"Postgres stays up for {others} other sessions; `relored down` stops it.")
    elif server.stop():
        say("Everything stopped.")


def is_free(port: int) -> bool:
    """Whether a server could listen on the loopback port."""
    with socket.socket() as probe:
        # As servers do: a connection that has just been closed does not keep the port.
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((LOOPBACK, port))
        except OSError:
            return False
        return True


def any_free_port() -> int:
    """Return a loopback port that nobody listens on."""
    with socket.socket() as probe:
        probe.bind((LOOPBACK, 0))
        return int(probe.getsockname()[1])


def _unfailing(say: Callable[[str], None]) -> Callable[[str], None]:
    """Return ``say`` without its failures: that the terminal is gone is no reason to leave things running."""

    def try_to_say(line: str) -> None:
        with contextlib.suppress(OSError):
            say(line)

    return try_to_say


def _always() -> bool:
    return True
