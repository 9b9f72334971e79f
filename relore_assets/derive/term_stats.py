"""How rare each word is: folds what batches appended to ``term_deltas`` into ``term_stats``."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from relore_serve import sql

if TYPE_CHECKING:
    import psycopg

QUERIES = sql.load("relore_assets.derive", "term_stats.sql")


@dataclass(frozen=True, slots=True)
class Folded:
    """How many lexemes' counts moved; 0 when nothing had been written since the last fold."""

    lexemes: int


def fold(conn: psycopg.Connection, repo_id: int) -> Folded:
    """Fold a repository's pending counts, in the caller's transaction, and put the indexes of words in order.

    Counts equal the documents' own.
    """
    scope = {"repo_id": repo_id}
    conn.execute(QUERIES["lock"], scope)
    pending = conn.execute(QUERIES["pending"], scope).fetchone()
    moved = 0
    if pending is not None and pending[0]:
        row = conn.execute(QUERIES["fold"], scope).fetchone()
        moved = row[0] if row else 0
        conn.execute(QUERIES["drop_unused"], scope)
        conn.execute(QUERIES["settle"])
    conn.execute(QUERIES["sizes"], scope)
    return Folded(lexemes=moved)
