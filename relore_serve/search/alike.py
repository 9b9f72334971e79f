"""What tells which threads are like a question as a whole, whatever words they say it in; and when it is asked.

Search knows the seam alone: a list of threads, the likest first. `relore_serve.semantic` makes one of vectors.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from relore_serve.search.scope import MACHINE

if TYPE_CHECKING:
    from collections.abc import Sequence

    from psycopg import Connection

    from relore_serve.search.question import Question
    from relore_serve.search.ranking import Ranking
    from relore_serve.search.scope import Scope
    from relore_serve.search.terms import WeighedTerm

FILTERED = 10
"""So many times as many threads are asked for where filters let few of them pass."""

_FEW = 2
# A word of prose, in small letters or at the beginning of a sentence: no name of code, number, path or macro.
_PROSE = re.compile(r"[^\W\d_]?[^\W\d_A-Z]+(?:['-][^\W\d_A-Z]+)*")


@dataclass(frozen=True, slots=True)
class Alike:
    """A thread that is like a text: ``likeness`` is 1 where both say the same, 0 where nothing is common to them."""

    thread_id: int
    likeness: float


class Likeness(Protocol):
    """Tells which threads are like a text."""

    def threads(self, conn: Connection, text: str, scope: Scope, most: int) -> Sequence[Alike]:
        """Return at most ``most`` threads within ``scope``, the likest first, none twice.

        Under a cutoff none of which a title or an opening post was written or edited since. The same for the same
        tables, or pages of one question would not go together.
        """
        ...


def worths(found: Sequence[Alike], ranking: Ranking) -> list[float]:
    """Return what being like the question adds to the scores of what each thread says.

    Likeness has no zero of its own: one question is a little like everything, another like nothing. So it counts from
    that of the last thread that would be taken without filters.
    """
    least = found[min(len(found), ranking.alike_threads) - 1].likeness if found else 0.0
    return [ranking.alike * max(each.likeness - least, 0.0) for each in found]


def applies(question: Question, text: str, terms: Sequence[WeighedTerm]) -> bool:
    """Whether a question says something in prose that a thread can be like: a name is found by its letters alone."""
    if not (text and question.expand) or question.sort != "relevance":
        return False
    if question.errors or question.trust == MACHINE[0]:
        return False
    return sum(term.required and _PROSE.fullmatch(term.term.text) is not None for term in terms) >= _FEW
