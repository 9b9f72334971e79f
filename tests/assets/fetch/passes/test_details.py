"""Threads are read in detail in as few queries as GitHub can answer, and each to the end of its lists."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from fake_github import Entry, FakeGitHub, Repository

from relore_assets.fetch.github.client import GitHub
from relore_assets.fetch.github.errors import GraphQLFailed
from relore_assets.fetch.passes.details import Detail, DetailsFailed, Wanted, details

REPO = "harbor/tide"
NOW = datetime(2024, 6, 1, tzinfo=UTC)


def read(client: GitHub, *numbers: int, is_pull: bool = True) -> dict[int, Detail]:
    wanted = [Wanted(number, is_pull, NOW) for number in numbers]
    return {one.wanted.number: one for batch in details(client, REPO, wanted) for one in batch}


def threads(entry: Entry) -> int:
    """How many threads a query asks for."""
    return sum(key.startswith("n") and key != "name" for key in entry.body["variables"])


def test_many_threads_share_a_query(github: FakeGitHub, tide: Repository, client: GitHub) -> None:
    """Pull requests fifty at a time, issues a hundred."""
    for number in range(1, 121):
        tide.pull(number)
    for number in range(201, 321):
        tide.issue(number)
    assert len(read(client, *range(1, 121))) == 120
    assert [threads(entry) for entry in github.log] == [50, 50, 20]
    github.log.clear()
    assert len(read(client, *range(201, 321), is_pull=False)) == 120
    assert [threads(entry) for entry in github.log] == [100, 20]


def test_queries_shrink_where_github_gives_up_and_grow_again(
    github: FakeGitHub, tide: Repository, client: GitHub
) -> None:
    """Half as many threads after a failure, and more again after a few answers."""
    for number in range(1, 201):
        tide.pull(number)
    github.fault(match="POST /graphql", when=lambda entry: threads(entry) > 25, status=502, times=6)
    assert len(read(client, *range(1, 201))) == 200
    sizes = [threads(entry) for entry in github.log.of("/graphql", status=200)]
    assert sizes[0] == 25
    assert max(sizes) > 25


def test_a_thread_that_is_too_much_is_read_in_smaller_pages(
    github: FakeGitHub, tide: Repository, client: GitHub
) -> None:
    """One heavy pull request slows itself down, not those around it."""
    for number in range(1, 9):
        tide.pull(number)
    for place in range(70):
        tide.file(5, f"{place}.c")

    def too_much(entry: Entry) -> bool:
        asked = entry.body["variables"]
        return 5 in asked.values() and (threads(entry) > 1 or asked["first"] > 25)

    github.fault(match="POST /graphql", when=too_much, status=502, times=None)
    found = read(client, *range(1, 9))
    assert len(found) == 8
    files = next(raw for raw in found[5].raws if raw.kind == "pull_files")
    assert [item["filename"] for item in files.payload["items"]] == [f"{place}.c" for place in range(70)]


def test_a_thread_that_cannot_be_read_is_named_and_the_others_are(
    github: FakeGitHub, tide: Repository, client: GitHub
) -> None:
    """It is left for the next run; nothing of it passes for an answer."""
    for number in range(1, 5):
        tide.pull(number)
    github.fault(
        match="POST /graphql",
        when=lambda entry: 3 in entry.body["variables"].values(),
        status=502,
        times=None,
    )
    found: dict[int, Detail] = {}
    reading = details(client, REPO, [Wanted(number, is_pull=True, as_of=NOW) for number in range(1, 5)])
    with pytest.raises(DetailsFailed, match="#3") as failed:
        found.update((one.wanted.number, one) for batch in reading for one in batch)
    assert failed.value.numbers == [3]
    assert sorted(found) == [1, 2, 4]


def test_a_query_that_github_refuses_is_not_asked_again_for_every_thread(
    github: FakeGitHub, tide: Repository, client: GitHub
) -> None:
    """An error that names no thread is about the query: an old Enterprise Server may lack a field."""
    for number in range(1, 5):
        tide.pull(number)
    refusal = {"errors": [{"message": "Field 'fullDatabaseId' doesn't exist on type 'PullRequestReview'"}]}
    github.fault(match="POST /graphql", body=refusal, times=None)
    with pytest.raises(GraphQLFailed, match="fullDatabaseId"):
        read(client, 1, 2, 3, 4)
    assert len(github.log) < 10


def test_continuations_of_many_threads_share_a_query(
    github: FakeGitHub, tide: Repository, client: GitHub
) -> None:
    """Long lists go on together, after the threads that are whole."""
    for number in range(1, 11):
        tide.pull(number)
        for place in range(101 if number <= 4 else 3):
            tide.file(number, f"{place}.c")
    found = read(client, *range(1, 11))
    assert len(github.log) == 2
    counts = {
        number: len(raw.payload["items"])
        for number, one in found.items()
        for raw in one.raws
        if raw.kind == "pull_files"
    }
    assert counts == {number: 101 if number <= 4 else 3 for number in range(1, 11)}


def test_what_is_not_there_is_told_apart_from_what_is_empty(tide: Repository, client: GitHub) -> None:
    """A pull request that GitHub does not give has no lists; one without files has an empty one."""
    tide.pull(1)
    tide.pull(2)
    tide.missing_pulls.add(1)
    found = read(client, 1, 2)
    assert [raw.kind for raw in found[1].raws] == ["pull_detail"]
    assert found[1].missing
    kinds = {raw.kind: raw.payload.get("items") for raw in found[2].raws}
    assert kinds["pull_files"] == kinds["pull_commits"] == kinds["pull_closing"] == []


def test_points_are_counted(tide: Repository, client: GitHub) -> None:
    """Every query says what it costs."""
    tide.pull(1)
    read(client, 1)
    assert client.activity.counts.points >= 1


def test_what_a_head_was_before_is_told_with_its_events(tide: Repository, client: GitHub) -> None:
    """Who was asked for a review, what a dismissed one had said, when the opening post was edited; but for teams."""
    tide.pull(1, last_edited_at="2024-01-05T00:00:00Z")
    given = tide.review(1, "APPROVED", "Good.", user="keel")
    tide.event(1, "review_requested", requested_reviewer="mole")
    tide.event(1, "review_requested", requested_team={"slug": "crew", "name": "Crew"})
    tide.event(1, "review_dismissed", dismissed_review={"review_id": given["id"], "state": "approved"})
    raws = read(client, 1)[1].raws
    events = [raw.payload for raw in raws if raw.kind == "event"]
    assert [(each.get("requested_reviewer") or {}).get("login") for each in events] == ["mole", None, None]
    assert events[2]["dismissed_review"] == {"review_id": given["id"], "state": "approved"}
    assert raws[-1].payload["body_edited_at"] == "2024-01-05T00:00:00Z"


def test_a_reviewer_whom_the_token_may_not_see_spoils_no_answer(
    github: FakeGitHub, tide: Repository, client: GitHub
) -> None:
    """GitHub gives the rest, and an error beside it; the request is then one of nobody known."""
    tide.pull(1)
    tide.event(1, "review_requested", requested_reviewer="mole")

    def hidden(body: dict) -> dict:
        event = body["data"]["repository"]["t0"]["events"]["nodes"][0]
        event["requestedReviewer"] = None
        path = ["repository", "t0", "events", "nodes", 0, "requestedReviewer"]
        return body | {"errors": [{"type": "FORBIDDEN", "message": "Not for you.", "path": path}]}

    github.fault(match="POST /graphql", alter=hidden)
    (event,) = [raw.payload for raw in read(client, 1)[1].raws if raw.kind == "event"]
    assert "requested_reviewer" not in event
