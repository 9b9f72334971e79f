"""Each part of a ranking can be switched off, and then decides nothing."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
from rows import NOW, History

from relore_serve.search import tokens
from relore_serve.search.engine import search
from relore_serve.search.question import Question
from relore_serve.search.ranking import DEFAULT, Ranking
from relore_serve.search.terms import coverage_power, text_query, weigh

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
