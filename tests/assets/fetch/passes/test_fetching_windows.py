"""Windows of a repository are fetched whole, once, and from wherever the last run stopped."""

from __future__ import annotations

from datetime import UTC, date, datetime

import pytest
from fake_github import FakeGitHub, Repository

from relore_assets.fetch.github.errors import Forbidden, GitHubError, NotFound, Unavailable
from relore_assets.fetch.passes.window import Span, first_incomplete, spans, windows_since_mark
from relore_assets.windows import FIRST_WINDOW

LIST = "/repos/{owner}/{repo}"
Q1, Q2, Q3 = date(2024, 1, 1), date(2024, 4, 1), date(2024, 7, 1)


def fill(tide: Repository) -> None:
    """Some of everything: merged, open and abandoned pull requests, issues, both kinds of comment."""
    tide.issue(1, title="Leak at the bow", body="It leaks.", labels=[{"name": "bug"}])
    tide.comment(1, "seen here too", user="gull")
    tide.pull(2, title="Caulk", body="fixes #1", closes=[1])
    tide.commit(2, "caulk the bow")
    tide.file(2, "hull.c", additions=3)
    tide.file(2, "deck.c", status="renamed", previous_filename="planks.c")
    tide.review(2, "CHANGES_REQUESTED", "Use oakum.", user="keel")
    tide.review_comment(2, "here", path="hull.c", line=4, original_line=4)
    tide.review(2, "APPROVED", user="keel")
    tide.merge(2, "keel")
    tide.pull(3, title="Tar instead", user="gull")
    tide.file(3, "tar.c", status="added")
    tide.close(3, "keel")
    tide.pull(4, title="Paint")
    tide.event(4, "labeled", actor="keel", label={"name": "looks", "color": "ff0000"})


def test_a_fetch_brings_everything(tide: Repository, desk) -> None:
    """Heads, comments, reviews, files, commits, closing references and who merged: of every pull request."""
    fill(tide)
    result = desk.fetch()
    desk.derive()
    assert result.detailed == 4
    assert desk.rows(
        "SELECT number, kind, state, merged, merged_by, collected_files, collected_comments FROM relore.threads "
        "ORDER BY number"
    ) == [
        (1, "issue", "closed", False, None, None, 1),
        (2, "pr", "closed", True, "keel", 2, 0),
        (3, "pr", "closed", False, None, 1, 0),
        (4, "pr", "open", False, None, 0, 0),
    ]
    assert desk.rows("SELECT path, previous_path, change_type FROM relore.changed_files ORDER BY path") == [
        ("deck.c", "planks.c", "renamed"),
        ("hull.c", None, "modified"),
        ("tar.c", None, "added"),
    ]
    assert desk.rows("SELECT author, verdict FROM relore.verdicts ORDER BY stated_at") == [
        ("keel", "CHANGES_REQUESTED"),
        ("keel", "APPROVED"),
    ]
    assert desk.one("SELECT closed_by FROM relore.threads WHERE number = 3") == "keel"
    assert desk.payload("event", next(iter(desk.staged("event"))))["created_at"]


def test_stated_and_collected_counts_agree(tide: Repository, desk) -> None:
    """What GitHub counts on a pull request is what is held of it."""
    fill(tide)
    desk.fetch()
    desk.derive()
    assert (
        desk.rows(
            "SELECT number FROM relore.threads WHERE stated_comments <> collected_comments"
            " OR stated_review_comments <> collected_review_comments OR stated_commits <> collected_commits"
            " OR stated_files <> collected_files"
        )
        == []
    )
    assert desk.one("SELECT stated_review_comments FROM relore.threads WHERE number = 2") == 1


def test_a_failed_page_holds_the_mark(github: FakeGitHub, tide: Repository, desk) -> None:
    """The mark stops before the first page that was not committed; the next run covers it."""
    for number in range(1, 251):
        tide.issue(number)
    fault = github.fault(match="/issues\\?.*since", status=500, times=None)
    with pytest.raises(Unavailable):
        desk.fetch()
    assert desk.staged("issue") == {str(number) for number in range(1, 101)}
    reached = desk.one("SELECT max(cursor) FROM relore.sync_state WHERE pass = 'fetch:issue'")
    assert reached == tide.threads[100].updated_at
    assert "attempts" in desk.one("SELECT error FROM relore.sync_state WHERE pass = 'fetch'")
    fault.times = 0
    desk.fetch()
    assert len(desk.staged("issue")) == 250
    assert desk.one("SELECT error FROM relore.sync_state WHERE pass = 'fetch'") is None


