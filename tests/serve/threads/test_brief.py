"""One thread and what stands around it."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING, Any

import pytest
from rows import NOW, History

from relore_serve.prepared import Prepared
from relore_serve.search.question import Exclusion
from relore_serve.search.scope import statements
from relore_serve.threads import brief, brief_rows

if TYPE_CHECKING:
    from relore_serve.search.scope import Repo
    from relore_serve.threads.brief_results import BriefResult


def days(number: float) -> Any:
    return NOW - timedelta(days=number)


@pytest.fixture
def repo(history: History) -> Repo:
    return history.repo("Acme/Widgets")


def read(history: History, repo: Repo, number: int, **more: Any) -> BriefResult | None:
    history.fold()
    asked: dict[str, Any] = {"visible": (repo,), "before": None, "exclude": (), "compact": False, "now": NOW}
    return brief.read(history.conn, repo, number, **{**asked, **more})


def of(history: History, repo: Repo, number: int = 1, **more: Any) -> BriefResult:
    found = read(history, repo, number, **more)
    assert found is not None
    return found


def test_people_are_told_once_each_those_with_write_access_first(history: History, repo: Repo) -> None:
    """In the standing of the latest that they said; the opener and machines are not among them."""
    history.thread(repo, 1, "Fix", kind="pr", author="ada")
    history.comment(repo, 1, "mine", author="ada")
    history.comment(repo, 1, "early", author="Grace", at=days(9))
    history.comment(repo, 1, "late", author="grace", trust="authoritative", at=days(3))
    history.comment(repo, 1, "later still", author="bob", at=days(1))
    history.comment(repo, 1, "beep", author="helper[bot]", trust="machine")
    history.standing(repo, "kay", "authoritative")
    history.verdict(repo, 1, "kay", "APPROVED", days(2))
    people = of(history, repo).people
    assert [(one.author, one.trust, one.comments) for one in people.listed] == [
        ("kay", "authoritative", 0),
        ("grace", "authoritative", 2),
        ("bob", "reported", 1),
    ]
    assert (people.returned, people.total, people.authoritative, people.machine_comments) == (3, 3, 2, 1)


def test_eight_people_are_listed_and_all_are_counted(history: History, repo: Repo) -> None:
    """A cut is stated."""
    history.thread(repo, 1, "T")
    for number in range(12):
        history.comment(repo, 1, "I agree with this", author=f"p{number}")
    people = of(history, repo).people
    assert (len(people.listed), people.returned, people.total) == (8, 8, 12)


def test_the_openers_record_is_of_this_repository_and_without_this_thread(
    history: History, repo: Repo
) -> None:
    """Merged ones are among the pull requests."""
    other = history.repo("acme/gadgets")
    history.thread(repo, 1, "T", author="ada", at=days(50))
    history.thread(repo, 2, "T", author="Ada", kind="pr", merged=True, at=days(70))
    history.thread(repo, 3, "T", author="ada", kind="pr", at=days(60))
    history.thread(repo, 4, "T", author="ada")
    history.thread(other, 5, "T", author="ada")
    opener = of(history, repo, visible=(repo, other)).opener
    assert (opener.prs, opener.merged, opener.issues, opener.first_age) == (2, 1, 1, "2mo")


def test_accounts_that_are_gone_have_no_record(history: History, repo: Repo) -> None:
    """Everybody who left shares one name."""
    history.thread(repo, 1, "T", author="ghost")
    history.thread(repo, 2, "T", author="ghost")
    opener = of(history, repo).opener
    assert (opener.known, opener.issues) == (False, 0)


def test_a_thread_that_claims_two_of_the_same_targets_competes_once(history: History, repo: Repo) -> None:
    """The total counts threads and not claims, so nothing is said to be hidden that is on the page."""
    history.thread(repo, 1, "Fix", kind="pr")
    history.thread(repo, 2, "Rival", kind="pr")
    history.thread(repo, 10, "Bug")
    history.thread(repo, 11, "Other bug")
    for number in (10, 11, 99):
        history.link(repo, 1, "closes", number)
    for number in (10, 11):
        history.link(repo, 2, "closes", number)
    found = of(history, repo)
    assert [(one.target, one.indexed) for one in found.closes.listed] == [
        ("Acme/Widgets#10", True),
        ("Acme/Widgets#11", True),
        ("Acme/Widgets#99", False),
    ]
    competing = found.competing
    assert [(one.number, one.how, one.targets) for one in competing.threads] == [
        (2, "closes", ("Acme/Widgets#10", "Acme/Widgets#11"))
    ]
    assert (competing.returned, competing.total) == (1, 1)


def test_who_claims_an_issue_is_in_flight_open_ones_first(history: History, repo: Repo) -> None:
    """A machine's fix is a fix, and five are listed of all."""
    history.thread(repo, 1, "Bug")
    history.thread(repo, 2, "Old", kind="pr", trust="machine", at=days(300))
    for number in range(3, 9):
        history.thread(repo, number, "Given up", kind="pr", state="closed")
    for number in range(2, 9):
        history.link(repo, number, "closes", 1)
    found = of(history, repo).competing
    assert found.threads[0].number == 2
    assert (found.returned, found.total, found.links_indexed) == (5, 7, True)


