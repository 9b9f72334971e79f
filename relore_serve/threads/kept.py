"""Texts as they read at a cutoff, where they were edited since and the version before is held."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, LiteralString

from psycopg.rows import class_row

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import datetime

    from psycopg import Connection


@dataclass(frozen=True, slots=True)
class Kept:
    """One text before a later edit, and when it was written or last edited until then."""

    source_type: str
    source_id: str
    written_at: datetime
    body: str


@dataclass(frozen=True, slots=True)
class KeptTexts:
    """All such texts of a thread, by kind and id; none without a cutoff."""

    texts: Mapping[tuple[str, str], Kept]

    def parameters(self) -> dict[str, list[str]]:
        """Return the values that the predicate ``kept_as_of`` asks for: which comments are among them."""
        comments = [key for key in self.texts if key[0] != "body"]
        return {"kept_types": [kind for kind, _ in comments], "kept_ids": [each for _, each in comments]}

    @property
    def comments(self) -> int:
        """How many of them are comments."""
        return sum(kind != "body" for kind, _ in self.texts)

    def of(self, source_type: str, source_id: str) -> Kept | None:
        """Return the text that stood there then; None where today's did, or nothing is held."""
        return self.texts.get((source_type, source_id))


NOTHING_KEPT = KeptTexts({})


def kept(conn: Connection, statement: LiteralString, parameters: dict[str, Any]) -> KeptTexts:
    """Return what is held of a thread's texts as they read before ``parameters["before"]``."""
    with conn.cursor(row_factory=class_row(Kept)) as cursor:
        rows = cursor.execute(statement, parameters).fetchall()
    return KeptTexts({(row.source_type, row.source_id): row for row in rows})
