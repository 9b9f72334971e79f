"""The fake beside GitHub's own descriptions of its APIs, where npm has put them (see package.json)."""

from __future__ import annotations

import functools
import json
import os
from pathlib import Path
from typing import Any

import jwt
import pytest
import requests
from graphql import (
    GraphQLEnumType,
    GraphQLInputObjectType,
    GraphQLInterfaceType,
    GraphQLObjectType,
    GraphQLSchema,
    GraphQLUnionType,
    NoUnusedFragmentsRule,
    build_schema,
    is_required_argument,
    parse,
    specified_rules,
    validate,
)
from jsonschema import Draft202012Validator

from fake_github import FakeGitHub, everything, graphql_api

_HERE = Path(__file__).parent
_PROJECT = _HERE.parents[1]
_OCTOKIT = Path(os.environ.get("RELORE_TEST_NODE_MODULES", _HERE / "node_modules")) / "@octokit"
_OPENAPI = _OCTOKIT / "openapi/generated/api.github.com.json"
_GRAPHQL = _OCTOKIT / "graphql-schema/schema.graphql"

needs_octokit = pytest.mark.skipif(
    not (_OPENAPI.exists() and _GRAPHQL.exists()),
    reason="without @octokit/openapi and @octokit/graphql-schema (npm install --prefix tests/fake_github)",
)

_ENDPOINTS = {
    "/repos/{owner}/{repo}": "/repos/harbor/tide",
    "/repos/{owner}/{repo}/issues": "/repos/harbor/tide/issues?state=all",
    "/repos/{owner}/{repo}/issues/{issue_number}": "/repos/harbor/tide/issues/1",
    "/repos/{owner}/{repo}/issues/comments": "/repos/harbor/tide/issues/comments",
    "/repos/{owner}/{repo}/issues/events": "/repos/harbor/tide/issues/events?per_page=100",
    "/repos/{owner}/{repo}/issues/{issue_number}/comments": "/repos/harbor/tide/issues/1/comments",
    "/repos/{owner}/{repo}/issues/{issue_number}/events": "/repos/harbor/tide/issues/4/events?per_page=100",
    "/repos/{owner}/{repo}/issues/{issue_number}/timeline": "/repos/harbor/tide/issues/4/timeline?per_page=100",
    "/repos/{owner}/{repo}/pulls": "/repos/harbor/tide/pulls?state=all",
    "/repos/{owner}/{repo}/pulls/{pull_number}": "/repos/harbor/tide/pulls/4",
    "/repos/{owner}/{repo}/pulls/comments": "/repos/harbor/tide/pulls/comments",
    "/repos/{owner}/{repo}/pulls/{pull_number}/comments": "/repos/harbor/tide/pulls/4/comments",
    "/repos/{owner}/{repo}/pulls/{pull_number}/reviews": "/repos/harbor/tide/pulls/4/reviews",
    "/repos/{owner}/{repo}/pulls/{pull_number}/files": "/repos/harbor/tide/pulls/4/files",
    "/repos/{owner}/{repo}/pulls/{pull_number}/commits": "/repos/harbor/tide/pulls/4/commits",
    "/repos/{owner}/{repo}/collaborators/{username}/permission": "/repos/harbor/tide/collaborators/keel/permission",
    "/search/issues": "/search/issues?q=repo:harbor/tide",
    "/rate_limit": "/rate_limit",
}


@functools.cache
def _description() -> dict[str, Any]:
    """Return GitHub's description of REST, its `nullable` (OpenAPI 3.0) put in the words of JSON Schema."""
    return _nullable_as_null(json.loads(_OPENAPI.read_text(encoding="utf-8")))


def _nullable_as_null(value: Any) -> Any:
    if isinstance(value, list):
        return [_nullable_as_null(one) for one in value]
    if not isinstance(value, dict):
        return value
    plain = {key: _nullable_as_null(one) for key, one in value.items() if key != "nullable"}
    return {"anyOf": [plain, {"type": "null"}]} if value.get("nullable") is True else plain


@functools.cache
def _official() -> GraphQLSchema:
    return build_schema(_GRAPHQL.read_text(encoding="utf-8"), assume_valid=True)


@pytest.fixture
def answers(github: FakeGitHub) -> requests.Session:
    """Asks a world of everything."""
    everything.fill(github.world)
    session = requests.Session()
    session.headers["Authorization"] = f"Bearer {github.token}"
    return session


@needs_octokit
@pytest.mark.parametrize("template", _ENDPOINTS)
def test_answers_have_the_shape_that_github_describes(
    template: str, github: FakeGitHub, answers: requests.Session
) -> None:
    """Every answer fits the schema of its endpoint in GitHub's OpenAPI description."""
    reply = answers.get(github.url + _ENDPOINTS[template])
    assert reply.status_code == 200
    assert _faults(_schema_of("get", template, "200"), reply.json()) == []


