"""A refreshed thread is what GitHub has of it; a sample is whole threads above a floor that is declared first."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from fake_github import FakeGitHub, Repository

from relore_assets.fetch.github.errors import Unavailable
from relore_assets.fetch.passes.refresh import refresh_threads
from relore_assets.fetch.passes.sample import BadSample, Sample, fetch_sample, midnight_of

REPO = "harbor/tide"
FLOOR = datetime(2024, 3, 1, tzinfo=UTC)


@pytest.fixture
def history(tide: Repository) -> Repository:
    """Threads before and after a floor, with older comments on newer threads."""
    for month in range(1, 7):
        tide.issue(month, created_at=f"2024-{month:02}-02T00:00:00Z")
        tide.pull(month + 10, created_at=f"2024-{month:02}-02T00:00:00Z")
        tide.file(month + 10, "hull.c")
    tide.comment(1, "an old word", created_at="2024-01-05T00:00:00Z")
    tide.comment(1, "a new word", created_at="2024-06-05T00:00:00Z")
    tide.merge(14, at="2024-06-06T00:00:00Z")
    return tide


def test_a_refresh_brings_a_thread_whole(history: Repository, desk) -> None:
    """Head, comments, inline comments, reviews, files: also of threads that were never fetched."""
    history.review_comment(11, "here", path="hull.c")
    history.review(11, "APPROVED")
    result = refresh_threads(desk.conn, desk.client, REPO, [1, 11, 11])
    assert result.read == [11, 1]
    assert desk.staged("issue") == {"1", "11"}
    assert len(desk.staged("issue_comment")) == 2
    assert len(desk.staged("review_comment")) == len(desk.staged("review")) == 1
    assert len(desk.payload("pull_files", 11)["items"]) == 1


def test_a_refresh_takes_away_what_is_gone(history: Repository, desk) -> None:
    """Comments, inline comments and reviews that GitHub no longer has; nothing of other threads."""
    history.review_comment(11, "here", path="hull.c")
    history.comment(2, "stays")
    desk.fetch()
    gone = history.threads[1].comments[0]["id"], history.threads[11].review_comments[0]["id"]
    for part in gone:
        history.delete(part)
    result = refresh_threads(desk.conn, desk.client, REPO, [1, 11])
    assert result.gone == {}
    assert len(desk.staged("issue_comment")) == 2
    assert desk.staged("review_comment") == set()
    assert {row[0] for row in desk.rows("SELECT object_id FROM relore.tombstones")} == {
        str(part) for part in gone
    }


def test_a_refresh_names_what_is_not_there_and_removes_nothing_of_it(history: Repository, desk) -> None:
    """Deleted and transferred threads are the sweep's business."""
    desk.fetch()
    history.delete_thread(2)
    history.transfer(3, history.world.repository("harbor/quay"), 1)
    result = refresh_threads(desk.conn, desk.client, REPO, [1, 2, 3, 99])
    assert result.gone == {2: "deleted", 3: "transferred", 99: "deleted"}
    assert {"2", "3"} <= desk.staged("issue")


def test_a_pull_request_that_is_not_given_keeps_what_is_stored(history: Repository, desk) -> None:
    """404 where the issue is listed: nothing is taken away."""
    history.review_comment(11, "here", path="hull.c")
    desk.fetch()
    history.missing_pulls.add(11)
    result = refresh_threads(desk.conn, desk.client, REPO, [11])
    assert result.missing == [11]
    assert len(desk.staged("review_comment")) == 1
    assert len(desk.payload("pull_files", 11)["items"]) == 1


def test_a_refreshed_thread_is_read_up_to_date(github: FakeGitHub, history: Repository, desk) -> None:
    """A fetch after it has nothing left to read in detail."""
    desk.fetch()
    history.edit_thread(11, title="renamed")
    refresh_threads(desk.conn, desk.client, REPO, [11])
    github.log.clear()
    assert desk.fetch().detailed == 0
    assert github.log.count("/graphql") == 0


@pytest.mark.usefixtures("history")
def test_a_sample_holds_whole_threads_above_its_floor(desk) -> None:
    """Threads are chosen by their date; of those chosen, every word is fetched, however old."""
    result = fetch_sample(desk.conn, desk.client, desk.repo, Sample("issue", FLOOR))
    assert (result.selected, result.sampled, result.current, result.capped) == (5, 5, 0, False)
    assert desk.staged("issue") == {"1", "3", "4", "5", "6"}
    assert len(desk.staged("issue_comment")) == 2
    assert desk.rows("SELECT kind, merged_only, floor FROM relore.samples") == [("issue", False, FLOOR)]


@pytest.mark.usefixtures("history")
def test_merged_pull_requests_are_a_sample_of_their_own(desk) -> None:
    """Only pull requests are merged, and only those that are belong to it."""
    result = fetch_sample(desk.conn, desk.client, desk.repo, Sample("pr", FLOOR, merged_only=True))
    assert result.sampled == 1
    assert desk.staged("pull_files") == {"14"}
    with pytest.raises(BadSample):
        Sample("issue", FLOOR, merged_only=True)


@pytest.mark.usefixtures("history")
def test_the_floor_stands_before_the_first_request(github: FakeGitHub, desk) -> None:
    """A sample that was interrupted never looks like a whole history."""
    github.fault(match="/issues", status=500, times=None)
    with pytest.raises(Unavailable):
        fetch_sample(desk.conn, desk.client, desk.repo, Sample("issue", FLOOR))
    assert desk.rows("SELECT floor FROM relore.samples") == [(FLOOR,)]
    assert desk.staged("issue") == set()


@pytest.mark.usefixtures("history")
def test_a_sample_goes_on_from_its_mark_and_widens_from_its_floor(github: FakeGitHub, desk) -> None:
    """A limit ends it for now; an older floor begins anew and leaves alone what is current."""
    first = fetch_sample(desk.conn, desk.client, desk.repo, Sample("issue", FLOOR), limit=2)
    assert (first.sampled, first.capped, desk.staged("issue")) == (2, True, {"3", "4"})
    second = fetch_sample(desk.conn, desk.client, desk.repo, Sample("issue", FLOOR))
    assert (second.sampled, second.capped) == (3, False)
    wider = fetch_sample(desk.conn, desk.client, desk.repo, Sample("issue", datetime(2024, 2, 1, tzinfo=UTC)))
    assert (wider.sampled, wider.current) == (1, 5)
    github.log.clear()
    again = fetch_sample(desk.conn, desk.client, desk.repo, Sample("issue", datetime(2024, 2, 1, tzinfo=UTC)))
    assert (again.sampled, again.staged.written, len(github.log)) == (0, 0, 1)


@pytest.mark.usefixtures("history")
def test_a_whole_history_is_no_sample(desk) -> None:
    """Once everything was fetched nothing is a part any more."""
    fetch_sample(desk.conn, desk.client, desk.repo, Sample("issue", FLOOR))
    desk.fetch()
    assert desk.rows("SELECT * FROM relore.samples") == []


@pytest.mark.parametrize(
    ("text", "moment"),
    [
        ("2024-03-01", datetime(2024, 3, 1, tzinfo=UTC)),
        ("2024-03-01T02:00:00+02:00", datetime(2024, 3, 1, tzinfo=UTC)),
    ],
)
def test_floors_are_days_or_moments(text: str, moment: datetime) -> None:
    assert midnight_of(text) == moment
    with pytest.raises(BadSample):
        midnight_of("last spring")