def test_nobodys_claim_means_nothing_where_no_links_are_held(history: History, repo: Repo) -> None:
    """Silence is told apart from an answer."""
    history.thread(repo, 1, "Bug")
    found = of(history, repo).competing
    assert (found.total, found.links_indexed) == (0, False)


def test_threads_on_the_same_files_touch_them_and_those_that_only_name_them_come_after(
    history: History, repo: Repo
) -> None:
    """A thread that says not to change a file is not one that changed it."""
    history.thread(repo, 1, "Fix", kind="pr", files=("src/a.c", "src/rare.c", "tests/t.c"))
    history.thread(repo, 2, "Wide", kind="pr", files=("src/a.c", *(f"src/{n}.c" for n in range(90))))
    history.thread(repo, 3, "Narrow", kind="pr", files=("src/a.c",))
    history.thread(repo, 4, "Inline", kind="pr")
    history.comment(repo, 4, "this leaks", source_type="review_comment", path="src/rare.c")
    history.thread(repo, 5, "Do not touch it", "Please leave `src/a.c` alone")
    history.thread(repo, 6, "Elsewhere", kind="pr", files=("lib/src/a.c",))
    history.thread(repo, 7, "Cut", kind="pr", files=("src/zz.c",), stated_files=300)
    files = of(history, repo).file_history
    assert (files.basis, files.paths_used, files.paths_total) == (
        "changed",
        ("src/a.c", "src/rare.c", "tests/t.c"),
        3,
    )
    assert [(one.number, one.how, one.paths) for one in files.threads] == [
        (4, "anchored", 1),
        (3, "changed", 1),
        (2, "changed", 1),
        (5, "mentioned", 1),
    ]
    assert (files.returned, files.total, files.mentioning, files.untested) == (4, 4, 1, 1)


def test_which_paths_are_rare_is_told_from_the_diffs_of_then(history: History, repo: Repo) -> None:
    """What came to touch a path since takes no room from what touched it then, and makes no bound of it."""
    history.thread(repo, 1, "Fix", kind="pr", files=("src/quay.c",), merged=True, at=days(90))
    history.thread(repo, 2, "Earlier", kind="pr", files=("src/quay.c",), merged=True, at=days(80))
    later = history.thread(repo, 3, "A tree moved", kind="pr", merged=True, at=days(10))
    history.conn.execute(
        "INSERT INTO relore.changed_files (repo_id, thread_id, path, tail, change_type, additions, deletions)"
        " SELECT %s, %s, 'lib' || n || '/quay.c', 'quay.c', 'added', 1, 0 FROM generate_series(1, 2100) AS n",
        [repo.id, later],
    )
    today, then = (of(history, repo, before=before).file_history for before in (None, days(50)))

    assert (today.total, today.total_exact) == (0, False)
    assert ([one.number for one in then.threads], then.total, then.total_exact) == ([2], 1, True)


def test_what_renamed_a_file_is_on_the_same_file(history: History, repo: Repo) -> None:
    history.thread(repo, 1, "Fix", kind="pr", files=("src/old.c",))
    history.thread(repo, 2, "Move", kind="pr", files=("src/new.c",), renamed={"src/new.c": "src/old.c"})
    history.fold()
    files = of(history, repo).file_history

    assert ([(one.number, one.how) for one in files.threads], files.total) == ([(2, "changed")], 1)