@needs_octokit
@pytest.mark.parametrize("template", _ENDPOINTS)
def test_answers_tell_nothing_that_github_does_not(
    template: str, github: FakeGitHub, answers: requests.Session
) -> None:
    """A field that GitHub never sends would let the code under test rely on it."""
    body = answers.get(github.url + _ENDPOINTS[template]).json()
    schema = _schema_of("get", template, "200")
    known = _fields(schema["items"] if isinstance(body, list) else schema)
    told = {key for one in (body if isinstance(body, list) else [body]) for key in one}
    assert told - known == set()


@needs_octokit
def test_a_minted_token_has_the_shape_that_github_describes(github: FakeGitHub) -> None:
    """An app gets its installation token in the form of GitHub's OpenAPI description."""
    app = github.add_app(7, installation=70)
    claims = {"iss": "7", "iat": int(github.clock.time()) - 60, "exp": int(github.clock.time()) + 300}
    signed = jwt.encode(claims, app.private_key, algorithm="RS256")
    address = f"{github.url}/app/installations/70/access_tokens"
    reply = requests.post(address, headers={"Authorization": f"Bearer {signed}"}, timeout=60)
    template = "/app/installations/{installation_id}/access_tokens"
    assert _faults(_schema_of("post", template, "201"), reply.json()) == []


def _schema_of(method: str, template: str, status: str) -> dict[str, Any]:
    """Return the schema of an answer, with what it refers to."""
    reply = _description()["paths"][template][method]["responses"][status]
    return reply["content"]["application/json"]["schema"] | {"components": _description()["components"]}


def _faults(schema: dict[str, Any], body: Any) -> list[str]:
    errors = Draft202012Validator(schema).iter_errors(body)
    return [f"{error.json_path}: {error.message[:200]}" for error in errors]


def _fields(schema: dict[str, Any]) -> set[str]:
    """Return the fields that an object may have after a schema."""
    if "$ref" in schema:
        return _fields(_description()["components"]["schemas"][schema["$ref"].rsplit("/", 1)[1]])
    choices = [one for key in ("anyOf", "oneOf", "allOf") for one in schema.get(key, ())]
    return set(schema.get("properties", ())).union(*map(_fields, choices))


@needs_octokit
def test_the_schema_is_a_part_of_githubs() -> None:
    """Whatever is asked of this schema could be asked of GitHub's, with answers of the same types."""
    official = _official()
    differences = [
        difference
        for name, kind in graphql_api.schema().type_map.items()
        if not name.startswith("__")
        for difference in _differences(kind, official.type_map.get(name))
    ]
    assert differences == []


def _differences(ours: Any, theirs: Any) -> list[str]:
    """Name what a type of ours says otherwise than GitHub's type of that name."""
    if type(ours) is not type(theirs):
        return [f"{ours.name} is another kind of type"]
    if isinstance(ours, GraphQLEnumType):
        return [f"{ours.name}.{value}" for value in ours.values.keys() ^ theirs.values.keys()]
    if isinstance(ours, GraphQLUnionType):
        return [
            f"{ours.name} | {one.name}"
            for one in ours.types
            if one.name not in {o.name for o in theirs.types}
        ]
    if isinstance(ours, GraphQLInputObjectType):
        return [
            f"{ours.name}.{name}"
            for name, field in ours.fields.items()
            if name not in theirs.fields or str(field.type) != str(theirs.fields[name].type)
        ]
    if isinstance(ours, GraphQLObjectType | GraphQLInterfaceType):
        extra = {one.name for one in ours.interfaces} - {one.name for one in theirs.interfaces}
        return [f"{ours.name} implements {name}" for name in extra] + [
            f"{ours.name}.{name}"
            for name, field in ours.fields.items()
            if name not in theirs.fields or not _same_field(field, theirs.fields[name])
        ]
    return []


def _same_field(ours: Any, theirs: Any) -> bool:
    same = all(
        name in theirs.args
        and str(argument.type) == str(theirs.args[name].type)
        and argument.default_value == theirs.args[name].default_value
        for name, argument in ours.args.items()
    )
    missing = [
        name
        for name, argument in theirs.args.items()
        if is_required_argument(argument) and name not in ours.args
    ]
    return same and not missing and str(ours.type) == str(theirs.type)


@needs_octokit
@pytest.mark.parametrize(
    "document",
    sorted(_PROJECT.glob("relore_*/**/*.graphql")),
    ids=lambda path: path.name,
)
def test_the_projects_queries_are_valid_at_github(document: Path) -> None:
    """Every query that the project sends passes the checks of GitHub's whole schema."""
    query = parse(document.read_text(encoding="utf-8"))
    # A file may hold fragments alone, which the code puts into queries.
    rules = [rule for rule in specified_rules if rule is not NoUnusedFragmentsRule]
    assert [str(error) for error in validate(_official(), query, rules)] == []
