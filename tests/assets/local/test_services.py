"""`relored up` brings everything up, is one per state folder, and leaves nothing behind however it ends."""

from __future__ import annotations

import contextlib
import os
import re
import signal
import socket
import subprocess
import sys
import threading
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
import requests

from relore_assets.local import processes
from relore_assets.local.readiness import answers
from relore_assets.local.services import (
    DAGSTER_PORT,
    Record,
    ServiceError,
    Services,
    running,
    stop_everything,
)
from relore_assets.settings import Settings

if TYPE_CHECKING:
    from collections.abc import Iterator

LOCATION = """{ workspaceOrError { ... on Workspace { locationEntries {
    name locationOrLoadError { __typename ... on PythonError { message } } } } } }"""


def free_ports() -> tuple[int, int]:
    """Return two ports that nobody listens on: held together, so that they are two."""
    with socket.socket() as one, socket.socket() as other:
        one.bind(("127.0.0.1", 0))
        other.bind(("127.0.0.1", 0))
        return int(one.getsockname()[1]), int(other.getsockname()[1])


def get(url: str) -> str:
    """Return what the address answers."""
    return requests.get(url, timeout=60).text


def ask(url: str, question: str) -> str:
    """Return what GraphQL answers."""
    return requests.post(url, json={"query": question}, timeout=60).text


@dataclass
class Up:
    """A `relored up` of this test's own."""

    home: Path
    options: list[str]
    process: subprocess.Popen[str]
    lines: list[str] = field(default_factory=list)

    def read_until(self, text: str) -> None:
        """Collect its lines up to the one that holds ``text``."""
        assert self.process.stdout is not None
        for line in self.process.stdout:
            self.lines.append(line)
            if text in line:
                return
        pytest.fail("".join(self.lines))

    def address(self, name: str) -> str:
        """Return an address that it printed."""
        found = re.search(rf"^{name} +(http\S+)$", "".join(self.lines), re.MULTILINE)
        assert found is not None, self.lines
        return found[1]


def environment(home: Path) -> dict[str, str]:
    """Return an environment in which everything happens in ``home``."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("RELORE_", "DAGSTER_"))}
    return {**kept, "RELORE_HOME": str(home)}


def up(home: Path, *options: str) -> Up:
    """Start a `relored up`."""
    process = subprocess.Popen(
        [sys.executable, "-m", "relore_assets", "up", *options],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        env=environment(home),
    )
    return Up(home, list(options), process)


def relored(home: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run another verb there."""
    return subprocess.run(
        [sys.executable, "-m", "relore_assets", *arguments],
        capture_output=True,
        text=True,
        check=False,
        env=environment(home),
    )


@pytest.fixture
def home(place: Path) -> Iterator[Path]:
    """A state folder in which nothing runs any more afterwards, whatever the test did."""
    home = place / "home"
    yield home
    stop_everything(Settings(home=home), say=lambda _: None)


def test_services_come_up_together_and_go_down_together(home: Path) -> None:
    """The whole life of a machine's services: up, asked, refused a twin, killed, found, replaced, ended."""
    api, dagster = free_ports()
    first = up(home, "--port", str(api), "--dagster-port", str(dagster))
    first.read_until("Ctrl-C stops everything")
    settings = Settings(home=home)
    record = running(settings)
    assert record is not None

    # Everything answers, the definitions among them.
    assert '"status":"ok"' in get(first.address("API") + "/healthz")
    location = ask(first.address("Dagster UI") + "/graphql", LOCATION)
    assert '"name":"relore"' in location
    assert "PythonError" not in location, location

    # A second one is told where the first is.
    twin = relored(home, "up")
    assert twin.returncode == 1
    assert first.address("API") in twin.stderr
    assert "`relored down` stops it" in twin.stderr

    # A killed one leaves its services behind; the next ends them and takes over.
    first.process.kill()
    first.process.communicate()
    left = processes.marked(record.mark)
    assert len(left) >= 4
    api, dagster = free_ports()
    second = up(home, "--port", str(api), "--dagster-port", str(dagster))
    second.read_until("Ctrl-C stops everything")
    assert f"Ending {len(left)} processes" in "".join(second.lines)
    assert processes.marked(record.mark) == []
    replaced = running(settings)
    assert replaced is not None

    # Ctrl-C stops all of it, Postgres included.
    second.process.send_signal(signal.SIGINT)
    said, _ = second.process.communicate()
    assert second.process.returncode == 0
    assert "Everything stopped." in said
    assert processes.marked(replaced.mark) == []
    assert settings.local_postgres().status() is None
    assert running(settings) is None


