"""A poll fetches what moved, all of it, and nothing else."""

from __future__ import annotations

import random
from collections.abc import Callable
from datetime import UTC, date, datetime

import psycopg
import pytest
from fake_github import FakeGitHub, Repository

from relore_assets.authority.authors import refresh
from relore_assets.derive.derive import derive
from relore_assets.fetch import repos
from relore_assets.fetch.current.heads import Committed, Head, Heads
from relore_assets.fetch.current.poll import NotFetched, due, recall, remember, windows_since
from relore_assets.fetch.current.sweep import sweep
from relore_assets.fetch.github.client import GitHub
from relore_assets.fetch.github.errors import GitHubError, Unavailable
from relore_assets.fetch.passes import storing
from relore_assets.fetch.passes.window import fetch_windows
from relore_assets.fingerprint import fingerprint
from relore_assets.local.postgres import LocalPostgres
from relore_assets.partitions import all_windows

REPO = "harbor/tide"


@pytest.fixture
def tide(github: FakeGitHub) -> Repository:
    tide = github.world.repository(REPO)
    for number in range(1, 6):
        tide.issue(number, title=f"Leak {number}")
        tide.comment(number, f"first word on {number}")
    tide.pull(6, title="Caulk")
    tide.commit(6, "oakum")
    tide.file(6, "hull.c")
    tide.review_comment(6, "tighter", path="hull.c")
    return tide


class Desk:
    """One database that follows a repository, as the runs of a poll do."""

    def __init__(self, url: str, client: GitHub) -> None:
        self.url = url
        self.client = client
        self.seen: Heads = {}
        with psycopg.connect(url, autocommit=True) as conn:
            self.repo = repos.register(conn, REPO, "api", client.base.url)

    def fetch(self, windows: list[date]) -> None:
        """Fetch windows and bring every table in line."""
        with psycopg.connect(self.url, autocommit=True) as conn:
            fetch_windows(conn, self.client, self.repo, windows)
            with conn.transaction():
                refresh(conn, self.repo.id)
        derive(self.url, REPO, windows=windows)

    def backfill(self) -> None:
        """Fetch everything."""
        self.fetch(all_windows(datetime.now(UTC)))

    def due(self) -> list[date]:
        """Look, as the sensor does."""
        with psycopg.connect(self.url, autocommit=True) as conn:
            found = due(conn, self.client, self.repo, self.seen)
        self.seen = found.heads
        return found.windows

    def poll(self) -> bool:
        """Look, and fetch what waits; return whether something did."""
        windows = self.due()
        if windows:
            self.fetch(windows)
        return bool(windows)

    def rows(self, query: str) -> list[tuple[object, ...]]:
        """Return what the database holds."""
        with psycopg.connect(self.url) as conn:
            return conn.execute(query).fetchall()

    def fingerprint(self) -> dict[str, str]:
        """Return the hashes of the tables that a fetch of the same state must yield."""
        with psycopg.connect(self.url) as conn:
            found = fingerprint(conn, REPO)
        return {name: found[name] for name in found.keys() - {"raw_objects", "document_versions"}}


@pytest.fixture
def desk(database_url: str, client: GitHub, tide: Repository) -> Desk:
    """A repository that has been fetched to its end."""
    desk = Desk(database_url, client)
    desk.backfill()
    assert tide.threads
    return desk


def bodies(desk: Desk) -> set[object]:
    return {row[0] for row in desk.rows("SELECT body FROM relore.documents")}


def test_an_idle_poll_costs_no_quota(github: FakeGitHub, desk: Desk) -> None:
    """The first look asks what there is; from then on GitHub says that nothing has changed."""
    assert not desk.poll()
    used, requests = github.used(), len(github.log)
    for _ in range(3):
        assert not desk.poll()
    assert github.used() == used
    assert {entry.status for entry in list(github.log)[requests:]} == {304}


def test_what_moved_is_fetched_and_costs_little(github: FakeGitHub, desk: Desk, tide: Repository) -> None:
    """A comment on one issue asks for no other thread again."""
    desk.poll()
    tide.comment(3, "second word on 3")
    github.log.clear()
    assert desk.poll()
    assert "second word on 3" in bodies(desk)
    # Two heads changed; three lists walked; the thread's events over GraphQL.
    assert github.log.cost() == 2 + 3 + 1
    assert not desk.poll()


