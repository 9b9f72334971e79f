"""What a question with a cutoff could not be tried on, since only today's words or labels are known."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from psycopg.rows import class_row

from relore_serve.search.scope import statements

if TYPE_CHECKING:
    from psycopg import Connection

    from relore_serve.search.scope import Scope

MOST = 1_000
"""Texts that are counted; of more it is said that there are more."""

_SQL = statements("relore_serve.as_of", "untested.sql", most=MOST)


@dataclass(frozen=True, slots=True)
class Untested:
    """How much of then was left out: edited texts (at most `MOST` and one more), and threads by their labels."""

    edited: int = 0
    labels: int = 0

    @property
    def edited_exact(self) -> bool:
        """Whether all edited texts were counted."""
        return self.edited <= MOST


def untested(conn: Connection, scope: Scope, *, labels: bool) -> Untested:
    """Count what lies within a scope, whatever it says.

    Args:
        conn: a session that may read the tables.
        scope: the bounds of the question; without a cutoff everything is tested.
        labels: whether it filters by labels.
    """
    if scope.before is None:
        return Untested()
    with conn.cursor(row_factory=class_row(Untested)) as cursor:
        return (
            cursor.execute(_SQL["untested"], {**scope.parameters(), "labels": labels}).fetchone()
            or Untested()
        )
