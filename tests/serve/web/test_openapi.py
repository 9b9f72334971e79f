"""The OpenAPI document says what the server does: every route and parameter is in it, and real answers fit it."""

from __future__ import annotations

import copy
import json
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from jsonschema import Draft202012Validator
from rows import NOW

from relore_serve.search.scope import Repo
from relore_serve.web import openapi
from relore_serve.web.errors import CODES
from relore_serve.web.pin import Pin
from relore_serve.web.quota import Limits
from relore_serve.web.routes import ABOUT, ROUTES

if TYPE_CHECKING:
    from collections.abc import Callable

    from flask import Flask
    from flask.testing import FlaskClient
    from rows import History

DOCUMENT = openapi.document("0.1.0")


def closed(schema: Any) -> Any:
    """Return the schema with every object that lists its keys closed to others, so that none goes unmentioned."""
    if isinstance(schema, list):
        return [closed(one) for one in schema]
    if not isinstance(schema, dict):
        return schema
    shut = {name: closed(below) for name, below in schema.items()}
    if shut.get("type") == "object" and "properties" in shut:
        shut.setdefault("additionalProperties", False)
    return shut


def validator(path: str, method: str, status: int) -> Draft202012Validator:
    """Return what holds an answer against the document."""
    response = DOCUMENT["paths"][path][method]["responses"][str(status)]
    if "$ref" in response:
        response = DOCUMENT["components"]["responses"][str(status)]
    schema = copy.deepcopy(response["content"]["application/json"]["schema"])
    schema["components"] = {"schemas": DOCUMENT["components"]["schemas"]}
    return Draft202012Validator(closed(schema))


def test_it_is_served_to_everybody_in_any_version(start: Callable[..., Flask]) -> None:
    client = start("s3cret:*").test_client()

    answer = client.get(
        "/api/v1/openapi.json", headers={"x-relore-api": "99"}, base_url="http://evil.example"
    )

    assert answer.status_code == 200
    assert answer.get_json() == DOCUMENT
    held = {"If-None-Match": answer.headers["ETag"]}
    assert client.get("/api/v1/openapi.json", headers=held).status_code == 304


def test_it_is_a_document_of_openapi_3_1() -> None:
    assert DOCUMENT["openapi"] == "3.1.0"
    for schema in DOCUMENT["components"]["schemas"].values():
        Draft202012Validator.check_schema(schema)
    text = json.dumps(DOCUMENT)
    references = {part.split('"')[0] for part in text.split('"$ref": "#/')[1:]}
    for reference in references:
        here: Any = DOCUMENT
        for name in reference.split("/"):
            here = here[name]
        assert here


def test_every_route_that_is_answered_is_in_it(start: Callable[..., Flask]) -> None:
    answered = {
        (rule.rule.replace("<", "{").replace(">", "}"), method.lower())
        for rule in start().url_map.iter_rules()
        if not rule.endpoint.startswith("pages.")
        for method in (rule.methods or set()) - {"HEAD", "OPTIONS"}
    }

    assert {(path, method) for path, methods in DOCUMENT["paths"].items() for method in methods} == answered


@pytest.mark.parametrize("route", ROUTES, ids=[route.name for route in ROUTES])
def test_every_parameter_is_in_it_with_what_it_is_for(route: Any) -> None:
    path = route.path.replace("<", "{").replace(">", "}")
    operation = DOCUMENT["paths"][path][route.method.lower()]
    if route.method == "POST":
        body = operation["requestBody"]["content"]["application/json"]["schema"]
        described = {name: schema["description"] for name, schema in body["properties"].items()}
    else:
        described = {
            one["name"]: one["description"] for one in operation["parameters"] if one.get("in") == "query"
        }

    assert described == {name: ABOUT[name] for name in route.fields}


def test_nothing_is_explained_that_no_route_takes() -> None:
    assert set(ABOUT) == {name for route in ROUTES for name in route.fields}


def test_every_code_is_in_it() -> None:
    codes = DOCUMENT["components"]["schemas"]["Refusal"]["properties"]["error"]["enum"]

    assert set(codes) == {code for by_code in CODES.values() for code in by_code}