@pytest.mark.parametrize(
    ("happen", "query", "expected"),
    [
        (
            lambda tide: tide.review_comment(6, "inline alone", touch=False, path="hull.c"),
            "SELECT count(*) FROM relore.documents WHERE body = 'inline alone'",
            1,
        ),
        (
            lambda tide: (tide.review(6, "APPROVED", "fine"), tide.review_comment(6, "nit", touch=False)),
            "SELECT count(*) FROM relore.verdicts WHERE verdict = 'APPROVED'",
            1,
        ),
        (
            lambda tide: tide.merge(6, by="keel"),
            "SELECT merged_by FROM relore.threads WHERE number = 6 AND merged",
            "keel",
        ),
        (
            lambda tide: (tide.file(6, "keel.c"), tide.edit_thread(6)),
            "SELECT count(*) FROM relore.changed_files",
            2,
        ),
        (lambda tide: tide.close(2, by="keel"), "SELECT closed_by FROM relore.threads WHERE number = 2", "keel"),
        (
            lambda tide: tide.edit(tide.threads[1].comments[0]["id"], body="first word, corrected"),
            "SELECT count(*) FROM relore.documents WHERE body = 'first word, corrected'",
            1,
        ),
        (lambda tide: tide.issue(7, title="New"), "SELECT title FROM relore.threads WHERE number = 7", "New"),
    ],
    ids=["inline comment alone", "review", "merge", "file", "closing", "edited comment", "new issue"],
)  # fmt: skip
def test_whatever_happens_arrives(
    desk: Desk, tide: Repository, happen: Callable[[Repository], object], query: str, expected: object
) -> None:
    """Also what the thread's own date does not tell of."""
    desk.poll()
    happen(tide)
    assert desk.poll()
    assert desk.rows(query) == [(expected,)]


def test_what_moves_no_date_is_found_by_the_sweep(desk: Desk, tide: Repository) -> None:
    """A push or a review may leave everything that polls go by as it was."""
    desk.poll()
    before = tide.threads[6].updated_at
    tide.commit(6, "pitch")
    tide.review(6, "APPROVED", "fine")
    tide.threads[6].fields["updated_at"] = before
    desk.poll()
    assert not {"pitch", "fine"} & bodies(desk)
    sweep(desk.url, desk.client, REPO)
    assert {"pitch", "fine"} <= bodies(desk)


def test_a_partial_list_removes_nothing(desk: Desk, tide: Repository) -> None:
    """The walk since the mark yields one comment of a thread that has two."""
    tide.comment(3, "second word on 3")
    desk.poll()
    assert {"first word on 3", "second word on 3"} <= bodies(desk)


def test_what_a_failed_poll_left_is_fetched_by_the_next(
    github: FakeGitHub, desk: Desk, tide: Repository
) -> None:
    """The heads were seen, and GitHub says that they have not changed since: the marks know better."""
    desk.poll()
    for number in range(1, 6):
        tide.comment(number, f"more on {number}")
    trouble = github.fault(r"issues/comments\?.*asc", status=502, times=None)
    with pytest.raises(Unavailable):
        desk.poll()
    github.clear_faults()
    assert trouble.hits
    assert desk.poll()
    assert {f"more on {number}" for number in range(1, 6)} <= bodies(desk)
    assert not desk.poll()


def test_a_poll_reads_what_a_failed_one_had_only_listed(
    github: FakeGitHub, desk: Desk, tide: Repository
) -> None:
    """All lists were walked and their marks moved; what they show was never read in detail."""
    desk.poll()
    tide.merge(6, by="keel")
    trouble = github.fault("/graphql", status=500, times=None)
    with pytest.raises(GitHubError):
        desk.poll()
    github.clear_faults()
    assert trouble.hits
    desk.seen = {}  # as somebody looks who saw nothing move
    assert desk.poll()
    assert desk.rows("SELECT merged_by FROM relore.threads WHERE number = 6 AND merged") == [("keel",)]
    assert not desk.poll()