def test_a_filtered_list_of_comments_removes_nothing(tide: Repository, desk) -> None:
    """A new comment arrives beside the old ones, which its list does not show."""
    tide.issue(1, created_at="2024-01-01T00:00:00Z")
    old = tide.comment(1, "in January", created_at="2024-01-02T00:00:00Z")
    desk.fetch()
    new = tide.comment(1, "in June", created_at="2024-06-01T00:00:00Z")
    desk.fetch([Q2])
    assert desk.staged("issue_comment") == {str(old["id"]), str(new["id"])}


def test_a_second_run_asks_next_to_nothing_and_writes_nothing(
    github: FakeGitHub, tide: Repository, desk
) -> None:
    """Where nothing moved, a fetch is one request a list."""
    fill(tide)
    desk.fetch()
    desk.derive()
    before = desk.prints()
    github.log.clear()
    again = desk.fetch()
    assert (again.staged.written, len(github.log)) == (0, 3)
    desk.derive()
    assert desk.prints() == before


def test_an_empty_repository_is_complete(desk) -> None:
    """Nothing is a history too: counts of zero, and a time as of which that is so."""
    result = desk.fetch()
    desk.derive()
    assert (result.staged.read, result.detailed) == (0, 0)
    assert desk.one("SELECT last_ok_at IS NOT NULL FROM relore.sync_state WHERE pass = 'fetch'")
    assert desk.one("SELECT count(*) FROM relore.threads") == 0
    assert windows_since_mark(desk.conn, desk.repo.id, datetime(2024, 5, 1, tzinfo=UTC)) == [Q2]


@pytest.mark.parametrize("a_second", [1, 60], ids=["one a second", "many in one second"])
def test_no_walk_ends_where_github_stops_to_page(
    github: FakeGitHub, tide: Repository, desk, a_second: int
) -> None:
    """Lists that GitHub cuts short are read to their ends."""
    github.limits.comments = 200
    github.limits.numbered_items = 200
    for number in range(1, 301):
        tide.issue(number)
    for place in range(320):
        second = place // a_second
        when = f"2024-12-01T00:{second // 60:02}:{second % 60:02}Z"
        tide.comment(1 + place % 300, f"comment {place}", created_at=when)
    result = desk.fetch()
    assert len(desk.staged("issue")) == 300
    assert len(desk.staged("issue_comment")) == 320
    assert (result.comments_stated, result.comments_collected) == (320, 320)


def test_a_gap_between_stated_and_collected_is_reported(tide: Repository, desk) -> None:
    """What GitHub counts and does not give is told, and not taken for all there is."""
    tide.issue(1, comments=5)
    tide.comment(1)
    result = desk.fetch()
    assert (result.comments_stated, result.comments_collected) == (5, 1)


def test_graphql_errors_are_never_an_empty_answer(github: FakeGitHub, tide: Repository, desk) -> None:
    """Data null with errors, or data in part, is a failure of that query: asked again smaller, stored only whole."""
    fill(tide)
    trouble = {"data": None, "errors": [{"message": "Something went wrong while executing your query."}]}
    github.fault(match="POST /graphql", body=trouble, times=4)
    desk.fetch()
    assert len(desk.staged("review")) == 2

    tide.review(2, "COMMENTED", "one more")
    partial = {
        "data": {"repository": {"t0": None}},
        "errors": [{"message": "Something went wrong.", "path": ["repository", "t0"]}],
    }
    stuck = github.fault(match="POST /graphql", body=partial, times=None)
    with pytest.raises(GitHubError, match="#2"):
        desk.fetch()
    assert len(desk.staged("review")) == 2
    assert desk.one("SELECT error FROM relore.sync_state WHERE pass = 'fetch'")
    stuck.times = 0
    desk.fetch()
    assert len(desk.staged("review")) == 3


def test_lists_are_read_beyond_their_first_page(github: FakeGitHub, tide: Repository, desk) -> None:
    """101 files are 101 files; where GitHub ends a list, both numbers are kept."""
    github.limits.files = 150
    tide.pull(1)
    tide.pull(2, changed_files=151)
    for place in range(101):
        tide.file(1, f"a/{place}.c")
        tide.commit(1, f"commit {place}")
        tide.review(1, "COMMENTED", f"review {place}")
        tide.event(1, "labeled", label={"name": f"l{place}", "color": "000000"})
    for place in range(151):
        tide.file(2, f"b/{place}.c")
    desk.fetch()
    desk.derive()
    counts = "stated_files, collected_files, stated_commits, collected_commits, collected_reviews"
    assert desk.rows(f"SELECT {counts} FROM relore.threads ORDER BY number") == [
        (101, 101, 101, 101, 101),
        (151, 150, 0, 0, 0),
    ]
    assert len(desk.staged("event")) == 101


