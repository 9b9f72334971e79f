"""Where issues are disabled GitHub refuses every list of them, and serves the pull requests all the same."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from fake_github import FakeGitHub, Repository

from relore_assets.fetch.current.poll import due
from relore_assets.fetch.current.sweep import MassDeletion, sweep
from relore_assets.fetch.github.errors import Gone
from relore_assets.fetch.passes.refresh import refresh_threads
from relore_assets.fetch.passes.sample import Sample, fetch_sample
from relore_assets.fetch.passes.window import first_incomplete
from relore_assets.fetch.removals import DELETED

REPO = "harbor/tide"


@pytest.fixture
def bare(tide: Repository) -> Repository:
    """Pull requests with everything that belongs to them, more comments than one page holds, and no issues."""
    for number in range(1, 4):
        tide.pull(number, title=f"Plank {number}", body="as it was")
        tide.comment(number, f"said on {number}", user="gull")
        tide.review(number, "APPROVED", "fine", user="keel")
        tide.review_comment(number, f"inline on {number}", path="hull.c")
        tide.commit(number, "oakum")
        tide.file(number, "hull.c")
    for count in range(130):
        tide.comment(1, f"word {count}")
    tide.merge(2, by="keel")
    tide.issues_disabled = True
    return tide


def derived(desk) -> dict[str, str]:
    desk.derive()
    tables = ("threads", "documents", "verdicts", "changed_files", "commits", "links")
    return {name: print_ for name, print_ in desk.prints().items() if name in tables}


def test_pull_requests_are_fetched_whole(bare: Repository, desk) -> None:
    """With their comments, which have no list either then, however many there are."""
    result = desk.fetch()
    desk.derive()
    assert result.issues_disabled
    assert desk.rows("SELECT number, collected_comments, merged_by FROM relore.threads ORDER BY number") == [
        (1, 131, None),
        (2, 1, "keel"),
        (3, 1, None),
    ]
    assert desk.one("SELECT count(*) FROM relore.verdicts") == 3
    assert (
        desk.one("SELECT count(*) FROM relore.documents WHERE author = 'gull' AND body LIKE 'said on%'") == 3
    )
    assert bare.issues_disabled


def test_what_was_fetched_so_is_what_is_fetched_otherwise(bare: Repository, desk) -> None:
    """Enabled again, the lists bring nothing new but issues: of a pull request everything was there."""
    desk.fetch()
    without = derived(desk)
    bare.issues_disabled = False
    result = desk.fetch()
    assert not result.issues_disabled
    assert {name: print_ for name, print_ in derived(desk).items() if name != "threads"} == {
        name: print_ for name, print_ in without.items() if name != "threads"
    }


def test_issues_that_come_back_are_fetched_however_old(bare: Repository, desk) -> None:
    """The marks of the list of pull requests are not those of the list of issues."""
    bare.issue(
        9, title="Older than all", created_at="2023-01-01T00:00:00Z", updated_at="2023-01-01T00:00:00Z"
    )
    desk.fetch()
    assert desk.staged("issue") == set()
    bare.issues_disabled = False
    desk.fetch()
    assert "9" in desk.staged("issue")


def test_fetched_again_it_costs_a_page(github: FakeGitHub, bare: Repository, desk) -> None:
    """The walk goes back to its mark and no further; nothing is read in detail twice."""
    desk.fetch()
    github.log.clear()
    again = desk.fetch([first_incomplete(desk.conn, desk.repo.id)])
    assert (again.detailed, again.staged.written) == (0, 0)
    assert github.log.count("/repos/{owner}/{repo}/pulls") <= 1
    assert github.log.count("/graphql") == 0
    assert bare.threads


def test_a_walk_that_is_cut_off_is_walked_again(github: FakeGitHub, bare: Repository, desk) -> None:
    """A walk from the newest has a gap at its end, so its mark moves only when it has come there."""
    for number in range(10, 140):
        bare.pull(number, title=f"Oar {number}")
    trouble = github.fault(r"/pulls\?.*page=2", status=404, times=None)
    with pytest.raises(Exception, match="not on GitHub"):
        desk.fetch()
    assert trouble.hits
    assert desk.rows("SELECT cursor FROM relore.sync_state WHERE pass = 'fetch:pull' AND cursor <> ''") == []
    github.clear_faults()
    desk.fetch()
    assert len(desk.staged("pull")) == 133
    assert len(desk.staged("pull_detail")) == 133


def test_a_poll_follows_pull_requests(bare: Repository, desk) -> None:
    """What moves them, comments among it, makes a fetch due."""
    desk.fetch()
    desk.derive()
    seen = due(desk.conn, desk.client, desk.repo, {}).heads
    assert not due(desk.conn, desk.client, desk.repo, seen).windows
    bare.comment(3, "a second word")
    found = due(desk.conn, desk.client, desk.repo, seen)
    assert found.windows
    desk.fetch(found.windows)
    desk.derive()
    assert desk.one("SELECT count(*) FROM relore.documents WHERE body = 'a second word'") == 1


def test_a_comment_that_went_goes_with_the_next_reading(bare: Repository, desk) -> None:
    """The pull request is read whole when anything moved it."""
    desk.fetch()
    bare.delete(bare.threads[3].comments[0]["id"])
    bare.comment(3, "instead")
    desk.fetch()
    desk.derive()
    assert desk.rows("SELECT body FROM relore.documents WHERE body IN ('said on 3', 'instead')") == [
        ("instead",)
    ]


def test_a_sweep_leaves_alone_what_github_does_not_show(tide: Repository, desk) -> None:
    """Issues that were fetched before they were disabled are not gone, and neither are comments."""
    for number in range(1, 40):
        tide.issue(number, title=f"Leak {number}")
        tide.comment(number, "seen")
    tide.pull(50, title="Caulk")
    tide.pull(51, title="Tar")
    desk.fetch()
    tide.issues_disabled = True
    try:
        assert sweep(desk.url, desk.client, REPO).removed == 0
    except MassDeletion:
        pytest.fail("what is not shown was taken for gone")
    del tide.threads[51]
    assert sweep(desk.url, desk.client, REPO).deleted == {"thread": 1}
    assert len(desk.staged("issue")) == 40


def test_one_pull_request_is_refreshed(bare: Repository, desk) -> None:
    """An issue's number is said to be out of reach, not to be gone."""
    desk.fetch()
    bare.issue(9, title="Behind the curtain")
    bare.edit_thread(3, title="Plank three")
    bare.comment(3, "a second word")
    result = refresh_threads(desk.conn, desk.client, REPO, [3, 9])
    desk.derive()
    assert result.read == [3]
    assert result.gone[9] != DELETED
    assert desk.one("SELECT title FROM relore.threads WHERE number = 3") == "Plank three"
    assert desk.one("SELECT collected_comments FROM relore.threads WHERE number = 3") == 2


