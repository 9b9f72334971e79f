"""Lists and their pages: https://docs.github.com/en/rest/issues, /pulls and /using-the-rest-api."""

from __future__ import annotations

import pytest

from fake_github import FakeGitHub, Repository
from fake_github.asker import Asker


@pytest.fixture
def repo(ask: Asker) -> Repository:
    return ask.github.world["harbor/tide"]


def numbers(ask: Asker, path: str) -> list[int]:
    return [one["number"] for one in ask.all(path)]


# -- pages -------------------------------------------------------------------------------------------


def test_a_page_has_30_items_unless_told_and_100_at_most(ask: Asker, repo: Repository) -> None:
    """«per_page: the number of results per page (max 100). Default: 30»."""
    for number in range(1, 121):
        repo.issue(number)
    sizes = [
        len(ask.get(f"/issues{query}").json())
        for query in ("", "?per_page=50", "?per_page=500", "?per_page=x")
    ]
    assert sizes == [30, 50, 100, 30]


def test_links_lead_through_all_pages_by_the_repositorys_number(ask: Asker, repo: Repository) -> None:
    """The next page is where Link says: under /repositories/ID, which no client could have made up.

    https://docs.github.com/en/rest/using-the-rest-api/using-pagination-in-the-rest-api#using-link-headers
    """
    for number in range(1, 8):
        repo.issue(number)
    first = ask.get("/issues?per_page=3&direction=asc")
    second = ask.get(first.links["next"]["url"])
    last = ask.get(second.links["next"]["url"])
    assert first.links["next"]["url"].startswith(f"{ask.github.url}/repositories/{repo.id}/issues?")
    assert set(first.links) == {"next", "last"}
    assert set(second.links) == {"prev", "next", "last", "first"}
    assert set(last.links) == {"prev", "first"}
    assert [one["number"] for reply in (first, second, last) for one in reply.json()] == [1, 2, 3, 4, 5, 6, 7]


def test_a_list_of_one_page_has_no_links(ask: Asker, repo: Repository) -> None:
    """«The link header will be omitted if all results fit on a single page»."""
    repo.issue(1)
    assert "Link" not in ask.get("/issues").headers


def test_a_page_past_the_end_is_empty(ask: Asker, repo: Repository) -> None:
    repo.issue(1)
    assert ask.get("/issues?page=9").json() == []


def test_many_issues_go_on_by_cursor_and_page_numbers_are_refused(ask: Asker, repo: Repository) -> None:
    """Past the first so many items only the cursor in Link leads on; a page number is 422."""
    for number in range(1, 11):
        repo.issue(number)
    ask.github.limits.numbered_items = 6
    assert numbers(ask, "/issues?per_page=3&direction=asc") == list(range(1, 11))
    assert "after=" in ask.get("/issues?per_page=3").links["next"]["url"]
    refused = ask.get("/issues?per_page=3&page=3")
    assert refused.status_code == 422
    assert "cursor based pagination" in refused.json()["message"]
    assert ask.get("/issues?after=nonsense").status_code == 422


def test_the_list_of_all_comments_ends_at_a_cap_in_either_direction(ask: Asker, repo: Repository) -> None:
    """It looks complete, and a page behind the cap is 422; since the last one's time, the rest comes."""
    repo.issue(1)
    ids = [repo.comment(1)["id"] for _ in range(10)]
    ask.github.limits.comments = 6
    ascending = ask.all("/issues/comments?sort=updated&direction=asc&per_page=2")
    descending = ask.all("/issues/comments?sort=updated&direction=desc&per_page=2")
    assert [one["id"] for one in ascending] == ids[:6]
    assert [one["id"] for one in descending] == ids[:3:-1]
    assert ask.get("/issues/comments?per_page=2&page=4").status_code == 422
    rest = ask.all(f"/issues/comments?sort=updated&direction=asc&since={ascending[-1]['updated_at']}")
    assert [one["id"] for one in rest] == ids[5:]


