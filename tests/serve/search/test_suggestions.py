"""A page with nothing says which near question finds something, and how much."""

from __future__ import annotations

import shlex
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

import pytest
from rows import NOW, History

from relore_serve.search import suggestions
from relore_serve.search.engine import search
from relore_serve.search.question import Exclusion, Question

if TYPE_CHECKING:
    from relore_serve.search.results import SearchResult
    from relore_serve.search.scope import Repo


def ask(history: History, repo: Repo, text: str = "", **more: object) -> SearchResult:
    return search(history.conn, Question(text, repos=(repo,), **more), NOW)


def suggested(found: SearchResult) -> dict[str, tuple[str, int, bool]]:
    return {each.change: (each.form, each.total, each.total_exact) for each in found.suggestions}


@pytest.fixture
def repo(history: History) -> Repo:
    repo = history.repo()
    history.thread(
        repo,
        1,
        "Nonce reuse",
        "The nonce is reused, says src/nonce.c on every call.",
        kind="pr",
        files=("a.c",),
    )
    history.thread(
        repo, 2, "Cache", "`ecmult_gen_context_build` raises\n\n```\nKeyError: 'no such window'\n```\n"
    )
    history.thread(repo, 3, "Slow start", "It takes a minute to start on my machine.")
    history.fold()
    return repo


@pytest.mark.parametrize(
    ("question", "change", "form", "total"),
    [
        (
            {"errors": ("It takes a minute to start",)},
            "as text instead of --error",
            "relore search 'It takes a minute to start'",
            2,
        ),
        (
            {"errors": ("KeyError: 'another message'",)},
            "by the error's type alone",
            "relore search --error KeyError",
            2,
        ),
        ({"text": "nonce", "files": ("b.c",)}, "without --file", "relore search nonce", 2),
        (
            {"files": ("src/nonce.c",)},
            "with --mentioned",
            "relore search --file src/nonce.c --mentioned",
            2,
        ),
        (
            {"symbols": ("gen_context",)},
            "--contains instead of --symbol",
            "relore search --contains gen_context",
            1,
        ),
        (
            {"text": "gen_context_bui"},
            "--contains instead of the word",
            "relore search --contains gen_context_bui",
            1,
        ),
        (
            {"text": "nonce", "kind": "rationale"},
            "without --kind rationale (any person)",
            "relore search nonce",
            2,
        ),
        ({"text": "nonce", "authors": ("nobody",)}, "without --author", "relore search nonce", 2),
        ({"text": "nonce", "labels": ("none",)}, "without --label", "relore search nonce", 2),
        ({"text": "nonce", "since": NOW}, "without --since", "relore search nonce", 2),
        (
            {"text": "zzzq", "contains": ("context_bui",)},
            "without the words",
            "relore search --contains context_bui",
            1,
        ),
        (
            {"text": "nonce", "labels": ("none",), "authors": ("nobody",)},
            "the words alone",
            "relore search nonce",
            2,
        ),
    ],
)
def test_the_change_that_finds_something_is_named_and_counted(
    history: History, repo: Repo, question: dict[str, object], change: str, form: str, total: int
) -> None:
    """The count is what the suggested question answers when it is asked."""
    found = ask(history, repo, **question)

    assert found.total == 0
    assert suggested(found)[change] == (form, total, True)


def test_what_finds_nothing_is_not_suggested(history: History, repo: Repo) -> None:
    assert ask(history, repo, "zzzq", files=("no.c",)).suggestions == ()
    assert ask(history, repo, "zzzq").suggestions == ()


def test_a_page_with_hits_suggests_nothing(history: History, repo: Repo) -> None:
    assert ask(history, repo, "nonce").suggestions == ()


def test_the_end_of_the_pages_is_no_empty_question(history: History, repo: Repo) -> None:
    first = ask(history, repo, "nonce", limit=1)
    last = ask(history, repo, "nonce", limit=10, cursor=first.cursor)

    assert last.suggestions == ()


