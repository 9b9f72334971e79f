"""What tells which threads are like a question as a whole, whatever words they say it in; and when it is asked.

Search knows the seam alone: a list of threads, the likest first. `relore_serve.semantic` makes one of vectors.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Protocol

from relore_serve.search.scope import MACHINE

if TYPE_CHECKING:
    from collections.abc import Sequence

    from psycopg import Connection

    from relore_serve.search.question import Question
    from relore_serve.search.scope import Scope
    from relore_serve.search.terms import WeighedTerm

FILTERED = 10
"""So many times as many threads are asked for where filters let few of them pass."""

_FEW = 2
# A word of prose, in small letters or at the beginning of a sentence: no name of code, number, path or macro.
_PROSE = re.compile(r"[^\W\d_]?[^\W\d_A-Z]+(?:['-][^\W\d_A-Z]+)*")


class Likeness(Protocol):
    """Tells which threads are like a text."""

    def threads(self, conn: Connection, text: str, scope: Scope, most: int) -> Sequence[int]:
        """Return the ids of at most ``most`` threads within ``scope``, the likest first, none twice.

        Under a cutoff none of which a title or an opening post was written or edited since. The same for the same
        tables, or pages of one question would not go together.
        """
        ...


def applies(question: Question, text: str, terms: Sequence[WeighedTerm]) -> bool:
    """Whether a question says something in prose that a thread can be like: a name is found by its letters alone."""
    if not (text and question.expand) or question.sort != "relevance":
        return False
    if question.errors or question.trust == MACHINE[0]:
        return False
    return sum(term.required and _PROSE.fullmatch(term.term.text) is not None for term in terms) >= _FEW
