"""A vector tells something of the words that it was made of, so it goes with them when somebody asks for that."""

from __future__ import annotations

from collections.abc import Callable

import psycopg
import pytest
from fake_encoder import FakeEncoder
from payloads import REPO, add_repo, comment, issue, stage, user

from relore_assets.derive.derive import derive
from relore_assets.embeddings.embed import Embedded
from relore_assets.fetch.current.forget import forget_author, forget_comment, forget_thread
from relore_serve.search.scope import Repo

Made = Callable[[Repo], Embedded]


def held(owner: psycopg.Connection) -> set[int]:
    """The numbers of the threads that have a vector."""
    rows = owner.execute(
        "SELECT t.number FROM relore_semantic.vectors v"
        " JOIN relore_semantic.signs s USING (repo_id, thread_id) JOIN relore.threads t ON t.id = v.thread_id"
    )
    return {number for (number,) in rows}


@pytest.fixture
def repo(conn: psycopg.Connection, database_url: str) -> Repo:
    """A thread that Gull opened, one that Gull answered, and one without Gull; staged and derived."""
    repo_id = add_repo(conn)
    gull = user("Gull")
    stage(conn, repo_id, "issue", 1, 1, issue(1, title="Boat leaks", body="Water comes in.", user=gull))
    stage(conn, repo_id, "issue", 2, 2, issue(2, title="Mast is bent", body="See it.", comments=1))
    stage(conn, repo_id, "issue_comment", 77, 2, comment(77, "I bent it.", user=gull))
    stage(conn, repo_id, "issue", 3, 3, issue(3, title="Paint", body=None))
    conn.commit()
    derive(database_url, REPO)
    return Repo(repo_id, REPO)


def test_a_thread_takes_its_vector(
    repo: Repo, made: Made, owner: psycopg.Connection, database_url: str
) -> None:
    made(repo)

    forget_thread(database_url, repo.name, 2)

    assert held(owner) == {1, 3}


def test_a_person_takes_those_of_the_threads_that_the_person_opened(
    repo: Repo, made: Made, owner: psycopg.Connection, database_url: str
) -> None:
    """The others were made of other people's words."""
    made(repo)

    forget_author(database_url, repo.name, "gull")

    assert held(owner) == {2, 3}


def test_a_comment_takes_none(repo: Repo, made: Made, owner: psycopg.Connection, database_url: str) -> None:
    """No vector is made of one."""
    made(repo)

    forget_comment(database_url, repo.name, "77")

    assert held(owner) == {1, 2, 3}


def test_what_is_forgotten_while_its_vector_is_made_gets_none(
    repo: Repo, made: Made, owner: psycopg.Connection, database_url: str, encoder: FakeEncoder
) -> None:
    def forgotten(text: str) -> None:
        if text.startswith("Boat"):
            forget_author(database_url, repo.name, "gull")

    encoder.before = forgotten

    made(repo)

    assert held(owner) == {2, 3}


def test_where_there_are_no_vectors_forgetting_is_as_ever(
    repo: Repo, owner: psycopg.Connection, database_url: str
) -> None:
    assert forget_author(database_url, repo.name, "gull").documents > 0
    assert owner.execute("SELECT to_regnamespace('relore_semantic')").fetchone() == (None,)
