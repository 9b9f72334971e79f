"""A server on the loopback address that answers by a script, and how a run of the client ended."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, urlsplit

ROOT = Path(__file__).parents[2]


@dataclass
class Outcome:
    """How a run of the client ended."""

    code: int
    out: str
    err: str


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
    payload: object = field(default_factory=lambda: {"notice": "Data.", "rendered": "a page"})
    headers: dict[str, str] = field(default_factory=dict)
    raw: bytes | None = None
    asked: list[Asked] = field(default_factory=list)

    def answer(self) -> tuple[int, dict[str, str], bytes]:
        """Return status, headers and body."""
        body = self.raw if self.raw is not None else json.dumps(self.payload).encode()
        headers = {"x-relore-api": "1", "x-relore-version": "0.1.0", "content-type": "application/json"}
        return self.status, {**headers, **self.headers}, body


def handler(script: Script) -> type[BaseHTTPRequestHandler]:
    """Return a handler of requests that records what was asked and says what ``script`` says."""

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
            # Two lengths that differ are an error of their own.
            if "content-length" not in headers:
                self.send_header("content-length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        do_GET = do_POST = _answer  # noqa: N815 - the names that the base class calls

        def log_message(self, *_: object) -> None:
            pass

    return Handler
