"""Looking whether anything moved costs nothing, and overlooks nothing."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from fake_github import FakeGitHub, Repository

from relore_assets.fetch.current.heads import Committed, Head, from_json, look, to_json, waiting, watermark
from relore_assets.fetch.github.client import GitHub

REPO = "harbor/tide"
NOW = datetime(2026, 1, 1, tzinfo=UTC)
MAY = datetime(2024, 5, 1, tzinfo=UTC)
SECOND = timedelta(seconds=1)


@pytest.fixture
def tide(github: FakeGitHub) -> Repository:
    tide = github.world.repository(REPO)
    tide.issue(1, updated_at="2024-05-01T00:00:00Z")
    tide.comment(1, created_at="2024-05-01T00:00:00Z")
    tide.pull(2, updated_at="2024-05-02T00:00:00Z")
    tide.review_comment(2, created_at="2024-05-02T00:00:00Z", touch=False)
    return tide


@pytest.mark.usefixtures("tide")
def test_looking_again_at_what_has_not_changed_costs_nothing(github: FakeGitHub, client: GitHub) -> None:
    """GitHub answers 304, which it does not count."""
    seen = look(client, REPO, {}, NOW)
    assert github.used() == 3
    for _ in range(5):
        assert look(client, REPO, seen, NOW) == seen
    assert github.used() == 3
    assert github.log.count(status=304) == 15


def test_a_list_that_changed_shows_its_newest_entry(client: GitHub, tide: Repository) -> None:
    """An inline comment may be all that tells of a review."""
    seen = look(client, REPO, {}, NOW)
    tide.review_comment(2, created_at="2024-05-03T00:00:00Z", touch=False)
    now_seen = look(client, REPO, seen, NOW)
    assert {kind for kind in seen if seen[kind] != now_seen[kind]} == {"review_comment"}
    assert now_seen["review_comment"].newest == datetime(2024, 5, 3, tzinfo=UTC)


def test_an_empty_repository_waits_for_nothing(github: FakeGitHub, client: GitHub) -> None:
    """There is nothing newest."""
    github.world.repository(REPO)
    heads = look(client, REPO, {}, NOW)
    assert waiting(heads, Committed({}, None)) == {}


@pytest.mark.parametrize(
    ("head", "mark", "since", "waits"),
    [
        (Head("a", MAY), MAY, None, False),
        (Head("a", MAY), None, None, True),
        (Head("a", MAY), MAY - SECOND, None, True),
        (Head("a", MAY), MAY + SECOND, None, False),
        (Head("b", MAY, NOW), MAY, None, True),
        (Head("b", MAY, NOW), MAY, NOW - SECOND, True),
        (Head("b", MAY, NOW), MAY, NOW + SECOND, False),
        (Head("b", MAY, NOW), MAY + SECOND, NOW - SECOND, False),
    ],
    ids=[
        "committed", "nothing is", "newer than the mark", "older than it", "changed within the second of the mark",
        "changed since the last fetch", "changed, and fetched since", "newest entry deleted",
    ],
)  # fmt: skip
def test_what_may_not_be_staged_waits(
    head: Head, mark: datetime | None, since: datetime | None, *, waits: bool
) -> None:
    """The marks of what is committed decide, not what has been looked at: a fetch that failed is due again."""
    found = waiting({"issue": head}, Committed({"issue": mark}, since))
    assert found == ({"issue": MAY} if waits else {})


def test_marks_count_for_their_own_list() -> None:
    """Comments that are up to date say nothing of issues."""
    heads = {"issue": Head("a", MAY), "issue_comment": Head("b", MAY)}
    assert waiting(heads, Committed({"issue": MAY - SECOND, "issue_comment": MAY}, None)) == {"issue": MAY}


def test_heads_survive_a_cursor() -> None:
    """And a cursor of another make is nothing seen."""
    heads = {"issue": Head('W/"a"', MAY, NOW), "issue_comment": Head("b")}
    assert from_json(to_json(heads)) == heads
    assert from_json(None) == from_json([1]) == from_json({"issue": "x", "planet": [1, None, None]}) == {}


def test_a_watermark_names_what_was_newest() -> None:
    """The same for the same dates, whatever was asked for first."""
    heads = {"issue_comment": Head("b"), "issue": Head("a", MAY)}
    assert watermark(heads) == "issue=2024-05-01T00:00:00+00:00 issue_comment=-"
    assert watermark(dict(reversed(heads.items()))) == watermark(heads)
