"""Is somebody fixing this already?"""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING

import pytest
from rows import NOW, History

from relore_serve.threads.inflight import claims

if TYPE_CHECKING:
    from relore_serve.search.scope import Repo


@pytest.fixture
def repo(history: History) -> Repo:
    return history.repo("Acme/Widgets")


def test_open_claims_come_first_then_the_most_recently_updated(history: History, repo: Repo) -> None:
    """Each with what calls for a different next step: state, draft, merged, decision."""
    history.thread(repo, 1, "Bug")
    history.thread(repo, 2, "Merged fix", kind="pr", merged=True, updated_at=NOW)
    history.thread(repo, 3, "Stale draft", kind="pr", draft=True, updated_at=NOW - timedelta(days=9))
    history.thread(repo, 4, "Fresh fix", kind="pr", updated_at=NOW - timedelta(days=1))
    history.standing(repo, "m", "authoritative")
    history.verdict(repo, 4, "m", "APPROVED", NOW - timedelta(days=1))
    for number in (2, 3, 4):
        history.link(repo, number, "closes", 1)
        history.link(repo, number, "mentions", 1)
    found = claims(history.conn, repo, 1, NOW)
    assert [(claim.number, claim.state, claim.draft, claim.merged) for claim in found.claims] == [
        (4, "open", False, False),
        (3, "open", True, False),
        (2, "closed", False, True),
    ]
    assert found.claims[0].review_decision == "approved"
    assert (found.claims_total, found.mentions_total, found.indexed) == (3, 0, True)


def test_a_mention_is_no_claim_and_is_counted_apart(history: History, repo: Repo) -> None:
    """`same kind of bug as #263. Closes #591` claims 591 alone."""
    history.thread(repo, 10, "Fix", kind="pr")
    history.link(repo, 10, "mentions", 263)
    history.link(repo, 10, "closes", 591)
    assert [claim.number for claim in claims(history.conn, repo, 591, NOW).claims] == [10]
    mentioned = claims(history.conn, repo, 263, NOW)
    assert (mentioned.claims, mentioned.mentions_total) == ((), 1)


def test_a_number_that_is_not_held_has_claims_too(history: History, repo: Repo) -> None:
    """They bear the number as it was written."""
    history.thread(repo, 10, "Fix", kind="pr")
    history.link(repo, 10, "closes", 900)
    found = claims(history.conn, repo, 900, NOW)
    assert (found.claims_total, found.indexed) == (1, False)


def test_a_machines_fix_is_a_fix_under_way(history: History, repo: Repo) -> None:
    """There is no floor of trust here."""
    history.thread(repo, 10, "Fix", kind="pr", trust="machine")
    history.link(repo, 10, "closes", 1)
    assert claims(history.conn, repo, 1, NOW).claims[0].trust == "machine"


def test_ten_claims_are_shown_and_all_are_counted(history: History, repo: Repo) -> None:
    """A capped list says so."""
    history.thread(repo, 9, "Open", kind="pr", updated_at=NOW - timedelta(days=300))
    for number in range(10, 22):
        history.thread(repo, number, "Given up", kind="pr", state="closed")
    for number in range(9, 22):
        history.link(repo, number, "closes", 1)
    found = claims(history.conn, repo, 1, NOW)
    assert (found.claims_returned, found.claims_total) == (10, 13)
    assert found.claims[0].number == 9


def test_a_repository_without_relationships_is_told_apart_from_silence(history: History, repo: Repo) -> None:
    """Its empty answer is none."""
    history.thread(repo, 1, "Bug")
    assert claims(history.conn, repo, 1, NOW).links_indexed == 0
    history.link(repo, 1, "mentions", 5)
    assert claims(history.conn, repo, 1, NOW).links_indexed == 1


def test_claims_of_another_repository_are_shown_where_it_may_be_seen(history: History, repo: Repo) -> None:
    """And numbers of two repositories never mix."""
    other = history.repo("acme/gadgets")
    history.thread(other, 7, "Cross fix", kind="pr")
    history.link(other, 7, "closes", 1, target_repo="Acme/Widgets")
    history.link(other, 7, "closes", 2)
    assert claims(history.conn, repo, 1, NOW).claims_total == 0
    assert [claim.repo for claim in claims(history.conn, repo, 1, NOW, visible=(other,)).claims] == [
        "acme/gadgets"
    ]
    assert claims(history.conn, repo, 2, NOW, visible=(other,)).claims_total == 0


def test_under_a_cutoff_the_pull_request_that_closed_it_later_is_not_given_away(
    history: History, repo: Repo
) -> None:
    """It is the answer that the question was asked for."""
    history.thread(repo, 1, "Bug", at=NOW - timedelta(days=40))
    history.thread(repo, 2, "Early fix", kind="pr", merged=True, at=NOW - timedelta(days=30))
    history.thread(repo, 3, "Late fix", kind="pr", at=NOW - timedelta(days=2))
    history.link(repo, 2, "closes", 1, stated_at=NOW - timedelta(days=30))
    history.link(repo, 3, "closes", 1, stated_at=NOW - timedelta(days=2))
    found = claims(history.conn, repo, 1, NOW, before=NOW - timedelta(days=29, hours=12))
    assert [(claim.number, claim.state, claim.merged) for claim in found.claims] == [(2, "open", False)]


@pytest.mark.parametrize("number", [0, -3, 2**31, 2**90])
def test_a_number_that_no_thread_can_have_has_no_claims(history: History, repo: Repo, number: int) -> None:
    """Rather than a failure."""
    assert claims(history.conn, repo, number, NOW).claims_total == 0
