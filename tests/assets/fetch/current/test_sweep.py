"""What GitHub no longer holds goes, what it holds stays, whatever else is going on."""

from __future__ import annotations

import threading
from datetime import UTC, datetime

import psycopg
import pytest
from fake_github import FakeGitHub, Repository

from relore_assets.derive.derive import derive
from relore_assets.fetch import repos
from relore_assets.fetch.current.sweep import MassDeletion, is_mass, missing, sweep
from relore_assets.fetch.door import clean
from relore_assets.fetch.github.activity import NullActivity
from relore_assets.fetch.github.client import GitHub
from relore_assets.fetch.github.errors import NotFound, Unavailable
from relore_assets.fetch.github.tokens import PersonalToken
from relore_assets.fetch.passes.walks import LISTINGS, everything
from relore_assets.fetch.passes.window import fetch_windows
from relore_assets.fetch.repos import NotFromGitHub
from relore_assets.fetch.staging import Stage
from relore_assets.partitions import all_windows

REPO = "harbor/tide"


@pytest.fixture
def tide(github: FakeGitHub) -> Repository:
    """Thirty issues with two comments each, and one pull request with an inline comment."""
    tide = github.world.repository(REPO)
    for number in range(1, 31):
        tide.issue(number, title=f"Leak {number}", user="buoy")
        for index in range(2):
            tide.comment(number, f"word{index} of {number}", id=number * 10 + index)
    tide.pull(31, title="Caulk", user="keel")
    tide.review_comment(31, "use oakum", id=3100)
    return tide


@pytest.fixture
def fetched(store: psycopg.Connection, database_url: str, client: GitHub, tide: Repository) -> int:
    """The lists of the repository, staged and derived."""
    repo_id = repos.register(store, tide.full_name, "api", client.base.url).id
    bring(store, repo_id, client)
    derive(database_url, REPO)
    return repo_id


def bring(store: psycopg.Connection, repo_id: int, client: GitHub) -> None:
    """Stage what GitHub's lists hold now."""
    stage = Stage(store, repo_id, marks="fetch", source="api", windows=())
    for kind in LISTINGS:
        for raw in everything(client, REPO, kind):
            stage.add(clean(raw))
    stage.end()


def ids(store: psycopg.Connection, kind: str) -> set[str]:
    rows = store.execute("SELECT object_id FROM relore.raw_objects WHERE kind = %s", (kind,))
    return {row[0] for row in rows}


def bodies(store: psycopg.Connection) -> set[str]:
    return {row[0] for row in store.execute("SELECT body FROM relore.documents")}


@pytest.mark.usefixtures("fetched")
def test_a_deleted_comment_goes_and_stays_away(
    store: psycopg.Connection, database_url: str, client: GitHub, tide: Repository
) -> None:
    """It leaves staging, documents and signals; deriving everything again does not bring it back."""
    tide.delete(11)
    result = sweep(database_url, client, REPO)
    assert result.deleted == {"issue_comment": 1}
    assert "word1 of 1" not in bodies(store)
    derive(database_url, REPO, full=True)
    assert "word1 of 1" not in bodies(store)
    assert "word0 of 1" in bodies(store)
    assert store.execute(
        "SELECT kind, object_id, thread_number, reason FROM relore.tombstones"
    ).fetchall() == [("issue_comment", "11", 1, "deleted")]


@pytest.mark.usefixtures("fetched")
def test_a_deleted_thread_goes_with_everything_in_it(
    store: psycopg.Connection, database_url: str, client: GitHub, tide: Repository
) -> None:
    """Its comments need no tombstones of their own."""
    tide.delete_thread(2)
    result = sweep(database_url, client, REPO)
    assert result.deleted == {"thread": 1}
    assert store.execute("SELECT count(*) FROM relore.threads WHERE number = 2").fetchone() == (0,)
    assert store.execute("SELECT count(*) FROM relore.raw_objects WHERE thread_number = 2").fetchone() == (0,)
    assert store.execute("SELECT kind, object_id, reason FROM relore.tombstones").fetchall() == [
        ("thread", "2", "deleted")
    ]


