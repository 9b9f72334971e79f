"""The words and logins next to those that nothing holds, for a question that was misspelt."""

from __future__ import annotations

import difflib
import re
from dataclasses import replace
from typing import TYPE_CHECKING

from psycopg.rows import scalar_row, tuple_row

from relore_serve.search.scope import statements

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from psycopg import Connection

    from relore_serve.search.question import Question
    from relore_serve.search.terms import WeighedTerm

SHORTEST = 4
"""Letters of a word or a login that may be a misspelling of another; shorter ones are near to everything."""
MOST = 4
"""Words of one question that are looked up."""
ALIKE = 2
"""Letters that a word begins with and its misspelling does too."""
LONGER = 2
"""Letters that either may be longer than the other."""
WORDS = 5_000
"""Words that are compared with one."""
LOGINS = 3_000
"""Logins of one repository that are compared."""
_NEAR = 0.75
_ABOUT = 0.1

_SQL = statements(
    "relore_serve.search", "spelling.sql", alike=ALIKE, longer=LONGER, words=WORDS, logins=LOGINS
)


def respelled(conn: Connection, question: Question, terms: Sequence[WeighedTerm]) -> Question | None:
    """Return the question with what nothing holds replaced by what stands nearest; None where nothing is near.

    Neither words nor logins bear dates, so under a cutoff or an exclusion they could tell of what is withheld.
    """
    if question.before is not None or question.exclude:
        return None
    repo_ids = [repo.id for repo in question.repos]
    text = _text(conn, repo_ids, question.text, terms)
    authors = _authors(conn, repo_ids, question.authors)
    other = replace(question, text=text, authors=authors)
    return other if other != question else None


def _text(conn: Connection, repo_ids: list[int], text: str, terms: Sequence[WeighedTerm]) -> str:
    unknown = [
        each.term
        for each in terms
        if not each.frequency and each.term.text.isalpha() and len(each.term.text) >= SHORTEST
    ][:MOST]
    if not unknown or not text:
        return text
    words = [term.lexemes[0] for term in unknown]
    near: list[dict[str, int]] = [{} for _ in words]
    with conn.cursor(row_factory=tuple_row) as cursor:
        for place, word, documents in cursor.execute(
            _SQL["words"], {"repo_ids": repo_ids, "words": words}
        ).fetchall():
            near[place - 1][word] = documents
    for term, word, held in zip(unknown, words, near, strict=True):
        if close := _nearest(word, held):
            text = re.sub(rf"(?<!\w){re.escape(term.text)}(?!\w)", close, text, flags=re.IGNORECASE)
    return text


def _authors(conn: Connection, repo_ids: list[int], authors: tuple[str, ...]) -> tuple[str, ...]:
    asked = [author.strip().removeprefix("@").lower() for author in authors]
    if not any(len(author) >= SHORTEST for author in asked):
        return authors
    with conn.cursor(row_factory=scalar_row) as cursor:
        held = dict.fromkeys(cursor.execute(_SQL["logins"], {"repo_ids": repo_ids}).fetchall(), 1)
    if not held.keys().isdisjoint(asked):
        return authors
    return tuple(
        (_nearest(author, held) if len(author) >= SHORTEST else None) or given
        for author, given in zip(asked, authors, strict=True)
    )


def _nearest(word: str, held: Mapping[str, int]) -> str | None:
    """Return the nearest of what is held; of what is about as near, what most documents hold."""
    swapped = [other for other in held if sorted(other) == sorted(word)]
    close = swapped or difflib.get_close_matches(word, held, n=5, cutoff=_NEAR)
    if not close:
        return None
    least = difflib.SequenceMatcher(None, word, close[0]).ratio() - _ABOUT
    near = [other for other in close if difflib.SequenceMatcher(None, word, other).ratio() >= least]
    return max(near, key=lambda other: held[other])
