"""Takes what is forgotten out of the benchmark: no question, answer, reason or result speaks of it any more.

Files of sets and labels are not ours to reach; a candidate that was removed is not mined again, since its text is gone.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from psycopg.types.json import Jsonb

from relore_assets.fetch.removals import REMOVED_TITLE
from relore_serve.sql import load

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

    from psycopg import Connection

    from relore_assets.mine.example import Example

SQL = load("relore_assets.fetch.current", "questions.sql")


def texts_of_person(
    conn: Connection, repo_id: int, login: str, numbers: Collection[int]
) -> list[tuple[str, str]]:
    """Return source_type and source_id of what somebody (login in lower case) wrote in some threads."""
    values = {"repo_id": repo_id, "login": login, "numbers": sorted(numbers)}
    return [(str(kind), str(source_id)) for kind, source_id in conn.execute(SQL["texts_of_person"], values)]


def forget_questions(
    conn: Connection,
    repo_id: int,
    *,
    threads: Collection[int] = (),
    texts: Collection[tuple[str, str]] = (),
    touched: Collection[int] = (),
) -> int:
    """Remove the questions that were drawn from what goes, with all that hangs on them; returns how many.

    Args:
        conn: inside a transaction.
        repo_id: the repository.
        threads: numbers of threads that go as a whole; questions that they answer go too.
        texts: source_type and source_id of texts that go.
        touched: numbers of threads that lose some of their words: reasons given for them as answers may quote these.
    """
    ordered = sorted(texts)
    scope: dict[str, Any] = {
        "repo_id": repo_id,
        "numbers": sorted(threads),
        "touched": sorted({*threads, *touched}),
        "source_types": [kind for kind, _ in ordered],
        "source_ids": [source_id for _, source_id in ordered],
    }
    scope["ids"] = [row[0] for row in conn.execute(SQL["questions"], scope)]
    for step in (
        "count_in_sets",
        "remove_candidates",
        "remove_examples",
        "remove_judgements",
        "remove_results",
        "silence_judgements",
        "silence_examples",
    ):
        conn.execute(SQL[step], scope)
    return len(scope["ids"])


def forgotten_questions(conn: Connection, repo_id: int, questions: Iterable[Example]) -> set[str]:
    """Return the ids of questions that must not come back from a file: what they are made of was forgotten."""
    wanted = [
        {
            "id": each.id,
            "number": each.asked.number,
            "source_type": each.asked.source_type,
            "source_id": each.asked.source_id,
            "answers": [answer.number for answer in each.answers],
        }
        for each in questions
    ]
    rows = conn.execute(
        SQL["forgotten"], {"repo_id": repo_id, "wanted": Jsonb(wanted), "removed_title": REMOVED_TITLE}
    )
    return {str(row[0]) for row in rows}
