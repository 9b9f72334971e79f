"""HTTP: reads requests off connections and writes answers to them, or half of one."""

from __future__ import annotations

import gzip
import json
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qsl, urlsplit

from fake_github.answer import as_json
from fake_github.log import Entry

if TYPE_CHECKING:
    from fake_github.answer import Answer
    from fake_github.github import FakeGitHub

# What gzip makes no smaller is sent as it is.
_WORTH_PACKING = 1_000


class _Handler(BaseHTTPRequestHandler):
    """Reads a request, writes the answer."""

    protocol_version = "HTTP/1.1"
    server: Server

    def do_GET(self) -> None:
        """Answer a GET."""
        self._serve()

    def do_POST(self) -> None:
        """Answer a POST."""
        self._serve()

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - the name is the base class's
        """Stay silent: the log is for the test."""

    def send_response(self, code: int, message: str | None = None) -> None:
        """Send the status line alone: Date is among our own headers."""
        self.send_response_only(code, message)

    def _serve(self) -> None:
        url = urlsplit(self.path)
        length = int(self.headers.get("Content-Length") or 0)
        sent = self.rfile.read(length)
        headers = {name.lower(): value for name, value in self.headers.items()}
        entry = Entry(self.command, url.path, dict(parse_qsl(url.query, keep_blank_values=True)), headers)
        with suppress(ValueError):
            entry.body = json.loads(sent) if sent else None
        github = self.server.github
        answer, fault = github.answer(entry)
        if fault is not None and (fault.delay or fault.hang):
            github.wait(None if fault.hang else fault.delay)
        if fault is not None and fault.hang:
            self.close_connection = True
            return
        self._send(answer, cut=fault is not None and fault.drop)

    def _send(self, answer: Answer, *, cut: bool) -> None:
        headers = answer.headers
        body = (
            b""
            if answer.body is None
            else answer.body
            if isinstance(answer.body, bytes)
            else as_json(answer.body)
        )
        if len(body) >= _WORTH_PACKING and "gzip" in self.headers.get("Accept-Encoding", ""):
            body = gzip.compress(body, 1)
            headers = headers | {"Content-Encoding": "gzip"}
        self.send_response(answer.status)
        if answer.status != 304:
            headers = (
                {"Content-Type": "application/json; charset=utf-8"}
                | headers
                | {"Content-Length": str(len(body))}
            )
        for name, value in headers.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body[: len(body) // 2] if cut else body)
        if cut:
            self.wfile.flush()
            self.close_connection = True


class Server(ThreadingHTTPServer):
    """Serves a `FakeGitHub` on loopback, every connection in a thread of its own."""

    daemon_threads = True
    # Do not wait for clients that keep their connections.
    block_on_close = False
    request_queue_size = 128

    def __init__(self, github: FakeGitHub) -> None:
        self.github = github
        super().__init__(("127.0.0.1", 0), _Handler)

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Stay silent: what fails outside of `FakeGitHub.answer` is a client that went away."""
