"""Each part of a ranking can be switched off, and then decides nothing."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from typing import TYPE_CHECKING

import pytest
from psycopg import RawCursor
from rows import NOW, History

from relore_serve.search import engine, tokens
from relore_serve.search.engine import search
from relore_serve.search.question import Question
from relore_serve.search.ranking import DEFAULT, Ranking
from relore_serve.search.terms import coverage_power, head, text_query, weigh

if TYPE_CHECKING:
    from relore_serve.search.results import SearchResult
    from relore_serve.search.scope import Repo


@pytest.fixture
def repo(history: History) -> Repo:
    return history.repo()


def ask(history: History, repo: Repo, text: str, ranking: Ranking = DEFAULT) -> SearchResult:
    return search(history.conn, Question(text, repos=(repo,)), NOW, ranking=ranking)


def scores(found: SearchResult, part: str = "lexical") -> dict[tuple[int, str], float]:
    return {(hit.number, hit.source_type): (hit.breakdown or {}).get(part, 0.0) for hit in found.hits}


def test_without_rarity_all_words_are_equal() -> None:
    terms = weigh(
        tokens.query("nonce frobnicator").terms,
        1_000,
        {"nonc": 900, "frobnicator": 2},
        replace(DEFAULT, rarity=0),
    )
    assert [term.weight for term in terms] == [0.5, 0.5]


def test_words_that_hold_a_sentence_together_are_words_where_they_are_not_known() -> None:
    unknown = replace(DEFAULT, function_words=False)
    terms = weigh(tokens.query("the cast").terms, 100, {"the": 50, "cast": 50}, unknown)
    assert terms[0].weight == terms[1].weight
    assert text_query(terms, 10, unknown).every == "'the' & 'cast'"


def test_without_coverage_a_part_of_the_question_is_worth_its_words() -> None:
    terms = weigh(tokens.query("nonce cast").terms, 100, {})
    assert (coverage_power(terms), coverage_power(terms, replace(DEFAULT, coverage=0))) == (1, 0)


def test_a_place_is_worth_more_only_by_its_weight(history: History, repo: Repo) -> None:
    history.thread(repo, 1, "Frobnicate the widget", "Frobnicate the widget")
    history.fold()
    found = scores(ask(history, repo, "frobnicate widget"))
    level = scores(ask(history, repo, "frobnicate widget", replace(DEFAULT, title=1, body=1, length_share=0)))

    assert found[1, "title"] > found[1, "body"]
    assert level[1, "title"] == level[1, "body"]


def test_length_counts_only_by_its_share(history: History, repo: Repo) -> None:
    history.thread(repo, 1, "Short", "Frobnicate it")
    history.thread(repo, 2, "Long", f"Frobnicate it {' '.join(f'word{place}' for place in range(200))}")
    history.fold()
    found = scores(ask(history, repo, "frobnicate"))
    level = scores(ask(history, repo, "frobnicate", replace(DEFAULT, length_share=0)))

    assert found[1, "body"] > found[2, "body"]
    assert level[1, "body"] == level[2, "body"]


def test_repetition_counts_until_it_is_said_enough(history: History, repo: Repo) -> None:
    history.thread(repo, 1, "Once", "Frobnicate what there is of these")
    history.thread(repo, 2, "Often", "Frobnicate and frobnicate what frobnicate frobnicate")
    history.fold()
    at_once = scores(ask(history, repo, "frobnicate", replace(DEFAULT, repeated=0)))
    never = scores(ask(history, repo, "frobnicate", replace(DEFAULT, repeated=1e6)))

    assert at_once[1, "body"] == at_once[2, "body"]
    assert never[2, "body"] > 3 * never[1, "body"]


@pytest.mark.parametrize(
    ("kind", "text"),
    [
        ("error", "ValueError: the optional mask has a wrong shape"),
        ("test", "tests/test_a.py::test_b fails"),
        ("symbol", "`build_mask()` fails"),
        ("file", "src/a.c fails"),
    ],
)
def test_a_fact_of_a_kind_counts_only_by_its_weight(
    history: History, repo: Repo, kind: str, text: str
) -> None:
    history.thread(repo, 1, "Widget", text)
    history.fold()

    assert kind in (ask(history, repo, text).hits[0].breakdown or {})
    without = ask(history, repo, text, replace(DEFAULT, **{kind: 0.0}))
    assert all(not (hit.breakdown or {}).get(kind) for hit in without.hits)


def test_a_fact_read_off_a_text_is_worth_what_it_is_of_the_text(history: History, repo: Repo) -> None:
    """A name among thirty words is not what they are about; a filter of the caller's is."""
    history.thread(repo, 1, "Widget", "`build_mask()` fails")
    history.fold()
    words = " ".join(f"word{place}" for place in range(20))

    alone = scores(ask(history, repo, "build_mask"), "symbol")[1, "body"]
    among = scores(ask(history, repo, f"build_mask {words}"), "symbol")[1, "body"]
    asked = search(history.conn, Question(words, repos=(repo,), symbols=("build_mask",)), NOW)

    assert among < alone / 5
    assert scores(asked, "symbol")[1, "body"] >= alone


