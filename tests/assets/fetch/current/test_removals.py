"""What was removed is kept out by `Stage` itself, whatever is staged and from wherever."""

from __future__ import annotations

from datetime import UTC, datetime

import psycopg
import pytest
from payloads import REPO, add_repo, comment, issue

from relore_assets.fetch import removals
from relore_assets.fetch.archives.found import Raw
from relore_assets.fetch.current.forget import forget_comment
from relore_assets.fetch.current.removing import hold_alone, remove_objects, remove_threads
from relore_assets.fetch.door import clean
from relore_assets.fetch.staging import REMOVED, Source, Stage

AT = datetime(2024, 1, 2, tzinfo=UTC)
HEAD = Raw("issue", "1", 1, issue(1, comments=2), AT)
ONE = Raw("issue_comment", "11", 1, comment(11, "one"), AT)
TWO = Raw("issue_comment", "12", 1, comment(12, "two"), AT)


@pytest.fixture
def repo_id(conn: psycopg.Connection) -> int:
    return add_repo(conn)


def begun(store: psycopg.Connection, repo_id: int, source: Source, *raws: Raw) -> Stage:
    """Return a pass that has read some objects, and stored none yet."""
    stage = Stage(store, repo_id, marks="fetch" if source == "api" else "import", source=source)
    for raw in raws:
        stage.add(clean(raw))
    return stage


def held(store: psycopg.Connection) -> list[str]:
    return [row[0] for row in store.execute("SELECT object_id FROM relore.raw_objects ORDER BY object_id")]


def delete(store: psycopg.Connection, repo_id: int, reason: str = removals.DELETED) -> None:
    with store.transaction():
        hold_alone(store, repo_id)
        remove_objects(store, repo_id, [("issue_comment", "11")], reason=reason)


def test_an_archive_does_not_bring_back_what_is_gone(store: psycopg.Connection, repo_id: int) -> None:
    """It shows what was there once."""
    begun(store, repo_id, "api", HEAD, ONE, TWO).end()
    delete(store, repo_id)
    result = begun(store, repo_id, "archive", HEAD, ONE, TWO).end()
    assert held(store) == ["1", "12"]
    assert result.of("issue_comment").skipped == {REMOVED: 1}


def test_what_github_shows_afterwards_is_back(store: psycopg.Connection, repo_id: int) -> None:
    """The tombstone goes."""
    begun(store, repo_id, "api", HEAD, ONE, TWO).end()
    delete(store, repo_id)
    begun(store, repo_id, "api", ONE).end()
    assert held(store) == ["1", "11", "12"]
    assert store.execute("SELECT count(*) FROM relore.tombstones").fetchone() == (0,)


def test_what_was_read_before_the_removal_proves_nothing(store: psycopg.Connection, repo_id: int) -> None:
    """A page that was fetched a minute ago may hold what has been deleted since."""
    begun(store, repo_id, "api", HEAD, ONE, TWO).end()
    late = begun(store, repo_id, "api", ONE)
    delete(store, repo_id)
    late.end()
    assert held(store) == ["1", "12"]


@pytest.mark.parametrize("source", ["api", "archive"])
def test_what_is_forgotten_while_a_pass_runs_is_not_stored_by_it(
    store: psycopg.Connection, database_url: str, repo_id: int, source: Source
) -> None:
    """The pass had read the words before anybody asked to forget them."""
    begun(store, repo_id, "archive", HEAD, ONE, TWO).end()
    late = begun(store, repo_id, source, ONE, TWO)
    forget_comment(database_url, REPO, "11")
    late.end()
    assert held(store) == ["1", "12"]


@pytest.mark.parametrize(
    ("reason", "back"),
    [(removals.DELETED, True), (removals.TRANSFERRED, False), (removals.FORGOTTEN, False)],
    ids=str,
)
def test_a_thread_comes_back_with_its_head_alone(
    store: psycopg.Connection, repo_id: int, reason: str, *, back: bool
) -> None:
    """Comments without a head would be orphans; the pass says which threads are back, for the rest to be fetched."""
    begun(store, repo_id, "api", HEAD, ONE, TWO).end()
    with store.transaction():
        hold_alone(store, repo_id)
        assert remove_threads(store, repo_id, [1], reason=reason) == {1}
    assert begun(store, repo_id, "api", ONE).end().back == set()
    assert held(store) == []
    result = begun(store, repo_id, "api", HEAD, TWO).end()
    assert held(store) == (["1", "12"] if back else [])
    assert result.back == ({1} if back else set())


def test_a_deletion_makes_no_removal_on_request_less(store: psycopg.Connection, repo_id: int) -> None:
    """Else the comment could come back once GitHub shows it again."""
    begun(store, repo_id, "api", HEAD, ONE).end()
    delete(store, repo_id, removals.FORGOTTEN)
    store.execute(
        "INSERT INTO relore.raw_objects SELECT repo_id, 'issue_comment', '11', 1, payload, payload_hash, NULL, now(), "
        "source, 1 FROM relore.raw_objects WHERE object_id = '1'"
    )
    delete(store, repo_id)
    assert store.execute("SELECT reason FROM relore.tombstones").fetchall() == [("forgotten",)]


@pytest.mark.parametrize(
    ("payload", "kept"),
    [
        (
            {"user": {"login": "Gull"}, "title": "T", "body": "b"},
            {"user": None, "title": "[removed on request]", "body": None},
        ),
        ({"user": {"login": "keel"}, "body": "b"}, {"user": {"login": "keel"}, "body": "b"}),
        ({"assignees": [{"login": "gull"}, {"login": "keel"}]}, {"assignees": [{"login": "keel"}]}),
        (
            {"head": {"repo": {"owner": {"login": "gull"}, "name": "x"}, "ref": "fix"}},
            {"head": {"repo": None, "ref": "fix"}},
        ),
        (
            {"items": [{"sha": "a", "author": {"login": "gull"}, "commit": {"message": "m", "author": {"name": "G"}}}]},
            {"items": [{"sha": "a", "html_url": None, "author": None, "commit": {
                "message": "", "author": {"date": None}, "committer": {"date": None}}}]},
        ),
    ],
    ids=["own thread", "another's", "in a list", "a fork", "a commit"],
)  # fmt: skip
def test_a_person_is_taken_out_of_whatever_names_them(
    payload: dict[str, object], kept: dict[str, object]
) -> None:
    """The words where they are the person's own, the account everywhere."""
    people = frozenset({removals.login_digest("gull")})
    assert removals.redacted_of_people("issue", payload, people) == kept
    assert removals.redacted_of_people("issue", payload, frozenset()) == payload
