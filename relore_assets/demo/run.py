"""`relored demo`: the sample history through the real assets, the real server and the real client.

Everything lives in a state folder of the demo's own, below the user's one; neither the user's database nor any
address or token in the environment is used.
"""

from __future__ import annotations

import http.client
import os
import shlex
import signal
import socket
import subprocess
import sys
import time
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlsplit
from uuid import uuid4

from filelock import FileLock
from filelock import Timeout as LockTimeout

from relore_assets.demo import sample
from relore_assets.demo.questions import QUESTIONS
from relore_assets.demo.shapes import REPOSITORY
from relore_assets.errors import ReloreError
from relore_assets.local import processes
from relore_assets.local.services import LOOPBACK, Services, running
from relore_assets.local.state import state_errors
from relore_assets.settings import Settings

if TYPE_CHECKING:
    from collections.abc import Callable, Generator

    from relore_assets.demo.questions import Question

# An account of type User that only ever posts reports: the kind that an operator has to declare.
_BOT_ACCOUNTS = "tide-ci"
_FOREIGN = (
    "RELORE_DATABASE_URL",
    "RELORE_READER_URL",
    "RELORE_DAGSTER_URL",
    "RELORE_API_TOKENS",
    "RELORE_API_TOKENS_FILE",
    "RELORE_TOKEN",
    "RELORE_API_TOKEN",
)
_PATIENCE = 120.0  # seconds for the API to answer, on a machine that is busy with other things
_WIDTH = 78


class DemoError(ReloreError):
    """The demo cannot go on."""


def claim() -> Settings:
    """The demo's own settings, made this process's environment as well, so that its children share them."""
    for name in _FOREIGN:
        os.environ.pop(name, None)
    settings = Settings(home=Settings.from_env().home / "demo")
    os.environ.update(RELORE_HOME=str(settings.home), RELORE_BOT_ACCOUNTS=_BOT_ACCOUNTS)
    return settings


def once(say: Callable[[str], None]) -> None:
    """Index the sample, ask the questions, and stop everything again."""
    settings = claim()
    with _database(settings, say):
        fill(settings, say)
        with _api(settings) as url:
            ask_all(url, say)


def until_stopped(
    say: Callable[[str], None], *, api_port: int | None = None, dagster_port: int | None = None
) -> None:
    """As :func:`once`, but with the Dagster UI as well, and everything stays up until it is told to stop."""
    settings = claim()
    with _database(settings, say):
        repository = fill(settings, say)
        services = Services(settings, api_port=api_port, dagster_port=dagster_port, say=say)
        with services:
            _wait_for_api(services.api_url, settings.home / "logs" / "api.log")
            ask_all(services.api_url, say)
            services.stop_on_signals()
            say("")
            say("Everything that you saw is still up. The Dagster UI takes a few seconds more ...")
            if not services.wait_until_ready():
                return
            say("")
            say(f"API         {services.api_url}")
            say(f"Dagster UI  {services.dagster_url}")
            say(f"Repository  {repository}")
            say("")
            say("Ask more in another terminal:")
            say(f"  export RELORE_API={services.api_url} RELORE_REPO={REPOSITORY}")
            say(f'  {_client()} search "retry"')
            say("")
            say("Ctrl-C stops everything.")
            services.watch()


def fill(settings: Settings, say: Callable[[str], None]) -> Path:
    """Write the sample where it is not written yet, import and derive it; returns the git repository."""
    from relore_assets.runs import verbs  # noqa: PLC0415 - imports Dagster, which takes its time

    made = sample.ensure(settings.home / "sample")
    say(f"Sample      {'written to' if made.written else 'unchanged in'} {made.archive.parent}")
    imported = verbs.import_archive(settings, REPOSITORY, made.archive)
    derived = verbs.derive(settings, REPOSITORY)
    staged, rows = imported.rows_written(), sum(run.rows_written() for run in derived)
    if staged or rows:
        say(f"Imported    {staged:,} objects of {REPOSITORY}, an invented project")
        say(f"Derived     {rows:,} rows: threads, documents, signals, links, files, precedents")
    else:
        say("Imported    nothing changed: 0 rows written")
    return made.repository