def test_words_of_the_first_line_count_more_where_others_follow() -> None:
    """They are the title that its author gave to the text; what announces a trace is none."""
    titled = weigh(tokens.query("nonce\ncast").terms, 100, {}, head=head("nonce\n\ncast"))
    plain = weigh(
        tokens.query("nonce\ncast").terms, 100, {}, replace(DEFAULT, head=1), head=head("nonce\ncast")
    )

    assert titled[0].weight == pytest.approx(2 * titled[1].weight)
    assert plain[0].weight == plain[1].weight
    assert head("nonce cast") == head("Traceback (most recent call last):\n  nonce") == frozenset()


def test_of_a_long_question_what_carries_most_of_it_is_scored(history: History, repo: Repo) -> None:
    """Short texts that carry one of its words do not take the place of long ones that carry many."""
    rare = [f"rare{place}" for place in range(10)]
    for number in range(1, 41):
        history.thread(repo, number, f"Of {rare[number % 10]}")
    history.thread(repo, 50, "Elsewhere")
    history.comment(repo, 50, f"{' '.join(rare[:8])} {' '.join(f'other{place}' for place in range(60))}")
    history.fold()
    few = replace(DEFAULT, candidates=3)

    assert 50 in {hit.number for hit in ask(history, repo, " ".join(rare), few).hits}


def test_texts_that_a_fact_led_to_take_no_room_from_what_carries_more_of_the_words(
    history: History, repo: Repo
) -> None:
    words = " ".join(f"frobnicator{place}" for place in range(12))
    history.thread(repo, 1, "Elsewhere", f"We know {words} well")
    for number in range(2, 40):
        history.thread(repo, number, "A change of src/nonce.c", "It says nothing else of the matter at all")
    history.fold()
    few = replace(DEFAULT, candidates=5)

    found = ask(history, repo, f"{words} in src/nonce.c", few)

    assert found.hits[0].number == 1
    assert {leg.leg for leg in found.query.legs} == {"text", "file"}


def test_common_words_lead_to_titles_and_opening_posts(history: History, repo: Repo) -> None:
    """Where too many texts carry a word to read them all, a thread is still found by what it is about."""
    history.thread(repo, 1, "Of horizons", at=NOW)
    history.thread(repo, 2, "Other", at=NOW)
    history.comment(repo, 2, "Horizon", at=NOW)
    for number in range(10, 20):
        history.thread(repo, number, "Sextant", at=NOW)
    history.fold()
    history.conn.execute("UPDATE relore.repo_stats SET documents = 100000")
    history.conn.execute("UPDATE relore.term_stats SET documents = 5000 WHERE lexeme LIKE 'horizon%'")
    found = ask(history, repo, "sextant horizon lighthouse")
    all_of_them = set[int]()
    while True:
        all_of_them |= {hit.number for hit in found.hits}
        if found.cursor is None:
            break
        question = Question("sextant horizon lighthouse", repos=(repo,), cursor=found.cursor)
        found = search(history.conn, question, NOW)

    assert all_of_them == {1, *range(10, 20)}
    assert found.query.unasked_terms == ("horizon",)
    assert not found.total_exact


