"""Whatever is asked, by the letter of the OpenAPI document or against it, the answer has a shape that it documents.

No failure of the server, no envelope that something got out of, no raw control character, and not a word of a
repository that the token does not name.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from hostile import MARK, PAYLOADS, VISIBLE_CONTROL, fill
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from test_openapi import DOCUMENT, validator

from relore_assets.precedents.build import build
from relore_serve.web.labels import Labels
from relore_serve.web.quota import Limits

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    import psycopg
    from flask import Flask
    from flask.testing import FlaskClient
    from rows import History
    from werkzeug.test import TestResponse

EXAMPLES = 40
"""Of each route."""
OURS, THEIRS = "amberine", "quartzite"
"""A word in every text of the repository that may be seen, and one in every text of the other."""

HELD = {
    "repo": ["acme/widgets", "Acme/Widgets", "acme/gadgets", "acme/none"],
    "number": [1, 2, 3, 7, 8, 45, 46],
    "query": ["nonce", OURS, "nonce FORGED", "zebra", "-Werror", "foo &", "a'b", '"unclosed', "(", "is not"],
    "focus": ["nonce", OURS, "zebra"],
    "errors": ["ValueError: nonce reused", "zebra"],
    "files": ["a.c", "src/", "zebra.c"],
    "symbols": ["np.all", "zebra"],
    "authors": ["ada", "octocat"],
    "labels": ["bug"],
    "before": ["2024-05-30", "2024-05-29T12:00:00Z", "2020-01-01"],
    "since": ["2024-05-01"],
    "after": ["1003", "1005", "review_comment:1005"],
    "comment": ["1003", "1005", "1006"],
    "fields": ["count", "thread.title,thread.comments.url", "query", "zebra"],
}
OPERATIONS = [
    (path, method, operation)
    for path, methods in DOCUMENT["paths"].items()
    for method, operation in methods.items()
]

junk = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.floats(allow_nan=False, allow_infinity=False),
    st.text(max_size=30),
    st.sampled_from(sorted(PAYLOADS.values())),
    st.sampled_from(["", "\0", "\ud800", "%00", "../../etc/passwd", "x" * 20_000]),
    st.lists(st.text(max_size=5), max_size=25),
    st.dictionaries(st.text(max_size=5), st.integers(), max_size=3),
)


def by(schema: dict[str, Any], name: str) -> st.SearchStrategy[Any]:
    """Return values that a schema of the document admits, those among them that the index holds more often."""
    if "anyOf" in schema:
        return st.one_of([by(one, name) for one in schema["anyOf"]])
    if "enum" in schema:
        return st.sampled_from(schema["enum"])
    kind = schema["type"]
    if kind == "object":
        return st.fixed_dictionaries(
            {}, optional={one: by(below, one) for one, below in schema["properties"].items()}
        )
    if kind == "array":
        return st.lists(by(schema["items"], name), max_size=min(schema["maxItems"], 4))
    made = {
        "null": st.none,
        "boolean": st.booleans,
        "integer": lambda: st.integers(schema.get("minimum"), schema.get("maximum")),
        "string": lambda: (
            st.from_regex(re.compile(schema["pattern"], re.ASCII), fullmatch=True)
            if "pattern" in schema
            else st.one_of(st.text(max_size=60), st.sampled_from(sorted(PAYLOADS.values())))
        ),
    }[kind]()
    held = HELD.get({"repos": "repo", "exclude": "number"}.get(name, name), [])
    fitting = [value for value in held if isinstance(value, {"string": str, "integer": int}.get(kind, ()))]
    return st.one_of(*[st.sampled_from(fitting)] * 3, made) if fitting else made


@st.composite
def asked(draw: st.DrawFn, path: str, method: str, operation: dict[str, Any]) -> dict[str, Any]:
    """Draw a request: most of it fits the document, some of it does not."""
    if method == "post":
        schema = operation["requestBody"]["content"]["application/json"]["schema"]
        kinds, needed = schema["properties"], schema.get("required", [])
    else:
        parameters = [one for one in operation["parameters"] if one.get("in") == "query"]
        kinds, needed = {one["name"]: one["schema"] for one in parameters}, []
    names = draw(st.lists(st.sampled_from(sorted(kinds)), max_size=5, unique=True)) if kinds else []
    names = [*needed, *(name for name in names if name not in needed)]
    values = {name: draw(by(kinds[name], name)) for name in names}
    if draw(st.integers(0, 3)) == 0:
        odd = draw(st.one_of(st.sampled_from([*names, "compac"]), st.text(max_size=12)))
        values[odd] = draw(junk)
    if draw(st.booleans()) and "render" in kinds and "fields" not in values:
        values["render"] = True
    number = draw(st.one_of(*[st.sampled_from(HELD["number"])] * 4, st.integers(), st.text(max_size=6)))
    address = path.replace("{number}", quoted(str(number)))
    return {
        "path": address,
        "method": method,
        **({"json": values} if method == "post" else {"query": values}),
    }


def quoted(text: str) -> str:
    return "".join(
        c if c.isascii() and c.isalnum() else "".join(f"%{b:02X}" for b in c.encode("utf-8", "surrogatepass"))
        for c in text
    )


def send(client: FlaskClient, request: dict[str, Any]) -> TestResponse:
    """Send a request as any client might, byte by byte where need be."""
    if "json" in request:
        body = json.dumps(request["json"])
        return client.open(
            request["path"], method=request["method"], data=body, content_type="application/json"
        )
    pairs = [
        (name, one)
        for name, value in request["query"].items()
        for one in (value if isinstance(value, list) else [value])
    ]
    told = "&".join(
        f"{quoted(name)}={quoted(str(one).lower() if one is True else str(one))}" for name, one in pairs
    )
    return client.open(f"{request['path']}?{told}", method=request["method"])


def strings(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for name, below in value.items():
            yield name
            yield from strings(below)
    elif isinstance(value, list):
        for one in value:
            yield from strings(one)


def check(answer: TestResponse, path: str, method: str, request: dict[str, Any]) -> None:
    """Hold one answer against the document and against what no answer may hold."""
    text = answer.get_data(as_text=True)
    assert answer.status_code not in {500, 503}, request
    if path == "/metrics" and answer.status_code == 200:
        assert not VISIBLE_CONTROL.search(text)
        return
    payload = json.loads(text)
    if answer.status_code == 404 and payload["error"] == "not_found":  # a number that makes another address
        return
    picked = (request.get("json") or request.get("query") or {}).get("fields")
    if answer.status_code != 200 or not picked:
        wrong = [error.message for error in validator(path, method, answer.status_code).iter_errors(payload)]
        assert wrong == [], request
    assert text.isascii()
    for string in strings(payload):
        assert not VISIBLE_CONTROL.search(string), request
    page = payload.pop("rendered", None)
    assert not MARK.search(json.dumps(payload)), request
    if page is not None and not path.endswith("/status"):
        lines = page.split("\n")
        assert len(MARK.findall(page)) == 2, request
        assert lines[0].startswith("<<<UNTRUSTED relore-"), request
        assert lines[-1] == lines[0].replace("<<<", "<<<END "), request


@pytest.fixture
def hostile(history: History, conn: psycopg.Connection) -> History:
    """Two repositories with the same numbers, each payload in every field of two threads of both."""
    for name, word in (("acme/widgets", OURS), ("acme/gadgets", THEIRS)):
        repo = history.repo(name)
        history.standing(repo, "ada", "authoritative")
        for place, payload in enumerate(PAYLOADS.values()):
            fill(history, repo, f"{word} {payload}", first=2 * place + 1)
        history.link(repo, 2, "closes", 7, target_repo="acme/gadgets")
        history.link(repo, 4, "closes", 7, target_repo="acme/widgets")
        conn.commit()
        assert build(conn, repo.id).units
    history.fold()
    history.count()
    conn.commit()
    return history


@pytest.fixture
def both(hostile: History, start: Callable[..., Flask], tmp_path: Path) -> tuple[FlaskClient, FlaskClient]:
    """A caller who may see one of the repositories, and one who may see both."""
    assert hostile
    labels = Labels(tmp_path / "labels.jsonl")
    app = start("one:acme/widgets:label all:*:label", limits=Limits(0, 0), labels=labels)
    clients = app.test_client(), app.test_client()
    for client, secret in zip(clients, ("one", "all"), strict=True):
        client.environ_base["HTTP_AUTHORIZATION"] = f"Bearer {secret}"
    return clients


def apart(payload: dict[str, Any]) -> None:
    """Check that what is said of a thread of one repository was written in that repository."""
    lists = [payload[name] for name in ("hits", "claims", "similar") if isinstance(payload.get(name), list)]
    for part in [*(one for parts in lists for one in parts), payload.get("thread", {})]:
        if "repo" in part:
            stranger = OURS if part["repo"] == "acme/gadgets" else THEIRS
            assert stranger not in json.dumps(part).replace(json.dumps(payload.get("focus", "")), "")


@pytest.mark.parametrize(
    ("path", "method", "operation"), OPERATIONS, ids=[f"{method} {path}" for path, method, _ in OPERATIONS]
)
def test_whatever_is_asked_is_answered_as_documented(
    path: str, method: str, operation: dict[str, Any], both: tuple[FlaskClient, FlaskClient]
) -> None:
    one, everything = both
    seen: Counter[int] = Counter()

    @settings(
        max_examples=EXAMPLES,
        derandomize=True,
        database=None,
        deadline=None,
        suppress_health_check=list(HealthCheck),
    )
    @given(request=asked(path, method, operation))
    def ask(request: dict[str, Any]) -> None:
        answer = send(one, request)
        check(answer, path, method, request)
        seen[answer.status_code] += 1
        assert THEIRS not in answer.get_data(as_text=True), request
        answer = send(everything, request)
        check(answer, path, method, request)
        if answer.status_code == 200 and answer.is_json:
            apart(answer.get_json())

    ask()

    assert seen[200] >= EXAMPLES // 20, seen
    assert len(seen) > 1 or path in {"/healthz", "/metrics", "/api/v1/openapi.json"}, seen


def test_one_number_of_two_repositories_is_two_threads(both: tuple[FlaskClient, FlaskClient]) -> None:
    one, everything = both
    for route in ("thread", "inflight", "brief", "similar"):
        for number in range(1, 2 * len(PAYLOADS), 5):
            for repo, stranger in (("acme/widgets", THEIRS), ("acme/gadgets", OURS)):
                address = f"/api/v1/{route}/{number}?repo={repo}&render=true"
                page = everything.get(address).get_data(as_text=True)
                claims = json.loads(page).get("claims", [])
                if not any(claim["repo"] != repo for claim in claims):
                    assert stranger not in page, address
                assert (one.get(address).status_code == 200) is (repo == "acme/widgets")
            assert THEIRS not in one.get(f"/api/v1/{route}/{number}?render=true").get_data(as_text=True)
