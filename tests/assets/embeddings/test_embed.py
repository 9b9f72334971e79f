"""Every thread has a vector of today's words, made once; nothing of what went stays behind in one."""

from __future__ import annotations

from collections.abc import Callable

import psycopg
import pytest
from fake_encoder import FakeEncoder
from rows import History

from relore_assets.embeddings import embed as embedding
from relore_assets.embeddings import keeping
from relore_assets.embeddings.embed import Embedded
from relore_assets.embeddings.keeping import VectorsUnavailable, ready
from relore_assets.fetch.removals import REMOVED_TITLE
from relore_assets.local.postgres import LocalPostgres
from relore_assets.schema import upgrade
from relore_serve.search.scope import Repo
from relore_serve.semantic import vectors

Made = Callable[[Repo], Embedded]


def stored(owner: psycopg.Connection) -> dict[int, tuple[object, ...]]:
    """Every vector by its thread's number, with what tells whether it was written anew."""
    rows = owner.execute(
        "SELECT t.number, v.model, v.digest, v.embedding::text, v.xmin::text, s.xmin::text, s.opened_at = t.created_at"
        " FROM relore_semantic.vectors v JOIN relore_semantic.signs s USING (repo_id, thread_id)"
        " JOIN relore.threads t ON t.id = v.thread_id AND t.repo_id = v.repo_id"
    )
    return {number: rest for number, *rest in rows}


def test_every_thread_gets_a_vector_of_its_title_and_its_post(
    repo: Repo, made: Made, owner: psycopg.Connection, encoder: FakeEncoder
) -> None:
    assert made(repo) == Embedded(threads=3, vectors=3, written=3)
    assert sorted(encoder.texts) == ["Boat leaks\nWater comes in.", "Mast is bent\nSee the mast.", "Paint"]
    assert set(stored(owner)) == {1, 2, 3}
    assert all(row[-1] is True for row in stored(owner).values())


def test_a_second_run_makes_none_and_writes_none(
    repo: Repo, made: Made, owner: psycopg.Connection, encoder: FakeEncoder
) -> None:
    made(repo)
    before = stored(owner)
    encoder.texts.clear()

    assert made(repo) == Embedded(threads=3, vectors=3, written=0)
    assert encoder.texts == []
    assert stored(owner) == before


@pytest.mark.parametrize("change", ["title", "body", "model"])
def test_a_vector_of_other_words_or_of_another_model_is_made_anew(
    repo: Repo, made: Made, owner: psycopg.Connection, encoder: FakeEncoder, change: str
) -> None:
    """And no other is."""
    made(repo)
    before = stored(owner)
    if change == "title":
        owner.execute("UPDATE relore.threads SET title = 'Boat sinks' WHERE number = 1")
    elif change == "body":
        owner.execute("UPDATE relore.documents SET body = 'Much water.' WHERE body = 'Water comes in.'")
    else:
        encoder.name = "fake/2"

    counted = vectors.count(owner, repo.id, encoder.name)
    again = made(repo)

    assert counted is not None
    assert (counted["vectors"] - counted["stale"], counted["threads"]) == ({"model": 0}.get(change, 2), 3)
    assert again.written == {"model": 3}.get(change, 1)
    assert {number for number, row in stored(owner).items() if row != before[number]} == (
        {1, 2, 3} if change == "model" else {1}
    )


def test_a_comment_makes_no_vector_anew(repo: Repo, made: Made, history: History) -> None:
    made(repo)
    history.comment(repo, 1, "Caulk it.")
    history.conn.commit()

    assert made(repo).written == 0


def test_a_blank_template_says_nothing_of_its_thread(
    repo: Repo, made: Made, history: History, encoder: FakeEncoder
) -> None:
    history.thread(repo, 4, "Rudder", "### Steps to reproduce\n\n### Expected behavior")
    history.conn.commit()

    made(repo)

    assert "Rudder" in encoder.texts