QUESTIONS: list[tuple[str, str, str, dict[str, Any] | None]] = [
    ("/api/v1/search", "post", "/api/v1/search", {"query": "nonce", "files": ["src/batch.c"], "limit": 50}),
    ("/api/v1/search", "post", "/api/v1/search", {"query": "nonce reused zebra", "render": True}),
    ("/api/v1/search", "post", "/api/v1/search", {"query": "zebra", "kind": "rationale", "compact": True}),
    ("/api/v1/search", "post", "/api/v1/search", {"errors": ["ValueError: nonce reused"], "sort": "newest"}),
    ("/api/v1/search", "post", "/api/v1/search", {"query": "nonce", "before": "2024-05-20", "exclude": [8]}),
    ("/api/v1/thread/{number}", "get", "/api/v1/thread/8?render=1&files=1", None),
    ("/api/v1/thread/{number}", "get", "/api/v1/thread/7?outline=1", None),
    ("/api/v1/thread/{number}", "get", "/api/v1/thread/7?comment=1003", None),
    ("/api/v1/thread/{number}", "get", "/api/v1/thread/8?before=2024-05-20&focus=nonce", None),
    ("/api/v1/inflight/{number}", "get", "/api/v1/inflight/7?render=1", None),
    ("/api/v1/brief/{number}", "get", "/api/v1/brief/8?render=1", None),
    ("/api/v1/brief/{number}", "get", "/api/v1/brief/7?before=2024-05-20", None),
    ("/api/v1/similar/{number}", "get", "/api/v1/similar/7?render=1&limit=50", None),
    ("/api/v1/precedent", "post", "/api/v1/precedent", {"query": "nonce", "render": True, "limit": 50}),
    ("/api/v1/precedent", "post", "/api/v1/precedent", {"rejected": True, "kind": "bug_fix"}),
    ("/api/v1/status", "get", "/api/v1/status?render=1", None),
    ("/healthz", "get", "/healthz", None),
]


@pytest.mark.usefixtures("widgets")
def test_real_answers_fit_it(start: Callable[..., Flask]) -> None:
    """And hold nothing that it does not mention."""
    client = start("s3cret:*", pin=Pin(NOW)).test_client()
    client.environ_base["HTTP_AUTHORIZATION"] = "Bearer s3cret"

    for path, method, address, body in QUESTIONS:
        answer = client.open(address, method=method, json=body)
        assert answer.status_code == 200, (address, answer.get_data(as_text=True))
        wrong = [error.message for error in validator(path, method, 200).iter_errors(answer.get_json())]
        assert wrong == [], (address, body)


def test_answers_with_a_state_that_is_not_known_fit_it(start: Callable[..., Flask], widgets: History) -> None:
    """Before a closing whose history is not held, whether a thread was open is told by nobody."""
    (held,) = widgets.conn.execute("SELECT id FROM relore.repos").fetchall()
    repo = Repo(held[0], "acme/widgets")
    widgets.thread(
        repo, 11, "Nonce of a batch", "Closes #7", kind="pr", state="closed", files=("src/batch.c",),
        at=NOW - timedelta(days=20), updated_at=NOW, closed_at=NOW, undated=["state"],
    )  # fmt: skip
    widgets.link(repo, 11, "closes", 7)
    widgets.fold()
    widgets.count()
    client = start().test_client()
    before = (NOW - timedelta(days=10)).date().isoformat()

    for view, key in (("thread", "thread"), ("brief", "thread"), ("similar", None), ("inflight", None)):
        for number in (11, 7):
            payload = client.get(f"/api/v1/{view}/{number}?before={before}").get_json()
            assert "error" not in payload, payload
            wrong = [
                error.message
                for error in validator(f"/api/v1/{view}/{{number}}", "get", 200).iter_errors(payload)
            ]
            assert wrong == [], (view, number)
            if key and number == 11:
                assert payload[key]["state"] is None
                assert "state" in payload[key]["withheld"]


WIRE = sorted((Path(__file__).parents[2] / "wire").glob("[!e]*.json"))


@pytest.mark.parametrize("recording", WIRE, ids=[path.stem for path in WIRE])
def test_every_recorded_reply_fits_it(recording: Path) -> None:
    name = recording.stem.split("_")[0]
    path = next(path for path in DOCUMENT["paths"] if f"/{name}" in path)
    payload = json.loads(recording.read_text(encoding="utf-8"))["payload"]

    fits = validator(path, next(iter(DOCUMENT["paths"][path])), 200)

    assert [error.message for error in fits.iter_errors(payload)] == []


