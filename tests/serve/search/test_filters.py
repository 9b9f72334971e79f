"""Filters of exact facts: files, symbols, errors, tests, labels, authors, and what the text of a question names."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from typing import TYPE_CHECKING

import pytest
from rows import NOW, History

from relore_serve.search.engine import search
from relore_serve.search.question import Question, QuestionError
from relore_serve.search.ranking import DEFAULT, Ranking

if TYPE_CHECKING:
    from relore_serve.search.results import SearchResult
    from relore_serve.search.scope import Repo


def ask(
    history: History, repo: Repo, text: str = "", ranking: Ranking = DEFAULT, **more: object
) -> SearchResult:
    return search(history.conn, Question(text, repos=(repo,), **more), NOW, ranking=ranking)


def numbers(found: SearchResult) -> set[int]:
    return {hit.number for hit in found.hits}


@pytest.fixture
def repo(history: History) -> Repo:
    return history.repo()


@pytest.mark.parametrize(
    "path", ["src/old_name.c", "old_name.c", "/home/ada/src/widgets/src/old_name.c", "src/new_name.c", "src/"]
)
def test_a_renamed_file_is_found_by_either_name(history: History, repo: Repo, path: str) -> None:
    """Whoever asks for the old name wants to know where the file went."""
    history.thread(
        repo, 1, "Move it", kind="pr", files=("src/new_name.c",), renamed={"src/new_name.c": "src/old_name.c"}
    )
    history.thread(repo, 2, "Another", kind="pr", files=("lib/very_old_name.c",))
    history.fold()

    assert numbers(ask(history, repo, files=(path,))) == {1}


@pytest.mark.parametrize(
    ("needle", "path", "matches"),
    [
        ("a_b.py", "src/a_b.py", True),
        ("a_b.py", "src/axb.py", False),
        ("src/a_b.py", "src/a_b.py", True),
        ("./src/a_b.py", "src/a_b.py", True),
        ("/src/a_b.py", "src/a_b.py", True),
        ("b.py", "src/a_b.py", False),
        ("100%.py", "src/100%.py", True),
        ("10%.py", "src/100.py", False),
        (".github/workflows/ci.yml", ".github/workflows/ci.yml", True),
        ("github/workflows/ci.yml", ".github/workflows/ci.yml", False),
        ("Makefile", "doc/Makefile", True),
        (".gitignore", ".gitignore", True),
        ("src\\a_b.py", "src/a_b.py", True),
        ("cafe\u0301.py", "src/caf\u00e9.py", True),
        ("caf\u00e9.py", "src/cafe\u0301.py", True),
        ("cafe.py", "src/caf\u00e9.py", False),
        ("src/back\\slash.py", "src/back\\slash.py", True),
        ("slash.py", "src/back\\slash.py", False),
        ("src/a_b.py:332", "src/a_b.py", True),
        ("src/a_b.py:332:5:", "src/a_b.py", True),
        ("src/a_b.py#L12-L14", "src/a_b.py", True),
        ("`src/a_b.py`", "src/a_b.py", True),
        ("src//a_b.py", "src/a_b.py", True),
        ("src/./a_b.py", "src/a_b.py", True),
        ("a/src/a_b.py", "src/a_b.py", True),
        ("b/src/a_b.py", "src/a_b.py", True),
        ("a/src/a_b.py", "a/src/a_b.py", True),
        ("x/src/a_b.py", "src/a_b.py", False),
        ("/home/me/kit/src/a_b.py", "src/a_b.py", True),
        ("/home/me/kit/src/a_b.py", "lib/a_b.py", False),
        ("C:\\kit\\src\\a_b.py", "src/a_b.py", True),
        ("src/", "src/a_b.py", True),
        ("src/", "lib/src/deep/a_b.py", True),
        ("src/", "mysrc/a_b.py", False),
        ("src/", "src.py", False),
        ("src/deep/", "lib/src/deep/a_b.py", True),
        ("/home/me/kit/src/", "src/a_b.py", True),
    ],
)
def test_a_file_is_any_trailing_part_of_its_path(
    history: History, repo: Repo, needle: str, path: str, *, matches: bool
) -> None:
    """Cut at a slash, every character itself."""
    history.thread(repo, 1, "Some change", kind="pr", files=(path,))
    history.fold()
    assert (numbers(ask(history, repo, files=(needle,))) == {1}) is matches


@pytest.mark.parametrize("way", ["changed", "renamed", "anchor", "folder"])
def test_what_is_left_of_an_absolute_path_is_told_from_the_files_of_then(
    history: History, repo: Repo, way: str
) -> None:
    """A longer ending that came to be later is none yet, and hides no shorter one that was there."""
    then, later = NOW - timedelta(days=90), NOW - timedelta(days=10)
    history.thread(repo, 1, "First", kind="pr", files=("src/z.c",), merged=True, at=then)
    files = {"changed": ("kit/src/z.c",), "renamed": ("kit/y.c",), "folder": ("kit/src/z.c",)}.get(way, ())
    renamed = {"kit/y.c": "kit/src/z.c"} if way == "renamed" else None
    history.thread(repo, 2, "Second", kind="pr", files=files, renamed=renamed, merged=True, at=later)
    if way == "anchor":
        history.comment(
            repo, 2, "This loop never ends.", source_type="review_comment", path="kit/src/z.c", at=later
        )
    history.fold()
    path = "/home/me/kit/src/" if way == "folder" else "/home/me/kit/src/z.c"
    assert numbers(ask(history, repo, files=(path,))) == {2}
    assert numbers(ask(history, repo, files=(path,), before=NOW - timedelta(days=50))) == {1}


def test_a_file_is_what_was_touched_unless_mentions_are_asked_for(history: History, repo: Repo) -> None:
    """`do not change src/z.py` is no change of it; a comment on its line is."""
    history.thread(repo, 1, "First thread", "Please do not change `src/z.py` at all")
    history.thread(repo, 2, "Second thread", kind="pr")
    history.comment(
        repo, 2, "This loop never ends for odd sizes.", source_type="review_comment", path="src/z.py"
    )
    history.fold()
    assert numbers(ask(history, repo, files=("src/z.py",))) == {2}
    assert numbers(ask(history, repo, files=("src/z.py",), mentioned=True)) == {1, 2}


def test_pull_requests_that_a_file_could_not_be_tried_on_are_counted(history: History, repo: Repo) -> None:
    """Without a list, or with one that is cut off; issues have no diff and are not missing one."""
    history.thread(repo, 1, "Widget with list", kind="pr", files=("a.py",))
    history.thread(repo, 2, "Widget without", kind="pr")
    history.thread(repo, 3, "Widget with part", kind="pr", files=("b.py",), stated_files=200)
    history.thread(repo, 4, "Widget whole", kind="pr", files=("b.py",))
    history.thread(repo, 5, "Widget issue")
    history.thread(repo, 6, "Another thing", kind="pr")
    history.thread(repo, 7, "Widget of a machine", kind="pr", trust="machine")
    history.fold()
    found = ask(history, repo, "widget", files=("a.py",))
    assert (numbers(found), found.files_untested) == ({1}, 2)
    assert ask(history, repo, files=("a.py",)).files_untested == 4
    assert ask(history, repo, "widget").files_untested == 0


def test_what_was_not_all_looked_at_is_a_lower_bound_of_what_could_not_be_tried(
    history: History, repo: Repo
) -> None:
    """And that alone: what was found is counted in full."""
    narrow = replace(DEFAULT, few_untested=1, untested_matches=2)
    history.thread(repo, 1, "Widget with list", kind="pr", files=("a.py",))
    for number in range(2, 6):
        history.thread(repo, number, "Widget without", kind="pr")
    history.fold()
    found = ask(history, repo, "widget", narrow, files=("a.py",))

    assert (found.files_untested >= 1, found.files_untested_exact) == (True, False)
    assert (found.total, found.total_exact) == (1, True)
    assert ask(history, repo, "", narrow, files=("a.py",)).files_untested_exact


def test_what_could_not_be_tried_is_counted_on_a_widened_page_too(history: History, repo: Repo) -> None:
    """With the words the page was widened to."""
    history.thread(repo, 1, "Widget here", kind="pr", files=("a.py",))
    history.thread(repo, 2, "Gadget there", kind="pr")
    history.fold()
    found = ask(history, repo, "widget gadget", files=("a.py",))
    assert (found.query.widened, found.files_untested) == ("any-term", 1)


@pytest.mark.parametrize(
    ("needle", "said", "matches"),
    [
        ("forward", "`Foo.forward` is wrong", True),
        ("Foo.forward", "`Foo.forward` is wrong", True),
        ("Foo.forward", "`Bar.forward` is wrong", False),
        ("oo.forward", "`Foo.forward` is wrong", False),
        ("Foo.forward()", "`pkg.Foo.forward` is wrong", True),
        ("Foo::forward", "`ns::Foo::forward` is wrong", True),
        ("forward", "it goes forward", False),
        ("build_mask", "then build_mask drops it", True),
        ("build_mask", "then build the mask", False),
        ("PublicKey", "a PublicKey is not one", True),
    ],
)
def test_a_symbol_is_found_by_its_last_part_or_its_qualified_name(
    history: History, repo: Repo, needle: str, said: str, *, matches: bool
) -> None:
    """What can only be a name is a mention wherever it stands, a word only where it was marked as code."""
    history.thread(repo, 1, "Something here", said)
    history.fold()
    assert (numbers(ask(history, repo, symbols=(needle,))) == {1}) is matches


TRACEBACK = 'Traceback (most recent call last):\n  File "/h/u/x.py", line 9, in load\n    go()\n'


@pytest.mark.parametrize(
    ("stored", "asked", "matches"),
    [
        ("ValueError: expected 768, got 1024", TRACEBACK + "ValueError: expected 32, got 64", True),
        ("ValueError: expected 768, got 1024", "TypeError: expected 32, got 64", False),
        ("KeyError: 'x'", "ValueError: 'x'", False),
        ("KeyError: 0", "KeyError: 1", True),
        ("KeyError: 'shape 3 not known here'", "KeyError: 0", False),
        ("AssertionError", "AssertionError", True),
        ("ValueError: cannot reshape array", "`ValueError: cannot reshape array`", True),
        (
            "ValueError: cannot reshape array of size",
            "ValueError: cannot reshape array of size 9 into (3,",
            True,
        ),
        ("ValueError: cannot reshape", "ValueError: cannot reshape array of size 9 into (3,", False),
        ("RuntimeError: a_b is 100% gone for good", "RuntimeError: axb is 100 gone for good", False),
    ],
)
def test_an_error_is_its_type_and_its_message_in_normal_form(
    history: History, repo: Repo, stored: str, asked: str, *, matches: bool
) -> None:
    """On both sides; a message that says next to nothing has to be all of it."""
    history.thread(repo, 1, "It fails", f"```\n{TRACEBACK}{stored}\n```")
    history.fold()
    assert (numbers(ask(history, repo, errors=(asked,))) == {1}) is matches


def test_an_error_too_poor_to_match_finds_nothing_and_is_named(history: History, repo: Repo) -> None:
    """It would match every message with a number."""
    history.thread(repo, 1, "It fails", "```\nKeyError: 0\n```")
    history.fold()
    found = ask(history, repo, errors=("7",))
    assert found.total == 0
    assert found.query.uninformative_errors == ("7",)


def test_prose_given_as_an_error_is_named_as_such(history: History, repo: Repo) -> None:
    """The page can then say which question would find it."""
    history.fold()
    found = ask(history, repo, errors=("the linker messages are hard to read",))
    assert len(found.query.untyped_errors) == 1


@pytest.mark.parametrize(
    ("needle", "matches"),
    [
        ("tests/test_a.py::TestB::test_c", True),
        ("tests/test_a.py::TestB::test_c[1-x]", True),
        ("test_a.py::TestB::test_c", True),
        ("test_c", True),
        ("tests/test_a.py::TestB::test_c[2-x]", False),
        ("other/test_a.py::TestB::test_c", False),
        ("b_test_c", False),
        ("est_a.py::TestB::test_c", False),
    ],
)
def test_a_test_is_found_by_its_id_with_or_without_parameters(
    history: History, repo: Repo, needle: str, *, matches: bool
) -> None:
    """And by any trailing part of it."""
    history.thread(repo, 1, "Flaky", "`tests/test_a.py::TestB::test_c[1-x]` fails now and then")
    history.fold()
    assert (numbers(ask(history, repo, tests=(needle,))) == {1}) is matches


def test_labels_and_authors_narrow_a_question(history: History, repo: Repo) -> None:
    """Any of the labels; authors of the text itself, in any case, with or without @."""
    history.thread(repo, 1, "Widget one", labels=("bug", "good first issue"), author="Ada")
    history.thread(repo, 2, "Widget two", labels=("feature",), author="ben")
    history.comment(repo, 2, "I widget differently than you do, for reasons", author="Ada")
    history.fold()
    assert numbers(ask(history, repo, "widget", labels=("bug", "docs"))) == {1}
    assert numbers(ask(history, repo, labels=("feature",))) == {2}
    found = ask(history, repo, "widget", authors=("@ada",))
    assert {hit.source_type for hit in found.hits} == {"title", "issue_comment"}
    assert {hit.author for hit in ask(history, repo, authors=("ben",)).hits} == {"ben"}


@pytest.mark.parametrize("few", [0, 3, 50])
def test_the_newest_of_an_author_are_the_same_however_they_are_looked_up(
    history: History, repo: Repo, few: int
) -> None:
    """Among all texts, or among those of somebody who wrote little."""
    narrow = replace(DEFAULT, few_by_author=few, candidates=3)
    for number in range(1, 9):
        history.thread(repo, number, f"Widget {number}", author="ada" if number % 2 else "ben")
    history.fold()
    found = ask(history, repo, "", narrow, authors=("Ada",), sort="newest")
    assert [hit.number for hit in found.hits if hit.source_type == "title"] == [7, 5, 3]
    assert not found.total_exact
    assert ask(history, repo, "", narrow, authors=("nobody",)).total == 0


def test_labels_are_the_same_in_any_case(history: History, repo: Repo) -> None:
    """As they are on GitHub."""
    history.thread(repo, 1, "Widget one", labels=("Needs Review",))
    history.fold()
    found = ask(history, repo, "widget", labels=("needs review",))
    assert numbers(found) == {1}
    assert "label:Needs Review" in found.hits[0].why.filters


@pytest.mark.parametrize(
    ("filters", "parameter"),
    [
        ({"symbols": ("()",)}, "symbols"),
        ({"symbols": ("*",)}, "symbols"),
        ({"tests": ("::",)}, "tests"),
        ({"files": ("/",)}, "files"),
        ({"files": ("a.py", "")}, "files"),
        ({"labels": (" ",)}, "labels"),
        ({"authors": ("@",)}, "authors"),
    ],
    ids=str,
)
def test_a_value_that_names_nothing_is_refused(
    filters: dict[str, tuple[str, ...]], parameter: str, history: History, repo: Repo
) -> None:
    """Dropped, it would leave another question; kept, a page that says there is nothing."""
    history.fold()
    with pytest.raises(QuestionError) as refused:
        ask(history, repo, "widget", **filters)
    assert (refused.value.code, refused.value.parameter) == ("bad_value", parameter)


def test_a_symbol_with_its_arguments_is_the_same_symbol(history: History, repo: Repo) -> None:
    """As it is copied out of a call."""
    history.thread(repo, 1, "One", "`build_mask` drops padding")
    history.thread(repo, 2, "Two", "then build_mask drops it")
    history.fold()
    assert numbers(ask(history, repo, symbols=("build_mask(ctx, sig)",))) == {1, 2}


def test_a_folder_is_where_a_comment_stands_too(history: History, repo: Repo) -> None:
    """And where a path was named only if that is asked for."""
    history.thread(repo, 1, "Named", "See `src/deep/z.py` for all of this", kind="pr")
    history.thread(repo, 2, "Anchored", kind="pr")
    history.comment(repo, 2, "This loop never ends here", source_type="review_comment", path="src/deep/z.py")
    history.fold()
    assert numbers(ask(history, repo, files=("deep/",))) == {2}
    assert numbers(ask(history, repo, files=("deep/",), mentioned=True)) == {1, 2}


def test_different_filters_must_all_hold(history: History, repo: Repo) -> None:
    """And values of one are alternatives."""
    history.thread(repo, 1, "Both", "`Foo.bar` again", kind="pr", files=("a.py",))
    history.thread(repo, 2, "File only", kind="pr", files=("a.py",))
    history.thread(repo, 3, "Symbol only", "`Foo.bar` again")
    history.thread(repo, 4, "Other file", "`Foo.bar` again", kind="pr", files=("b.py",))
    history.fold()
    assert numbers(ask(history, repo, files=("a.py",), symbols=("Foo.bar",))) == {1}
    assert numbers(ask(history, repo, files=("a.py", "b.py"), symbols=("Foo.bar",))) == {1, 4}


def test_a_fact_is_only_known_since_it_was_said(history: History, repo: Repo) -> None:
    """Before a cutoff, a symbol named later selects nothing, and a diff only what was finished."""
    early, late = NOW - timedelta(days=30), NOW - timedelta(days=5)
    history.thread(repo, 1, "Old thread about widgets", at=early, updated_at=late, kind="pr", files=("a.py",))
    history.comment(repo, 1, "`Foo.bar` does it, and nothing else can", at=late)
    history.fold()
    cutoff = NOW - timedelta(days=10)
    assert ask(history, repo, symbols=("Foo.bar",), before=cutoff).total == 0
    assert ask(history, repo, files=("a.py",), before=cutoff).total == 0
    assert ask(history, repo, symbols=("Foo.bar",)).total > 0


def test_a_pasted_failure_asks_for_its_error_and_its_frames_too(history: History, repo: Repo) -> None:
    """Lines of a traceback stop being required words and become questions; each leg is named."""
    history.thread(
        repo, 1, "Broken pipe", f"```\n{TRACEBACK}ValueError: expected 768 features, got 1024\n```"
    )
    history.thread(repo, 2, "Unrelated words")
    history.fold()
    pasted = TRACEBACK.replace("/h/u", "/srv") + "ValueError: expected 12 features, got 13"
    found = ask(history, repo, pasted)
    assert numbers(found) == {1}
    assert "error" in found.hits[0].why.legs
    assert [leg.leg for leg in found.query.legs][:2] == ["text", "error"]
    assert [leg.leg for leg in ask(history, repo, pasted, expand=False).query.legs] == ["text"]


def test_expansion_never_widens_a_filter_of_the_caller(history: History, repo: Repo) -> None:
    """A symbol in the text does not replace the one that was filtered by."""
    history.thread(repo, 1, "One", "`Foo.bar` and more words")
    history.thread(repo, 2, "Two", "`build_mask` and more words")
    history.fold()
    found = ask(history, repo, "build_mask", symbols=("Foo.bar",))
    assert 2 not in numbers(found)


def test_a_filter_without_the_text_is_a_leg_scored_by_the_text(history: History, repo: Repo) -> None:
    """What carries the words comes first, what only passes the filter after it."""
    history.thread(repo, 1, "Rotation matters", kind="pr", files=("a.py",))
    history.thread(repo, 2, "Nothing of the kind is said here", kind="pr", files=("a.py",))
    history.fold()
    found = ask(history, repo, "rotation", files=("a.py",))
    assert [hit.number for hit in found.hits] == [1, 2]
    assert found.hits[1].why.legs == ("filters",)
    assert numbers(ask(history, repo, "rotation", files=("a.py",), expand=False)) == {1}


def test_a_page_echoes_the_filters_as_they_were_matched(history: History, repo: Repo) -> None:
    """So that an empty one does not read as: nobody ever said this."""
    history.fold()
    found = ask(
        history, repo, "x1", errors=("ValueError: got 7 of 9 parts",), files=("./a.py",), labels=("bug",)
    )
    assert found.query.filters == {
        "errors": ("ValueError: got <n> of <n> parts",),
        "files": ("a.py",),
        "labels": ("bug",),
    }


@pytest.mark.parametrize("name", ["Trainer", "HTTPServer", "LRU"])
def test_a_name_in_code_is_a_symbol_in_any_case(history: History, repo: Repo, name: str) -> None:
    """Also one without a hump or an underscore, which in prose would be a word."""
    history.thread(repo, 1, "Shutdown", f"`{name}` waits for ever when it is told to stop.")
    history.thread(repo, 2, "Other", f"`Other{name}` does not wait at all when it is told to stop.")
    history.fold()

    assert numbers(ask(history, repo, symbols=(name,))) == {1}


def test_names_in_quoted_replies_and_hidden_comments_are_not_the_authors(
    history: History, repo: Repo
) -> None:
    """Nor are those that a template asks with."""
    history.thread(repo, 1, "Report", "<!-- run `collect_env` and attach src/env.py -->\nIt hangs on start.")
    history.thread(
        repo, 2, "Reply", "> `collect_env` in src/env.py hangs\n\nOnly with the old compiler, I think."
    )
    history.thread(repo, 3, "Source", "`collect_env` in src/env.py hangs on the old compiler.")
    history.fold()

    assert numbers(ask(history, repo, files=("src/env.py",), mentioned=True)) == {3}
    assert 1 not in numbers(ask(history, repo, symbols=("collect_env",)))


def test_a_file_is_known_by_the_name_it_had_before_too(history: History, repo: Repo) -> None:
    """A diff that renames it touched both."""
    thread = history.thread(repo, 1, "Move it", kind="pr", files=("src/new_name.c",))
    history.conn.execute(
        "UPDATE relore.changed_files SET previous_path = 'lib/new_name.c' WHERE thread_id = %s", [thread]
    )
    history.fold()

    assert numbers(ask(history, repo, files=("lib/new_name.c",))) == {1}
    assert numbers(ask(history, repo, files=("old/new_name.c",))) == set()


def test_any_trailing_part_of_a_path_counts_in_the_score(history: History, repo: Repo) -> None:
    """What passes the filter for a file is worth what its whole path is worth."""
    history.thread(repo, 1, "Limits", kind="pr", files=("src/deep/field.c",))
    history.fold()

    [part] = ask(history, repo, files=("field.c",)).hits
    [path] = ask(history, repo, files=("src/deep/field.c",)).hits

    assert part.breakdown["file"] == path.breakdown["file"] > 0


def test_a_hit_of_a_filter_shows_what_was_asked_for(history: History, repo: Repo) -> None:
    """Not the head of the text, where nothing was asked in words."""
    history.thread(repo, 1, "Report", f"{'Nothing of note here. ' * 60}Then `load_state_dict` fails on it.")
    history.fold()

    best = ask(history, repo, symbols=("load_state_dict",), compact=True).hits[0]

    assert "load_state_dict" in best.snippet
    assert best.truncated


def test_by_date_the_legs_of_a_pasted_failure_are_in_one_order(history: History, repo: Repo) -> None:
    """What another leg found stands where its date puts it, and nothing newer is left out."""
    paste = TRACEBACK + "ValueError: cannot reshape array of size"
    for number in range(1, 15):
        said = f"```\n{paste}\n```" if number % 2 else f"It cannot load array {number} of that size."
        history.thread(repo, number, f"Report {number}", said, at=NOW - timedelta(days=number))
    history.fold()

    found = ask(history, repo, f"{paste} load", sort="newest")

    dates = [hit.date for hit in found.hits]
    assert dates == sorted(dates, reverse=True)
    assert {hit.number for hit in found.hits} >= {1, 3, 5}
