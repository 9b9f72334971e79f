"""Objects of the GraphQL schema, and the pages that lists of them come in.

https://docs.github.com/en/graphql/guides/using-pagination-in-the-graphql-api
"""

from __future__ import annotations

import base64
import binascii
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from fake_github.world import Fields

Arguments = dict[str, Any]
#: Answers a field: from the object, the arguments and the session that asks.
Resolver = Callable[["Node", Arguments, Any], Any]


class Refusal(Exception):
    """A field that GitHub answers with null and an error of a certain type."""

    def __init__(self, kind: str, message: str) -> None:
        super().__init__(message)
        self.kind = kind


@dataclass(frozen=True)
class Node:
    """An object of the schema: its type and its fields, and where it belongs."""

    type: str
    fields: Fields = field(default_factory=dict[str, Any])
    repository: Any = None
    thread: Any = None


def connection(items: Sequence[Node], arguments: Arguments, **more: Any) -> Node:
    """Return a page of a list, between cursors."""
    low, high = 0, len(items)
    if (after := arguments.get("after")) is not None:
        low = min(_position(after), high)
    if (before := arguments.get("before")) is not None:
        high = max(_position(before) - 1, low)
    if (first := arguments.get("first")) is not None:
        start, stop = low, min(low + first, high)
    elif (last := arguments.get("last")) is not None:
        start, stop = max(low, high - last), high
    else:
        start = stop = low
    page = Node(
        "PageInfo",
        {
            "has_next_page": stop < high,
            "has_previous_page": start > low,
            "start_cursor": _cursor(start + 1) if stop > start else None,
            "end_cursor": _cursor(stop) if stop > start else None,
        },
    )
    counts = {"total_count": len(items), "filtered_count": high - low, "page_count": stop - start}
    return Node("Connection", {"nodes": list(items[start:stop]), "page_info": page} | counts | more)


def _cursor(position: int) -> str:
    return base64.b64encode(f"cursor:v2:{position}".encode()).decode()


def _position(cursor: str) -> int:
    try:
        return int(base64.b64decode(cursor, validate=True).decode().removeprefix("cursor:v2:"))
    except (binascii.Error, ValueError):
        message = f"`{cursor}` does not appear to be a valid cursor."
        raise Refusal("INVALID_CURSOR_ARGUMENTS", message) from None
