"""JSON Schema of answers, read off the classes that the answers are made of.

`dataclasses.asdict` of a result is its JSON, so its annotations are the schema and its docstring the
explanation. Nothing is written down twice.
"""

from __future__ import annotations

import ast
import dataclasses
import inspect
import re
import sys
import types
import typing
from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING, Any, Union, cast, is_typeddict

if TYPE_CHECKING:
    from relore_serve.web.fields import Schema

_PLAIN: dict[object, Schema] = {
    str: {"type": "string"},
    bool: {"type": "boolean"},
    int: {"type": "integer"},
    float: {"type": "number"},
    type(None): {"type": "null"},
    Any: {},
    object: {},
}
_ATTRIBUTE = re.compile(r"^    (\w+): (.*(?:\n {8,}.*)*)", re.MULTILINE)


def schema_of(kind: object, components: dict[str, Schema]) -> Schema:
    """Return the schema of what ``kind`` annotates; classes are put into ``components`` by name.

    Raises:
        TypeError: JSON has nothing like it, or two classes have one name.
    """
    if kind in _PLAIN:
        return dict(_PLAIN[kind])
    if _is_class(kind):
        return _named(cast("type", kind), components)
    origin, arguments = typing.get_origin(kind), typing.get_args(kind)
    if origin in (Union, types.UnionType):
        return {"anyOf": [schema_of(one, components) for one in arguments]}
    if origin is list or (origin is tuple and arguments[1:] == (...,)):
        return {"type": "array", "items": schema_of(arguments[0], components)}
    if origin is dict:
        return {"type": "object", "additionalProperties": schema_of(arguments[1], components)}
    raise TypeError(f"an answer holds {kind!r}, which is nothing that JSON has")


def _is_class(kind: object) -> bool:
    return isinstance(kind, type) and (dataclasses.is_dataclass(kind) or is_typeddict(cast("type", kind)))


def _named(kind: type, components: dict[str, Schema]) -> Schema:
    reference: Schema = {"$ref": f"#/components/schemas/{kind.__name__}"}
    origin = f"{kind.__module__}.{kind.__qualname__}"
    held = components.get(kind.__name__)
    if held is not None:
        if held["x-source"] != origin:
            raise TypeError(f"{held['x-source']} and {origin} would be one schema")
        return reference
    components[kind.__name__] = {"x-source": origin}  # so that a class may hold itself
    summary, attributes = _explained(kind)
    properties: dict[str, Schema] = {}
    for name, annotation in _annotations(kind).items():
        properties[name] = schema_of(annotation, components)
        if name in attributes:
            properties[name]["description"] = attributes[name]
    components[kind.__name__] |= {
        "type": "object",
        "description": summary,
        "properties": properties,
        "required": sorted(properties),
    }
    return reference


def _annotations(kind: type) -> dict[str, object]:
    hints = typing.get_type_hints(kind, localns=_for_types_only(sys.modules[kind.__module__]))
    names = (
        [each.name for each in dataclasses.fields(kind)] if dataclasses.is_dataclass(kind) else list(hints)
    )
    return {name: hints[name] for name in names}


@cache
def _for_types_only(module: types.ModuleType) -> dict[str, object]:
    """Return the names that a module imports for its annotations alone, and so does not hold."""
    tree = ast.parse(inspect.getsource(module))
    blocks = [
        node.body
        for node in tree.body
        if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING"
    ]
    return {
        one.asname or one.name: getattr(import_module(node.module), one.name)
        for body in blocks
        for node in body
        if isinstance(node, ast.ImportFrom) and node.module
        for one in node.names
    }


def _explained(kind: type) -> tuple[str, dict[str, str]]:
    """Return what a class is, and what its attributes are, as its docstring says."""
    # Not `inspect.getdoc`, which would take the words of a parent's.
    text = inspect.cleandoc(kind.__doc__ or "")
    summary, _, rest = text.partition("\nAttributes:\n")
    said = {name: " ".join(words.split()) for name, words in _ATTRIBUTE.findall(rest)}
    return ("" if is_typeddict(kind) and not text else " ".join(summary.split())), said