def test_down_ends_what_a_killed_one_left_and_nothing_else(home: Path) -> None:
    """The mark proves what is its own; a process that bears another is somebody else's."""
    home.mkdir(mode=0o711)
    sleeper = [sys.executable, "-c", "import time; time.sleep(600)"]
    ours = processes.start(sleeper, mark="ours", log=home / "log")
    others = processes.start(sleeper, mark="theirs", log=home / "log")
    gone = processes.Known(pid=os.getpid(), started=time.time() - 3600)
    Record(mark="ours", supervisor=gone, api_url="", dagster_url="").write(home / "up.json")
    settings = Settings(home=home)
    settings.start_database()

    done = relored(home, "down")

    assert done.returncode == 0, done.stderr
    assert "Ending 1 processes" in done.stdout
    assert ours.wait() == -signal.SIGTERM
    assert others.poll() is None
    assert settings.local_postgres().status() is None
    others.kill()
    others.wait()
    assert relored(home, "down").stdout == "Nothing was running.\n"


def test_a_port_that_was_asked_for_and_is_taken_is_an_error(home: Path) -> None:
    """Where it was only the usual one, another is taken and said; what was asked for is not replaced."""
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]

        with pytest.raises(ServiceError, match=f"Port {port}, asked for as the API's, is taken"):
            Services(Settings(home=home), api_port=port, say=lambda _: None).__enter__()

    assert running(Settings(home=home)) is None


def test_one_port_is_never_given_to_both(home: Path) -> None:
    """Neither when it is asked for twice, nor when one service is asked onto the other's usual port."""
    settings = Settings(home=home)
    twice, _ = free_ports()

    with pytest.raises(ServiceError, match=f"Port {twice} is asked for as the API's and as the Dagster UI's"):
        Services(settings, api_port=twice, dagster_port=twice, say=lambda _: None).__enter__()

    said: list[str] = []
    api, dagster = Services(settings, api_port=DAGSTER_PORT, say=said.append)._ports()
    assert api == DAGSTER_PORT != dagster
    assert said == [f"Port {DAGSTER_PORT} is taken; the Dagster UI is on {dagster}."]


@pytest.fixture(params=["file", "below a file", "proc", "read by nobody"])
def unusable(request: pytest.FixtureRequest, place: Path) -> Path:
    """A state folder that cannot be one."""
    file = place / "file"
    file.touch()
    (place / "lock").mkdir()
    (place / "lock" / "up.lock").mkdir(parents=True)
    return {
        "file": file,
        "below a file": file / "home",
        "proc": Path("/proc/1/relore"),
        "read by nobody": place / "lock",
    }[request.param]


@pytest.mark.parametrize("verb", ["up", "down"])
def test_a_state_folder_that_cannot_be_used_is_one_sentence(unusable: Path, verb: str) -> None:
    """It names the folder and the way out; `down` may also find that nothing can be running there."""
    done = relored(unusable, verb)

    if verb == "down" and done.returncode == 0:
        assert done.stdout == "Nothing was running.\n"
        assert not unusable.exists()
        return
    assert done.returncode == 1
    assert done.stderr.startswith(f"Error: The state folder {unusable} cannot be used: ")
    assert "RELORE_HOME" in done.stderr
    assert done.stderr.count("\n") == 1


@pytest.mark.parametrize(("verb", "folder"), [("demo", "demo"), ("status", "postgres")])
def test_other_verbs_below_a_file_say_one_sentence_too(place: Path, verb: str, folder: str) -> None:
    """Each names the folder that it wanted."""
    home = place / "file"
    home.touch()

    done = relored(home, verb)

    assert done.returncode == 1
    assert f"older {home / folder} c" in done.stderr
    assert done.stderr.rstrip().endswith("Not a directory.") or "RELORE_HOME" in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize("verb", ["up", "down", "migrate", "doctor"])