def ask_all(api_url: str, say: Callable[[str], None]) -> None:
    """Ask every question with the real client and show what it prints."""
    for count, question in enumerate(QUESTIONS, 1):
        say("")
        say(f"-- {count} of {len(QUESTIONS)} ".ljust(_WIDTH, "-"))
        say(question.shows)
        say("")
        say(f"$ relore {shlex.join(question.arguments)}")
        say(ask(api_url, question))


def ask(api_url: str, question: Question, *flags: str) -> str:
    """What `relore` prints for a question.

    Raises:
        DemoError: the client refused to answer.
    """
    done = subprocess.run(
        [sys.executable, "-m", "relore_client", *question.arguments, *flags],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        encoding="utf-8",
        env={**os.environ, "RELORE_API": api_url, "RELORE_REPO": REPOSITORY, "PYTHONUTF8": "1"},
        check=False,
    )
    if done.returncode:
        raise DemoError(f"relore {question.arguments[0]} failed: {done.stderr.strip()}")
    return done.stdout.rstrip("\n")


@contextmanager
def _database(settings: Settings, say: Callable[[str], None]) -> Generator[None]:
    """The embedded Postgres, up and migrated; down again afterwards, whatever happens in between.

    Raises:
        DemoError: another demo is using it.
    """
    # However we are asked to end, it is as for Ctrl-C: what was started is stopped on the way out.
    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.default_int_handler)
    postgres = settings.local_postgres()
    fresh = not postgres.home.exists()
    settings.make_home()
    with _alone(settings):
        try:
            say(f"Postgres    {'made in' if fresh else 'started in'} {postgres.home}")
            settings.ensure_database()
            settings.prepare_dagster()
            yield
        finally:
            postgres.stop()


@contextmanager
def _alone(settings: Settings) -> Generator[None]:
    lock = FileLock(str(settings.home / "demo.lock"))
    try:
        with state_errors(settings.home):
            lock.acquire(timeout=0)
    except LockTimeout:
        record = running(settings)
        where = f": API {record.api_url}, Dagster UI {record.dagster_url}" if record else ""
        raise DemoError(f"The demo is running already{where}. Ctrl-C in its terminal stops it.") from None
    try:
        yield
    finally:
        lock.release()


@contextmanager
def _api(settings: Settings) -> Generator[str]:
    """The API alone, as a child of this process, at the address that is yielded."""
    with socket.socket() as probe:
        probe.bind((LOOPBACK, 0))
        port = int(probe.getsockname()[1])
    logs = settings.home / "logs"
    with state_errors(settings.home):
        logs.mkdir(mode=0o700, exist_ok=True)
    log, mark = logs / "api.log", uuid4().hex
    serve = [sys.executable, "-m", "relore_assets", "serve", "--port", str(port)]
    child = processes.start(serve, mark=mark, log=log)
    try:
        url = f"http://{LOOPBACK}:{port}"
        _wait_for_api(url, log, child)
        yield url
    finally:
        processes.end(processes.marked(mark), patience=10)
        child.wait()


def _wait_for_api(url: str, log: Path, child: subprocess.Popen[bytes] | None = None) -> None:
    """Return when the API answers.

    Raises:
        DemoError: it ended, or does not answer.
    """
    deadline = time.monotonic() + _PATIENCE
    while not _answers(url):
        if time.monotonic() > deadline or (child is not None and child.poll() is not None):
            raise DemoError(f"The API did not start; {log} says why.")
        time.sleep(0.1)


def _client() -> str:
    """How the client is called from any folder: environments are rarely on the PATH."""
    beside = Path(sys.executable).with_name("relore")
    return shlex.quote(str(beside)) if beside.exists() else f"{shlex.quote(sys.executable)} -m relore_client"


def _answers(url: str) -> bool:
    parts = urlsplit(url)
    connection = http.client.HTTPConnection(parts.hostname or LOOPBACK, parts.port, timeout=5)
    try:
        connection.request("GET", "/healthz")
        return connection.getresponse().status == http.client.OK
    except (OSError, http.client.HTTPException):
        return False
    finally:
        connection.close()
