"""Statements that a session plans once and then only runs.

For statements whose planning costs more than their answer. The driver keeps no translation of long statements either,
so the names of parameters are numbered here, once.
"""

from __future__ import annotations

import re
from contextlib import ExitStack
from typing import TYPE_CHECKING, LiteralString, TypeVar

from psycopg import RawCursor

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from psycopg import Connection
    from psycopg.rows import RowFactory

_T = TypeVar("_T")
_PARAMETER = re.compile(r"%\(([a-z_][a-z0-9_]*)\)s")


class Prepared:
    """One statement with named parameters, each of which has its type written beside it."""

    def __init__(self, text: LiteralString) -> None:
        self.names = tuple(dict.fromkeys(_PARAMETER.findall(text)))
        places = {name: f"${place}" for place, name in enumerate(self.names, start=1)}
        self.text = _PARAMETER.sub(lambda found: places[found[1]], text).encode()

    def fetch(self, conn: Connection, values: Mapping[str, object], rows: RowFactory[_T]) -> list[_T]:
        """Run it in ``conn`` and return every row."""
        with RawCursor(conn, row_factory=rows) as cursor:
            return cursor.execute(self.text, self._in_order(values), prepare=True).fetchall()

    def fetch_each(
        self, conn: Connection, asked: Sequence[Mapping[str, object]], rows: RowFactory[_T]
    ) -> list[list[_T]]:
        """Run it once for each of ``asked``, all in one journey to the server, and return the rows of each."""
        with ExitStack() as stack:
            cursors = [stack.enter_context(RawCursor(conn, row_factory=rows)) for _ in asked]
            with conn.pipeline():
                for cursor, values in zip(cursors, asked, strict=True):
                    cursor.execute(self.text, self._in_order(values), prepare=True)
            return [cursor.fetchall() for cursor in cursors]

    def _in_order(self, values: Mapping[str, object]) -> list[object]:
        return [values[name] for name in self.names]