@pytest.mark.parametrize(("kind", "factor"), [("precedent", 4 / 7), ("failure", 1), (None, 1)])
def test_age_counts_by_the_kind_of_a_question(
    history: History, repo: Repo, kind: str | None, factor: float
) -> None:
    """Counted from the cutoff; what is as old as the half of it is worth half."""
    history.thread(repo, 1, "Frobnicate", at=NOW - timedelta(days=3 * 365.25), kind="pr", merged=True)
    history.fold()

    def score(ranking: Ranking = DEFAULT) -> float:
        asked = Question("frobnicate", repos=(repo,), kind=kind, before=NOW)
        return search(history.conn, asked, NOW, ranking=ranking).hits[0].score or 0

    ageless = replace(DEFAULT, precedent_years=0)
    assert score() == pytest.approx(factor * score(ageless), abs=1e-5)


def test_a_thread_shares_its_fact_only_by_the_share(history: History, repo: Repo) -> None:
    history.thread(repo, 1, "Widget breaks", "`build_mask()` breaks it")
    history.fold()
    title = {
        share: next(
            hit.score or 0
            for hit in ask(history, repo, "build_mask breaks", replace(DEFAULT, thread_share=share)).hits
            if hit.source_type == "title"
        )
        for share in (0.0, 1.0)
    }
    assert title[1.0] > title[0.0]


def test_noise_stands_below_only_where_it_is_put_there(history: History, repo: Repo) -> None:
    history.thread(repo, 1, "Thanks for frobnication everywhere in the widgets of the library")
    history.thread(repo, 2, "Other")
    history.comment(repo, 2, "Thanks", noise=True)
    history.fold()
    level = replace(DEFAULT, noise_below=False)

    assert [hit.group for hit in ask(history, repo, "thanks").hits] == ["best", "noise"]
    assert {hit.group for hit in ask(history, repo, "thanks", level).hits} == {"best"}


def test_a_second_hit_of_a_thread_is_worth_less_only_by_the_factor(history: History, repo: Repo) -> None:
    history.thread(repo, 1, "Frobnicate widgets", "Frobnicate widgets")
    history.thread(repo, 2, "Other")
    history.comment(repo, 2, f"Frobnicate widgets {' '.join(f'word{place}' for place in range(60))}")
    history.fold()
    first = [
        hit.number for hit in ask(history, repo, "frobnicate widgets", replace(DEFAULT, repeat=0.1)).hits
    ]
    level = [hit.number for hit in ask(history, repo, "frobnicate widgets", replace(DEFAULT, repeat=1)).hits]

    assert (first, level) == ([1, 2, 1], [1, 1, 2])


def test_substance_counts_only_by_its_weight(history: History, repo: Repo) -> None:
    history.thread(repo, 1, "Frobnicate widgets")
    history.fold()

    assert scores(ask(history, repo, "frobnicate"), "substance") == {(1, "title"): 0.1}
    assert scores(ask(history, repo, "frobnicate", replace(DEFAULT, substance=0)), "substance") == {
        (1, "title"): 0.0
    }


def test_a_row_of_a_page_is_made_of_its_columns_in_their_order(history: History, repo: Repo) -> None:
    question = Question("frobnicate", repos=(repo,))
    plan = engine._weighed(history.conn, engine._plan(question, question, DEFAULT))
    values = engine._values(plan, None)
    form = engine.page_statement(DEFAULT).form(values)
    with RawCursor(history.conn) as cursor:
        cursor.execute(form.text, form.in_order(values))
        columns = [column.name for column in cursor.description or ()]

    assert columns == list(engine._Row._fields[: len(columns)])