@pytest.mark.parametrize("name", ["two\nlines", "not utf-8 \udcff"], ids=["line break", "bytes"])
def test_a_state_folder_whose_name_cannot_be_used_is_one_sentence(place: Path, verb: str, name: str) -> None:
    """Refused where the environment is read, before anything is made."""
    done = relored(place / name, verb)

    assert done.returncode == 1
    assert done.stderr.startswith("Error: The name of the state folder '")
    assert done.stderr.count("\n") == 1
    assert list(place.iterdir()) == []


@pytest.fixture
def put_back(monkeypatch: pytest.MonkeyPatch) -> None:
    """Have what services set in the environment of this process put back after the test."""
    for name in ("RELORE_HOME", "RELORE_DAGSTER_URL", "RELORE_DAGSTER_LOGS", "DAGSTER_HOME"):
        monkeypatch.setenv(name, os.environ.get(name, ""))


@contextlib.contextmanager
def services_with_api(home: Path, said: list[str]) -> Iterator[Services]:
    """Services whose API is up: until then it would start Postgres by itself, as every verb does."""
    api, dagster = free_ports()
    with Services(Settings(home=home), api_port=api, dagster_port=dagster, say=said.append) as services:
        while not answers(int(services.api_url.rpartition(":")[2]), "/healthz"):
            time.sleep(0.1)
        yield services


@pytest.mark.usefixtures("put_back")
def test_a_postgres_that_keeps_dying_is_the_end(home: Path) -> None:
    """Each death is said, whatever the server was doing; another start is then no help."""
    server = Settings(home=home).local_postgres()
    said: list[str] = []
    ended = threading.Event()

    def kill_whatever_runs() -> None:
        while not ended.wait(0.2):
            found = server.status()
            if found is not None and found.ready:
                with contextlib.suppress(ProcessLookupError):
                    os.kill(found.pid, signal.SIGKILL)

    with services_with_api(home, said) as services:
        killer = threading.Thread(target=kill_whatever_runs)
        killer.start()
        try:
            with pytest.raises(ServiceError, match="Postgres keeps ending"):
                services.watch()
        finally:
            ended.set()
            killer.join()

    assert said.count("Postgres ended and is started again.") == 3


@pytest.mark.usefixtures("put_back")
def test_a_postgres_that_was_killed_once_answers_again(home: Path) -> None:
    """It is not a child, and all of the services live on it; they go on, on the same rows."""
    import psycopg  # noqa: PLC0415

    said: list[str] = []
    settings = Settings(home=home)
    with services_with_api(home, said) as services:
        killed = settings.local_postgres().status()
        assert killed is not None
        os.kill(killed.pid, signal.SIGKILL)
        watching = threading.Thread(target=services.watch)
        watching.start()
        for _ in range(1200):  # a minute, which passes only where nobody starts it
            if "Postgres ended and is started again." in said:
                break
            time.sleep(0.05)
        services.stop()
        watching.join()
        with psycopg.connect(settings.database_url) as connection:
            found = connection.execute("SELECT count(*) FROM relore.schema_version").fetchone()
        assert answers(int(services.api_url.rpartition(":")[2]), "/healthz")

    assert found == (1,)


def test_postgres_stays_up_while_others_use_it(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An import in another terminal is not cut off by the end of the services."""
    import psycopg  # noqa: PLC0415

    for name in ("RELORE_HOME", "RELORE_DAGSTER_URL", "RELORE_DAGSTER_LOGS", "DAGSTER_HOME"):
        monkeypatch.setenv(name, os.environ.get(name, ""))  # so that what the services set is put back
    settings = Settings(home=home)
    said: list[str] = []
    api, dagster = free_ports()
    settings.start_database()
    with psycopg.connect(settings.database_url) as connection:
        with Services(settings, api_port=api, dagster_port=dagster, say=said.append):
            pass
        assert connection.execute("SELECT 1").fetchone() == (1,)

    assert said == ["Postgres stays up for 1 other sessions; `relored down` stops it."]
