"""``fields``: of an answer only what was named, by dotted paths.

Names are checked against the answer's schema and not against the answer: a field that is known and happens to
be empty is no mistake, one that does not exist always is.
"""

from __future__ import annotations

from difflib import get_close_matches
from typing import TYPE_CHECKING, Any, cast

from relore_serve.pages.untrusted import name as shown
from relore_serve.web.errors import Refused

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from relore_serve.web.fields import Schema

ALWAYS = ("notice", "scrubbed")
"""Kept whatever is named: an answer says what it is, and what was taken out of it."""

_SHOWN = 60
_DEPTH = 6


class Picker:
    """Knows the names that one kind of answer can hold."""

    def __init__(self, schema: Schema, components: Mapping[str, Schema]) -> None:
        self._schema = schema
        self._components = components

    def check(self, paths: Iterable[Sequence[str]]) -> None:
        """Refuse a path that leads nowhere.

        Raises:
            Refused: naming the path and the nearest one that exists.
        """
        for path in paths:
            here = [self._schema]
            for name in path:
                here = [below for schema in here for below in self._below(schema, name)]
                if not here:
                    raise self._unknown(".".join(path))

    def paths(self) -> list[str]:
        """Return every dotted path there is, whole objects included."""
        return list(self._paths(self._schema, (), ()))

    def _unknown(self, path: str) -> Refused:
        known = [one for one in self.paths() if one.split(".")[0] not in ALWAYS]
        last = path.rsplit(".", 1)[-1]
        near = next((one for one in known if one.rsplit(".", 1)[-1] == last), None) or next(
            iter(get_close_matches(path, known, n=1, cutoff=0.5)), None
        )
        guess = f" The nearest known one is {near}." if near else " The OpenAPI document lists them."
        return Refused(
            f"This answer has no field {shown(path[:_SHOWN])}.{guess}",
            code="unknown_field",
            facts={"parameter": "fields", "field": path, "nearest": near},
        )

    def _below(self, schema: Schema, name: str) -> Iterator[Schema]:
        for one in self._objects(schema):
            if name in one.get("properties", {}):
                yield one["properties"][name]
            elif "additionalProperties" in one:
                yield one["additionalProperties"]

    def _objects(self, schema: Schema) -> Iterator[Schema]:
        """Yield the objects that stand there, in lists and alternatives too."""
        if "$ref" in schema:
            yield from self._objects(self._components[schema["$ref"].rsplit("/", 1)[-1]])
        elif "anyOf" in schema:
            for one in schema["anyOf"]:
                yield from self._objects(one)
        elif schema.get("type") == "array":
            yield from self._objects(schema.get("items", {}))
        elif schema.get("type") == "object":
            yield schema

    def _paths(self, schema: Schema, above: tuple[str, ...], seen: tuple[str, ...]) -> Iterator[str]:
        if len(above) >= _DEPTH:
            return
        for one in self._objects(schema):
            for name, below in one.get("properties", {}).items():
                yield ".".join((*above, name))
                yield from self._paths(below, (*above, name), seen)


def pick(answer: dict[str, Any], paths: Iterable[Sequence[str]]) -> dict[str, Any]:
    """Return of an answer what the paths lead to, through lists too, in the order of the answer."""
    wanted: dict[str, Any] = {name: {} for name in ALWAYS}
    for path in sorted(paths, key=len, reverse=True):
        here = wanted
        for name in path[:-1]:
            here = here.setdefault(name, {})
        here[path[-1]] = {}  # the shortest path wins: it asks for the whole
    return cast("dict[str, Any]", _pick(answer, wanted))


def _pick(value: object, wanted: Mapping[str, Any]) -> object:
    if not wanted:
        return value
    if isinstance(value, dict):
        held = cast("dict[str, object]", value)
        return {name: _pick(below, wanted[name]) for name, below in held.items() if name in wanted}
    if isinstance(value, list | tuple):
        return [_pick(one, wanted) for one in cast("list[object]", value)]
    return value
