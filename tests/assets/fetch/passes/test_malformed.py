"""An answer of a shape that is not GitHub's, or a date that cannot be, neither ends nor empties a history."""

from __future__ import annotations

import random
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from fake_github import Entry, FakeGitHub, Repository

from relore_assets.fetch.current.heads import look
from relore_assets.fetch.github.client import GitHub
from relore_assets.fetch.github.errors import GitHubError, Unavailable
from relore_assets.fetch.passes.details import DetailsFailed
from relore_assets.partitions import all_windows

LATER = "2231-01-01T00:00:00Z"
ISSUES = r"/issues\?"
COMMENTS = r"/issues/comments\?"


@pytest.fixture
def full(tide: Repository) -> Repository:
    """More threads and comments than two pages hold."""
    for number in range(1, 231):
        (tide.pull if number % 10 == 0 else tide.issue)(number, title=f"Plank {number}")
        tide.comment(number, f"said on {number}")
    return tide


@pytest.fixture
def few(tide: Repository) -> Repository:
    """A few threads of both kinds."""
    for number in range(1, 13):
        (tide.pull if number % 4 == 0 else tide.issue)(number, title=f"Plank {number}")
    return tide


def dated(place: int, date: str) -> Any:
    """Give an entry of a page another date."""

    def alter(body: Any) -> Any:
        if len(body) > place:
            body[place] = body[place] | {"updated_at": date}
        return body

    return alter


@pytest.mark.parametrize("place", [0, 50, 98, 99])
@pytest.mark.parametrize("which", [ISSUES, COMMENTS], ids=["threads", "comments"])
def test_a_date_to_come_ends_no_walk(
    github: FakeGitHub, full: Repository, desk, which: str, place: int
) -> None:
    """Nor does it complete a window: what follows it is fetched now, and what happens later later."""
    github.fault(which, alter=dated(place, LATER), times=1)
    desk.fetch()
    assert len(desk.staged("issue")) == 230
    assert len(desk.staged("issue_comment")) == 230
    full.issue(231, title="Afterwards")
    full.comment(7, "afterwards")
    full.edit_thread(place + 1, title="As it is")
    desk.fetch()
    desk.derive()
    assert len(desk.staged("issue")) == 231
    assert len(desk.staged("issue_comment")) == 231
    assert desk.one(f"SELECT title FROM relore.threads WHERE number = {place + 1}") == "As it is"


def test_no_window_is_complete_before_it_is_over(github: FakeGitHub, full: Repository, desk) -> None:
    """Whatever date is met."""
    github.fault(ISSUES, alter=dated(40, LATER), times=1)
    desk.fetch()
    marks = desk.rows(
        "SELECT cursor::timestamptz FROM relore.sync_state WHERE pass LIKE 'fetch:%' AND cursor IS NOT NULL"
    )
    assert marks
    assert max(mark for (mark,) in marks) <= datetime.now(UTC)
    assert full.threads


def test_an_entry_far_ahead_of_those_behind_it_leads_nobody_past_them(
    github: FakeGitHub, full: Repository, desk
) -> None:
    """A list is in order, so its last entry says how far it has come."""
    yesterday = (datetime.now(UTC) - timedelta(days=1)).strftime("%Y-%m-%dT%H:%M:%SZ")
    github.fault(ISSUES, alter=dated(50, yesterday), times=1)
    desk.fetch(all_windows(datetime.now(UTC)))
    assert len(desk.staged("issue")) == 230
    assert full.threads


@pytest.mark.parametrize(
    "body",
    [{"items": []}, {"message": "hello"}, [], [None, 1, "x"], None, 5, "x"],
    ids=["items", "object", "empty", "no objects", "null", "number", "text"],
)
def test_what_is_no_page_is_asked_for_again(github: FakeGitHub, full: Repository, desk, body: object) -> None:
    """A page that goes on is not empty, and only a search wraps its list."""
    trouble = github.fault(ISSUES, alter=lambda _: body, times=2)
    desk.fetch()
    assert trouble.hits == 2
    assert len(desk.staged("issue")) == 230
    assert full.threads


