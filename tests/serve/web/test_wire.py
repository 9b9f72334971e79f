"""The recorded replies are what this server answers; the client's tests hold the client to the same recordings.

Run with RELORE_RECORD_WIRE=1 after a deliberate change of the API to record them anew.
"""

from __future__ import annotations

import json
import os
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from rows import NOW

from relore_assets.precedents.build import build
from relore_serve.search.scope import Repo

if TYPE_CHECKING:
    from collections.abc import Callable

    from flask import Flask
    from flask.testing import FlaskClient
    from rows import History
    from werkzeug.test import TestResponse

WIRE = Path(__file__).parents[2] / "wire"
REPLIES: dict[str, Callable[[FlaskClient], TestResponse]] = {
    "search": lambda c: c.post(
        "/api/v1/search", json={"query": "nonce", "files": ["src/batch.c"], "render": True}
    ),
    "search_compact": lambda c: c.post(
        "/api/v1/search", json={"query": "nonce", "compact": True, "render": True}
    ),
    "search_empty": lambda c: c.post(
        "/api/v1/search", json={"query": "zebra", "kind": "rationale", "render": True}
    ),
    "thread": lambda c: c.get("/api/v1/thread/8?render=true"),
    "thread_focus": lambda c: c.get("/api/v1/thread/7?focus=nonce&render=true"),
    "thread_outline": lambda c: c.get("/api/v1/thread/7?outline=true&render=true"),
    "thread_comment": lambda c: c.get("/api/v1/thread/7?comment=1003&render=true"),
    "inflight": lambda c: c.get("/api/v1/inflight/7?render=true"),
    "inflight_empty": lambda c: c.get("/api/v1/inflight/8?render=true"),
    "brief": lambda c: c.get("/api/v1/brief/8?render=true"),
    "similar": lambda c: c.get("/api/v1/similar/7?render=true"),
    "precedent": lambda c: c.post("/api/v1/precedent", json={"query": "nonce", "render": True}),
    "status": lambda c: c.get("/api/v1/status?render=true"),
    "error_no_such_thread": lambda c: c.get("/api/v1/thread/4711"),
    "error_unknown_parameter": lambda c: c.get("/api/v1/thread/7?focuss=x"),
    "error_incompatible": lambda c: c.get("/api/v1/status", headers={"x-relore-api": "99"}),
}


def shape(value: object) -> object:
    """Return names and kinds without what they hold; a list is like each of its items."""
    if isinstance(value, dict):
        return {name: shape(item) for name, item in value.items()}
    if isinstance(value, list):
        return sorted({json.dumps(shape(item), sort_keys=True) for item in value})
    return (
        "number" if isinstance(value, int | float) and not isinstance(value, bool) else type(value).__name__
    )


def test_every_recording_is_of_a_reply_above() -> None:
    assert {path.stem for path in WIRE.glob("*.json")} == set(REPLIES)


def finish_some_work(history: History) -> None:
    """Add a merged pull request and build the precedents."""
    repo = Repo(1, "acme/widgets")
    history.thread(
        repo,
        10,
        "Fix the nonce",
        "Closes #7",
        kind="pr",
        merged=True,
        merged_by="grace",
        files=("src/batch.c",),
    )
    history.comment(repo, 10, "This nonce is what we want", author="grace", trust="authoritative")
    history.link(repo, 10, "closes", 7, stated_at=NOW - timedelta(days=29))
    history.fold()
    history.conn.commit()
    assert build(history.conn, repo.id).units == 1


@pytest.mark.parametrize("name", REPLIES)
def test_the_server_answers_as_recorded(name: str, client: FlaskClient, widgets: History) -> None:
    if name == "precedent":
        finish_some_work(widgets)
    response = REPLIES[name](client)
    answer: dict[str, Any] = {"status": response.status_code, "payload": response.get_json()}
    path = WIRE / f"{name}.json"
    if os.environ.get("RELORE_RECORD_WIRE"):
        path.write_text(json.dumps(answer, indent=2) + "\n", encoding="utf-8")

    recorded = json.loads(path.read_text(encoding="utf-8"))

    assert answer["status"] == recorded["status"]
    assert shape(answer["payload"]) == shape(recorded["payload"])
    assert answer["payload"].get("error") == recorded["payload"].get("error")


@pytest.mark.usefixtures("widgets")
def test_an_answer_holds_its_fields_in_the_order_they_are_written_in(start: Callable[..., Flask]) -> None:
    """So that what is told apart at a glance comes first."""
    text = start().test_client().get("/api/v1/thread/7").get_data(as_text=True)

    assert text.startswith('{"notice":')
    assert text.isascii()
