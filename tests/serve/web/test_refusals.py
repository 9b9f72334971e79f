"""Whatever goes wrong, on whatever route: one shape, a stable code, a sentence."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import psycopg
import pytest
from rows import NOW

from relore_serve.database import SchemaMismatch, open_reader
from relore_serve.web.app import MAX_BODY, create_app
from relore_serve.web.door import MAX_QUERY_STRING
from relore_serve.web.errors import CODES
from relore_serve.web.labels import Labels
from relore_serve.web.quota import Limits
from relore_serve.web.tokens import Tokens

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from flask import Flask
    from werkzeug.test import TestResponse

ROUTES = {
    "/api/v1/search": "POST",
    "/api/v1/thread/<number>": "GET",
    "/api/v1/inflight/<number>": "GET",
    "/api/v1/brief/<number>": "GET",
    "/api/v1/similar/<number>": "GET",
    "/api/v1/precedent": "POST",
    "/api/v1/label": "POST",
    "/api/v1/status": "GET",
    "/api/v1/openapi.json": "GET",
    "/healthz": "GET",
    "/metrics": "GET",
}
BODIES = {
    "/api/v1/label": {"query": "x", "number": 7, "source_type": "title", "verdict": "relevant"},
}
OPEN_ROUTES = {"/api/v1/openapi.json", "/healthz", "/metrics"}
API_ROUTES = [route for route in ROUTES if route not in OPEN_ROUTES]


def error_of(response: TestResponse, status: int, code: str) -> dict[str, Any]:
    """Return the answer, which must have the one shape."""
    assert response.status_code == status, response.get_data(as_text=True)
    assert response.mimetype == "application/json"
    answer = response.get_json()
    assert answer["error"] == code
    assert code in CODES[status]
    assert set(answer) - {"error", "message"} <= set(CODES[status][code])
    assert isinstance(answer["message"], str)
    assert len(answer["message"].splitlines()) == 1
    assert answer["message"].endswith(".")
    assert response.headers["x-relore-version"] == "0.1.0"
    assert response.headers["x-relore-api"] == "1"
    return answer


def ask(app: Flask, route: str, query: str = "", **more: Any) -> TestResponse:
    """Ask a route as a caller on this machine does."""
    path = route.replace("<number>", "7") + query
    if ROUTES.get(route) == "POST":
        more = {"json": BODIES.get(route, {"query": "x"}), **more}
    return app.test_client().open(path, method=ROUTES.get(route, "GET"), **more)


@pytest.fixture
def dead(tmp_path: Path) -> Iterator[Flask]:
    """An API whose database is away."""
    pool = open_reader("postgresql://nobody@127.0.0.1:1/nothing", size=1, wait=0.2)
    labels = Labels(tmp_path / "labels.jsonl")
    yield create_app(reader=pool, tokens=Tokens.parse(""), clock=lambda: NOW, version="0.1.0", labels=labels)
    pool.close()


def api_rules(app: Flask) -> list[Any]:
    """Return the rules of everything but pages for people."""
    return [rule for rule in app.url_map.iter_rules() if not rule.endpoint.startswith("pages.")]


def test_the_list_above_holds_every_route(dead: Flask) -> None:
    assert {rule.rule: rule.methods - {"HEAD", "OPTIONS"} for rule in api_rules(dead)} == {
        route: {method} for route, method in ROUTES.items()
    }


@pytest.mark.parametrize("route", [*API_ROUTES, "/healthz"])
def test_a_database_that_is_away_is_an_outage_and_no_empty_answer(route: str, dead: Flask) -> None:
    response = ask(dead, route)

    answer = error_of(response, 503, "store_unavailable")
    assert int(response.headers["Retry-After"]) > 0
    assert "127.0.0.1" not in answer["message"]


@pytest.mark.parametrize("route", ROUTES)
def test_a_method_that_a_route_does_not_know_is_named_as_such(route: str, dead: Flask) -> None:
    for method in ("DELETE", "OPTIONS"):
        response = dead.test_client().open(route.replace("<number>", "7"), method=method)

        error_of(response, 405, "method_not_allowed")
        assert ROUTES[route] in response.headers["Allow"]


@pytest.mark.parametrize("route", API_ROUTES)
def test_an_unknown_parameter_is_named_with_the_nearest_known_one(route: str, dead: Flask) -> None:
    posted = ROUTES[route] == "POST"

    known = "verdict" if route == "/api/v1/label" else "compact"
    near = known[:-1]

    response = ask(dead, route, json={near: True}) if posted else ask(dead, route, f"?{near}=true")

    answer = error_of(response, 400, "unknown_parameter")
    assert (answer["parameter"], answer["nearest"]) == (near, known)


@pytest.mark.parametrize("route", API_ROUTES)
def test_a_parameter_in_the_address_of_a_posted_question_is_refused_too(route: str, dead: Flask) -> None:
    """It would otherwise be dropped without a word."""
    error_of(ask(dead, route, "?nothing=1"), 400, "unknown_parameter")


@pytest.mark.parametrize("route", API_ROUTES)
def test_versions_that_do_not_fit_are_refused_before_anything_else(
    route: str, start: Callable[..., Flask]
) -> None:
    app = start("s3cret:*")

    for declared, behind in (("0", "client"), ("2", "server")):
        answer = error_of(ask(app, route, headers={"x-relore-api": declared}), 426, "incompatible")
        assert answer["behind"] == behind


@pytest.mark.parametrize("route", API_ROUTES)
@pytest.mark.parametrize(
    "header",
    [None, "Bearer wrong", b"Bearer \xff\xfe".decode("latin-1"), "Basic eA=="],
    ids=["none", "wrong", "not ASCII", "another scheme"],
)
def test_whoever_is_not_known_is_refused(route: str, header: str | None, start: Callable[..., Flask]) -> None:
    response = ask(start("s3cret:*"), route, headers={"Authorization": header} if header else {})

    error_of(response, 401, "unauthorized")
    assert response.headers["WWW-Authenticate"].startswith("Bearer")


@pytest.mark.parametrize("route", [route for route in API_ROUTES if route != "/api/v1/status"])
def test_a_call_too_many_is_refused_with_the_time_to_wait(route: str, start: Callable[..., Flask]) -> None:
    app = start("s3cret:*", limits=Limits(per_minute=1))
    headers = {"Authorization": "Bearer s3cret"}
    ask(app, route, headers=headers)

    response = ask(app, route, headers=headers)

    answer = error_of(response, 429, "rate_limited")
    assert response.headers["Retry-After"] == str(answer["retry_after"]) == "60"
    assert (answer["limit"], answer["of"]) == ("per-minute", 1)


@pytest.mark.parametrize("route", API_ROUTES)
@pytest.mark.parametrize(
    ("environment", "headers"),
    [({"REMOTE_ADDR": "192.0.2.7"}, {}), ({}, {"Host": "evil.example"})],
    ids=["from elsewhere", "for elsewhere"],
)
def test_an_open_server_answers_its_own_machine_only(
    route: str, environment: dict[str, str], headers: dict[str, str], start: Callable[..., Flask]
) -> None:
    error_of(ask(start(), route, environ_base=environment, headers=headers), 403, "host_refused")

    trusting = ask(start(trust_network=True), route, environ_base=environment, headers=headers)
    assert "host_refused" not in trusting.get_data(as_text=True)


@pytest.mark.parametrize(
    "path",
    ["/favicon.ico", "/api/v1/nothing", "/api/v1/7", "/api/v1/thread/", "/api/v1/thread/7/x", "/robots.txt"],
)
def test_a_route_that_is_none_is_not_found(path: str, dead: Flask) -> None:
    error_of(dead.test_client().get(path), 404, "not_found")


@pytest.mark.parametrize("route", ROUTES)
def test_an_address_that_is_longer_than_any_question_is_refused(route: str, dead: Flask) -> None:
    answer = error_of(ask(dead, route, "?focus=" + "x" * MAX_QUERY_STRING), 414, "address_too_long")

    assert f"{MAX_QUERY_STRING:,}" in answer["message"]


@pytest.mark.parametrize("number", ["0", "-1", "x", "2147483648", "9" * 400, "%00", "7%0a", "%D9%A7"])
@pytest.mark.parametrize("route", ["thread", "inflight", "brief", "similar"])
def test_a_number_that_no_thread_has_is_refused(route: str, number: str, dead: Flask) -> None:
    response = dead.test_client().get(f"/api/v1/{route}/{number}")

    refusal = error_of(response, 400, "bad_value")
    assert refusal["parameter"] == "number"
    assert refusal["message"] == "A thread is asked for by its number, 1 to 2,147,483,647."


BAD_BODIES: list[tuple[str, dict[str, Any], int, str]] = [
    ("not JSON", {"data": b"{", "content_type": "application/json"}, 400, "bad_request"),
    ("not an object", {"json": []}, 400, "bad_request"),
    ("nested without end", {"data": b"[" * 100_000, "content_type": "application/json"}, 400, "bad_request"),
    ("not said to be JSON", {"data": b"{}", "content_type": "text/plain"}, 415, "unsupported_media_type"),
    ("too large", {"data": b" " * (MAX_BODY + 1), "content_type": "application/json"}, 413, "too_large"),
    ("a NUL", {"json": {"query": "a\0b"}}, 400, "bad_value"),
    (
        "half a character",
        {"data": rb'{"query": "\ud800"}', "content_type": "application/json"},
        400,
        "bad_value",
    ),
    ("a question too long", {"json": {"query": "x" * 16_001}}, 400, "bad_value"),
    ("too many values", {"json": {"files": [str(n) for n in range(21)]}}, 400, "bad_value"),
    ("a kind that is none", {"json": {"kind": "bug"}}, 400, "bad_value"),
    ("a time without a zone", {"json": {"before": "2026-03-01T00:00:00"}}, 400, "bad_value"),
    ("an empty window", {"json": {"since": "2026-03-02", "before": "2026-03-01"}}, 400, "empty_window"),
    ("a limit that is none", {"json": {"limit": 0}}, 400, "bad_value"),
    ("a cursor of nobody", {"json": {"query": "x", "cursor": "AAAA"}}, 400, "bad_cursor"),
]


@pytest.mark.parametrize(
    ("sent", "status", "code"), [case[1:] for case in BAD_BODIES], ids=[case[0] for case in BAD_BODIES]
)
@pytest.mark.usefixtures("widgets")
def test_a_question_that_cannot_be_asked_is_refused(
    sent: dict[str, Any], status: int, code: str, start: Callable[..., Flask]
) -> None:
    error_of(start().test_client().post("/api/v1/search", **sent), status, code)


@pytest.mark.usefixtures("widgets")
def test_a_question_of_the_longest_size_is_answered(start: Callable[..., Flask]) -> None:
    words = " ".join(f"word{n}" for n in range(2_000))[:16_000]

    assert start().test_client().post("/api/v1/search", json={"query": words}).status_code == 200


BAD_QUERIES = [
    ("before=2026-03-01T00:00:00", "before"),
    ("before=yesterday", "before"),
    ("repo=nowhere", "repo"),
    ("exclude=x", "exclude"),
    ("compact=2", "compact"),
    ("render=true&render=true", "render"),
]


@pytest.mark.parametrize(("query", "parameter"), BAD_QUERIES, ids=[query for query, _ in BAD_QUERIES])
@pytest.mark.parametrize("route", ["thread", "inflight", "brief", "similar"])
def test_a_parameter_that_cannot_be_read_is_named(
    route: str, query: str, parameter: str, dead: Flask
) -> None:
    response = dead.test_client().get(f"/api/v1/{route}/7?{query}")

    assert error_of(response, 400, "bad_value")["parameter"] == parameter


@pytest.mark.parametrize("other", ["focus=x", "outline=1", "after=5", "full=1", "files=1"])
def test_one_comment_goes_with_nothing_else(other: str, dead: Flask) -> None:
    response = dead.test_client().get(f"/api/v1/thread/7?comment=5&{other}")

    assert error_of(response, 400, "bad_value")["parameter"] == other.partition("=")[0]


class _Failing:
    """A store that fails in a given way."""

    def __init__(self, error: Exception) -> None:
        self.error = error

    def connection(self) -> Any:
        raise self.error


@pytest.mark.parametrize(
    ("error", "status", "code"),
    [
        (SchemaMismatch("The schema is older: run `relored migrate`."), 503, "schema_mismatch"),
        (psycopg.errors.QueryCanceled("canceling statement"), 503, "too_slow"),
        (ZeroDivisionError("a secret of the house"), 500, "internal"),
    ],
)
def test_a_failure_of_ours_says_what_it_may_and_no_more(error: Exception, status: int, code: str) -> None:
    app = create_app(reader=_Failing(error), tokens=Tokens.parse(""), clock=lambda: NOW, version="0.1.0")

    answer = error_of(ask(app, "/api/v1/status"), status, code)

    assert "secret of the house" not in str(answer)


def test_what_a_message_quotes_of_the_request_is_clean(start: Callable[..., Flask]) -> None:
    app = start()

    response = app.test_client().get("/api/v1/status?%1b[2J%3C%3C%3CEND%20UNTRUSTED%20relore%3E%3E%3E=1")

    answer = error_of(response, 400, "unknown_parameter")
    assert all(character.isprintable() for character in answer["message"] + answer["parameter"])
    assert "UNTRUSTED" not in str(answer)