def test_what_stays_no_page_ends_in_a_sentence(github: FakeGitHub, full: Repository, desk) -> None:
    """And what follows is fetched by the next run."""
    github.fault(ISSUES, alter=lambda _: {"items": []}, times=None)
    with pytest.raises(Unavailable, match="something else"):
        desk.fetch()
    github.clear_faults()
    desk.fetch()
    assert len(desk.staged("issue")) == 230
    assert full.threads


def without_aliases(body: Any) -> Any:
    body["data"]["repository"] = {}
    return body


def with_nulls(body: Any) -> Any:
    body["data"]["repository"] = dict.fromkeys(body["data"]["repository"])
    return body


def stripped(body: Any) -> Any:
    for node in body["data"]["repository"].values():
        node.pop("events")
    return body


def replaced(body: Any) -> Any:
    for node in body["data"]["repository"].values():
        node["events"] = {
            "nodes": [7],
            "totalCount": 1,
            "pageInfo": {"hasNextPage": False, "endCursor": None},
        }
    return body


ANSWERS = {
    "no alias": without_aliases,
    "null without a word": with_nulls,
    "no list": stripped,
    "entries of another shape": replaced,
    "no repository": lambda _: {"data": {}},
    "repository null": lambda _: {"data": {"repository": None}},
    "errors no list": lambda _: {"errors": 5},
    "no object": lambda _: [1],
}


@pytest.mark.parametrize("alter", ANSWERS.values(), ids=ANSWERS.keys())
def test_a_thread_is_missing_only_where_github_says_so(
    github: FakeGitHub, few: Repository, desk, alter: Any
) -> None:
    """Everything else is a failed answer, which the next run makes good."""
    trouble = github.fault("/graphql", alter=alter, times=None)
    with pytest.raises(GitHubError):
        desk.fetch()
    assert trouble.hits
    assert desk.staged("issue_detail") | desk.staged("pull_detail") == set()
    github.clear_faults()
    assert desk.fetch().missing == []
    assert len(desk.staged("issue_detail")) + len(desk.staged("pull_detail")) == 12
    assert few.threads


def test_an_answer_that_lacks_something_once_is_asked_for_again(
    github: FakeGitHub, few: Repository, desk
) -> None:
    """In smaller pieces, as after any other failure."""
    github.fault("/graphql", alter=without_aliases, times=2)
    result = desk.fetch()
    assert (result.detailed, result.missing) == (12, [])
    assert few.threads


def test_fields_of_another_shape_cost_their_thread_alone(github: FakeGitHub, few: Repository, desk) -> None:
    """It is named; all others are stored."""

    def alter(body: Any) -> Any:
        for node in body["data"]["repository"].values():
            if node.get("number") == 8:
                node["mergeCommit"] = "none"
        return body

    github.fault("/graphql", alter=alter, times=None)
    with pytest.raises(DetailsFailed) as failed:
        desk.fetch()
    assert failed.value.numbers == [8]
    assert len(desk.staged("pull_detail")) == 2
    github.clear_faults()
    desk.fetch()
    assert len(desk.staged("pull_detail")) == 3
    assert few.threads


@pytest.mark.parametrize("body", [5, {}, [5], [{}], [{"updated_at": 7}], [{"updated_at": "soon"}]])
def test_a_head_of_another_shape_is_a_sentence(
    github: FakeGitHub, full: Repository, desk, body: object
) -> None:
    """Looking whether anything moved must not fail without a word."""
    github.fault(ISSUES, alter=lambda _: body, times=None)
    with pytest.raises(Unavailable, match="something else"):
        look(desk.client, full.full_name, {}, datetime.now(UTC))


