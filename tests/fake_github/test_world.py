"""The world: how it is written down and how it changes."""

from __future__ import annotations

import pytest

from fake_github import Repository
from fake_github.asker import Asker


@pytest.fixture
def repo(ask: Asker) -> Repository:
    return ask.github.world["harbor/tide"]


def test_times_that_are_not_named_are_later_than_all_before(repo: Repository) -> None:
    """An hour apart from 2024 on, or an hour after the latest time that was named."""
    repo.issue(1)
    repo.issue(2, created_at="2024-05-01T00:00:00Z")
    repo.issue(3, created_at="2023-01-01T00:00:00Z")
    repo.issue(4)
    assert [repo.threads[number].fields["created_at"] for number in (1, 2, 3, 4)] == [
        "2024-01-01T00:00:00Z",
        "2024-05-01T00:00:00Z",
        "2023-01-01T00:00:00Z",
        "2024-05-01T01:00:00Z",
    ]


@pytest.mark.parametrize("what", ["comment", "review", "review_comment"])
def test_what_is_added_moves_its_thread(what: str, repo: Repository) -> None:
    """updated_at of the thread is then that of its newest part."""
    thread = repo.pull(1)
    part = getattr(repo, what)(1)
    assert thread.updated_at == part["updated_at"] > thread.fields["created_at"]


def test_a_line_comment_an_edit_or_a_deletion_may_leave_the_thread_where_it_is(repo: Repository) -> None:
    """Then only the lists of comments tell, and of a deletion nothing at all."""
    thread = repo.pull(1)
    before = thread.updated_at
    line = repo.review_comment(1, touch=False)
    repo.edit(line["id"], body="Other words.")
    assert (thread.updated_at, line["body"]) == (before, "Other words.")
    assert line["updated_at"] > line["created_at"]
    repo.delete(line["id"])
    assert (thread.updated_at, thread.review_comments) == (before, [])
    with pytest.raises(KeyError):
        repo.edit(line["id"])


def test_counts_are_counted_unless_given(ask: Asker, repo: Repository) -> None:
    """A count that is given may lie, as GitHub's own do."""
    repo.pull(1, changed_files=3_001)
    repo.comment(1)
    repo.file(1, "a.c", additions=5, deletions=2)
    pull = ask.get("/pulls/1").json()
    assert {key: pull[key] for key in ("comments", "commits", "changed_files", "additions", "deletions")} == {
        "comments": 1,
        "commits": 0,
        "changed_files": 3_001,
        "additions": 5,
        "deletions": 2,
    }
    assert ask.get("/issues/1").json()["comments"] == 1


def test_merging_closes_with_events_and_closes_what_it_names(ask: Asker, repo: Repository) -> None:
    repo.issue(1)
    repo.pull(2, closes=[1])
    repo.merge(2, by="keel")
    pull, issue = ask.get("/pulls/2").json(), ask.get("/issues/1").json()
    assert (pull["state"], pull["merged"], pull["merged_by"]["login"]) == ("closed", True, "keel")
    assert (issue["state"], issue["state_reason"], issue["closed_at"]) == (
        "closed",
        "completed",
        pull["merged_at"],
    )
    merged = ask.all("/issues/2/events")[0]
    assert (merged["event"], merged["commit_id"]) == ("merged", pull["merge_commit_sha"])


def test_closing_and_reopening_leave_events(ask: Asker, repo: Repository) -> None:
    repo.issue(1)
    repo.close(1, by="gull", state_reason="not_planned")
    closed = ask.get("/issues/1").json()
    repo.reopen(1)
    opened = ask.get("/issues/1").json()
    assert (closed["state"], closed["closed_by"]["login"], closed["state_reason"]) == (
        "closed",
        "gull",
        "not_planned",
    )
    assert (opened["state"], opened["closed_at"]) == ("open", None)
    assert [one["event"] for one in ask.all("/issues/1/events")] == ["closed", "reopened"]


def test_what_a_deleted_account_wrote_is_nobodys(ask: Asker, repo: Repository) -> None:
    """``user`` is null; the text stays."""
    repo.issue(1, user="gull")
    repo.comment(1, "Still here.", user="gull")
    repo.comment(1, "Never had one.", user=None)
    ask.github.world.delete_account("gull")
    assert ask.get("/issues/1").json()["user"] is None
    assert [(one["user"], one["body"]) for one in ask.all("/issues/comments")] == [
        (None, "Still here."),
        (None, "Never had one."),
    ]


def test_a_bot_is_known_by_its_suffix_or_by_being_told(ask: Asker, repo: Repository) -> None:
    ask.github.world.account("ci-of-ours", type="Bot")
    for login in ("dependabot[bot]", "ci-of-ours", "keel"):
        repo.issue(len(repo.threads) + 1, user=login)
    types = [one["user"]["type"] for one in ask.all("/issues?direction=asc")]
    assert types == ["Bot", "Bot", "User"]


def test_texts_go_out_as_they_are(ask: Asker, repo: Repository) -> None:
    """Half a surrogate pair, NUL and what shows nothing among them."""
    body = "\ud83d \x00 \u202e é 🌊"
    repo.issue(1, body=body)
    assert ask.get("/issues/1").json()["body"] == body


def test_the_log_tells_endpoint_and_cost(ask: Asker, repo: Repository) -> None:
    repo.issue(1)
    ask.get("/issues?per_page=5")
    ask.get("/issues/1")
    ask.get("/issues/9")
    log = ask.github.log
    assert [entry.endpoint for entry in log] == [
        "/repos/{owner}/{repo}/issues",
        "/repos/{owner}/{repo}/issues/{number}",
        "/repos/{owner}/{repo}/issues/{number}",
    ]
    assert (log[0].query, log.count(status=404), log.cost(log[1].endpoint)) == ({"per_page": "5"}, 1, 2)
    assert log[0].headers["authorization"] == f"Bearer {ask.github.token}"
    log.clear()
    assert list(log) == []
