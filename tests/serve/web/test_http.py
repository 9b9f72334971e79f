"""The real client against the real server, over the loopback address."""

from __future__ import annotations

import http.client
import json
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from threading import Thread
from typing import TYPE_CHECKING

import pytest
import waitress

from relore_serve.web.app import MAX_BODY
from relore_serve.web.listening import LISTENING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from flask import Flask

ROOT = Path(__file__).parents[3]


@dataclass
class Served:
    """A server that runs, and the client asking it."""

    port: int

    def relore(self, *words: str, **env: str) -> subprocess.CompletedProcess[str]:
        """Run the client as a process of its own."""
        kept = {name: value for name, value in os.environ.items() if not name.startswith("RELORE_")}
        environment = {**kept, "PYTHONPATH": str(ROOT), "RELORE_API": f"http://127.0.0.1:{self.port}", **env}
        return subprocess.run(
            [sys.executable, "-m", "relore_client", *words],
            env=environment,
            capture_output=True,
            text=True,
            encoding="utf-8",
            check=False,
        )


@pytest.fixture
def serve(start: Callable[..., Flask]) -> Iterator[Callable[..., Served]]:
    """Serves an API as `relored serve` does."""
    running: list[tuple[waitress.server.BaseWSGIServer, Thread]] = []

    def make(tokens: str = "", **more: object) -> Served:
        server = waitress.create_server(
            start(tokens, **more), host="127.0.0.1", port=0, threads=2, ident=None, **LISTENING
        )
        thread = Thread(target=server.run)
        thread.start()
        running.append((server, thread))
        return Served(server.effective_port)

    yield make
    for server, thread in running:
        # In the loop's own thread: it ends when there is nothing left to listen to.
        server.trigger.pull_trigger(server.close)
        thread.join()
        server.task_dispatcher.shutdown()


@pytest.mark.usefixtures("gadgets")
def test_every_verb_answers(serve: Callable[..., Served]) -> None:
    served = serve()

    found = served.relore("search", "nonce", "--repo", "acme/widgets")
    thread = served.relore("thread", "7", RELORE_REPO="acme/widgets")
    inflight = served.relore("inflight", "acme/widgets#7")
    status = served.relore("status", "--json")

    for done in (found, thread, inflight, status):
        assert (done.returncode, done.stderr) == (0, "")
    assert "hits for 'nonce'" in found.stdout
    assert "> Nonce is reused in batch verification" in thread.stdout
    assert "1 thread claims to close acme/widgets#7" in inflight.stdout
    assert [repo["repo"] for repo in json.loads(status.stdout)["repositories"]] == [
        "acme/gadgets",
        "acme/widgets",
    ]


@pytest.mark.usefixtures("gadgets")
def test_each_refusal_has_its_exit_code(serve: Callable[..., Served]) -> None:
    served = serve("s3cret:acme/widgets,acme/gadgets")

    outcomes = {
        "nothing found": served.relore("search", "zebra", RELORE_TOKEN="s3cret"),
        "a number of several repositories": served.relore("thread", "7", RELORE_TOKEN="s3cret"),
        "no token": served.relore("status"),
        "no such thread": served.relore("thread", "acme/widgets#4711", RELORE_TOKEN="s3cret"),
        "no such repository": served.relore("search", "x", "--repo", "acme/none", RELORE_TOKEN="s3cret"),
        "a bad time": served.relore("search", "x", "--before", "yesterday", RELORE_TOKEN="s3cret"),
    }

    assert {name: done.returncode for name, done in outcomes.items()} == {
        "nothing found": 0,
        "a number of several repositories": 2,
        "no token": 6,
        "no such thread": 7,
        "no such repository": 7,
        "a bad time": 2,
    }
    assert "acme/gadgets, acme/widgets" in outcomes["a number of several repositories"].stderr


@pytest.mark.usefixtures("widgets")
@pytest.mark.parametrize(
    ("header", "status"),
    [(b"Bearer s3cret", 200), (b"Bearer s3cret\xff", 401), (b"\xe9", 401)],
    ids=["known", "not ASCII", "not even a scheme"],
)
def test_bytes_that_are_no_text_are_a_wrong_token(
    header: bytes, status: int, serve: Callable[..., Served]
) -> None:
    connection = http.client.HTTPConnection("127.0.0.1", serve("s3cret:*").port)
    connection.putrequest("GET", "/api/v1/status")
    connection.putheader("Authorization", header)
    connection.endheaders()
    response = connection.getresponse()

    assert response.status == status
    assert set(json.loads(response.read())) & {"error", "version"}
    connection.close()


@pytest.mark.usefixtures("widgets")
@pytest.mark.parametrize(
    ("length", "media"),
    [(MAX_BODY + 1, "application/json"), (150_000_000, "text/plain")],
    ids=["a little too long", "far too long"],
)
def test_a_body_that_is_too_long_is_refused_before_it_is_read(
    length: int, media: str, serve: Callable[..., Served]
) -> None:
    """And before the token is looked at: nobody makes the server hold what it will not read."""
    connection = http.client.HTTPConnection("127.0.0.1", serve("s3cret:*").port)
    connection.putrequest("POST", "/api/v1/search")
    connection.putheader("Authorization", "Bearer s3cret")
    connection.putheader("Content-Type", "application/json")
    connection.putheader("Content-Length", str(length))
    connection.endheaders(b" " * length if media == "application/json" else b" ")
    response = connection.getresponse()

    assert (response.status, response.headers.get_content_type()) == (413, media)
    connection.close()


@pytest.mark.usefixtures("widgets")
def test_an_open_server_is_not_read_through_a_name_of_the_outside(serve: Callable[..., Served]) -> None:
    """As a web page would that points its own name at this machine."""
    connection = http.client.HTTPConnection("127.0.0.1", serve().port)
    connection.request("GET", "/api/v1/status", headers={"Host": "evil.example"})
    response = connection.getresponse()

    assert response.status == 403
    assert json.loads(response.read())["error"] == "host_refused"
    connection.close()
