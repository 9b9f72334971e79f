"""Texts are found by a part of an identifier, wherever in it the part stands."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from rows import NOW, History

from relore_serve.search import contains
from relore_serve.search.engine import search
from relore_serve.search.question import Exclusion, Question, QuestionError

if TYPE_CHECKING:
    from relore_serve.search.results import SearchResult
    from relore_serve.search.scope import Repo


def ask(history: History, repo: Repo, text: str = "", **more: object) -> SearchResult:
    return search(history.conn, Question(text, repos=(repo,), **more), NOW)


def numbers(found: SearchResult) -> set[int]:
    return {hit.number for hit in found.hits}


@pytest.fixture
def repo(history: History) -> Repo:
    """Two threads whose names hold `rotary` in their middle, one that says the word, one that says neither."""
    repo = history.repo()
    history.thread(repo, 1, "Wrong angle", "The result of `apply_rotary_pos_emb_x` is off by one.")
    history.thread(repo, 2, "Speed", "applyRotaryPosEmb takes half of the time on the first call.")
    history.thread(repo, 3, "Docs", "Say in the guide what a rotary embedding is, and what it is for.")
    history.thread(repo, 4, "Cache", "The result of `apply_positions` is not kept between two calls.")
    history.fold()
    return repo


@pytest.mark.parametrize(
    ("part", "threads"),
    [
        ("rotary", {1, 2, 3}),
        ("ROTARY", {1, 2, 3}),
        ("rotary_pos", {1}),
        ("otaryposem", {2}),
        ("`pos_emb_x`", {1}),
        ("ply_", {1, 4}),
        ("nowhere", set()),
        ("pos%emb", set()),
        ("pos.emb", set()),
    ],
)
def test_a_part_is_found_wherever_it_stands(
    history: History, repo: Repo, part: str, threads: set[int]
) -> None:
    """Case does not count, and nothing in a part is a wildcard."""
    assert numbers(ask(history, repo, contains=(part,))) == threads


def test_every_hit_carries_a_part_whatever_else_is_asked(history: History, repo: Repo) -> None:
    """The words, the other filters and one of the parts must all hold of what is shown."""
    history.comment(repo, 1, "The result is the same on every other machine I tried.")
    history.fold()

    found = ask(history, repo, "result", contains=("rotary", "never_there"))
    filtered = ask(history, repo, symbols=("apply_rotary_pos_emb_x",), contains=("rotary",))

    assert [(hit.number, hit.source_type) for hit in found.hits] == [(1, "body")]
    assert [(hit.number, hit.source_type) for hit in filtered.hits] == [(1, "body")]
    assert numbers(ask(history, repo, contains=("rotary",), symbols=("apply_positions",))) == set()


def test_parts_are_alternatives(history: History, repo: Repo) -> None:
    assert numbers(ask(history, repo, contains=("rotary_pos", "_positions"))) == {1, 4}


def test_a_page_names_the_words_that_hold_a_part(history: History, repo: Repo) -> None:
    """And each hit those that it carries."""
    found = ask(history, repo, contains=("rotary_pos",))

    assert [(part.value, part.words, part.total) for part in found.query.contains] == [
        ("rotary_pos", ("apply_rotary_pos_emb_x",), 1)
    ]
    assert found.hits[0].why.filters == ("contains:apply_rotary_pos_emb_x",)
    assert "apply_rotary_pos_emb_x" in found.hits[0].snippet
    assert found.query.filters == {"contains": ("rotary_pos",)}


def test_the_snippet_shows_the_word_that_holds_the_part(history: History, repo: Repo) -> None:
    history.thread(repo, 5, "Long", f"{'padding ' * 200} see my_qkv_projection here {'padding ' * 200}")
    history.fold()

    [hit] = ask(history, repo, contains=("kv_proj",)).hits

    assert "my_qkv_projection" in hit.snippet


def test_what_is_withheld_is_not_told_by_its_words(history: History, repo: Repo) -> None:
    """The list of words bears no dates: under a cutoff or an exclusion nothing is told of it, and hits still come."""
    history.thread(repo, 8, "The fix", "`apply_rotary_fixed` is what it is called from now on.")
    history.fold()

    excluded = ask(history, repo, contains=("rotary",), exclude=(Exclusion(8),))
    before = ask(history, repo, contains=("rotary",), before=NOW)

    for found in (excluded, before):
        assert [(part.words, part.total) for part in found.query.contains] == [((), None)]
    assert numbers(excluded) == {1, 2, 3}
    assert numbers(before) == {1, 2, 3, 8}


def test_a_word_in_another_form_is_found_by_its_stem(history: History, repo: Repo) -> None:
    """Words of English are held by their stems, so a whole word is looked for by its own."""
    history.thread(repo, 6, "Paths", "Which libraries are looked into first is not documented.")
    history.fold()

    assert numbers(ask(history, repo, contains=("libraries",))) == {6}


def test_of_very_many_words_those_in_the_most_texts_are_asked_for_and_the_cut_is_told(
    history: History, repo: Repo, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        contains,
        "_PARTS",
        contains.Prepared(contains.statements("relore_serve.search", "contains.sql", most=2)["parts"]),
    )
    for number in range(10, 14):
        history.thread(
            repo, number, f"Number {number}", " ".join(f"frob_{n}_x" for n in range(10, number + 1))
        )
    history.fold()

    found = ask(history, repo, contains=("frob",))

    [part] = found.query.contains
    assert part.words == ("frob", "frob_10_x")
    assert part.total > len(part.words)


def test_several_parts_share_the_words_that_are_asked_for(
    history: History, repo: Repo, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Every word is a look at every text, whichever part it holds."""
    monkeypatch.setattr(contains, "MOST_WORDS", 4)
    names = " ".join(f"alpha_{n}_x beta_{n}_x" for n in range(9))
    history.thread(repo, 20, "Names", f"All of these are used: {names}")
    history.fold()

    found = ask(history, repo, contains=("alpha", "beta"))

    assert [len(part.words) for part in found.query.contains] == [2, 2]
    assert all(part.total > 2 for part in found.query.contains)


@pytest.mark.parametrize("part", ["ab", "  ab ", "``", "", "界"])
def test_a_part_too_short_to_tell_words_apart_is_refused(history: History, repo: Repo, part: str) -> None:
    with pytest.raises(QuestionError, match="characters of an identifier or more") as refused:
        ask(history, repo, contains=(part,))

    assert refused.value.code == "part_too_short"
    assert refused.value.parameter == "contains"


def test_a_part_with_a_space_is_refused(history: History, repo: Repo) -> None:
    with pytest.raises(QuestionError, match="ask for it as text"):
        ask(history, repo, contains=("rotary embedding",))


def test_writing_without_spaces_is_found_by_a_part_too(history: History, repo: Repo) -> None:
    history.thread(repo, 7, "超时", "连接超时后没有重试需要修复")
    history.fold()

    assert numbers(ask(history, repo, contains=("没有重试",))) == {7}


@pytest.mark.parametrize("part", ["a'b'c", "x\\y\\z", "(((", "|||", "%%%", "_&!_"])
def test_no_part_can_break_a_question(history: History, repo: Repo, part: str) -> None:
    assert ask(history, repo, "result", contains=(part,)).total == 0


def test_other_repositories_words_are_not_looked_at(history: History, repo: Repo) -> None:
    other = history.repo("acme/gadgets")
    history.thread(other, 1, "Elsewhere", "`secret_rotary_engine` is only known here.")
    history.fold()

    found = ask(history, repo, contains=("rotary",))

    assert "secret_rotary_engine" not in found.query.contains[0].words
