"""GraphQL as GitHub answers it: https://docs.github.com/en/graphql."""

from __future__ import annotations

from typing import Any

import requests
from graphql import (
    GraphQLField,
    GraphQLObjectType,
    get_named_type,
    is_composite_type,
)

from fake_github import FakeGitHub, everything, graphql_api


def ask(github: FakeGitHub, query: str, token: str = "", **variables: Any) -> dict[str, Any]:
    """Send a query about harbor/tide."""
    headers = {"Authorization": f"Bearer {token or github.token}"}
    body = {"query": query, "variables": variables}
    reply = requests.post(f"{github.url}/graphql", json=body, headers=headers, timeout=60)
    assert reply.status_code == 200
    return reply.json()


def tide(fields: str) -> str:
    return f'{{ repository(owner: "harbor", name: "tide") {{ {fields} }} }}'


# -- what there is -----------------------------------------------------------------------------------


def test_every_field_of_the_schema_has_an_answer(github: FakeGitHub) -> None:
    """A query for all fields of all types, over a world that has one of each, meets no error."""
    everything.fill(github.world)
    github.limits.nodes = 10**12
    reply = ask(github, _everything())
    assert "errors" not in reply
    assert _types(reply["data"]) == _object_types()


def _everything() -> str:
    """Return a query for all fields, deepest in pull requests: there are the comments of reviews."""
    deep = {"pullRequest": 4, "issue": 3}
    return f"""{{
        __typename
        repository(owner: "harbor", name: "tide") {_selection("Repository", 3, deep)}
        rateLimit {_selection("RateLimit", 0)}
        viewer {{ __typename }}
    }}"""


_NUMBERS = {"issue": 1, "pullRequest": 4, "issueOrPullRequest": 4}


def _selection(name: str, depth: int, deep: dict[str, int] | None = None) -> str:
    kind = graphql_api.schema().type_map[name]
    if not isinstance(kind, GraphQLObjectType):
        members = sorted(one.name for one in graphql_api.schema().get_possible_types(kind))
        parts = [f"... on {one} {_selection(one, depth)}" for one in members]
        return f"{{ __typename {' '.join(parts)} }}"
    fields = ["__typename"]
    for field, definition in kind.fields.items():
        inner = get_named_type(definition.type)
        if is_composite_type(inner) and not depth:
            continue
        left = (deep or {}).get(field, depth - 1)
        below = _selection(inner.name, left) if is_composite_type(inner) else ""
        fields.append(f"{name}_{field}: {field}{_arguments(field, definition)} {below}")
    return f"{{ {' '.join(fields)} }}"


def _arguments(field: str, definition: GraphQLField) -> str:
    if "first" in definition.args:
        return "(first: 100)"
    return f"(number: {_NUMBERS[field]})" if field in _NUMBERS else ""


def _types(value: Any) -> set[str]:
    if isinstance(value, list):
        return set().union(*map(_types, value))
    if not isinstance(value, dict):
        return set()
    return {value["__typename"]}.union(*map(_types, value.values()))


def _object_types() -> set[str]:
    kinds = graphql_api.schema().type_map.values()
    return {one.name for one in kinds if isinstance(one, GraphQLObjectType) and not one.name.startswith("__")}