def test_comments_without_a_head_hold_up_nobody(tide: Repository, desk) -> None:
    """What waits under a number without a head is staged, skipped and counted; the others are derived."""
    for number in (7, 8, 9):
        tide.issue(number)
        tide.comment(number, f"on {number}")
    desk.fetch()
    desk.conn.execute("DELETE FROM relore.raw_objects WHERE thread_number = 7 AND kind = 'issue'")
    desk.derive()
    assert desk.rows("SELECT number FROM relore.threads ORDER BY number") == [(8,), (9,)]
    assert desk.fetch().staged.rejected == 0


def test_words_of_deleted_accounts_stay(github: FakeGitHub, tide: Repository, desk) -> None:
    """A comment, a review and a commit by nobody are a ghost's."""
    fill(tide)
    for login in ("gull", "keel"):
        github.world.delete_account(login)
    desk.fetch()
    desk.derive()
    assert desk.rows(
        "SELECT DISTINCT author, trust FROM relore.documents WHERE source_type IN ('issue_comment', 'review')"
    ) == [("ghost", "reported")]


def test_pull_requests_among_the_issues_are_counted_once(tide: Repository, desk) -> None:
    """One thread a number, of its own kind."""
    tide.issue(1)
    tide.pull(2)
    desk.fetch()
    desk.derive()
    assert desk.rows("SELECT number, kind FROM relore.threads ORDER BY number") == [(1, "issue"), (2, "pr")]


def test_a_claim_stands_before_its_target_does(tide: Repository, desk) -> None:
    """The edge keeps the number it names, whether or not the number is here."""
    tide.pull(1, body="fixes #900")
    desk.fetch()
    desk.derive()
    query = "SELECT relation, target_repo, target_number, source FROM relore.links"
    assert desk.rows(query) == [("closes", "harbor/tide", 900, "body")]
    tide.issue(900)
    desk.fetch()
    desk.derive()
    assert desk.rows("SELECT number FROM relore.threads ORDER BY number") == [(1,), (900,)]
    assert desk.rows(query) == [("closes", "harbor/tide", 900, "body")]


def test_a_link_made_by_hand_is_githubs(tide: Repository, desk) -> None:
    """Closing references that no text states are links of their own; stated ones are not doubled."""
    tide.issue(1)
    tide.issue(2)
    tide.pull(3, body="fixes #1", closes=[1, 2])
    desk.fetch()
    desk.derive()
    assert desk.rows("SELECT target_number, source FROM relore.links ORDER BY target_number") == [
        (1, "body"),
        (2, "github"),
    ]


def test_a_pull_request_that_github_does_not_give_keeps_its_thread(tide: Repository, desk) -> None:
    """Listed and 404: what is known stays, what is not known is not taken for nothing, and nobody asks again."""
    fill(tide)
    desk.fetch()
    tide.missing_pulls.add(2)
    tide.edit_thread(2, title="Caulk it")
    result = desk.fetch()
    assert result.missing == [2]
    assert len(desk.staged("review")) == 2
    assert "2" in desk.staged("pull_files")
    assert desk.payload("pull_detail", 2)["unread"] == ["reviews", "files", "commits", "closing", "events"]
    desk.derive()
    assert desk.rows("SELECT title, kind, merged FROM relore.threads WHERE number = 2") == [
        ("Caulk it", "pr", True)
    ]
    assert desk.fetch().missing == []


def test_what_moved_in_detail_is_replaced(tide: Repository, desk) -> None:
    """A list is GitHub's newest, reviews that were taken back are gone."""
    fill(tide)
    desk.fetch()
    review = tide.threads[2].reviews[0]
    tide.delete(review["id"])
    tide.threads[2].files.pop()
    tide.edit_thread(2, title="Caulk again")
    desk.fetch()
    assert len(desk.staged("review")) == 1
    assert len(desk.payload("pull_files", 2)["items"]) == 1
    assert desk.rows("SELECT object_id FROM relore.tombstones") == [(str(review["id"]),)]


def test_an_inline_comment_that_moves_no_thread_is_counted(tide: Repository, desk) -> None:
    """Its pull request's own date stays where it was, and what GitHub counts there is read again all the same."""
    fill(tide)
    desk.fetch()
    tide.review_comment(2, "and here", touch=False, path="hull.c")
    desk.fetch()
    desk.derive()
    query = "SELECT stated_review_comments, collected_review_comments FROM relore.threads WHERE number = 2"
    assert desk.rows(query) == [(2, 2)]


def test_windows_one_by_one_end_like_all_at_once(tide: Repository, desk) -> None:
    """In whatever order windows are fetched, every thread is whole after the last."""
    for month in range(1, 10):
        tide.issue(month, created_at=f"2024-{month:02}-03T00:00:00Z")
        tide.comment(month, created_at=f"2024-{month:02}-04T00:00:00Z")
    tide.comment(1, created_at="2024-09-05T00:00:00Z")
    for window in (Q3, Q1, Q2):
        desk.fetch([window])
    desk.derive()
    apart = desk.prints()
    desk.conn.execute("DELETE FROM relore.raw_objects")
    desk.conn.execute("DELETE FROM relore.sync_state")
    desk.fetch()
    desk.derive()
    assert desk.prints() == apart
    assert desk.one("SELECT count(*) FROM relore.raw_objects WHERE kind = 'issue_comment'") == 10


