"""Sets in rows: a frozen one is never touched again, and what was tampered with is refused by name."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import psycopg
import pytest
from invented import REPO, example, row, set_of
from psycopg.types.json import Jsonb

from relore_assets.fetch import repos
from relore_assets.fetch.current.questions import forget_questions
from relore_assets.judge.fold import fold
from relore_assets.judge.frozen import SQL, find, keep, load
from relore_assets.judge.labels import read
from relore_assets.mine.example import Answer
from relore_assets.mine.sets import ExampleSet, FrozenSet, NotASet, freeze

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from rows import History

NOW = datetime(2024, 6, 1, 12, 30, 15, 123456, tzinfo=UTC)
TABLES = ("bench_sets", "bench_examples", "judgements")


@pytest.fixture
def repo_id(history: History, conn: psycopg.Connection) -> int:
    """The repository that the questions are of."""
    found = history.repo(REPO).id
    conn.commit()
    return found


def questions() -> ExampleSet:
    return set_of(
        example("Rising tide", 1, Answer(7, "relevant", "record", "it closes it")),
        example(
            "Zwölf TideTables?", 2, Answer(8, "decisive", "record"), Answer(9, "proposed"), files=("a.c",)
        ),
        replace(
            example("x", 3, Answer(7, "relevant", "record", "why")),
            evidence={"score": 0.1, "n": 3, "tiny": 1e-7},
        ),
    )


def rows(conn: psycopg.Connection) -> list[Any]:
    return [conn.execute(f"SELECT t::text FROM relore.{name} t ORDER BY 1").fetchall() for name in TABLES]


def test_a_set_is_read_as_it_was_kept(conn: psycopg.Connection, repo_id: int) -> None:
    kept = freeze(replace(questions(), scored_by="model"), NOW)

    held, written = keep(conn, repo_id, kept)

    assert held == kept == load(conn, repo_id, "tides")
    assert written == 1 + 3 + 3 == sum(len(table) for table in rows(conn))


def test_rows_tell_what_a_label_said(
    conn: psycopg.Connection, repo_id: int, labels: Callable[..., Path]
) -> None:
    held, done = fold(read(labels(row("Rising tide", 8, note="see\0the table"))), questions())

    keep(conn, repo_id, held, done.verdicts)

    told = conn.execute("SELECT judged_at, body FROM relore.judgements WHERE judged_by = 'human'").fetchall()
    ((judged_at, body),) = told
    assert judged_at == datetime(2024, 6, 1, 12, tzinfo=UTC)
    assert (body["caller"], body["line"], body["source_type"]) == ("token-1", 1, "title")
    assert "the table" in body["note"]


def test_a_frozen_set_is_never_touched_again(conn: psycopg.Connection, repo_id: int) -> None:
    first = freeze(questions(), NOW)
    keep(conn, repo_id, first)
    before = rows(conn)
    more = set_of(*questions().examples, example("new", 4, Answer(7, "relevant", "record")))

    for other in (more, freeze(more, NOW), replace(questions(), scored_by="human")):
        with pytest.raises(FrozenSet, match=r"tides.*frozen since 2024-06-01") as refused:
            keep(conn, repo_id, other)
        assert refused.value.exit_code == 2
    assert rows(conn) == before


def test_the_same_again_writes_nothing(conn: psycopg.Connection, repo_id: int) -> None:
    """A second freezing of the same questions is told when the first was."""
    keep(conn, repo_id, questions())
    assert keep(conn, repo_id, questions()) == (questions(), 0)
    first = freeze(questions(), NOW)
    keep(conn, repo_id, first)
    before = rows(conn)

    later = freeze(questions(), datetime(2025, 1, 1, tzinfo=UTC))

    assert keep(conn, repo_id, later) == (first, 0)
    assert rows(conn) == before


def test_a_set_that_is_not_frozen_is_replaced_as_a_whole(conn: psycopg.Connection, repo_id: int) -> None:
    keep(conn, repo_id, questions())
    fewer = set_of(*questions().examples[:1])

    keep(conn, repo_id, fewer)

    assert load(conn, repo_id, "tides") == fewer
    assert [len(table) for table in rows(conn)] == [1, 1, 1]


def test_sets_of_one_name_in_two_repositories_are_two(
    conn: psycopg.Connection, repo_id: int, history: History
) -> None:
    other = history.repo("harbor/moor").id
    keep(conn, repo_id, freeze(questions(), NOW))

    assert find(conn, other, "tides") is None
    keep(conn, other, replace(set_of(*questions().examples[:1]), repo="harbor/moor"))
    assert len(load(conn, repo_id, "tides").examples) == 3


def test_a_name_that_is_none_is_refused_with_those_that_are(conn: psycopg.Connection, repo_id: int) -> None:
    with pytest.raises(NotASet, match=r"no set of questions called tide\. There is none yet"):
        load(conn, repo_id, "tide")
    keep(conn, repo_id, questions())
    with pytest.raises(NotASet, match="There are tides"):
        load(conn, repo_id, "tide")


TAMPERED = {
    "a question was taken out": "DELETE FROM relore.bench_examples WHERE id = %(id)s",
    "a question was put in": "INSERT INTO relore.bench_examples SELECT repo_id, set_name, 'closing-title-0', slice,"
    ' part, body || \'{"id": "closing-title-0"}\' FROM relore.bench_examples WHERE id = %(id)s',
    "an answer was changed": "UPDATE relore.bench_examples SET body = jsonb_set(body, '{answers,0,number}', '17')"
    " WHERE id = %(id)s",
    "a question was changed": "UPDATE relore.bench_examples SET body = jsonb_set(body, '{query}', '\"another\"')"
    " WHERE id = %(id)s",
    "a reason was changed": "UPDATE relore.bench_examples SET body = jsonb_set(body, '{answers,0,why}', '\"because\"')"
    " WHERE id = %(id)s",
    "a cutoff was put in": "UPDATE relore.bench_examples SET body = jsonb_set(body, '{before}',"
    " '\"2020-01-01T00:00:00Z\"') WHERE id = %(id)s",
    "a line is no example any more": "UPDATE relore.bench_examples SET body = body - 'query' WHERE id = %(id)s",
    "a part was changed": "UPDATE relore.bench_examples SET part = CASE part WHEN 'fit' THEN 'held-out' ELSE 'fit' END"
    " WHERE id = %(id)s",
    "a verdict was changed": "UPDATE relore.judgements SET verdict = 'not_relevant' WHERE example_id = %(id)s",
    "a verdict was taken out": "DELETE FROM relore.judgements WHERE example_id = %(id)s",
    "a verdict was put in": "INSERT INTO relore.judgements (repo_id, set_name, example_id, number, verdict, judged_by)"
    " VALUES (%(repo_id)s, 'tides', %(id)s, 99, 'relevant', 'human')",
    "the split was moved": "UPDATE relore.bench_sets SET split = split + interval '1 day'",
    "the split was moved in both places": "UPDATE relore.bench_sets SET split = split + interval '1 hour',"
    " header = jsonb_set(header, '{split}', to_jsonb(to_char((split + interval '1 hour') AT TIME ZONE 'UTC',"
    ' \'YYYY-MM-DD"T"HH24:MI:SS"Z"\')))',
    "who scores was changed": 'UPDATE relore.bench_sets SET header = header || \'{"scored_by": "human"}\'',
    "the digest was changed": "UPDATE relore.bench_sets SET digest = repeat('0', 64)",
    "the freezing was taken back": "UPDATE relore.bench_sets SET frozen_at = NULL",
    "the header is none": "UPDATE relore.bench_sets SET header = '{\"version\": 1}'",
    "it says that one was forgotten": "UPDATE relore.bench_sets SET header = header || '{\"forgotten\": 1}',"
    " digest = repeat('0', 64)",
}


@pytest.mark.parametrize("statement", TAMPERED.values(), ids=TAMPERED)
def test_a_set_that_was_tampered_with_is_refused_by_name(
    statement: str, conn: psycopg.Connection, repo_id: int
) -> None:
    keep(conn, repo_id, freeze(questions(), NOW))
    one = next(example.id for example in questions().examples if example.query == "Rising tide")
    assert conn.execute(statement, {"id": one, "repo_id": repo_id}).rowcount == 1

    with pytest.raises(NotASet, match=r"[Tt]he set tides") as refused:
        load(conn, repo_id, "tides")

    assert refused.value.exit_code == 2


def test_what_was_forgotten_on_request_is_no_tampering(conn: psycopg.Connection, repo_id: int) -> None:
    """A question that goes is counted, a reason that goes is silent, and the rest is still held to its marks."""
    kept = freeze(questions(), NOW)
    keep(conn, repo_id, kept)

    forget_questions(conn, repo_id, threads=[2], touched=[7])

    held = load(conn, repo_id, "tides")
    assert [one.query for one in held.examples if one.query.startswith("Zw")] == []
    assert len(held.examples) == 2
    assert held.digest != kept.digest
    conn.execute("DELETE FROM relore.bench_examples WHERE id = %s", [held.examples[0].id])
    conn.execute("DELETE FROM relore.judgements WHERE example_id = %s", [held.examples[0].id])
    with pytest.raises(NotASet, match="2 of its questions are gone, and 1 were forgotten"):
        load(conn, repo_id, "tides")


def test_a_reason_that_was_forgotten_is_no_tampering(
    conn: psycopg.Connection, repo_id: int, labels: Callable[..., Path]
) -> None:
    judged, done = fold(read(labels(row("Rising tide", 12))), questions())
    keep(conn, repo_id, freeze(judged, NOW), done.verdicts)

    forget_questions(conn, repo_id, touched=[12])

    held = load(conn, repo_id, "tides")
    (answer,) = [one for each in held.examples for one in each.answers if one.number == 12]
    assert answer == Answer(12, "relevant", "human", None)


def test_a_renamed_repository_keeps_its_sets(conn: psycopg.Connection, repo_id: int) -> None:
    keep(conn, repo_id, freeze(questions(), NOW))

    conn.execute(repos.SQL["rename_sets"], {"repo_id": repo_id, "full_name": "harbor/tides"})

    assert load(conn, repo_id, "tides").repo == "harbor/tides"


def test_a_write_that_fails_midway_leaves_what_was_there(conn: psycopg.Connection, repo_id: int) -> None:
    keep(conn, repo_id, questions())
    conn.commit()
    spoiled = set_of(example("x", 1, Answer(7, "perhaps", "record")))

    with pytest.raises(psycopg.errors.CheckViolation):
        keep(conn, repo_id, spoiled)

    assert load(conn, repo_id, "tides") == questions()


def test_readers_may_read_and_not_write(conn: psycopg.Connection, repo_id: int, reader_url: str) -> None:
    keep(conn, repo_id, questions())
    conn.commit()
    with psycopg.connect(reader_url, autocommit=True) as reader:
        assert load(reader, repo_id, "tides") == questions()
        for name, scope in (("remove_set", {}), ("remove_judgements", {})):
            with pytest.raises(psycopg.errors.Error):
                reader.execute(SQL[name], {"repo_id": repo_id, "name": "tides", **scope})
        with pytest.raises(psycopg.errors.Error):
            reader.execute(
                SQL["add_set"],
                {
                    "repo_id": repo_id,
                    "name": "mine",
                    "frozen_at": None,
                    "split": None,
                    "digest": "",
                    "header": Jsonb({}),
                },
            )