def test_the_words_for_a_pull_request_are_said_on_one_of_the_files(history: History, repo: Repo) -> None:
    """By somebody with write access, then the longest; without any there are none, never a nod."""
    history.thread(repo, 1, "Fix", kind="pr", files=("src/a.c",))
    for number in (2, 3):
        history.thread(repo, number, "Other", kind="pr", files=("src/a.c",))
        history.comment(repo, number, "LGTM", author="grace", trust="authoritative")
    inline = {"source_type": "review_comment", "path": "src/a.c"}
    history.comment(repo, 2, "a very long remark of a passer-by, " * 9, author="bob", **inline)
    history.comment(repo, 2, "short", author="grace", trust="authoritative", **inline)
    best = history.comment(
        repo, 2, "this must stay constant time", author="grace", trust="authoritative", **inline
    )
    history.comment(
        repo,
        2,
        "said of another file altogether",
        trust="authoritative",
        source_type="review_comment",
        path="b.c",
    )
    said = {one.number: one.evidence for one in of(history, repo).file_history.threads}
    assert said[2] is not None
    assert (said[2].source_id, said[2].author) == (best, "grace")
    assert said[3] is None


def test_an_issues_paths_are_those_it_names_by_any_part_of_their_end(history: History, repo: Repo) -> None:
    """And what a section above lists is counted here and not listed again."""
    history.thread(repo, 1, "Crash", "It crashes in `batch.c` line 3")
    history.thread(repo, 2, "Fix", kind="pr", files=("src/batch.c",))
    history.thread(repo, 3, "Older", kind="pr", files=("src/batch.c",))
    history.link(repo, 2, "closes", 1)
    files = of(history, repo).file_history
    assert (files.basis, [one.number for one in files.threads]) == ("mentioned", [3])
    assert (files.total, files.above) == (2, 1)