def test_files_and_commits_end_where_rest_ends_them(ask: Asker, repo: Repository) -> None:
    """«A maximum of 3000 files», «a maximum of 250 commits»; the counts of the pull request tell all.

    https://docs.github.com/en/rest/pulls/pulls#list-pull-requests-files
    """
    assert (ask.github.limits.files, ask.github.limits.commits) == (3_000, 250)
    repo.pull(4)
    for number in range(5):
        repo.file(4, f"{number}.c")
        repo.commit(4)
    ask.github.limits.files = ask.github.limits.commits = 3
    pull = ask.get("/pulls/4").json()
    assert (len(ask.all("/pulls/4/files?per_page=2")), pull["changed_files"]) == (3, 5)
    assert (len(ask.all("/pulls/4/commits?per_page=2")), pull["commits"]) == (3, 5)


# -- which and in what order -------------------------------------------------------------------------


def test_issues_are_the_open_ones_newest_first_unless_told(ask: Asker, repo: Repository) -> None:
    """«state: default open», «sort: default created», «direction: default desc»."""
    for number in (1, 2, 3):
        repo.issue(number)
    repo.close(2)
    repo.comment(1)
    assert numbers(ask, "/issues") == [3, 1]
    assert numbers(ask, "/issues?state=closed") == [2]
    assert numbers(ask, "/issues?state=all&sort=updated") == [1, 2, 3]
    assert numbers(ask, "/issues?state=all&sort=updated&direction=asc") == [3, 2, 1]
    assert numbers(ask, "/issues?sort=comments") == [1, 3]


def test_issues_are_filtered_by_their_last_change_and_by_label(ask: Asker, repo: Repository) -> None:
    """«since: only show results that were last updated after the given time»."""
    repo.issue(1, labels=["bug", "net"])
    changed = repo.issue(2, labels=["bug"])
    assert numbers(ask, f"/issues?since={changed.updated_at}") == [2]
    assert numbers(ask, "/issues?labels=bug,net") == [1]


def test_pull_requests_are_among_the_issues(ask: Asker, repo: Repository) -> None:
    """«GitHub's REST API considers every pull request an issue»: told by the key pull_request, with another id.

    https://docs.github.com/en/rest/issues/issues#list-repository-issues
    """
    repo.issue(1)
    repo.pull(2)
    pull, issue = ask.all("/issues")
    assert (issue["number"], "pull_request" in issue) == (1, False)
    assert (pull["number"], "pull_request" in pull) == (2, True)
    assert pull["id"] != ask.get("/pulls/2").json()["id"]


def test_pulls_are_newest_first_by_creation_and_ascending_by_anything_else(
    ask: Asker, repo: Repository
) -> None:
    """«Default: desc when sort is created or sort is not specified, otherwise asc»; since is ignored."""
    for number in (1, 2, 3):
        repo.pull(number)
    repo.merge(2)
    assert numbers(ask, "/pulls?state=all") == [3, 2, 1]
    assert numbers(ask, "/pulls?state=all&sort=updated") == [1, 3, 2]
    assert numbers(ask, "/pulls?state=all&sort=updated&direction=desc&since=2030-01-01T00:00:00Z") == [
        2,
        3,
        1,
    ]


def test_a_list_of_pulls_lacks_what_the_detail_has(ask: Asker, repo: Repository) -> None:
    """Who merged it, and the counts, are told by the pull request alone."""
    repo.pull(2, merged_at="2024-02-01T00:00:00Z", merged_by="keel")
    listed, detail = ask.all("/pulls?state=all")[0], ask.get("/pulls/2").json()
    assert {"merged", "merged_by", "changed_files", "comments", "commits"} & set(listed) == set()
    assert (detail["merged"], detail["merged_by"]["login"]) == (True, "keel")
    assert listed["merged_at"] == detail["merged_at"] == "2024-02-01T00:00:00Z"


