"""A word longer than any that is found is told of, wherever in a question it stands, and breaks none."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from rows import NOW, History

from relore_serve.search import tokens
from relore_serve.search.compounds import MAX_LEXEME_BYTES
from relore_serve.search.engine import search
from relore_serve.search.question import Question, QuestionError

if TYPE_CHECKING:
    from relore_serve.search.scope import Repo

LONG = ["x" * 3000, "a_" * 1500, "A1" * 1500, "🚀" * 2000, "[" * 4000]


@pytest.fixture
def repo(history: History) -> Repo:
    repo = history.repo()
    history.thread(repo, 1, "Nonce reuse", "The nonce is reused, says `aaa_nonce_get` on every call.")
    history.fold()
    return repo


@pytest.mark.parametrize("word", LONG, ids=lambda word: word[:4])
@pytest.mark.parametrize("field", ["text", "symbols", "errors", "tests", "files", "labels", "authors"])
def test_a_question_with_a_long_word_is_answered(history: History, repo: Repo, word: str, field: str) -> None:
    """With an empty page, which tries near questions, or with a refusal that names the value."""
    given: dict[str, Any] = {field: word if field == "text" else (word,)}
    try:
        found = search(history.conn, Question(repos=(repo,), **given), NOW)
    except QuestionError as refused:
        code = refused.code
    else:
        code = None
        assert not found.hits

    assert code in {None, "bad_value"}


@pytest.mark.parametrize("word", ["x" * 3000, "é" * 1100, "A1" * 1500])
def test_a_long_word_is_counted_and_the_others_are_asked(history: History, repo: Repo, word: str) -> None:
    alone = search(history.conn, Question(word, repos=(repo,)), NOW)
    beside = search(history.conn, Question(f"nonce {word}", repos=(repo,)), NOW)

    assert (alone.total, alone.query.unsearchable_terms) == (0, 1)
    assert (beside.query.terms, beside.query.unsearchable_terms) == (1, 1)
    assert beside.total == 2


@pytest.mark.parametrize("part", [*LONG, "n" * (MAX_LEXEME_BYTES + 1)], ids=lambda part: part[:4])
@pytest.mark.parametrize("text", ["", "nonce"])
def test_a_part_longer_than_any_word_is_refused(history: History, repo: Repo, part: str, text: str) -> None:
    with pytest.raises(QuestionError, match="longer than any word that is found"):
        search(history.conn, Question(text, repos=(repo,), contains=(part,)), NOW)


def test_a_long_part_in_writing_without_spaces_is_a_question_in_pairs(history: History, repo: Repo) -> None:
    """Of pairs no length is too great."""
    history.thread(repo, 2, "数", "随机数" * 200)
    history.fold()

    found = search(history.conn, Question(repos=(repo,), contains=("随机数" * 100,)), NOW)

    assert {hit.number for hit in found.hits} == {2}


def test_a_name_too_long_to_stand_as_one_is_not_taken_for_its_first_part(
    history: History, repo: Repo
) -> None:
    """Nor one that is taken in pairs: either would be found in every text with that part."""
    assert tokens.whole_name("aaa_nonce_get") == "'aaa_nonce_get'"
    assert tokens.whole_name("aaa_" + "nonce_" * 40) is None
    assert tokens.whole_name("随机数") is None
    assert tokens.whole_name("nonce") is None

    found = search(history.conn, Question(repos=(repo,), symbols=("aaa_" + "nonce_" * 40,)), NOW)

    assert found.total == 0