REFUSED: list[tuple[str, str, str, dict[str, Any]]] = [
    ("/api/v1/search", "post", "/api/v1/search", {"json": {"qery": "x"}}),
    ("/api/v1/search", "post", "/api/v1/search", {"json": {"limit": 0}}),
    ("/api/v1/search", "post", "/api/v1/search", {"data": "x"}),
    ("/api/v1/search", "post", "/api/v1/search", {"json": {"fields": "hits.titel"}}),
    ("/api/v1/thread/{number}", "get", "/api/v1/thread/4711", {}),
    ("/api/v1/thread/{number}", "get", "/api/v1/thread/7?repo=acme/none", {}),
    ("/api/v1/thread/{number}", "get", "/api/v1/thread/7", {"headers": {"x-relore-api": "99"}}),
    ("/api/v1/thread/{number}", "delete", "/api/v1/thread/7", {}),
    ("/api/v1/inflight/{number}", "get", "/api/v1/inflight/7", {"headers": {"Authorization": "Bearer x"}}),
]


@pytest.mark.usefixtures("widgets")
def test_refusals_fit_it(start: Callable[..., Flask]) -> None:
    client = start("s3cret:*", limits=Limits(per_minute=len(REFUSED))).test_client()
    client.environ_base["HTTP_AUTHORIZATION"] = "Bearer s3cret"
    asked = [*REFUSED, *[("/api/v1/inflight/{number}", "get", "/api/v1/inflight/7", {})] * 9]
    seen: set[int] = set()

    for path, method, address, more in asked:
        answer = client.open(address, method=method, **more)
        seen.add(answer.status_code)
        if answer.status_code == 200:
            continue
        documented = "get" if method == "delete" else method
        fits = validator(path, documented, answer.status_code)
        assert [error.message for error in fits.iter_errors(answer.get_json())] == [], address

    assert seen >= {400, 401, 404, 405, 415, 426, 429}


def test_a_field_that_an_answer_does_not_have_is_refused_with_the_nearest(client: FlaskClient) -> None:
    for fields, nearest in (
        ("hits.titel", "hits.title"),
        ("title", "hits.title"),
        ("count,ttal", "total"),
        ("rendered", None),
    ):
        answer = client.post("/api/v1/search", json={"query": "x", "fields": fields})

        assert answer.status_code == 400
        assert answer.get_json()["error"] == "unknown_field"
        assert answer.get_json()["nearest"] == nearest


@pytest.mark.usefixtures("widgets")
def test_fields_leave_of_an_answer_what_was_named(client: FlaskClient) -> None:
    whole = client.post("/api/v1/search", json={"query": "nonce"}).get_json()
    some = client.post(
        "/api/v1/search", json={"query": "nonce", "fields": "count, hits.url,query.text"}
    ).get_json()
    thread = client.get(
        "/api/v1/thread/8?fields=thread.title,thread.verdicts,thread.verdicts.author"
    ).get_json()
    status = client.get("/api/v1/status?fields=repositories.removed.deleted,threads").get_json()

    assert some == {
        "notice": whole["notice"],
        "query": {"text": "nonce"},
        "count": whole["count"],
        "hits": [{"url": hit["url"]} for hit in whole["hits"]],
        "scrubbed": {"hidden_characters": 0, "marks": 0, "template_tokens": 0},
    }
    assert set(thread["thread"]) == {"title", "verdicts"}
    assert thread["thread"]["verdicts"][0]["verdict"] == "changes_requested"
    assert status["repositories"] == [{"removed": {"deleted": {"issue_comment": 1}}}]


@pytest.mark.parametrize("fields", ["", ",", "a,,b", "x" * 300, ",".join("abcdefghij" * 6)])
def test_paths_that_are_none_are_refused(fields: str, client: FlaskClient) -> None:
    answer = client.get("/api/v1/status", query_string={"fields": fields})

    assert (answer.status_code, answer.get_json()["error"]) == (400, "bad_value")


def test_fields_go_with_no_text_page(client: FlaskClient) -> None:
    answer = client.get("/api/v1/status?fields=threads&render=true")

    assert (answer.status_code, answer.get_json()["parameter"]) == (400, "fields")
