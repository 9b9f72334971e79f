"""Our own search, in this process and as a reader: one system per way of asking it."""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace
from time import perf_counter
from typing import TYPE_CHECKING

from psycopg.errors import QueryCanceled

from relore_assets.bench.systems.system import PAGE, Answered, Shown, distinct, milliseconds
from relore_serve.search.engine import search
from relore_serve.search.question import QuestionError
from relore_serve.search.ranking import DEFAULT

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from datetime import datetime

    from psycopg import Connection

    from relore_assets.bench.systems.system import Asked
    from relore_serve.search.alike import Likeness
    from relore_serve.search.ranking import Ranking
    from relore_serve.search.results import Hit

PAGES = 5
"""Pages that are followed until `PAGE` distinct threads are told."""


@dataclass(frozen=True)
class Index:
    """Search as it is served, with or without what it reads off a question's text.

    Attributes:
        conn: a reader's session.
        now: what ages are counted from where a question has no cutoff.
        ranking: the numbers of the score.
        semantic: tells which threads are like a question as a whole; its name stands in the configuration.
    """

    conn: Connection
    now: datetime
    name: str = "index"
    expand: bool = False
    ranking: Ranking = DEFAULT
    semantic: Likeness | None = None
    model: str | None = None
    window: bool = True
    free: bool = True

    @property
    def caveats(self) -> Sequence[str]:
        """None: these are the bounds that all others are held to."""
        return ()

    @property
    def configuration(self) -> Mapping[str, object]:
        """Every number of the ranking, and whether facts are read off the text."""
        return {"ranking": asdict(self.ranking), "expand": self.expand, "model": self.model, "pages": PAGES}

    def refuses(self, question: Asked) -> str | None:  # noqa: ARG002 - others do
        """Any question may be put to it."""
        return None

    def answer(self, question: Asked) -> Answered:
        """Follow the pages until ten threads are told."""
        asked = replace(question.question, expand=self.expand, compact=True)
        started = perf_counter()
        taken: float | None = None
        hits: list[Hit] = []
        note = None
        try:
            for _ in range(PAGES):
                found = search(self.conn, asked, self.now, ranking=self.ranking, semantic=self.semantic)
                taken = milliseconds(started, perf_counter) if taken is None else taken
                hits += found.hits
                if found.cursor is None or len({hit.number for hit in hits}) >= PAGE:
                    break
                asked = replace(asked, cursor=found.cursor)
        except QuestionError as error:
            note = f"refused: {error.code}"
        except QueryCanceled:
            note = "the database gave a statement up for its time"
        return Answered(
            distinct([hit.number for hit in hits]),
            tuple(Shown(hit.number, hit.source_type, hit.source_id, hit.chunk_index) for hit in hits[:PAGE]),
            milliseconds(started, perf_counter) if taken is None else taken,
            note,
        )
