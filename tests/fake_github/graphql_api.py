"""GraphQL requests: checked against the schema, priced, charged and run.

https://docs.github.com/en/graphql
"""

from __future__ import annotations

import functools
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from graphql import (
    GraphQLError,
    GraphQLResolveInfo,
    GraphQLSchema,
    OperationDefinitionNode,
    build_schema,
    execute_sync,
    get_variable_values,
    parse,
    validate,
)

from fake_github.answer import Answer, ApiError
from fake_github.connections import Node, Refusal
from fake_github.cost import Cost, QueryRefused, reckon
from fake_github.resolvers import resolve

if TYPE_CHECKING:
    from graphql import DocumentNode

    from fake_github.access import Token
    from fake_github.limits import Limits, Quotas
    from fake_github.world import World

SCHEMA = Path(__file__).with_name("schema.graphql")


@functools.cache
def schema() -> GraphQLSchema:
    """Return the part of GitHub's schema that is served."""
    built = build_schema(SCHEMA.read_text(encoding="utf-8"))
    # «Since the value may exceed the size of a 32-bit integer, it's encoded as a string.»
    # https://docs.github.com/en/graphql/reference/scalars#bigint
    built.type_map["BigInt"].serialize = str  # type: ignore[union-attr]
    return built


class Session:
    """One request: what it may cost and what it did cost."""

    def __init__(self, world: World, limits: Limits, quotas: Quotas, token: Token) -> None:
        self.world = world
        self.limits = limits
        self.token = token
        self.cost = 0
        #: Whether it was refused for lack of quota.
        self.refused = False
        self._quotas = quotas
        self._reckoned = Cost()

    def answer(self, request: Any) -> Answer:
        """Answer a request; whatever is wrong with the query comes with status 200, as at GitHub.

        Raises:
            ApiError: 400 for what is no GraphQL request at all.
        """
        if not isinstance(request, dict) or not isinstance(request.get("query"), str):
            raise ApiError(400, "A query attribute must be specified and must be a string.")
        try:
            document = parse(request["query"])
        except GraphQLError as error:
            return Answer(body={"errors": [_shown(error)]})
        if errors := validate(schema(), document):
            return Answer(body={"errors": [_shown(error) for error in errors]})
        operation = _operation(document, request.get("operationName"))
        variables = get_variable_values(
            schema(), operation.variable_definitions, request.get("variables") or {}
        )
        if isinstance(variables, list):
            return Answer(body={"errors": [_shown(error) for error in variables]})
        try:
            self._reckoned = reckon(schema(), document, operation, variables, self.limits)
        except QueryRefused as error:
            return Answer(body={"data": None, "errors": [{"type": error.kind, "message": str(error)}]})
        if not self._quotas.take(self.token.owner, "graphql", self._reckoned.points):
            # «The response status will still be 200, but you will receive an error message, and the value of the
            # x-ratelimit-remaining header will be 0.»
            self.refused = True
            error = {"type": "RATE_LIMITED", "message": "API rate limit exceeded for user ID 1."}
            return Answer(body={"errors": [error]})
        self.cost = self._reckoned.points
        return Answer(body=self._run(document, request))

    def rate_limit(self) -> Node:
        """Return what the query's field ``rateLimit`` shows."""
        state = self._quotas.state(self.token.owner, "graphql")
        resets = datetime.fromtimestamp(state["reset"], UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
        fields = state | {"cost": self.cost, "nodeCount": self._reckoned.nodes, "resetAt": resets}
        return Node("RateLimit", fields)

    def _run(self, document: DocumentNode, request: dict[str, Any]) -> dict[str, Any]:
        result = execute_sync(
            schema(),
            document,
            context_value=self,
            variable_values=request.get("variables"),
            operation_name=request.get("operationName"),
            field_resolver=resolve,
            type_resolver=_type_of,
        )
        body: dict[str, Any] = {"data": result.data}
        if result.errors:
            body["errors"] = [_shown(error) for error in result.errors]
        return body


def _type_of(value: Node, _info: GraphQLResolveInfo, _abstract: Any) -> str:
    return value.type


def _operation(document: DocumentNode, name: str | None) -> OperationDefinitionNode:
    operations = [one for one in document.definitions if isinstance(one, OperationDefinitionNode)]
    found = [one for one in operations if name is None or (one.name and one.name.value == name)]
    if not found:
        raise ApiError(400, f"No operation named {name!r}")
    return found[0]


def _shown(error: GraphQLError) -> dict[str, Any]:
    """Return an error as GitHub shows it: with its type, its path and where in the query it is."""
    shown: dict[str, Any] = {"message": error.message}
    if isinstance(error.original_error, Refusal):
        shown["type"] = error.original_error.kind
    if error.path:
        shown["path"] = error.path
    if error.locations:
        shown["locations"] = [{"line": place.line, "column": place.column} for place in error.locations]
    return shown