def test_a_window_is_complete_once_something_later_was_seen(
    github: FakeGitHub, tide: Repository, desk
) -> None:
    """No clock says that a quarter is over; the next change does."""
    tide.issue(1, created_at="2024-02-01T00:00:00Z")
    desk.fetch([Q1])
    tide.issue(2, created_at="2024-03-31T00:00:00Z")
    desk.fetch([Q1])
    assert desk.staged("issue") == {"1", "2"}
    tide.issue(3, created_at="2024-04-02T00:00:00Z")
    desk.fetch([Q1])
    github.log.clear()
    desk.fetch([Q1])
    assert github.log.count(f"{LIST}/issues") == 0
    desk.fetch([Q1], again=True)
    assert github.log.count(f"{LIST}/issues") == 1
    assert desk.staged("issue") == {"1", "2"}


def test_what_a_stopped_run_left_unread_is_found_again(github: FakeGitHub, tide: Repository, desk) -> None:
    """Threads that could not be read in detail draw the next run back to their windows."""
    fill(tide)
    desk.fetch()
    assert first_incomplete(desk.conn, desk.repo.id) == Q1
    tide.edit_thread(4, title="Paint it", at="2024-03-01T00:00:00Z")
    refused = github.fault(match="POST /graphql", status=502, times=None)
    with pytest.raises(GitHubError):
        desk.fetch()
    tide.issue(5, created_at="2024-08-01T00:00:00Z")
    tide.comment(5, created_at="2024-08-01T00:00:00Z")
    tide.review_comment(4, created_at="2024-08-01T00:00:00Z", touch=False)
    refused.times = 0
    desk.conn.execute(
        "UPDATE relore.sync_state SET cursor = '2024-08-01T00:00:00Z' WHERE window_start >= '2024-01-01'"
    )
    assert windows_since_mark(desk.conn, desk.repo.id, datetime(2024, 8, 2, tzinfo=UTC))[0] == Q1


def test_a_right_that_is_missing_ends_the_run_and_loses_nothing(
    github: FakeGitHub, tide: Repository, desk
) -> None:
    """Issues that may be read are stored; what may not is named."""
    fill(tide)
    github.fault(
        match="/pulls/comments",
        status=403,
        body={"message": "Resource not accessible by personal access token"},
        headers={"X-Accepted-GitHub-Permissions": "pull_requests=read"},
        times=None,
    )
    with pytest.raises(Forbidden) as refused:
        desk.fetch()
    assert refused.value.right == "pull_requests=read"
    assert len(desk.staged("issue")) == 4
    github.clear_faults()
    desk.fetch()
    assert len(desk.staged("review_comment")) == 1


def test_an_unknown_repository_ends_in_a_sentence(tide: Repository, desk) -> None:
    """What GitHub does not serve is an error of its own kind, never an empty history."""
    del tide.world.repositories["harbor/tide"]
    with pytest.raises(NotFound):
        desk.fetch()
    assert desk.one("SELECT last_ok_at FROM relore.sync_state WHERE pass = 'fetch'") is None


def test_neighbouring_windows_are_one_walk() -> None:
    """What is complete is left out, and a walk begins a minute before the mark of its first window."""
    day = datetime(2024, 5, 5, tzinfo=UTC)
    done = datetime(2024, 4, 1, tzinfo=UTC)
    assert spans([Q1, Q2, Q3], {Q1: done, Q2: day}) == [
        Span((Q2, Q3), datetime(2024, 5, 4, 23, 59, tzinfo=UTC))
    ]
    assert spans([Q3, Q1], {}) == [
        Span((Q1,), datetime(2024, 1, 1, tzinfo=UTC)),
        Span((Q3,), datetime(2024, 7, 1, tzinfo=UTC)),
    ]
    assert spans([FIRST_WINDOW], {}) == [Span((FIRST_WINDOW,), None)]
    assert spans([Q1], {Q1: done}) == []


def test_where_github_ends_a_list_both_numbers_are_kept(tide: Repository, desk) -> None:
    """Three thousand files are all that it lists, and it says how many there are."""
    tide.pull(1, title="Everything at once")
    for number in range(3_001):
        tide.file(1, f"hull/{number}.c")
    desk.fetch()
    desk.derive()
    assert desk.rows("SELECT stated_files, collected_files FROM relore.threads") == [(3_001, 3_000)]
    assert desk.one("SELECT count(*) FROM relore.changed_files") == 3_000
