"""Whatever brings or removes objects leaves the books added up, also when it could not go on to its end."""

from __future__ import annotations

from datetime import UTC, date, datetime
from typing import TYPE_CHECKING, Any

import psycopg
import pytest
import sample_archives as sample
from fake_github import FakeGitHub, Repository

from relore_assets.fetch import repos
from relore_assets.fetch.current.forget import forget_thread
from relore_assets.fetch.current.sweep import sweep
from relore_assets.fetch.github.client import GitHub
from relore_assets.fetch.github.errors import Unavailable
from relore_assets.fetch.importing import Progress, import_archive
from relore_assets.fetch.passes.window import fetch_windows
from relore_assets.fetch.repos import Repo
from relore_serve.status import facts

if TYPE_CHECKING:
    from pathlib import Path

WINDOWS = [date(2024, 1, 1), date(2024, 4, 1)]


@pytest.fixture
def tide(github: FakeGitHub) -> Repository:
    """An issue and a comment."""
    tide = github.world.repository("harbor/tide")
    tide.issue(1, title="Leak", user="buoy")
    tide.comment(1, "Here too.", user="gull")
    return tide


@pytest.fixture
def repo(store: psycopg.Connection, tide: Repository, client: GitHub) -> Repo:
    """The repository, registered and not yet fetched."""
    return repos.register(store, tide.full_name, "api", client.base.url)


def told(store: psycopg.Connection) -> dict[str, Any]:
    """Return what status says of the only repository."""
    (repo,) = facts(store, now=datetime.now(UTC))["repositories"]
    return repo


def collected(store: psycopg.Connection) -> dict[str, int]:
    """Return how many objects of each kind the books know of."""
    return {account["kind"]: account["collected"] for account in told(store)["objects"]}


def test_a_fetch_leaves_the_books_added_up(store: psycopg.Connection, client: GitHub, repo: Repo) -> None:
    """And nothing that ran after them."""
    fetch_windows(store, client, repo, WINDOWS)

    assert (collected(store)["issue"], collected(store)["issue_comment"]) == (1, 1)
    assert (told(store)["ran_since"], told(store)["under_way"]) == ([], [])


def test_a_fetch_that_stops_says_what_it_has_brought(
    store: psycopg.Connection, client: GitHub, repo: Repo, github: FakeGitHub
) -> None:
    """It stays stored, and it is not the whole."""
    github.fault("/issues/comments", status=500, times=None)

    with pytest.raises(Unavailable):
        fetch_windows(store, client, repo, WINDOWS)

    assert (collected(store)["issue"], collected(store)["issue_comment"]) == (1, 0)
    assert told(store)["ran_since"] == []
    (row,) = (row for row in facts(store, now=datetime.now(UTC))["passes"] if row["pass"] == "fetch")
    assert row["error"] is not None
    assert row["note"] == "did not end when it last ran; run it again"


def test_a_sweep_leaves_the_books_added_up(
    store: psycopg.Connection, client: GitHub, repo: Repo, tide: Repository, database_url: str
) -> None:
    """Also one that finds nothing to remove."""
    fetch_windows(store, client, repo, WINDOWS)
    gone = tide.comment(1, "Never mind.", user="gull")["id"]
    fetch_windows(store, client, repo, WINDOWS, again=True)
    assert collected(store)["issue_comment"] == 2
    tide.delete(gone)

    for _ in range(2):
        sweep(database_url, client, tide.full_name)

        assert collected(store)["issue_comment"] == 1
        assert told(store)["ran_since"] == []
        assert told(store)["removed"] == {"deleted": {"issue_comment": 1}}


def test_an_import_that_stops_says_what_it_has_brought(store: psycopg.Connection, tmp_path: Path) -> None:
    """What was committed stays."""

    def stop(progress: Progress) -> None:
        raise InterruptedError(progress.read)

    with pytest.raises(InterruptedError):
        import_archive(store, sample.REPO, sample.rest(tmp_path), on_progress=stop)

    assert collected(store)["issue"] > 0
    assert told(store)["ran_since"] == []


def heads(store: psycopg.Connection) -> dict[str, tuple[int | None, int, int]]:
    """Return what GitHub counts of threads, what is held of these, and by how much that falls short."""
    return {
        account["kind"]: (account["github_states"], account["collected"], account["missing_from_source"])
        for account in told(store)["objects"]
        if account["kind"] in {"issue", "pull"}
    }


def test_threads_are_set_against_what_github_counts(
    store: psycopg.Connection, client: GitHub, repo: Repo, tide: Repository
) -> None:
    """Every pull request is in the list of issues too. Windows that were not fetched are what is missing."""
    tide.pull(2, title="Stop it", user="gull")

    fetch_windows(store, client, repo, WINDOWS)
    assert heads(store) == {"issue": (2, 2, 0), "pull": (1, 1, 0)}

    long_ago = "2023-02-01T00:00:00Z"
    tide.issue(3, title="In another quarter", user="buoy", created_at=long_ago, updated_at=long_ago)
    tide.comment(1, "Still there.", user="gull")
    fetch_windows(store, client, repo, WINDOWS)
    assert heads(store) == {"issue": (3, 2, 1), "pull": (1, 1, 0)}


def test_what_github_counts_costs_no_request_of_its_own(
    store: psycopg.Connection, client: GitHub, repo: Repo
) -> None:
    """It comes with the query that reads threads, so a fetch of nothing new leaves the count as it was."""
    fetch_windows(store, client, repo, WINDOWS)
    asked = client.activity.counts.requests["graphql"]
    assert asked == 1

    fetch_windows(store, client, repo, WINDOWS)
    assert client.activity.counts.requests["graphql"] == asked
    assert heads(store)["issue"] == (1, 1, 0)


def test_a_thread_that_went_is_not_missed_after_a_sweep(
    store: psycopg.Connection, client: GitHub, repo: Repo, tide: Repository, database_url: str
) -> None:
    """The sweep counts what is left."""
    tide.issue(2, title="Gone soon", user="gull")
    fetch_windows(store, client, repo, WINDOWS)
    tide.delete_thread(2)

    sweep(database_url, client, tide.full_name)
    assert heads(store)["issue"] == (1, 1, 0)


def test_a_thread_that_was_forgotten_is_not_missed(
    store: psycopg.Connection, client: GitHub, repo: Repo, tide: Repository, database_url: str
) -> None:
    """GitHub still counts it; that it is not here is what was asked for."""
    tide.issue(2, title="Please forget", user="gull")
    fetch_windows(store, client, repo, WINDOWS)
    forget_thread(database_url, tide.full_name, 2)
    assert heads(store)["issue"] == (2, 1, 0)
