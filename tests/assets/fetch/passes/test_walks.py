"""Walks over lists by date of change give every entry, whatever moves meanwhile."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from fake_github import FakeGitHub, Repository

from relore_assets.fetch.archives.found import ISSUE, ISSUE_COMMENT, REVIEW_COMMENT, Raw
from relore_assets.fetch.github.client import GitHub
from relore_assets.fetch.passes.walks import ascending, everything

REPO = "harbor/tide"
ISSUES = "/repos/{owner}/{repo}/issues"
START = datetime(2024, 1, 1, tzinfo=UTC)


def ids(client: GitHub, kind: str = ISSUE, **how: datetime) -> list[int]:
    return [
        item.thread_number
        for step in ascending(client, REPO, kind, **how)
        for item in step.items
        if isinstance(item, Raw)
    ]


def test_a_walk_is_in_order_and_gives_each_entry_once(tide: Repository, client: GitHub) -> None:
    """Pages overlap by the second they share; what was given is not given again."""
    for number in range(1, 251):
        tide.issue(number)
    assert ids(client) == list(range(1, 251))


def test_what_moves_during_a_walk_hides_nothing(tide: Repository, client: GitHub) -> None:
    """An entry of a page already read moves to the end, and pulls everything after it one place forward."""
    for number in range(1, 251):
        tide.issue(number)
    given: list[int] = []
    for place, step in enumerate(ascending(client, REPO, ISSUE)):
        given += [item.thread_number for item in step.items if isinstance(item, Raw)]
        if place < 2:
            for number in range(place * 10 + 1, place * 10 + 8):
                tide.edit_thread(number, title="moved")
    assert set(given) == set(range(1, 251))


def test_a_walk_keeps_to_its_bounds(github: FakeGitHub, tide: Repository, client: GitHub) -> None:
    """`since` belongs to it, `until` does not, and nothing is asked for beyond."""
    for number in range(1, 31):
        tide.issue(number, created_at=START + timedelta(days=number))
    since, until = START + timedelta(days=10), START + timedelta(days=20)
    assert ids(client, since=since, until=until) == list(range(10, 20))
    last = list(ascending(client, REPO, ISSUE, since=since, until=until))[-1]
    assert (last.last, last.passed_end, last.reached) == (True, True, until)
    assert github.log.count(ISSUES) == 2


@pytest.mark.parametrize("together", [3, 4, 120, 260])
def test_entries_of_one_second_are_all_given(tide: Repository, client: GitHub, together: int) -> None:
    """However many share a second, and wherever it meets the end of a page."""
    for number in range(1, 99):
        tide.issue(number)
    for number in range(99, 99 + together):
        tide.issue(number, created_at="2024-06-01T00:00:00Z")
    for number in range(500, 650):
        tide.issue(number)
    assert sorted(ids(client)) == [*range(1, 99 + together), *range(500, 650)]


def test_a_server_that_leaves_out_the_second_it_is_asked_from_hides_nothing(
    github: FakeGitHub, tide: Repository, client: GitHub
) -> None:
    """`since` is taken at its word only as long as what was known comes again."""
    for number in range(1, 100):
        tide.issue(number)
    for number in (100, 101):
        tide.issue(number, created_at="2024-06-01T00:00:00Z")
    for number in range(102, 150):
        tide.issue(number)

    def strictly_after(body: list[dict[str, object]]) -> list[dict[str, object]]:
        return [entry for entry in body if entry["updated_at"] != "2024-06-01T00:00:00Z"]

    github.fault(match="since=2024-06-01T00:00:00Z", alter=strictly_after, times=None)
    assert sorted(ids(client)) == list(range(1, 150))


def test_pages_shrink_where_github_cannot_build_them_and_grow_again(
    github: FakeGitHub, tide: Repository, client: GitHub
) -> None:
    """A smaller page is kept to for a while, then a larger one is tried."""
    for number in range(1, 701):
        tide.issue(number)
    github.fault(match="since=2024-01-05.*per_page=100", status=504, times=None)
    assert ids(client) == list(range(1, 701))
    sizes = [int(entry.query["per_page"]) for entry in github.log.of(ISSUES, status=200)]
    assert sizes[0] == sizes[-1] == 100
    assert 50 in sizes


def test_both_kinds_of_comment_are_walked_to_the_end(tide: Repository, client: GitHub) -> None:
    """Every comment arrives under the thread that its address names."""
    tide.issue(1)
    tide.pull(2)
    for _ in range(130):
        tide.comment(1)
        tide.review_comment(2)
    assert [raw.thread_number for raw in everything(client, REPO, ISSUE_COMMENT)] == [1] * 130
    assert [raw.thread_number for raw in everything(client, REPO, REVIEW_COMMENT)] == [2] * 130


def test_an_entry_that_cannot_be_filed_is_counted(
    github: FakeGitHub, tide: Repository, client: GitHub
) -> None:
    """Without a number there is nowhere to put it, and the walk goes on."""
    tide.issue(1)
    tide.issue(2)
    github.fault(match="/issues", alter=lambda body: [{**body[0], "number": None}, *body[1:]], times=None)
    steps = list(ascending(client, REPO, ISSUE))
    assert [type(item).__name__ for item in steps[0].items] == ["Rejected", "Raw"]
