"""Every system is held to a question's bounds: its cutoff, its floor of trust, the threads that it withholds."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING, Any

import pytest
from benched import REPO, THEN, example

from relore_assets.bench import corpus
from relore_assets.bench.systems import system
from relore_assets.bench.systems.fulltext import FullText
from relore_assets.bench.systems.index import Index
from relore_assets.mine.example import Filters
from relore_serve.search.scope import repositories

if TYPE_CHECKING:
    from psycopg import Connection
    from rows import History

    from relore_assets.bench.systems.system import System
    from relore_assets.mine.example import Example

NAMES = ("index", "index+expand", "fulltext")


def made(reader: Connection, name: str) -> System:
    if name == "fulltext":
        return FullText(reader)
    return Index(reader, THEN, name, expand=name == "index+expand")


def answer(reader: Connection, name: str, question: Example) -> Any:
    [repo] = repositories(reader, [REPO])
    return made(reader, name).answer(system.asked(question, repo, corpus.read(reader, repo).ids))


@pytest.fixture
def quay(history: History) -> History:
    """Threads that say the same, of different ages and by people of different standing."""
    repo = history.repo(REPO)
    history.thread(repo, 1, "The capstan sticks", at=THEN)
    history.thread(repo, 2, "A capstan sticks", trust="authoritative", at=THEN)
    history.thread(repo, 3, "Why a capstan sticks", at=THEN + timedelta(days=9))
    history.thread(repo, 4, "Capstan sticks", trust="machine", at=THEN)
    history.thread(repo, 5, "On the weather", "Rain, and rain.", at=THEN)
    other = history.repo("harbor/moor")
    history.thread(other, 2, "A capstan sticks there", at=THEN)
    history.fold()
    history.conn.commit()
    return history


@pytest.mark.usefixtures("quay")
@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize(
    ("question", "expected"),
    [
        (example(1, "capstan sticks", 2), {2, 3}),
        (example(1, "capstan sticks", 2, withheld=[2]), {3}),
        (example(1, "capstan sticks", 2, before=THEN + timedelta(days=1)), {2}),
        (example(1, "capstan sticks", 2, filters=Filters(kind="rationale")), {2}),
    ],
    ids=["of today", "withheld", "cutoff", "floor"],
)
def test_bounds_are_kept_by_all(reader: Connection, name: str, question: Example, expected: set[int]) -> None:
    """Whoever asks is left out, machines and other repositories are not shown."""
    found = answer(reader, name, question)

    assert set(found.threads) == expected
    assert {shown.number for shown in found.page} == expected


@pytest.mark.usefixtures("quay")
def test_full_text_puts_every_word_above_any_word(reader: Connection) -> None:
    """And filters are words to it, so that it is told of them at all."""
    found = answer(reader, "fulltext", example(1, "capstan weather", 2, withheld=[3]))
    filtered = answer(reader, "fulltext", example(1, "", 2, filters=Filters(symbols=("weather",))))

    assert set(found.threads) == {2, 5}
    assert filtered.threads == (5,)


@pytest.mark.parametrize("name", NAMES)
def test_pages_are_followed_to_ten_threads(reader: Connection, history: History, name: str) -> None:
    """Though one thread fills the first page; and the page is the first one alone."""
    repo = history.repo(REPO)
    history.thread(repo, 1, "Asks", at=THEN)
    for number in range(2, 15):
        history.thread(repo, number, f"The capstan {number}", at=THEN)
        for _ in range(4):
            history.comment(repo, number, "The capstan sticks when it rains on the quay.", at=THEN)
    history.fold()
    history.conn.commit()

    found = answer(reader, name, example(1, "capstan sticks", 2))

    assert len(set(found.threads)) == len(found.threads) == 10
    assert len(found.page) == 10
    assert found.milliseconds > 0


@pytest.mark.usefixtures("quay")
@pytest.mark.parametrize("name", ["index", "index+expand"])
def test_a_question_that_is_refused_is_an_empty_answer_with_a_note(reader: Connection, name: str) -> None:
    """Not the end of a run."""
    found = answer(reader, name, example(1, "x" * 17_000, 2))

    assert (found.threads, found.note) == ((), "refused: text_too_long")


@pytest.mark.usefixtures("quay")
@pytest.mark.parametrize("name", NAMES)
def test_words_that_postgres_would_read_as_a_query_are_words(reader: Connection, name: str) -> None:
    """Quotes, operators and backslashes ask for nothing by themselves."""
    assert set(answer(reader, name, example(1, "capstan' & !sticks | ( \\ :* <-> %s", 2)).threads) >= {2, 3}