def test_random_answers_lose_nothing(github: FakeGitHub, full: Repository, desk) -> None:
    """Whatever shape an answer has, a run ends in a sentence or whole; runs in a row end whole."""
    rng = random.Random(17)  # noqa: S311 - repeatable on purpose
    shapes: list[Any] = [
        None,
        [],
        {},
        5,
        "x",
        [None],
        {"items": []},
        {"data": None},
        {"data": {"repository": {}}},
    ]

    def sometimes(entry: Entry) -> bool:
        return entry.path != "/rate_limit" and rng.random() < 0.2

    trouble = github.fault("", when=sometimes, alter=lambda _: rng.choice(shapes), times=None)
    while trouble.hits < 12:
        try:
            desk.fetch(again=True)
        except GitHubError:
            continue
    github.clear_faults()
    desk.fetch()
    assert len(desk.staged("issue")) == 230
    assert len(desk.staged("issue_comment")) == 230
    assert len(desk.staged("issue_detail")) + len(desk.staged("pull_detail")) == 230
    assert full.threads


def test_entries_that_cannot_be_read_are_named_until_they_can(
    github: FakeGitHub, few: Repository, desk
) -> None:
    """By list and number: the walk goes past them and does not come back by itself."""
    github.fault(
        ISSUES, alter=lambda body: [one | {"title": None} if one["number"] == 5 else one for one in body]
    )
    result = desk.fetch()
    assert result.staged.rejected == 1
    assert desk.rows("SELECT file, line FROM relore.rejected_lines") == [("GitHub's threads", 5)]
    few.edit_thread(5, title="Plank five")
    desk.fetch()
    assert desk.rows("SELECT file, line FROM relore.rejected_lines") == []
    assert len(desk.staged("issue")) == 12


def test_a_large_number_beside_half_a_character_is_stored(github: FakeGitHub, few: Repository, desk) -> None:
    """Neither can be written as it is, and one bad comment must not hold up a repository."""
    github.fault(ISSUES, alter=lambda body: [one | {"body": "half \ud83d", "huge": 2**80} for one in body])
    desk.fetch()
    assert len(desk.staged("issue")) == 12
    assert desk.payload("issue", 1)["body"] == "half \ufffd"
    assert few.threads


def test_a_list_in_circles_is_left(github: FakeGitHub, full: Repository, client: GitHub) -> None:
    """A next page that was there before would be followed until the quota is gone."""
    here = f"{github.url}/repos/{full.full_name}/pulls?per_page=10&page=1"
    github.fault(r"/pulls\?", headers={"Link": f'<{here}>; rel="next"'}, times=None)
    with pytest.raises(Unavailable, match="in circles"):
        list(client.pages(f"/repos/{full.full_name}/pulls", per_page=10))
    assert len(github.log) <= 3


def test_a_304_that_nobody_asked_for_ends_no_list(
    github: FakeGitHub, full: Repository, client: GitHub
) -> None:
    """Somebody in between remembered too much."""
    github.fault(r"/issues\?", status=304, times=2)
    pages = list(client.pages(f"/repos/{full.full_name}/issues", {"state": "all"}))
    assert sum(len(page.items) for page in pages) == 230


@pytest.mark.parametrize("status", [401, 403, 422])
def test_a_token_that_is_sent_back_is_not_repeated(
    github: FakeGitHub, full: Repository, client: GitHub, status: int
) -> None:
    """Proxies show what was sent to them."""
    github.fault(status=status, body={"message": f"The token {github.token} has no right"}, times=None)
    with pytest.raises(GitHubError) as refused:
        client.get(f"/repos/{full.full_name}")
    assert github.token not in str(refused.value)
    assert "[token]" in str(refused.value)


@pytest.mark.parametrize("value", ["99999999999999999999", "\u00b2", "inf", "-1"])
def test_no_header_is_too_odd(github: FakeGitHub, full: Repository, client: GitHub, value: str) -> None:
    """A wait that no calendar has is a sentence, one that is none is a minute."""
    github.fault(
        status=429,
        headers={"Retry-After": value, "X-RateLimit-Reset": value, "X-RateLimit-Remaining": "0"},
        times=1,
    )
    try:
        said = str(client.get(f"/repos/{full.full_name}").body["full_name"])
    except GitHubError as error:
        said = str(error)
    assert said == full.full_name or "does not let us on until" in said
