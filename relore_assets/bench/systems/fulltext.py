"""Plain full text search: what Postgres does by itself with the same texts, the same words and the same bounds."""

from __future__ import annotations

from dataclasses import dataclass
from time import perf_counter
from typing import TYPE_CHECKING

from psycopg.errors import QueryCanceled
from psycopg.rows import tuple_row

from relore_assets.bench.systems.system import PAGE, Answered, Shown, distinct, milliseconds
from relore_serve.prepared import Prepared
from relore_serve.search.scope import statements

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from psycopg import Connection

    from relore_assets.bench.systems.system import Asked

NORMALIZATION = 2
"""Ranks are divided by a text's length: of what Postgres offers, what does best on a recorded history.
https://www.postgresql.org/docs/current/textsearch-controls.html#TEXTSEARCH-RANKING"""

_RANKED = Prepared(statements("relore_assets.bench.systems", "fulltext.sql")["ranked"])


@dataclass(frozen=True)
class FullText:
    """Texts with every word by ``ts_rank_cd``, and below them, where they fill no page, texts with any word."""

    conn: Connection
    name: str = "fulltext"
    window: bool = True
    free: bool = True

    @property
    def caveats(self) -> Sequence[str]:
        """It has no filters."""
        return (f"{self.name} knows no filters: their values are words like those of the question.",)

    @property
    def configuration(self) -> Mapping[str, object]:
        """How texts are ranked."""
        return {"rank": "ts_rank_cd", "normalization": NORMALIZATION, "words": "every, then any"}

    def refuses(self, question: Asked) -> str | None:  # noqa: ARG002 - others do
        """Any question may be put to it."""
        return None

    def answer(self, question: Asked) -> Answered:
        """Ask once, or twice where too few texts carry every word."""
        started = perf_counter()
        terms = [term.tsquery for term in question.terms()]
        every, either = " & ".join(terms), " | ".join(terms)
        page: list[Shown] = []
        numbers: list[int] = []
        note = None
        try:
            for query, narrower in ((every, None), (either, every)):
                if not query or len(set(numbers)) >= PAGE:
                    break
                values = {
                    **question.scope.parameters(),
                    "query": query,
                    "narrower": narrower,
                    "normalization": NORMALIZATION,
                    "limit": PAGE,
                }
                for number, source_type, source_id, chunk, shown in _RANKED.fetch(
                    self.conn, values, tuple_row
                ):
                    numbers.append(number)
                    if shown:
                        page.append(Shown(number, source_type, source_id, chunk))
        except QueryCanceled:
            note = "the database gave a statement up for its time"
        return Answered(distinct(numbers), tuple(page[:PAGE]), milliseconds(started, perf_counter), note)
