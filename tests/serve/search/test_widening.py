"""A question widened to some of its words: words are rare in all that is held, and need not be met in what is asked."""

from __future__ import annotations

from dataclasses import asdict
from datetime import timedelta
from typing import TYPE_CHECKING, Any

import pytest
from rows import NOW, History

from relore_assets.precedents.build import build
from relore_serve.json_tree import tree
from relore_serve.pages import search as page
from relore_serve.pages.untrusted import scrub
from relore_serve.precedents.find import find
from relore_serve.precedents.question import PrecedentQuestion
from relore_serve.search.engine import search
from relore_serve.search.question import Exclusion, Question
from relore_serve.similar.similar import read

if TYPE_CHECKING:
    from psycopg import Connection

    from relore_serve.search.results import SearchResult
    from relore_serve.search.scope import Repo

OPENED = NOW - timedelta(days=30)
#: A rare word that one thread alone carries, one that thousands do, and one that nearly all do.
TEXT = "sextant horizon swell"


@pytest.fixture
def repo(history: History) -> Repo:
    """Thread 1 carries the rare word; 2 and 3 carry the others; all are finished work."""
    repo = history.repo("harbor/tide")
    work: dict[str, Any] = {"kind": "pr", "merged": True, "merged_by": "keeper"}
    history.thread(repo, 1, "Sextant", "A sextant.", at=OPENED + timedelta(days=9), **work)
    history.thread(repo, 2, "Horizon", "A horizon.", author="bea", at=OPENED, **work)
    history.thread(repo, 3, "Swell", "A swell.", at=OPENED, **work)
    history.thread(repo, 9, "About the sextant, the horizon and the swell", at=OPENED)
    history.fold()
    # As it would be in a large history.
    history.conn.execute("UPDATE relore.repo_stats SET documents = 100000")
    history.conn.execute(
        "UPDATE relore.term_stats SET documents = CASE WHEN lexeme LIKE 'sextant%' THEN 2"
        " WHEN lexeme LIKE 'horizon%' THEN 5000 ELSE 50000 END"
    )
    build(history.conn, repo.id)
    return repo


def scrubbed(found: SearchResult) -> dict[str, Any]:
    payload, removed = scrub(tree(found))
    return {**payload, "scrubbed": asdict(removed)}


LEFT_OUT = (
    {"exclude": (Exclusion(1), Exclusion(9))},
    {"before": OPENED + timedelta(days=5), "exclude": (Exclusion(9),)},
)


@pytest.mark.parametrize("bounds", [*LEFT_OUT, {"authors": ("bea",)}], ids=["exclude", "before", "authors"])
def test_a_search_follows_the_next_rarest_words_where_the_rarest_are_not_in_scope(
    conn: Connection, repo: Repo, bounds: dict[str, Any]
) -> None:
    """Otherwise an empty page would say that the rare word stands in what is withheld, and that nothing else does."""
    found = search(conn, Question(TEXT, repos=(repo,), **bounds), NOW)

    assert {hit.number for hit in found.hits} == ({2} if "authors" in bounds else {2, 3})
    assert (found.query.widened, found.total_exact) == ("any-term", True)


def test_a_search_that_finds_nothing_has_tried_every_word(conn: Connection, repo: Repo) -> None:
    """Down to the most common one; only then is it said that nothing carries any of them."""
    some = search(conn, Question(TEXT, repos=(repo,), exclude=tuple(map(Exclusion, (1, 2, 9)))), NOW)
    none = search(conn, Question(TEXT, repos=(repo,), exclude=tuple(map(Exclusion, (1, 2, 3, 9)))), NOW)

    assert ({hit.number for hit in some.hits}, some.total_exact) == ({3}, True)
    assert (none.total, none.total_exact) == (0, True)