@pytest.mark.parametrize(
    ("part", "path"), [("comment", "/issues/comments"), ("review_comment", "/pulls/comments")]
)
def test_comments_come_by_id_and_direction_counts_with_sort_only(
    part: str, path: str, ask: Asker, repo: Repository
) -> None:
    """«By default, … ordered by ascending ID», «direction: … ignored without the sort parameter».

    https://docs.github.com/en/rest/issues/comments#list-issue-comments-for-a-repository
    """
    repo.pull(1)
    add = getattr(repo, part)
    late, early = (
        add(1, created_at="2024-03-01T00:00:00Z")["id"],
        add(1, created_at="2024-02-01T00:00:00Z")["id"],
    )
    repo.edit(early, at="2024-04-01T00:00:00Z", body="edited")
    assert [one["id"] for one in ask.all(f"{path}?direction=desc")] == [late, early]
    assert [one["id"] for one in ask.all(f"{path}?sort=created&direction=asc")] == [early, late]
    assert [one["id"] for one in ask.all(f"{path}?sort=updated")] == [early, late]
    assert [one["id"] for one in ask.all(f"{path}?since=2024-03-15T00:00:00Z")] == [early]


@pytest.mark.parametrize("path", ["/issues?state=shut", "/issues/comments?sort=size", "/pulls?direction=up"])
def test_a_word_that_is_none_of_the_choices_is_422(path: str, ask: Asker) -> None:
    """«Validation Failed»."""
    assert ask.get(path).status_code == 422


def test_an_empty_repository_has_empty_lists(ask: Asker) -> None:
    """Nothing there is no error."""
    for path in ("/issues", "/issues/comments", "/issues/events", "/pulls", "/pulls/comments"):
        assert ask.all(path) == []


# -- events ------------------------------------------------------------------------------------------


def test_events_are_a_threads_in_order_and_the_repositorys_newest_first(ask: Asker, repo: Repository) -> None:
    """The list of the repository names the thread of each; a mention elsewhere is told by the timeline alone.

    https://docs.github.com/en/rest/using-the-rest-api/issue-event-types
    """
    repo.issue(1)
    repo.pull(2)
    repo.event(1, "labeled", label={"name": "bug", "color": "ff0000"})
    repo.event(2, "renamed", rename={"from": "a", "to": "b"})
    repo.event(1, "cross-referenced", source=2)
    repo.close(1)
    assert [one["event"] for one in ask.all("/issues/1/events")] == ["labeled", "closed"]
    told = [(one["event"], one["issue"]["number"]) for one in ask.all("/issues/events")]
    assert told == [("closed", 1), ("renamed", 2), ("labeled", 1)]
    timeline = ask.all("/issues/1/timeline")
    assert [one["event"] for one in timeline] == ["labeled", "cross-referenced", "closed"]
    assert timeline[1]["source"]["issue"]["number"] == 2


def test_a_timeline_holds_comments_reviews_and_commits_too(ask: Asker, repo: Repository) -> None:
    """https://docs.github.com/en/rest/issues/timeline names what is in it."""
    repo.pull(2)
    repo.commit(2)
    repo.comment(2)
    repo.review(2, "APPROVED")
    repo.merge(2)
    kinds = [one["event"] for one in ask.all("/issues/2/timeline")]
    assert kinds == ["committed", "commented", "reviewed", "merged", "closed"]


def test_permissions_are_four_words_and_the_role_tells_more(
    ask: Asker, github: FakeGitHub, repo: Repository
) -> None:
    """«The maintain role is mapped to write and the triage role is mapped to read»; who is nobody is 404.

    https://docs.github.com/en/rest/collaborators/collaborators#get-repository-permissions-for-a-user
    """
    repo.permissions |= {"keel": "maintain", "gull": "triage"}
    github.world.account("buoy")
    told = [ask.get(f"/collaborators/{login}/permission").json() for login in ("keel", "gull", "buoy")]
    assert [(one["permission"], one["role_name"]) for one in told] == [
        ("write", "maintain"),
        ("read", "triage"),
        ("read", "read"),
    ]
    assert ask.get("/collaborators/nobody/permission").status_code == 404
