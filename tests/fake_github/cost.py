"""What a GraphQL query costs, reckoned from its text before anything is looked up.

https://docs.github.com/en/graphql/overview/rate-limits-and-query-limits-for-the-graphql-api
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from graphql import (
    FieldNode,
    FragmentDefinitionNode,
    FragmentSpreadNode,
    IntValueNode,
    VariableNode,
    get_named_type,
)

if TYPE_CHECKING:
    from graphql import (
        DocumentNode,
        GraphQLNamedType,
        GraphQLSchema,
        OperationDefinitionNode,
        SelectionSetNode,
        ValueNode,
    )

    from fake_github.limits import Limits


class QueryRefused(Exception):
    """A query that GitHub does not run: its type of error and its words."""

    def __init__(self, kind: str, message: str) -> None:
        super().__init__(message)
        self.kind = kind


@dataclass
class Cost:
    """Requests that GitHub makes inside to fulfil a query, and the nodes it may return."""

    requests: int = 0
    nodes: int = 0

    @property
    def points(self) -> int:
        """«Divide the number by 100 and round the result»; «the minimum point value of a call is 1»."""
        return max(1, (self.requests + 50) // 100)


def reckon(
    schema: GraphQLSchema,
    document: DocumentNode,
    operation: OperationDefinitionNode,
    variables: dict[str, Any],
    limits: Limits,
) -> Cost:
    """Return the cost of an operation.

    «Add up the number of requests needed to fulfill each unique connection in the call. Assume every request will
    reach the first or last argument limits.»

    Raises:
        QueryRefused: for a connection without bounds, with bounds outside 1 to 100, or too many nodes.
    """
    walk = _Walk(schema, document, variables, limits)
    walk.into(operation.selection_set, schema.query_type, 1)
    return walk.cost


class _Walk:
    def __init__(
        self, schema: GraphQLSchema, document: DocumentNode, variables: dict[str, Any], limits: Limits
    ) -> None:
        self.cost = Cost()
        self._schema = schema
        self._variables = variables
        self._limits = limits
        named = [one for one in document.definitions if isinstance(one, FragmentDefinitionNode)]
        self._fragments = {one.name.value: one for one in named}

    def into(self, selections: SelectionSetNode | None, parent: GraphQLNamedType | None, times: int) -> None:
        """Add what the selections cost when ``parent`` comes up ``times`` times."""
        for selection in selections.selections if selections else ():
            if isinstance(selection, FieldNode):
                self._field(selection, parent, times)
            elif isinstance(selection, FragmentSpreadNode):
                fragment = self._fragments[selection.name.value]
                self.into(fragment.selection_set, self._type(fragment.type_condition.name.value), times)
            else:
                condition = selection.type_condition
                self.into(
                    selection.selection_set, self._type(condition.name.value) if condition else parent, times
                )

    def _type(self, name: str) -> GraphQLNamedType:
        return self._schema.type_map[name]

    def _field(self, field: FieldNode, parent: GraphQLNamedType | None, times: int) -> None:
        name = field.name.value
        if name.startswith("__"):
            return
        kind = get_named_type(parent.fields[name].type)
        if kind.name.endswith("Connection"):
            size = self._size(field)
            self.cost.requests += times
            self.cost.nodes += times * size
            times *= size
            if self.cost.nodes > self._limits.nodes:
                message = (
                    f"By the time this query traverses to the {name} connection, it is requesting up to "
                    f"{self.cost.nodes:,} possible nodes which exceeds the maximum limit of {self._limits.nodes:,}."
                )
                raise QueryRefused("MAX_NODE_LIMIT_EXCEEDED", message)
        self.into(field.selection_set, kind, times)

    def _size(self, field: FieldNode) -> int:
        """Return how many nodes a connection is asked for; none where only its totals are wanted."""
        name = field.name.value
        bounds = [
            (one.name.value, one.value) for one in field.arguments if one.name.value in {"first", "last"}
        ]
        given = [(argument, value) for argument, node in bounds if (value := self._number(node)) is not None]
        if not given:
            wanted = {one.name.value for one in field.selection_set.selections if isinstance(one, FieldNode)}
            if wanted <= {"totalCount", "__typename"}:
                return 0
            message = (
                f"You must provide a `first` or `last` value to properly paginate the `{name}` connection."
            )
            raise QueryRefused("MISSING_PAGINATION_BOUNDARIES", message)
        argument, size = given[0]
        if size > self._limits.page:
            message = (
                f"Requesting {size} records on the `{name}` connection exceeds the `{argument}` limit of "
                f"{self._limits.page} records."
            )
            raise QueryRefused("EXCESSIVE_PAGINATION", message)
        if size < 1:
            message = f"`{argument}` on the `{name}` connection cannot be less than 1."
            raise QueryRefused("INVALID_PAGINATION_BOUNDARIES", message)
        return size

    def _number(self, value: ValueNode) -> int | None:
        if isinstance(value, VariableNode):
            return self._variables.get(value.name.value)
        return int(value.value) if isinstance(value, IntValueNode) else None
