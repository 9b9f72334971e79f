"""A server on the loopback address that says what a test wants it to, and the client as a process."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qsl, urlsplit

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

ROOT = Path(__file__).parents[2]


@dataclass
class Asked:
    """One request as it arrived."""

    method: str
    path: str
    query: list[tuple[str, str]]
    headers: dict[str, str]
    body: Any

    @property
    def everything(self) -> dict[str, Any]:
        """The question, however it travelled."""
        return {**dict(self.query), **(self.body or {})}


@dataclass
class Script:
    """What the server answers, and what it was asked."""

    url: str = ""
    status: int = 200
    payload: object = field(default_factory=lambda: {"rendered": "a page"})
    headers: dict[str, str] = field(default_factory=dict)
    raw: bytes | None = None
    asked: list[Asked] = field(default_factory=list)

    def answer(self) -> tuple[int, dict[str, str], bytes]:
        """Return status, headers and body."""
        body = self.raw if self.raw is not None else json.dumps(self.payload).encode()
        headers = {"x-relore-api": "1", "x-relore-version": "0.1.0", "content-type": "application/json"}
        return self.status, {**headers, **self.headers}, body


def _handler(script: Script) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        def _answer(self) -> None:
            length = int(self.headers.get("content-length") or 0)
            sent = self.rfile.read(length)
            parts = urlsplit(self.path)
            headers = {name.lower(): value for name, value in self.headers.items()}
            body = json.loads(sent) if sent else None
            script.asked.append(Asked(self.command, parts.path, parse_qsl(parts.query), headers, body))
            status, headers, body = script.answer()
            self.send_response(status)
            for name, value in headers.items():
                if value:
                    self.send_header(name, value)
            self.send_header("content-length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        do_GET = do_POST = _answer  # noqa: N815 - the names that the base class calls

        def log_message(self, *_: object) -> None:
            pass

    return Handler


@pytest.fixture
def start_server() -> Iterator[Callable[[], Script]]:
    """Starts servers that answer by their script."""
    running: list[tuple[ThreadingHTTPServer, Thread]] = []

    def start() -> Script:
        script = Script()
        server = ThreadingHTTPServer(("127.0.0.1", 0), _handler(script))
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


@dataclass
class Outcome:
    """How a run of the client ended."""

    code: int
    out: str
    err: str


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
