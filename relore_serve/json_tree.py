"""What an answer is as JSON: the tree of its dataclasses.

As `dataclasses.asdict`, but for leaves, which are taken as they are instead of being copied: an answer is made for one
reader and holds no mutable part that anybody keeps.
"""

from __future__ import annotations

from dataclasses import fields
from functools import cache
from typing import Any, cast

_LEAVES = frozenset({str, int, float, bool, type(None)})


def tree(answer: object) -> dict[str, Any]:
    """Return the fields of a dataclass by name, and so on down to the leaves."""
    made: dict[str, Any] = {}
    for name in _names(type(answer)):
        value = getattr(answer, name)
        made[name] = value if type(value) in _LEAVES else _part(value)
    return made


@cache
def _names(kind: type) -> tuple[str, ...]:
    return tuple(field.name for field in fields(kind))


def _part(value: object) -> Any:
    kind = type(value)
    if kind in _LEAVES:
        return value
    if kind is tuple or kind is list:
        return [part if type(part) in _LEAVES else _part(part) for part in cast("list[object]", value)]
    if kind is dict:
        return {name: _part(part) for name, part in cast("dict[str, object]", value).items()}
    return tree(value)
