"""Statements that a session plans once and then only runs.

For statements whose planning costs more than their answer. The driver keeps no translation of long statements either,
so the names of parameters are numbered here, once.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from contextlib import ExitStack
from typing import TYPE_CHECKING, Any, LiteralString, TypeVar

from psycopg import RawCursor

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from psycopg import Connection
    from psycopg.rows import RowFactory

_T = TypeVar("_T")
_PARAMETER = re.compile(r"%\(([a-z_][a-z0-9_]*)\)s")

Fixed = Mapping[str, tuple[object, LiteralString]]
"""Values of parameters, and how SQL spells them."""


def positional(kind: Callable[..., _T]) -> RowFactory[_T]:
    """Return what makes rows of ``kind``, given the columns in their order: the quickest way for wide ones."""

    def factory(_: object) -> Callable[[Sequence[Any]], _T]:
        return lambda values: kind(*values)

    return factory


class Prepared:
    """One statement with named parameters, each of which has its type written beside it.

    Args:
        text: the statement.
        narrower: what many askings have in common, the narrowest first. Each is a statement of its own with these
            values in its text, from whose plan all falls away that is for other askings.
    """

    def __init__(self, text: LiteralString, *narrower: Fixed) -> None:
        self._forms = [*(_Form(text, fixed) for fixed in narrower), _Form(text, {})]

    def fetch(self, conn: Connection, values: Mapping[str, object], rows: RowFactory[_T]) -> list[_T]:
        """Run it in ``conn`` and return every row."""
        form = self.form(values)
        with RawCursor(conn, row_factory=rows) as cursor:
            return cursor.execute(form.text, form.in_order(values), prepare=True).fetchall()

    def fetch_each(
        self, conn: Connection, asked: Sequence[Mapping[str, object]], rows: RowFactory[_T]
    ) -> list[list[_T]]:
        """Run it once for each of ``asked``, all in one journey to the server, and return the rows of each."""
        with ExitStack() as stack:
            cursors = [stack.enter_context(RawCursor(conn, row_factory=rows)) for _ in asked]
            with conn.pipeline():
                for cursor, values in zip(cursors, asked, strict=True):
                    form = self.form(values)
                    cursor.execute(form.text, form.in_order(values), prepare=True)
            return [cursor.fetchall() for cursor in cursors]

    def form(self, values: Mapping[str, object]) -> _Form:
        """Return the narrowest statement that is right for ``values``."""
        return next(form for form in self._forms if form.fits(values))


class _Form:
    """The text as the server has it, with some parameters fixed and the others numbered."""

    def __init__(self, text: LiteralString, fixed: Fixed) -> None:
        self._fixed = {name: value for name, (value, _) in fixed.items()}
        self.names = tuple(dict.fromkeys(name for name in _PARAMETER.findall(text) if name not in fixed))
        spelled: dict[str, str] = {name: f"${place}" for place, name in enumerate(self.names, start=1)}
        spelled.update({name: literal for name, (_, literal) in fixed.items()})
        self.text = _PARAMETER.sub(lambda found: spelled[found[1]], text).encode()

    def fits(self, values: Mapping[str, object]) -> bool:
        """Whether the values are those that are fixed."""
        return all(values[name] == value for name, value in self._fixed.items())

    def in_order(self, values: Mapping[str, object]) -> list[object]:
        """Return what the numbers stand for."""
        return [values[name] for name in self.names]
