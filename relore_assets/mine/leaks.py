"""Tells of a question, with the index at hand, whether its truth can be had without being found, or not at all.

A question leaks where an answer cannot be found (withheld, not there at the cutoff), where words of the question stand
in an answer (somebody quoted them there, so that any search finds it), and where words of an answer stand in the thread
that asks (the question may be drawn from them). What leaks is reported apart, never pooled.

Words are an author's own and those that an author quotes. Code is not: that two threads paste the same failure is what
an index of failures is for.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from relore_serve.search.scope import Repo, Scope, floor, statements
from relore_serve.signals.markdown import SPAN, split

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from psycopg import Connection

    from relore_assets.mine.example import Example

#: So many words in a row are no chance, and of a text that quotes, so many of what it quotes.
RUN = 12
QUOTED_RUN = 6

_URL = re.compile(r"https?://\S+")
_WORD = re.compile(r"\w+")


def leak(conn: Connection, repo_id: int, example: Example) -> str:
    """Return in a few words why the truth of a question leaks; empty where it does not.

    The answers are the threads judged to be, or, where nobody has judged, those proposed. One that leaks is enough.
    """
    answers = example.relevant or example.proposed
    hidden = sorted(set(answers) & set(example.withheld))
    if hidden:
        return f"#{hidden[0]}, an answer, is withheld"
    values = _values(conn, repo_id, example, answers)
    sql = statements("relore_assets.mine", "leaks.sql")
    opened: dict[int, bool] = {}
    texts: dict[int, list[str]] = {}
    for number, created_at, body in conn.execute(sql["answers"], values):
        opened[number] = example.before is None or created_at < example.before
        texts.setdefault(number, []).extend([body] if body is not None else [])
    missing = _not_to_be_found(answers, opened, texts)
    if missing:
        return missing
    if example.asked.number in answers and not _asked_by_machine(conn, sql, values):
        return f"a person asked it in #{example.asked.number}, which answers it"
    asking = [str(body) for (body,) in conn.execute(sql["asking"], values)]
    return _quoted(example, asking if example.asked.number not in answers else [], texts)


def _not_to_be_found(
    answers: Iterable[int], opened: Mapping[int, bool], texts: Mapping[int, list[str]]
) -> str:
    for number in answers:
        if number not in opened:
            return f"#{number}, an answer, is not indexed"
        if not opened[number]:
            return f"#{number}, an answer, is younger than the cutoff"
        if not texts[number]:
            return f"nothing of #{number}, an answer, may be shown"
    return ""


def _quoted(example: Example, asking: list[str], texts: Mapping[int, list[str]]) -> str:
    question = _runs(example.query, RUN)
    quotable = _runs(example.query, QUOTED_RUN)
    said = {run for body in asking for run in _runs(_words_of(body), RUN)}
    for number, bodies in sorted(texts.items()):
        for body in bodies:
            words = _runs(_words_of(body), RUN)
            if question & words or any(quotable & _runs(quote, QUOTED_RUN) for quote in split(body).quoted):
                return f"words of the question stand in #{number}, an answer"
            if said & words:
                return f"words of #{number}, an answer, stand in the thread that asks"
    return ""


def _values(conn: Connection, repo_id: int, example: Example, answers: tuple[int, ...]) -> dict[str, object]:
    numbers = {"repo_ids": [repo_id], "withheld_numbers": list(example.withheld)}
    sql = statements("relore_assets.mine", "leaks.sql")
    scope = Scope(
        repos=(Repo(repo_id, ""),),
        floor=floor(example.filters.kind, None),
        before=example.before,
        withheld=tuple(row[0] for row in conn.execute(sql["withheld"], numbers)),
    )
    return {
        **scope.parameters(),
        "numbers": list(answers),
        "asking": example.asked.number,
        "asked_at": example.asked.at,
        "source_type": example.asked.source_type,
        "source_id": example.asked.source_id,
    }


def _asked_by_machine(conn: Connection, sql: Mapping[str, str], values: dict[str, object]) -> bool:
    row = conn.execute(sql["asked_by_machine"], values).fetchone()  # type: ignore[arg-type] - a named statement
    return bool(row and row[0])


def _words_of(body: str) -> str:
    """Return the words that a text says or quotes, code left out."""
    markdown = split(body)
    return "\n\n".join((markdown.prose.replace(SPAN, " "), *markdown.quoted))


def _runs(text: str, length: int) -> set[tuple[str, ...]]:
    words = _WORD.findall(_URL.sub(" ", text).lower())
    return {tuple(words[at : at + length]) for at in range(len(words) - length + 1)}