@pytest.mark.parametrize("bounds", LEFT_OUT, ids=["exclude", "before"])
def test_finished_work_is_found_by_the_next_rarest_words_too(
    conn: Connection, repo: Repo, bounds: dict[str, Any]
) -> None:
    found = find(conn, PrecedentQuestion(TEXT, repos=(repo,), **bounds), NOW)

    assert [unit.number for unit in found.units] == [2, 3]
    assert found.total_exact


def test_a_widened_question_names_the_words_that_texts_were_not_looked_for_by(
    conn: Connection, history: History, repo: Repo
) -> None:
    """Its total is of what carries the others; which is said."""
    for number in range(20, 32):
        history.thread(repo, number, "Horizon", at=OPENED, kind="pr", merged=True)
    build(conn, repo.id)
    excluded = (Exclusion(1), Exclusion(9))

    found = search(conn, Question("horizon swell", repos=(repo,), exclude=excluded), NOW)
    work = find(conn, PrecedentQuestion("horizon swell", repos=(repo,), exclude=excluded), NOW)
    one = search(conn, Question("swell", repos=(repo,), exclude=excluded), NOW)

    assert {3} & {hit.number for hit in found.hits} == set()
    assert (found.query.widened, found.query.unasked_terms) == ("any-term", ("swell",))
    assert work.query.unasked_terms == ("swell",)
    assert (one.query.widened, one.query.unasked_terms) == ("", ())


def test_likeness_follows_the_next_rarest_words_too(conn: Connection, repo: Repo) -> None:
    found = read(conn, repo, 9, exclude=(Exclusion(1),), now=NOW)

    assert found is not None
    assert 2 in [each.number for each in found.similar]


def test_a_short_page_goes_on_with_the_next_rarest_words(conn: Connection, repo: Repo) -> None:
    """One text with the rarest word is not all that carries some of them; more words are tried until there are ten."""
    excluded = (Exclusion(9),)
    found = search(conn, Question(TEXT, repos=(repo,), exclude=excluded), NOW)
    work = find(conn, PrecedentQuestion(TEXT, repos=(repo,), exclude=excluded), NOW)

    assert {hit.number for hit in found.hits} == {unit.number for unit in work.units} == {1, 2, 3}
    assert found.total_exact
    assert work.total_exact


def test_a_text_that_a_fact_let_in_is_not_told_to_carry_every_word(history: History) -> None:
    """It stands above those with some of the words, and says what let it in."""
    repo = history.repo()
    history.thread(repo, 1, "Wall", "A draught through the hatch of src/hull.c, mended.")
    history.thread(repo, 2, "Other", "See src/hull.c, which is as it was.")
    history.thread(repo, 3, "Door", "A draught.")
    history.fold()

    found = search(history.conn, Question("draught hatch mended src/hull.c", repos=(repo,)), NOW)

    by_number = {(hit.number, hit.source_type): hit for hit in found.hits}
    assert (found.query.widened, found.every_term_total) == ("any-term-below", 1)
    assert by_number[1, "body"].why.missing == ()
    let_in = by_number[2, "body"]
    assert (let_in.group, let_in.why.legs) == ("best", ("file",))
    assert let_in.why.missing
    assert by_number[3, "body"].group == "some-terms"
    text = page.render(scrubbed(found), compact=False, presentation=False)
    assert "widened: 1 of them carries every word; those below a line, some." in text
    assert "only some of the words: found by file" in text


def test_a_page_that_facts_alone_filled_does_not_say_that_it_carries_words(history: History) -> None:
    repo = history.repo()
    history.thread(repo, 1, "Speed", "Reads twice.", kind="pr", files=("src/hull.c",))
    history.fold()

    found = search(history.conn, Question("zebra giraffe ostrich src/hull.c", repos=(repo,)), NOW)
    text = page.render(scrubbed(found), compact=False, presentation=False)

    assert found.total > 0
    assert found.query.widened == "no-term"
    assert "no text was found by the words." in text
    assert "carry some" not in text