def test_a_poll_derives_what_was_only_fetched(desk: Desk, tide: Repository) -> None:
    """A run that ended between the two leaves nothing to fetch, and tables that do not know of it."""
    desk.poll()
    tide.comment(3, "second word on 3")
    windows = desk.due()
    with psycopg.connect(desk.url, autocommit=True) as conn:
        fetch_windows(conn, desk.client, desk.repo, windows)
    assert desk.poll()
    assert "second word on 3" in bodies(desk)
    assert not desk.poll()


def test_nothing_is_left_behind_while_somebody_is_at_it(
    github: FakeGitHub, desk: Desk, tide: Repository
) -> None:
    """A backfill under way looks like one that died, but for its lock."""
    desk.poll()
    tide.merge(6, by="keel")
    github.fault("/graphql", status=500, times=None)
    with pytest.raises(GitHubError):
        desk.poll()
    desk.seen = {}
    with psycopg.connect(desk.url, autocommit=True) as conn, storing.alone(conn, desk.repo.id):
        assert not desk.due()
    assert desk.due()


def test_two_changes_within_one_second_are_two(desk: Desk, tide: Repository) -> None:
    """The second one comes after the walk, and bears the date that the mark already has."""
    desk.poll()
    at = "2024-06-01T00:00:00Z"
    tide.comment(1, "one", created_at=at)
    assert desk.poll()
    tide.comment(1, "two", created_at=at)
    assert desk.poll()
    assert {"one", "two"} <= bodies(desk)
    assert not desk.poll()


def _new_issue(tide: Repository, rng: random.Random, number: int) -> None:
    who = rng.choice(["buoy", "gull"])
    tide.issue(max(tide.threads) + 1, title=f"Issue about {number} and {rng.random()}", user=who)


def _new_pull(tide: Repository, rng: random.Random, number: int) -> None:
    made = max(tide.threads) + 1
    tide.pull(made, title=f"Pull {rng.random()}", user="keel", closes=[number])
    tide.commit(made, f"commit {rng.random()}", author="keel")
    tide.file(made, f"src/{rng.randrange(9)}.c")


def _comment(tide: Repository, rng: random.Random, number: int) -> None:
    who = rng.choice(["gull", "keel"])
    tide.comment(number, f"comment {rng.random()}, see #{rng.randrange(1, 9)}", user=who)


def _edit_comment(tide: Repository, rng: random.Random, number: int) -> None:
    for comment in tide.threads[number].comments[:1]:
        tide.edit(comment["id"], body=f"edited {rng.random()}")


def _delete_comment(tide: Repository, rng: random.Random, number: int) -> None:
    if tide.threads[number].comments:
        tide.delete(rng.choice(tide.threads[number].comments)["id"])


def _edit_thread(tide: Repository, rng: random.Random, number: int) -> None:
    tide.edit_thread(number, title=f"Renamed {rng.random()}", body="`src/2.c` raises ValueError: x")


def _label(tide: Repository, _: random.Random, number: int) -> None:
    tide.event(number, "labeled", actor="keel", label={"name": "leak"})
    tide.edit_thread(number, labels=[{"name": "leak"}])


def _close_or_reopen(tide: Repository, _: random.Random, number: int) -> None:
    if not tide.threads[number].is_pull:
        (tide.reopen if tide.threads[number].fields.get("state") == "closed" else tide.close)(number, "keel")


def _inline(tide: Repository, rng: random.Random, number: int) -> None:
    if tide.threads[number].is_pull:
        tide.review_comment(number, f"inline {rng.random()}", touch=False, path="src/1.c")


def _review(tide: Repository, rng: random.Random, number: int) -> None:
    if tide.threads[number].is_pull:
        tide.review(number, rng.choice(["APPROVED", "CHANGES_REQUESTED"]), "reviewed", user="keel")


def _merge(tide: Repository, _: random.Random, number: int) -> None:
    if tide.threads[number].is_pull and not tide.threads[number].fields.get("merged_at"):
        tide.merge(number, by="keel")


HAPPENINGS = (
    _new_issue, _new_pull, _comment, _edit_comment, _delete_comment, _edit_thread, _label, _close_or_reopen,
    _inline, _inline, _review, _review, _merge,
)  # fmt: skip


