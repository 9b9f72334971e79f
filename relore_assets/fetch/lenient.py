"""Reads JSON that the fast parser refuses, and gives what that one would: halves of surrogate pairs stay in."""

from __future__ import annotations

import json
from typing import Any, NoReturn

_LONGEST_INTEGER = 20
_INTEGERS = range(-(2**63), 2**64)


def loads(text: bytes) -> Any:
    """Return the value of a JSON text.

    Integers beyond 64 bits become floating-point numbers, as in the fast parser, so that they can be written again.

    Raises:
        ValueError: it is none, or nested too deeply.
    """
    try:
        return json.loads(text, parse_int=_integer, parse_constant=_refuse)
    except RecursionError as error:
        raise ValueError("the JSON is nested too deeply") from error


def _integer(digits: str) -> int | float:
    if len(digits) > _LONGEST_INTEGER:
        return float(digits)
    value = int(digits)
    return value if value in _INTEGERS else float(value)


def _refuse(name: str) -> NoReturn:
    raise ValueError(f"{name} is no number of JSON")
