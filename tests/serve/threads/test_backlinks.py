"""Who speaks of a thread?"""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING

import pytest
from rows import NOW, History

from relore_serve.search.question import Exclusion
from relore_serve.threads.results import ThreadView
from relore_serve.threads.thread import read

if TYPE_CHECKING:
    from relore_serve.search.scope import Repo
    from relore_serve.threads.backlinks import Backlinks


@pytest.fixture
def repo(history: History) -> Repo:
    return history.repo("Acme/Widgets")


def of(history: History, repo: Repo, number: int = 1, **view: object) -> Backlinks:
    found = read(history.conn, repo.id, number, ThreadView(**view), NOW)
    assert found is not None
    return found.backlinks


def numbers(found: Backlinks) -> list[tuple[str, int]]:
    return [(one.relationship, one.number) for one in found.listed]


def test_what_others_say_of_a_thread_leads_back_to_them(history: History, repo: Repo) -> None:
    """Each thread once, by the strongest of what it says; the latest first."""
    for number in range(1, 6):
        history.thread(repo, number, "T")
    history.link(repo, 2, "mentions", 1, stated_at=NOW - timedelta(days=9))
    history.link(repo, 3, "mentions", 1, stated_at=NOW - timedelta(days=3))
    history.link(repo, 4, "mentions", 1)
    history.link(repo, 4, "closes", 1)
    history.link(repo, 5, "mentions", 2)
    history.link(repo, 1, "mentions", 1)
    found = of(history, repo)
    assert numbers(found) == [("closes", 4), ("mentions", 3), ("mentions", 2)]
    assert (found.returned, found.total, found.machine_only, found.collected) == (3, 3, 0, True)


def test_a_thread_in_which_only_machines_name_it_is_counted_apart(history: History, repo: Repo) -> None:
    """A person's word beside the machine's makes it one of the others."""
    for number in range(1, 4):
        history.thread(repo, number, "T")
        history.comment(repo, number, "see #1", author="helper[bot]", trust="machine")
    documents = dict(
        history.conn.execute(
            "SELECT t.number, d.id FROM relore.documents d JOIN relore.threads t ON t.id = d.thread_id"
            " WHERE d.trust = 'machine'"
        ).fetchall()
    )
    for number in (2, 3):
        history.link(repo, number, "mentions", 1, source="issue_comment", document_id=documents[number])
    history.link(repo, 3, "mentions", 1)
    found = of(history, repo)
    assert (numbers(found), found.total, found.machine_only) == ([("mentions", 3)], 1, 1)


def test_an_index_without_links_knows_nothing_of_who_speaks(history: History, repo: Repo) -> None:
    """Which is told apart from nobody's speaking of it."""
    history.thread(repo, 1, "T")
    assert not of(history, repo).collected
    history.link(repo, 1, "mentions", 7)
    assert (of(history, repo).collected, of(history, repo).total) == (True, 0)


def test_only_repositories_that_may_be_seen_are_named(history: History, repo: Repo) -> None:
    """And numbers of two repositories never mix."""
    other = history.repo("acme/gadgets")
    history.thread(repo, 1, "T")
    history.thread(other, 1, "Same number")
    history.thread(other, 7, "Says so")
    history.link(other, 7, "mentions", 1, target_repo="acme/WIDGETS")
    history.link(other, 7, "closes", 1)
    assert of(history, repo).total == 0
    seen = of(history, repo, visible=(repo.id, other.id))
    assert [(one.repo, one.number, one.relationship) for one in seen.listed] == [
        ("acme/gadgets", 7, "mentions")
    ]


def test_what_was_said_later_and_what_is_excluded_is_neither_listed_nor_counted(
    history: History, repo: Repo
) -> None:
    """A thread that was opened later least of all."""
    history.thread(repo, 1, "T", at=NOW - timedelta(days=90))
    for number, opened, said in ((2, 80, 70), (3, 80, 5), (4, 5, 70), (5, 80, 70)):
        history.thread(repo, number, "T", at=NOW - timedelta(days=opened))
        history.link(repo, number, "mentions", 1, stated_at=NOW - timedelta(days=said))
    found = of(
        history, repo, before=NOW - timedelta(days=30), exclude=(Exclusion(5), Exclusion(2, "acme/other"))
    )
    assert (numbers(found), found.total) == ([("mentions", 2)], 1)


def test_thirty_are_named_and_all_are_counted(history: History, repo: Repo) -> None:
    """A capped list says so."""
    history.thread(repo, 1, "T")
    for number in range(2, 42):
        history.thread(repo, number, "T")
        history.link(repo, number, "mentions", 1)
    found = of(history, repo)
    assert (len(found.listed), found.returned, found.total) == (30, 30, 40)
