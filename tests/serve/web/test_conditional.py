"""What need not be sent again is not rendered again, and what is worth it is compressed."""

from __future__ import annotations

import gzip
from datetime import timedelta
from typing import TYPE_CHECKING, Any

import pytest
from rows import NOW

from relore_serve.search.scope import Repo

if TYPE_CHECKING:
    from collections.abc import Callable

    from flask import Flask
    from flask.testing import FlaskClient
    from rows import History

BY_NUMBER = [f"/api/v1/{route}/7?render=true" for route in ("thread", "inflight", "brief", "similar")]


@pytest.mark.usefixtures("widgets")
@pytest.mark.parametrize("address", BY_NUMBER)
def test_an_answer_that_is_held_is_not_sent_again(address: str, client: FlaskClient) -> None:
    first = client.get(address)
    tag = first.headers["ETag"]

    again = client.get(address, headers={"If-None-Match": f'"other", {tag}'})

    assert tag.startswith('W/"')
    assert first.headers["Cache-Control"] == again.headers["Cache-Control"] == "private, no-cache"
    assert {"Authorization", "Accept-Encoding"} <= first.vary.as_set(preserve_casing=True)
    assert (again.status_code, again.data, again.headers["ETag"]) == (304, b"", tag)
    assert client.get(address, headers={"If-None-Match": '"other"'}).status_code == 200


def test_what_changes_an_answer_changes_its_tag(widgets: History, start: Callable[..., Flask]) -> None:
    def tag(address: str = "/api/v1/thread/7", **more: Any) -> str:
        answer = start(**more).test_client().get(address)
        assert answer.status_code == 200
        return answer.headers["ETag"]

    first = tag()
    assert tag() == first
    # An age on the page moved on, an hour later only the clock did.
    assert tag(clock=lambda: NOW + timedelta(days=1)) != first
    assert tag(version="0.2.0") != first
    assert tag("/api/v1/thread/7?files=true") != first
    assert tag("/api/v1/thread/7?fields=thread.title") != first
    widgets.comment(Repo(1, "acme/widgets"), 7, "One more")
    widgets.conn.commit()
    assert tag() != first


@pytest.mark.usefixtures("widgets")
def test_answers_that_are_not_by_number_are_not_kept(client: FlaskClient) -> None:
    for answer in (
        client.post("/api/v1/search", json={"query": "nonce"}),
        client.get("/api/v1/status"),
        client.get("/api/v1/thread/4711"),
        client.get("/healthz"),
    ):
        assert answer.headers["Cache-Control"] == "no-store"
        assert "ETag" not in answer.headers


@pytest.mark.usefixtures("widgets")
@pytest.mark.parametrize(
    ("accepted", "encoding"),
    [
        ("gzip", "gzip"),
        ("br, GZIP;q=0.5", "gzip"),
        ("*", "gzip"),
        ("gzip;q=0", None),
        ("identity", None),
        ("", None),
    ],
)
def test_gzip_is_for_whoever_takes_it(accepted: str, encoding: str | None, client: FlaskClient) -> None:
    plain = client.get("/api/v1/status")

    answer = client.get("/api/v1/status", headers={"Accept-Encoding": accepted})

    assert answer.headers.get("Content-Encoding") == encoding
    assert int(answer.headers["Content-Length"]) == len(answer.data)
    assert "Accept-Encoding" in answer.headers["Vary"]
    assert (gzip.decompress(answer.data) if encoding else answer.data) == plain.data


def test_what_is_small_is_left_alone(client: FlaskClient) -> None:
    answer = client.get("/api/v1/nothing", headers={"Accept-Encoding": "gzip"})

    assert "Content-Encoding" not in answer.headers
    assert answer.get_json()["error"] == "not_found"
