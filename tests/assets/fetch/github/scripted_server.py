"""A server on loopback that says exactly what a test tells it to, byte for byte, and remembers what it was asked."""

from __future__ import annotations

import json
import socket
import threading
from contextlib import suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING, Any, Self
from urllib.parse import parse_qsl, urlsplit

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping


@dataclass(frozen=True)
class Asked:
    """A request as it came in."""

    method: str
    target: str
    headers: Mapping[str, str]
    body: bytes

    @property
    def path(self) -> str:
        """The address without its query."""
        return urlsplit(self.target).path

    @property
    def query(self) -> dict[str, str]:
        """The values of the query."""
        return dict(parse_qsl(urlsplit(self.target).query))

    @property
    def bearer(self) -> str:
        """The token."""
        return self.headers.get("authorization", "").removeprefix("Bearer ")


@dataclass(frozen=True)
class Say:
    """A reply: ``body`` is sent as it is when it is bytes, else as JSON.

    ``cut`` sends half the body and hangs up; ``hang_up`` sends nothing at all and hangs up; ``silent`` keeps the
    connection open and says nothing until the server ends; ``unmeasured`` leaves the length out, so that a cut body
    looks like a whole one.
    """

    body: Any = None
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)
    cut: bool = False
    hang_up: bool = False
    silent: bool = False
    unmeasured: bool = False


class ScriptedServer:
    """Answers with what ``script`` returns for each request; asked in order, one at a time."""

    def __init__(self, script: Callable[[Asked], Say]) -> None:
        self.asked: list[Asked] = []
        self._script = script
        self._lock = threading.Lock()
        self._over = threading.Event()
        self._server = _Server(("127.0.0.1", 0), type("Bound", (_Handler,), {"scripted": self}))
        self._thread = threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.01})

    @property
    def url(self) -> str:
        """Where it listens."""
        return f"http://127.0.0.1:{self._server.server_port}"

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._over.set()
        self._server.shutdown()
        self._thread.join()
        self._server.hang_up()
        self._server.server_close()

    def answer(self, asked: Asked) -> Say:
        """Ask the script."""
        with self._lock:
            self.asked.append(asked)
            return self._script(asked)

    def wait_for_the_end(self) -> None:
        """Keep a connection waiting for as long as the server runs."""
        self._over.wait()


def in_turn(*says: Say) -> Callable[[Asked], Say]:
    """Give these replies one after the other, and the last one for ever."""
    left = list(says)
    return lambda _: left.pop(0) if len(left) > 1 else left[0]


class Clock:
    """A clock that only moves when somebody sleeps."""

    def __init__(self, start: float = 1_700_000_000.0) -> None:
        self._moment = start
        self._lock = threading.Lock()
        self.slept: list[float] = []

    def now(self) -> float:
        """Return the seconds since 1970."""
        return self._moment

    def sleep(self, seconds: float) -> None:
        """Move on."""
        with self._lock:
            self.slept.append(seconds)
            self._moment += seconds


class _Server(ThreadingHTTPServer):
    daemon_threads = False  # joined at the end, so that no test leaves a socket behind

    def __init__(self, *arguments: Any) -> None:
        super().__init__(*arguments)
        self._connections: list[socket.socket] = []

    def process_request(self, request: Any, client_address: Any) -> None:
        self._connections.append(request)
        super().process_request(request, client_address)

    def hang_up(self) -> None:
        """End the connections that clients have kept for later."""
        for connection in self._connections:
            with suppress(OSError):
                connection.shutdown(socket.SHUT_RDWR)


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    wbufsize = -1  # one piece per answer: in two, the second waits for the first to be acknowledged
    disable_nagle_algorithm = True
    scripted: ScriptedServer

    def do_GET(self) -> None:
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        asked = Asked(self.command, self.path, {k.lower(): v for k, v in self.headers.items()}, body)
        say = self.scripted.answer(asked)
        if say.silent:
            self.scripted.wait_for_the_end()
        if say.silent or say.hang_up:
            self.close_connection = True
            return
        self._send(say)

    do_POST = do_GET  # noqa: N815 - the names are http.server's

    def _send(self, say: Say) -> None:
        payload = say.body if isinstance(say.body, bytes) else json.dumps(say.body).encode()
        if say.status == 304:
            payload = b""
        self.send_response_only(say.status)
        for name, value in say.headers.items():
            self.send_header(name, value)
        if say.unmeasured:
            self.close_connection = True
            self.send_header("Connection", "close")
        else:
            self.send_header("Content-Length", str(len(payload)))
        self.end_headers()
        self.wfile.write(payload[: len(payload) // 2] if say.cut else payload)
        if say.cut:
            self.close_connection = True

    def log_message(self, *_: object) -> None:
        """Say nothing."""

    def handle(self) -> None:
        # A client that was told to give up hangs up on us.
        try:
            super().handle()
        except (ConnectionError, TimeoutError):
            self.close_connection = True