def test_an_error_too_poor_to_match_is_tried_as_text(history: History, repo: Repo) -> None:
    """Nothing is looked for under such a filter, and the page is empty before anything is asked."""
    found = ask(history, repo, errors=("start",))

    assert found.query.uninformative_errors == ("start",)
    assert suggested(found)["as text instead of --error"] == ("relore search start", 2, True)


def test_what_withholds_on_purpose_is_never_taken_off(history: History, repo: Repo) -> None:
    """Neither a cutoff nor an exclusion: that something lies behind it would be told by its count."""
    before = NOW - timedelta(days=300)

    cut = ask(history, repo, "nonce", before=before)
    excluded = ask(history, repo, "nonce", exclude=(Exclusion(1),), kind="rationale")

    assert cut.total == excluded.total == 0
    assert cut.suggestions == ()
    assert excluded.suggestions == ()


def test_what_is_suggested_stays_within_the_cutoff_and_the_exclusions(history: History, repo: Repo) -> None:
    history.thread(repo, 4, "Nonce again", "The nonce is reused once more, and it should not be.")
    history.fold()

    found = ask(history, repo, "nonce", files=("b.c",), exclude=(Exclusion(1),), before=NOW)

    [each] = found.suggestions
    assert each.total == 2
    assert each.form == "relore search nonce --before 2024-06-01T12:00:00Z --exclude 1"


def test_forms_are_few() -> None:
    """However many filters a question has."""
    everything = Question(
        "some words",
        errors=("KeyError: 'x'",),
        files=("a.c",),
        symbols=("foo_bar",),
        tests=("t::u",),
        labels=("bug",),
        authors=("ada",),
        contains=("abc",),
        kind="rationale",
        since=datetime(2024, 1, 1, tzinfo=UTC),
    )

    assert len(suggestions.forms(everything)) == suggestions.MOST


def test_a_command_line_is_read_back_as_the_question() -> None:
    """Quotes, blanks and dashes of the caller's own words are kept apart by the shell's rules."""
    question = Question(
        "-Werror it's",
        errors=('KeyError: "a b"', "-x"),
        symbols=("$(reboot)",),
        trust="authoritative",
        sort="newest",
        expand=False,
    )

    assert shlex.split(suggestions.command(question)) == [
        "relore", "search", "--symbol", "$(reboot)", "--error", 'KeyError: "a b"', "--error=-x",
        "--trust", "authoritative", "--sort", "newest", "--no-expand", "--", "-Werror it's",
    ]  # fmt: skip


def test_a_near_question_names_the_repositories_that_were_named(history: History) -> None:
    """Otherwise it would find what stands elsewhere."""
    repo = history.repo("acme/gadgets")
    history.thread(repo, 1, "The nonce is reused")
    history.fold()
    named = search(
        history.conn, Question("nonce", repos=(repo,), labels=("bug",), repos_named=True), NOW
    ).suggestions

    assert {f"relore search nonce --repo {repo.name}"} == {each.form for each in named}


@pytest.mark.parametrize(
    ("question", "form"),
    [
        ({"text": "mangitude of the rotro"}, "relore search 'magnitud of the rotor'"),
        ({"text": "magnitude", "authors": ("cypres",)}, "relore search magnitude --author cypress"),
        ({"authors": ("@cyrpess",)}, "relore search --author cypress"),
    ],
)
def test_what_is_misspelt_is_offered_as_what_is_held(
    history: History, question: dict[str, Any], form: str
) -> None:
    repo = history.repo("acme/gadgets")
    history.thread(repo, 1, "The magnitude is wrong", "A rotor of any magnitude.", author="cypress")
    history.fold()

    assert form in {each.form for each in ask(history, repo, **question).suggestions}
    # Words and logins bear no dates, and could tell of what is withheld.
    bounded = ask(history, repo, **question, exclude=(Exclusion(2),))
    assert form not in {each.form.removesuffix(" --exclude 2") for each in bounded.suggestions}


def test_a_very_long_command_is_told_by_its_change() -> None:
    question = Question("word " * 100, files=("a.c",), labels=("bug",))

    forms = suggestions.forms(question)

    assert {form.change: form.command for form in forms}[
        "without --file"
    ] == "the same question without --file"