@pytest.mark.usefixtures("fetched")
def test_a_transferred_issue_is_not_taken_for_a_deleted_one(
    github: FakeGitHub, store: psycopg.Connection, database_url: str, client: GitHub, tide: Repository
) -> None:
    """Nor is what stands at the end of the redirect stored under the old number."""
    tide.transfer(3, github.world.repository("harbor/elsewhere"), 77)
    assert sweep(database_url, client, REPO).transferred == 1
    assert store.execute("SELECT kind, object_id, reason FROM relore.tombstones").fetchall() == [
        ("thread", "3", "transferred")
    ]
    assert "Leak 3" not in bodies(store)


@pytest.mark.usefixtures("fetched")
def test_what_lists_passed_over_is_asked_for_before_it_goes(
    github: FakeGitHub, store: psycopg.Connection, database_url: str, client: GitHub
) -> None:
    """A list that moves while it is walked hides entries that are there."""
    github.fault(
        r"issues/comments\?", alter=lambda page: [one for one in page if one["id"] != 51], times=None
    )
    result = sweep(database_url, client, REPO)
    assert result.removed == 0
    assert github.log.count("/repos/{owner}/{repo}/issues/comments/{id}") == 1
    assert "51" in ids(store, "issue_comment")


@pytest.mark.usefixtures("fetched")
def test_more_missing_than_a_history_loses_is_refused(
    store: psycopg.Connection, database_url: str, client: GitHub, tide: Repository
) -> None:
    """Nothing at all is removed, until the operator says that it is meant."""
    for number in range(1, 12):
        for index in range(2):
            tide.delete(number * 10 + index)
    with pytest.raises(MassDeletion, match=r"22 of 60 comments.*--allow-mass-deletion"):
        sweep(database_url, client, REPO)
    assert len(ids(store, "issue_comment")) == 60
    error, last_ok_at = store.execute(
        "SELECT error, last_ok_at FROM relore.sync_state WHERE pass = 'sweep'"
    ).fetchone() or ("", "")
    assert "22 of 60 comments" in error
    assert last_ok_at is None
    assert sweep(database_url, client, REPO, allow_mass_deletion=True).deleted == {"issue_comment": 22}
    assert len(ids(store, "issue_comment")) == 38


@pytest.mark.parametrize(
    ("gone", "staged", "refused"), [(20, 30, False), (21, 30, True), (50, 1000, False), (51, 1000, True)]
)
def test_a_few_or_a_small_share_may_go(gone: int, staged: int, *, refused: bool) -> None:
    """Twenty entries, or one in twenty."""
    assert is_mass(gone, staged) == refused


def test_comments_of_a_missing_thread_are_not_missing_themselves() -> None:
    """They go with it, and do not count towards a mass."""
    assert missing({"11": 1, "12": 1, "21": 2}, {"11"}) == {"12", "21"}
    assert missing({"11": 1, "12": 1, "21": 2}, set(), {1}) == {"21"}


@pytest.mark.usefixtures("fetched")
def test_a_list_that_breaks_off_removes_nothing(
    github: FakeGitHub, store: psycopg.Connection, database_url: str, client: GitHub, tide: Repository
) -> None:
    """What was not seen is not gone."""
    tide.delete(11)
    github.fault("pulls/comments", status=502, times=None)
    with pytest.raises(Unavailable):
        sweep(database_url, client, REPO)
    assert "11" in ids(store, "issue_comment")
    error = store.execute("SELECT error FROM relore.sync_state WHERE pass = 'sweep'").fetchone()
    assert error is not None
    assert error[0]


@pytest.mark.usefixtures("fetched")
def test_what_a_poll_stages_while_a_sweep_runs_stays(
    github: FakeGitHub, store: psycopg.Connection, database_url: str, client: GitHub, tide: Repository
) -> None:
    """Between the walk of the comments and the removal one is written and one is edited, and both are staged."""
    walked, staged = threading.Event(), threading.Event()

    class Held(NullActivity):
        def doing(self, text: str) -> None:
            if text == "listing all inline comments":  # those of the threads have been walked
                walked.set()
                assert staged.wait(60)

    tide.delete(11)
    github.fault(r"issues/comments\?", alter=lambda page: [one for one in page if one["id"] != 21])
    github.fault("issues/comments/21", status=404)
    client.activity = Held()
    swept: list[object] = []
    thread = threading.Thread(target=lambda: swept.append(sweep(database_url, client, REPO)))
    thread.start()
    assert walked.wait(60)
    tide.comment(4, "just arrived", id=999)
    tide.edit(21, body="just edited")
    tokens = PersonalToken.parse(github.token, "GITHUB_TOKEN")
    with psycopg.connect(database_url, autocommit=True) as other, GitHub(github.url, tokens) as poller:
        fetch_windows(other, poller, repos.known(other, REPO), all_windows(datetime.now(UTC)))
    staged.set()
    thread.join()
    assert len(swept) == 1
    assert {"21", "999"} <= ids(store, "issue_comment")
    assert "11" not in ids(store, "issue_comment")