def test_pull_requests_are_sampled(bare: Repository, desk) -> None:
    """By their own list, each whole; of two runs the second goes on where the first met its limit."""
    floor = datetime(2020, 1, 1, tzinfo=UTC)
    first = fetch_sample(desk.conn, desk.client, desk.repo, Sample("pr", floor), limit=2)
    assert (first.issues_disabled, first.sampled, first.capped) == (True, 2, True)
    rest = fetch_sample(desk.conn, desk.client, desk.repo, Sample("pr", floor), limit=2)
    assert (rest.current, rest.sampled, rest.capped) == (2, 1, False)
    desk.derive()
    assert desk.rows("SELECT number, collected_comments FROM relore.threads ORDER BY number") == [
        (1, 131),
        (2, 1),
        (3, 1),
    ]
    bare.comment(3, "a second word")
    again = fetch_sample(desk.conn, desk.client, desk.repo, Sample("pr", floor))
    assert (again.sampled, len(desk.staged("issue_comment"))) == (1, 134)


@pytest.mark.usefixtures("bare")
def test_merged_pull_requests_are_sampled(desk) -> None:
    """Their list says itself when they were merged."""
    floor = datetime(2020, 1, 1, tzinfo=UTC)
    fetch_sample(desk.conn, desk.client, desk.repo, Sample("pr", floor, merged_only=True))
    assert desk.staged("pull_detail") == {"2"}


@pytest.mark.usefixtures("bare")
def test_a_sample_of_issues_says_what_can_be_sampled(desk) -> None:
    """In one sentence, with the flag to give."""
    floor = datetime(2020, 1, 1, tzinfo=UTC)
    with pytest.raises(Gone, match=r"disabled in harbor/tide.*--kind pr") as refused:
        fetch_sample(desk.conn, desk.client, desk.repo, Sample("issue", floor))
    assert refused.value.exit_code == 7
