"""Loads the SQL that stands in files beside the package that uses it.

A file holds statements, each opened by a line ``-- name: <identifier>``; the comment lines below it say what it
answers. Values are always parameters, so the text of a statement never changes at run time.
"""

from __future__ import annotations

import re
from functools import cache
from importlib.resources import files
from typing import LiteralString, cast

_NAME = re.compile(r"^-- name: ([a-z_][a-z0-9_]*)\s*$", re.MULTILINE)


@cache
def load(package: str, file: str) -> dict[str, LiteralString]:
    """Return the named statements of ``file`` in ``package``.

    Raises:
        ValueError: a name occurs twice, or text stands before the first name.
    """
    text = files(package).joinpath(file).read_text(encoding="utf-8")
    parts = _NAME.split(text)
    if any(line.strip() and not line.startswith("--") for line in parts[0].splitlines()):
        raise ValueError(f"{package}/{file}: SQL before the first '-- name:' line")
    names = parts[1::2]
    if len(set(names)) != len(names):
        raise ValueError(f"{package}/{file}: a name occurs twice")
    # The files are part of the program, as a literal would be; the cast says so to the type checker.
    return {name: cast("LiteralString", body.strip()) for name, body in zip(names, parts[2::2], strict=True)}