def test_forty_polls_of_a_moving_history_end_like_one_fetch(
    desk: Desk, tide: Repository, postgres: LocalPostgres, migrated: str
) -> None:
    """Whatever happened in whatever order; a sweep adds what only it can see."""
    rng = random.Random(20240501)  # noqa: S311 - repeatable on purpose
    for _ in range(40):
        for _ in range(rng.randint(1, 4)):
            rng.choice(HAPPENINGS)(tide, rng, rng.choice(sorted(tide.threads)))
        desk.poll()
    assert not desk.poll()
    assert sweep(desk.url, desk.client, REPO).removed > 0
    for table in (
        "threads",
        "documents",
        "signals",
        "links",
        "verdicts",
        "commits",
        "changed_files",
        "authors",
    ):
        assert len(desk.rows(f"SELECT FROM relore.{table}")) > 1, table
    postgres.create_database("fresh", template=migrated)
    try:
        fresh = Desk(postgres.url("fresh"), desk.client)
        fresh.backfill()
        assert fresh.fingerprint() == desk.fingerprint()
    finally:
        postgres.drop_database("fresh")


def test_a_repository_that_was_never_fetched_is_not_polled(
    database_url: str, client: GitHub, tide: Repository
) -> None:
    """A poll must not pass a part of a history off as the whole, nor begin a backfill that nobody asked for."""
    desk = Desk(database_url, client)
    with pytest.raises(NotFetched, match="relored backfill --repo harbor/tide"):
        desk.due()
    # The windows of years ago say nothing of today.
    desk.fetch([date(2024, 1, 1)])
    with pytest.raises(NotFetched):
        desk.due()
    assert tide.threads


def test_an_empty_repository_is_followed_from_its_first_issue_on(
    github: FakeGitHub, database_url: str, client: GitHub
) -> None:
    """Lists without entries leave no marks to go on from."""
    empty = github.world.repository(REPO)
    desk = Desk(database_url, client)
    desk.backfill()
    assert not desk.poll()
    empty.issue(1, title="The first")
    assert desk.poll()
    assert "The first" in bodies(desk)
    empty.pull(2, title="The first pull")
    empty.review_comment(2, "the first inline comment", touch=False)
    assert desk.poll()
    assert "the first inline comment" in bodies(desk)
    assert not desk.poll()


MAY = datetime(2024, 5, 1, tzinfo=UTC)
JULY = datetime(2024, 7, 1, 0, 0, 30, tzinfo=UTC)


@pytest.mark.parametrize(
    ("marks", "expected"),
    [
        ({"issue": MAY, "issue_comment": JULY}, ["2024-04-01", "2024-07-01", "2024-10-01"]),
        ({"issue": JULY, "issue_comment": JULY}, ["2024-04-01", "2024-07-01", "2024-10-01"]),
        ({"issue": datetime(2024, 11, 1, tzinfo=UTC), "issue_comment": None}, ["2024-10-01"]),
    ],
    ids=["oldest mark first", "a minute of overlap", "a list that was empty"],
)  # fmt: skip
def test_a_backlog_begins_where_the_oldest_mark_is(
    marks: dict[str, datetime | None], expected: list[str]
) -> None:
    """All windows up to the open one, in order."""
    heads = {"issue": Head("a", JULY), "issue_comment": Head("b", JULY), "review_comment": Head("c")}
    windows = windows_since(Committed(marks, None), heads, datetime(2024, 12, 1, tzinfo=UTC))
    assert [window.isoformat() for window in windows] == expected


def test_a_shell_remembers_what_it_saw(desk: Desk) -> None:
    """So that the next `relored poll` costs nothing either; an error leaves the date of the last good one."""
    desk.due()
    with psycopg.connect(desk.url, autocommit=True) as conn:
        assert recall(conn, desk.repo.id) == {}
        remember(conn, desk.repo.id, desk.seen)
        remember(conn, desk.repo.id, desk.seen, error="GitHub was away")
        assert recall(conn, desk.repo.id) == desk.seen
    assert desk.rows("SELECT error, last_ok_at < last_run_at FROM relore.sync_state WHERE pass = 'poll'") == [
        ("GitHub was away", True)
    ]
