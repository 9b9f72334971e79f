"""Questions whose truth stands in front of whoever asks: their figures say nothing of a search, and count apart.

What mining has marked is believed, and beside that every question is looked at anew, whatever its set says of it:

- ``asks there``: the text that asks is shown, and its own thread is an answer. Its words find themselves.
- ``copied``: a text of an answer holds the whole text that asks, or the other way round: then the words of the
  question are the answer's own, and that the asking thread is withheld hides nothing.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from relore_assets.bench.corpus import SQL

if TYPE_CHECKING:
    from collections.abc import Sequence

    from psycopg import Connection

    from relore_assets.bench.systems.system import Asked

FEWEST_WORDS = 12
"""A text of fewer words may be the same by chance: a title that is a sentence everybody would write."""

_WORD = re.compile(r"\w+")


def leak(conn: Connection, question: Asked, relevant: Sequence[int]) -> str:
    """Return why a question leaks, in words of ours; empty where nothing shows that it does."""
    example = question.example
    if example.leaks:
        return example.leak or "its set says so"
    asked = example.asked
    values = {
        **question.scope.parameters(),
        "repo_id": question.question.repos[0].id,
        "numbers": list(relevant),
        "number": asked.number,
        "source_type": asked.source_type,
        "source_id": asked.source_id,
    }
    texts = conn.execute(SQL["answering_texts"], values).fetchall()
    asking = conn.execute(SQL["asking_text"], values).fetchone()
    wholes = [_words(example.query), *([_words(asking[0])] if asking and asking[0] else [])]
    for number, source_type, source_id, body in texts:
        if (number, source_type, source_id) == (asked.number, asked.source_type, asked.source_id):
            return f"the text that asks stands in #{number}, which answers"
        if any(_copied(whole, _words(body)) for whole in wholes):
            return f"{source_type} {source_id} of #{number}, which answers, says the same words"
    return ""


def _words(text: str) -> str:
    return " ".join(_WORD.findall(text.casefold()))


def _copied(one: str, other: str) -> bool:
    shorter, longer = sorted((one, other), key=len)
    return shorter.count(" ") + 1 >= FEWEST_WORDS and f" {shorter} " in f" {longer} "
