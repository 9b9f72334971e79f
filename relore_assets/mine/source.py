"""What a slice mines from: one repository's rows, read by the named statements of ``mine.sql``."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from psycopg.rows import dict_row

from relore_assets.mine.example import Answer, Asked, Example, Filters, identity
from relore_assets.mine.texts import lexemes
from relore_serve.sql import load

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from datetime import datetime

    from psycopg import Connection

    from relore_assets.mine.example import Slice

SQL = load("relore_assets.mine", "mine.sql")

#: A search withholds no more than this many threads; a question that would need more is not asked.
MOST_WITHHELD = 500


class Mined(NamedTuple):
    """A question, and how good it is among those of its slice: the greatest come first."""

    score: float
    example: Example


@dataclass(frozen=True, slots=True)
class Source:
    """One repository.

    Attributes:
        conn: an open connection.
        repo_id: its id. repo: its name as GitHub spells it.
    """

    conn: Connection
    repo_id: int
    repo: str

    def rows(self, statement: str, **values: object) -> list[dict[str, Any]]:
        """Return the rows of a named statement."""
        with self.conn.cursor(row_factory=dict_row) as cursor:
            return cursor.execute(SQL[statement], {"repo_id": self.repo_id, **values}).fetchall()

    def naming(self, numbers: Iterable[int]) -> dict[int, set[int]]:
        """Return which threads name each of some threads by number."""
        found: dict[int, set[int]] = defaultdict(set)
        for row in self.rows("naming", numbers=sorted(set(numbers))):
            found[row["named"]].add(row["naming"])
        return found

    def opened(self, numbers: Iterable[int]) -> dict[int, datetime]:
        """Return when those of some threads that are indexed were opened."""
        rows = self.rows("known_threads", numbers=sorted(set(numbers)))
        return {row["number"]: row["created_at"] for row in rows}

    def frequencies(self, words: Iterable[str]) -> Mapping[str, int]:
        """Return by lexeme how many documents carry it, for the lexemes of some words."""
        wanted = sorted(set(lexemes(words).values()))
        return {row["lexeme"]: row["documents"] for row in self.rows("frequencies", lexemes=wanted)}

    def titled(self, words: Iterable[str]) -> Mapping[str, int]:
        """Return by lexeme how many threads carry it in their titles, for the lexemes of some words."""
        wanted = sorted(set(lexemes(words).values()))
        return {row["lexeme"]: row["threads"] for row in self.rows("titled", lexemes=wanted)}

    def example(
        self,
        slice_: Slice,
        query: str,
        asked: Asked,
        answers: Iterable[Answer],
        *,
        filters: Filters | None = None,
        withheld: Iterable[int] = (),
        before: datetime | None = None,
        evidence: Mapping[str, str | int | float] | None = None,
    ) -> Example:
        """Return a question with its id; answers and withheld threads are put in order."""
        filters = filters or Filters()
        return Example(
            id=identity(self.repo, slice_, query, filters, asked.number),
            slice=slice_,
            query=query,
            filters=filters,
            asked=asked,
            withheld=tuple(sorted(set(withheld))),
            before=before,
            answers=tuple(sorted(answers, key=lambda answer: answer.number)),
            evidence=dict(evidence or {}),
        )


def by_record(number: int, why: str) -> Answer:
    """Return an answer that the record states."""
    return Answer(number, "relevant", "record", why)


def proposed(number: int, why: str) -> Answer:
    """Return an answer that somebody has to judge."""
    return Answer(number, "proposed", None, why)