def test_of_many_paths_the_rarest_are_asked_with_and_of_one_too_common_the_newest_threads_count(
    history: History, repo: Repo, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What is not asked with is counted, and a sum that was cut short is a lower bound."""
    bounds = {"people": 8, "threads": 5, "errors": 20, "telling": 24, "touching": 3, "naming": 3, "rows": 3}
    closer = statements("relore_serve.threads", "brief.sql", **bounds)
    monkeypatch.setattr(brief_rows, "_PREPARED", {name: Prepared(text) for name, text in closer.items()})
    for number in range(2, 8):
        history.thread(repo, number, "Usual", kind="pr", files=("src/common.c",))
    history.thread(repo, 8, "Telling", kind="pr", files=("src/rare.c",))
    history.thread(repo, 1, "Fix", kind="pr", files=("src/common.c", "src/rare.c"))
    files = of(history, repo).file_history
    assert (files.paths_used, files.paths_total) == (("src/rare.c",), 2)
    assert ([one.number for one in files.threads], files.total, files.total_exact) == ([8], 1, True)
    history.thread(repo, 9, "Fix", kind="pr", files=("src/common.c",))
    files = of(history, repo, 9).file_history
    assert ([one.number for one in files.threads], files.total, files.total_exact) == ([7, 1], 2, False)


def test_without_a_path_there_is_nothing_to_look_for(history: History, repo: Repo) -> None:
    """Which is said."""
    history.thread(repo, 1, "Idea")
    assert of(history, repo).file_history.basis is None


def test_the_same_error_is_one_that_tells_failures_apart(history: History, repo: Repo) -> None:
    """`KeyError: 0` is met everywhere and nowhere; a type is part of an error."""
    history.thread(repo, 1, "Crash", "KeyError: 0\n\nValueError: nonce was used twice")
    history.thread(repo, 2, "Again", "I see ValueError: nonce was used twice here")
    history.thread(repo, 3, "Not it", "KeyError: 7")
    history.thread(repo, 4, "Nor this", "TypeError: nonce was used twice")
    same = of(history, repo).same_error
    assert (same.error, same.errors_total) == ("ValueError: nonce was used twice", 1)
    assert [one.number for one in same.threads] == [2]
    assert (same.returned, same.total) == (1, 1)
    assert same.threads[0].evidence is not None


def test_an_error_that_nobody_else_met_is_named_all_the_same(history: History, repo: Repo) -> None:
    """It is not that none was looked for."""
    history.thread(repo, 1, "Crash", "ValueError: nonce was used twice")
    same = of(history, repo).same_error
    assert (same.error, same.total) == ("ValueError: nonce was used twice", 0)


def test_before_a_cutoff_everything_is_as_of_then(history: History, repo: Repo) -> None:
    """People, the record, claims, threads on the same files and the same error, and what became of them."""
    history.thread(repo, 1, "Crash", "ValueError: nonce was used twice\n\nin src/a.c", at=days(100))
    history.comment(repo, 1, "Me too", author="early", at=days(95))
    history.comment(repo, 1, "Fixed by #2", author="late", at=days(5))
    history.thread(repo, 2, "The answer", kind="pr", merged=True, at=days(90))
    history.link(repo, 2, "closes", 1, stated_at=days(5))
    history.thread(repo, 3, "Then open", "ValueError: nonce was used twice", state="closed", at=days(61))
    history.thread(repo, 4, "Came later", "ValueError: nonce was used twice\n\nin src/a.c", at=days(10))
    history.thread(repo, 5, "Record", at=days(10))
    found = of(history, repo, before=days(60.5))
    assert [one.author for one in found.people.listed] == ["early"]
    assert (found.competing.total, found.opener.issues) == (0, 1)
    assert [(one.number, one.state) for one in found.same_error.threads] == [(3, "open")]
    assert {one.number for one in (*found.file_history.threads, *found.similar.threads)} <= {2, 3}
    assert found.before is not None


def test_what_is_excluded_is_neither_listed_nor_counted(history: History, repo: Repo) -> None:
    """A bare number is one of this repository; the thread itself excluded is none."""
    history.thread(repo, 1, "Fix", kind="pr", files=("src/a.c",))
    history.thread(repo, 2, "Rival", kind="pr", files=("src/a.c",))
    history.thread(repo, 10, "Bug")
    history.link(repo, 1, "closes", 10)
    history.link(repo, 2, "closes", 10)
    found = of(history, repo, exclude=(Exclusion(2), Exclusion(10, "acme/widgets")))
    assert (found.closes.total, found.competing.total, found.file_history.total) == (0, 0, 0)
    assert read(history, repo, 1, exclude=(Exclusion(1),)) is None
    assert read(history, repo, 1, exclude=(Exclusion(1, "acme/other"),)) is not None


def test_two_repositories_with_the_same_numbers_never_mix(history: History, repo: Repo) -> None:
    """A claim from another one is told where it may be seen."""
    other = history.repo("acme/gadgets")
    error = "ValueError: nonce was used twice in src/a.c"
    for one in (repo, other):
        history.thread(one, 1, "Nonce reuse", error)
        history.comment(one, 1, "Hello there", author=one.name)
    history.thread(other, 2, "Nonce reuse again", error, kind="pr", files=("src/a.c",))
    history.link(other, 2, "closes", 1)
    found = of(history, repo, visible=(repo, other))
    assert [one.author for one in found.people.listed] == ["Acme/Widgets"]
    assert (found.competing.total, found.file_history.total, found.same_error.total) == (0, 0, 0)
    history.link(other, 2, "closes", 1, target_repo="acme/widgets")
    assert of(history, repo).competing.total == 0
    assert [one.repo for one in of(history, repo, visible=(repo, other)).competing.threads] == [
        "acme/gadgets"
    ]


@pytest.mark.parametrize("number", [0, -1, 7, 2**31, 2**70])
def test_a_thread_that_is_not_held_has_no_brief(history: History, repo: Repo, number: int) -> None:
    """Rather than an empty one."""
    history.thread(repo, 1, "T")
    assert read(history, repo, number) is None


def test_a_thread_that_was_opened_later_had_no_brief_then(history: History, repo: Repo) -> None:
    """It did not exist."""
    history.thread(repo, 1, "T", at=days(5))
    assert read(history, repo, 1, before=days(6)) is None
