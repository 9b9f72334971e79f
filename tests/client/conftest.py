"""Servers that answer by a script, and the client inside this process or as one of its own."""

from __future__ import annotations

import os
import subprocess
import sys
from http.server import ThreadingHTTPServer
from threading import Thread
from typing import TYPE_CHECKING, Any

import pytest
from scripted import ROOT, Outcome, Script, handler

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator


@pytest.fixture
def start_server() -> Iterator[Callable[[], Script]]:
    """Starts servers that answer by their script."""
    running: list[tuple[ThreadingHTTPServer, Thread]] = []

    def start() -> Script:
        script = Script()
        server = ThreadingHTTPServer(("127.0.0.1", 0), handler(script))
        server.daemon_threads = True
        thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
        thread.start()
        running.append((server, thread))
        script.url = f"http://127.0.0.1:{server.server_port}"
        return script

    yield start
    for server, thread in running:
        server.shutdown()
        thread.join()
        server.server_close()


@pytest.fixture
def server(start_server: Callable[[], Script], clean_environment: pytest.MonkeyPatch) -> Script:
    """One such server, which the environment names."""
    script = start_server()
    clean_environment.setenv("RELORE_API", script.url)
    return script


@pytest.fixture
def clean_environment(monkeypatch: pytest.MonkeyPatch) -> pytest.MonkeyPatch:
    """The environment without anything that the client reads."""
    for name in ("RELORE_API", "RELORE_REPO", "RELORE_TOKEN", "RELORE_API_TOKEN"):
        monkeypatch.delenv(name, raising=False)
    return monkeypatch


@pytest.fixture
def relore(
    clean_environment: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> Callable[..., Outcome]:
    """Runs the client inside this process."""
    del clean_environment
    from relore_client.cli import main  # noqa: PLC0415 - after the environment is clean

    def run(*arguments: str) -> Outcome:
        with pytest.raises(SystemExit) as ended:
            main(arguments)
        out, err = capfd.readouterr()
        return Outcome(int(ended.value.code or 0), out, err)

    return run


@pytest.fixture
def process(clean_environment: pytest.MonkeyPatch) -> Callable[..., subprocess.CompletedProcess[bytes]]:
    """Runs the client as a process of its own."""
    del clean_environment

    def run(
        *arguments: str, env: dict[str, str] | None = None, **more: Any
    ) -> subprocess.CompletedProcess[bytes]:
        environment = {**os.environ, "PYTHONPATH": str(ROOT), **(env or {})}
        command = [sys.executable, "-m", "relore_client", *arguments]
        return subprocess.run(command, env=environment, capture_output=True, check=False, **more)

    return run