def test_what_is_back_is_staged_again(
    store: psycopg.Connection, database_url: str, client: GitHub, tide: Repository, fetched: int
) -> None:
    """An account that GitHub had hidden by mistake comes back with what it wrote; nothing else tells of it."""
    thread, _, comment = tide._part(11)
    tide.delete(11)
    sweep(database_url, client, REPO)
    thread.comments.append(comment)
    result = sweep(database_url, client, REPO)
    assert result.brought_back == 1
    assert "word1 of 1" in bodies(store)
    assert store.execute("SELECT count(*) FROM relore.tombstones").fetchone() == (0,)
    tide.delete(11)
    sweep(database_url, client, REPO)
    # Asked to be forgotten, it stays away although it is there.
    store.execute("UPDATE relore.tombstones SET reason = 'forgotten'")
    thread.comments.append(comment)
    assert sweep(database_url, client, REPO).brought_back == 0
    bring(store, fetched, client)
    assert "11" not in ids(store, "issue_comment")


@pytest.mark.usefixtures("fetched")
def test_a_thread_that_is_back_is_back_whole(
    store: psycopg.Connection, database_url: str, client: GitHub, tide: Repository
) -> None:
    """Its comments are older than any mark: no poll would ask for them."""
    thread = tide.threads[2]
    tide.delete_thread(2)
    sweep(database_url, client, REPO)
    assert not {"Leak 2", "word0 of 2"} & bodies(store)
    tide.deleted.discard(2)
    tide.threads[2] = thread
    sweep(database_url, client, REPO)
    assert {"Leak 2", "word0 of 2", "word1 of 2"} <= bodies(store)
    assert store.execute("SELECT count(*) FROM relore.tombstones").fetchone() == (0,)


@pytest.mark.usefixtures("fetched")
def test_a_sweep_of_what_is_in_order_changes_nothing(
    store: psycopg.Connection, database_url: str, client: GitHub
) -> None:
    """And says how much it looked at."""
    result = sweep(database_url, client, REPO)
    assert (result.live, result.removed, result.brought_back) == (92, 0, 0)
    assert store.execute(
        "SELECT stated, done, error, last_ok_at > last_run_at FROM relore.sync_state WHERE pass = 'sweep'"
    ).fetchone() == (92, 0, None, True)


def test_what_came_from_an_archive_is_not_swept(
    store: psycopg.Connection, database_url: str, client: GitHub
) -> None:
    """GitHub may know the name and mean something else by it."""
    repos.register(store, REPO, "archive", "/archive")
    with pytest.raises(NotFromGitHub, match="relored backfill"):
        sweep(database_url, client, REPO)


def test_where_access_has_ended_nothing_is_gone(
    github: FakeGitHub, database_url: str, client: GitHub
) -> None:
    """Lists from before and refusals from after: everything that is asked for seems to be missing."""
    tide = github.world.repository(REPO)
    for number in range(1, 31):
        tide.issue(number)
    with psycopg.connect(database_url, autocommit=True) as conn:
        repo = repos.register(conn, REPO, "api", client.base.url)
        fetch_windows(conn, client, repo, all_windows(datetime.now(UTC)))
        github.fault(r"/issues\?", alter=lambda body: [one for one in body if one["number"] > 10], times=None)
        github.fault(r"GET /repos/[^/]+/[^/]+$", status=404, body={"message": "Not Found"}, times=None)
        github.fault(r"/issues/\d+", status=404, body={"message": "Not Found"}, times=None)
        with pytest.raises(NotFound):
            sweep(database_url, client, REPO)
        assert conn.execute("SELECT count(*) FROM relore.raw_objects WHERE kind = 'issue'").fetchone() == (
            30,
        )