def test_a_run_that_is_killed_loses_no_vector_that_it_made(
    repo: Repo, made: Made, owner: psycopg.Connection, encoder: FakeEncoder, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(embedding, "BATCH", 1)

    def killed(text: str) -> None:
        if text == "Paint":
            raise KeyboardInterrupt

    encoder.before = killed
    with pytest.raises(KeyboardInterrupt):
        made(repo)
    assert set(stored(owner)) == {1, 2}
    encoder.before = lambda _text: None
    encoder.texts.clear()

    assert made(repo).written == 1
    assert encoder.texts == ["Paint"]


def test_what_changes_while_its_vector_is_made_gets_none_of_the_old_words(
    repo: Repo, made: Made, owner: psycopg.Connection, database_url: str, encoder: FakeEncoder
) -> None:
    """The next run makes it."""

    def edited(text: str) -> None:
        if text == "Paint":
            with psycopg.connect(database_url) as other:
                other.execute("UPDATE relore.threads SET title = 'Varnish' WHERE number = 3")

    encoder.before = edited

    assert made(repo) == Embedded(threads=3, vectors=2, written=2)
    assert set(stored(owner)) == {1, 2}
    assert made(repo).written == 1


def test_a_thread_that_vanishes_takes_its_vector_with_it(
    repo: Repo, made: Made, owner: psycopg.Connection
) -> None:
    made(repo)

    owner.execute("DELETE FROM relore.threads WHERE number = 1")

    assert set(stored(owner)) == {2, 3}
    assert owner.execute("SELECT count(*) FROM relore_semantic.signs").fetchone() == (2,)
    owner.execute("DELETE FROM relore.repos")
    assert owner.execute("SELECT count(*) FROM relore_semantic.vectors").fetchone() == (0,)


def test_each_repository_has_its_own(
    repo: Repo, made: Made, history: History, owner: psycopg.Connection
) -> None:
    other = history.repo("harbor/tide")
    history.thread(other, 1, "Boat leaks", "Water comes in.")
    history.conn.commit()
    made(repo)

    assert made(other) == Embedded(threads=1, vectors=1, written=1)
    assert owner.execute(
        "SELECT repo_id, count(*) FROM relore_semantic.vectors GROUP BY 1 ORDER BY 1"
    ).fetchall() == [
        (repo.id, 3),
        (other.id, 1),
    ]


def test_the_reader_may_read_them_and_nothing_else(
    repo: Repo, made: Made, database_url: str, reader_url: str
) -> None:
    made(repo)
    with psycopg.connect(reader_url, autocommit=True) as reader:
        reader.execute("SET default_transaction_read_only = off")
        for table in ("vectors", "signs"):
            assert reader.execute(f"SELECT count(*) FROM relore_semantic.{table}").fetchone() == (3,)
            with pytest.raises(psycopg.errors.InsufficientPrivilege):
                reader.execute(f"DELETE FROM relore_semantic.{table}")
    assert not upgrade(database_url).changed


def test_pgvector_is_used_where_the_administrator_has_put_it(
    repo: Repo, owner: psycopg.Connection, postgres: LocalPostgres, encoder: FakeEncoder
) -> None:
    """On many servers that is the schema `public`, or one of extensions."""
    postgres.add_vectors(owner.info.dbname, schema="public")

    assert embedding.embed(owner, repo.id, encoder).written == 3
    assert vectors.home(owner) == "public"


def test_without_its_administrator_pgvector_is_asked_for_in_one_sentence(owner: psycopg.Connection) -> None:
    with pytest.raises(VectorsUnavailable, match=r"Only an administrator .* CREATE EXTENSION vector;$"):
        ready(owner)
    assert vectors.home(owner) is None


def test_a_server_without_pgvector_is_told_of_in_one_sentence(
    owner: psycopg.Connection, monkeypatch: pytest.MonkeyPatch
) -> None:
    """And nothing is made in it."""
    asked = keeping.SQL["has_pgvector"].replace("'vector'", "'no such extension'")
    monkeypatch.setitem(keeping.SQL, "has_pgvector", asked)

    with pytest.raises(VectorsUnavailable, match="has no pgvector"):
        ready(owner)
    assert owner.execute("SELECT to_regnamespace('relore_semantic')").fetchone() == (None,)


def test_a_thread_whose_words_were_removed_on_request_has_no_vector(
    repo: Repo, made: Made, owner: psycopg.Connection, encoder: FakeEncoder
) -> None:
    """What stands for its title is nobody's word, and no thread is like it."""
    owner.execute("UPDATE relore.threads SET title = %s WHERE number = 3", [REMOVED_TITLE])

    assert made(repo) == Embedded(threads=2, vectors=2, written=2)
    assert set(stored(owner)) == {1, 2}
    assert not any(REMOVED_TITLE in text for text in encoder.texts)
