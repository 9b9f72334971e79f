"""What a request may say: named fields, each with one reader, and nothing besides.

A name that no field has is refused with the nearest one that exists, because a parameter that is dropped in
silence changes nothing and looks as if it had.
"""

from __future__ import annotations

import json
from difflib import get_close_matches
from typing import TYPE_CHECKING, Any, cast

from relore_serve.pages.untrusted import name as shown
from relore_serve.web import fields as kinds
from relore_serve.web.errors import Refused
from relore_serve.web.fields import MAX_WORD, BadValue

if TYPE_CHECKING:
    from collections.abc import Mapping

    from werkzeug.datastructures import MultiDict

    from relore_serve.web.fields import Field


def read(values: Mapping[str, object], fields: Mapping[str, Field]) -> dict[str, Any]:
    """Return the checked values of the fields that were given; null is as good as not given.

    Raises:
        Refused: a name is unknown, or a value cannot be taken; the answer names the parameter.
    """
    unknown = next((given for given in values if given not in fields), None)
    if unknown is not None:
        raise _unknown(unknown, fields)
    checked: dict[str, Any] = {}
    for given, value in values.items():
        if value is None:
            continue
        try:
            checked[given] = fields[given](value)
        except BadValue as error:
            raise Refused(f"{given} {error}.", code="bad_value", facts={"parameter": given}) from None
    return checked


def read_query(arguments: MultiDict[str, str], fields: Mapping[str, Field]) -> dict[str, Any]:
    """Read a query string; a parameter that takes one value may stand there once.

    Raises:
        Refused: as `read`, or a parameter is given twice.
    """
    values: dict[str, object] = {}
    for given, texts in arguments.lists():
        field = fields.get(given)
        if field is None:
            raise _unknown(given, fields)
        if not field.many and len(texts) > 1:
            raise Refused(f"{given} is given twice.", code="bad_value", facts={"parameter": given})
        decoded = [field.decode(text) for text in texts]
        values[given] = decoded if field.many else decoded[0]
    return read(values, fields)


def read_body(body: bytes, fields: Mapping[str, Field]) -> dict[str, Any]:
    """Read a JSON object.

    Raises:
        Refused: as `read`, or the body is not a JSON object.
    """
    try:
        decoded: object = json.loads(body.decode("utf-8-sig") or "{}", object_pairs_hook=_once)
    except (ValueError, RecursionError):
        raise Refused("The body is not JSON in UTF-8.") from None
    if not isinstance(decoded, dict):
        raise Refused("The body is a JSON object.")
    return read(cast("dict[str, object]", decoded), fields)


def _once(pairs: list[tuple[str, object]]) -> dict[str, object]:
    """Return an object whose names stand in it once: of two values one would be dropped in silence."""
    found: dict[str, object] = {}
    for name, value in pairs:
        if name in found:
            twice = name[:MAX_WORD]
            raise Refused(f"{shown(twice)} is given twice.", code="bad_value", facts={"parameter": twice})
        found[name] = value
    return found


def thread_number(text: str) -> int:
    """Return the number in a path.

    Raises:
        Refused: it is none that a thread can have.
    """
    try:
        return kinds.thread_number(text)
    except BadValue as error:
        raise Refused(f"A thread {error}.", code="bad_value", facts={"parameter": "number"}) from None


def _unknown(given: str, fields: Mapping[str, Field]) -> Refused:
    holders = [
        name for name, field in fields.items() if isinstance(field, kinds.Named) and given in field.fields
    ]
    near = [*holders, *get_close_matches(given[:MAX_WORD], fields, n=1, cutoff=0.5)]
    guess = f" The nearest known one is {near[0]}." if near else f" Known are {', '.join(fields)}."
    if holders:
        guess = f" It belongs in {holders[0]}."
    facts: dict[str, object] = {"parameter": given[:MAX_WORD], "nearest": near[0] if near else None}
    return Refused(
        f"There is no parameter {shown(given[:60])}.{guess}", code="unknown_parameter", facts=facts
    )
