"""The record of a run, as another connection sees it."""

from __future__ import annotations

from collections.abc import Callable

import psycopg
import pytest
from psycopg.rows import dict_row
from scripted_server import Clock, Say, in_turn
from talking import Start

from relore_assets.fetch import repos
from relore_assets.fetch.github.activity import WRITE_EVERY, Activity, NullActivity
from relore_assets.fetch.github.errors import NotFound
from relore_assets.fetch.github.protocol import Quota


@pytest.fixture
def repo_id(conn: psycopg.Connection) -> int:
    repo = repos.register(conn, "octo/kit", "api", "")
    conn.commit()
    return repo.id


@pytest.fixture
def activity(database_url: str, repo_id: int, clock: Clock) -> Callable[..., Activity]:
    return lambda **how: Activity(
        database_url, repo_id, **{"run_id": "run-1", "pass_name": "fetch", "now": clock.now, **how}
    )


def row(conn: psycopg.Connection) -> dict[str, object]:
    with conn.transaction(), conn.cursor(row_factory=dict_row) as cursor:
        told = cursor.execute("SELECT * FROM relore.fetch_activity").fetchone()
    assert told is not None
    return told


def test_a_run_shows_from_its_first_moment(
    conn: psycopg.Connection, activity: Callable[..., Activity], clock: Clock
) -> None:
    with activity():
        told = row(conn)
    assert (told["run_id"], told["pass"], told["done"], told["ended_at"]) == ("run-1", "fetch", 0, None)
    assert told["started_at"].timestamp() == clock.now()


def test_counts_are_written_every_few_seconds_and_at_the_end(
    conn: psycopg.Connection, activity: Callable[..., Activity], clock: Clock
) -> None:
    with activity() as record:
        record.doing("issues since 2024-01-01, page 7")
        record.request("issues")
        record.progress(700, 1827)
        assert row(conn)["requests"] == {}
        clock.sleep(WRITE_EVERY)
        record.request("issues")
        told = row(conn)
        assert (told["requests"], told["doing"]) == ({"issues": 2}, "issues since 2024-01-01, page 7")
        assert (told["done"], told["total"], told["seen_at"].timestamp()) == (700, 1827, clock.now())
        record.points(3)
        record.not_modified()
        record.retried("502")
        record.progress(800)
    told = row(conn)
    assert (told["points"], told["not_modified"], told["retries"]) == (3, 1, {"502": 1})
    assert (told["done"], told["total"], told["error"]) == (800, 1827, None)
    assert told["ended_at"].timestamp() == clock.now()


def test_a_wait_shows_at_once_with_its_reason_and_its_end(
    conn: psycopg.Connection, activity: Callable[..., Activity], clock: Clock
) -> None:
    with activity() as record:
        with record.waiting("core quota", 900):
            told = row(conn)
            assert told["waiting_for"] == "core quota"
            assert told["waiting_until"].timestamp() == clock.now() + 900
            clock.sleep(900)
        told = row(conn)
        assert (told["waiting_for"], told["waiting_until"], told["waited_seconds"]) == (None, None, 900)


def test_a_failed_run_keeps_its_sentence_and_nobody_elses_words(
    conn: psycopg.Connection, activity: Callable[..., Activity]
) -> None:
    """What a foreign error says may hold anything, the address of the database not excepted."""
    with pytest.raises(NotFound), activity():
        raise NotFound("octo/kit is not on GitHub.")
    assert row(conn)["error"] == "octo/kit is not on GitHub."
    with pytest.raises(ValueError, match="secret"), activity():
        raise ValueError("secret")
    assert row(conn)["error"] == "ValueError"


def test_a_pass_that_is_taken_up_again_goes_on_counting(
    conn: psycopg.Connection, activity: Callable[..., Activity]
) -> None:
    for _ in range(2):
        with activity() as record:
            record.request("issues")
            record.retried("502")
    told = row(conn)
    assert (told["requests"], told["retries"]) == ({"issues": 2}, {"502": 2})


def test_passes_of_one_run_have_rows_of_their_own(
    conn: psycopg.Connection, activity: Callable[..., Activity]
) -> None:
    with activity(), activity(pass_name="authority"):
        pass
    with conn.transaction():
        passes = conn.execute("SELECT pass FROM relore.fetch_activity ORDER BY pass").fetchall()
    assert passes == [("authority",), ("fetch",)]


def test_the_newest_word_on_a_quota_stays(
    conn: psycopg.Connection, activity: Callable[..., Activity], clock: Clock
) -> None:
    with activity() as record:
        record.quota("GITHUB_TOKEN", Quota("core", 5000, 4000, clock.now() + 60))
    clock.sleep(10)
    with activity() as record:
        record.quota("GITHUB_TOKEN", Quota("core", 5000, 3000, clock.now() + 50))
        record.quota("GITHUB_TOKEN", Quota("graphql", 5000, 2000, clock.now() + 50))
    clock.sleep(-5)
    with activity() as record:
        record.quota("GITHUB_TOKEN", Quota("core", 5000, 3500, clock.now() + 55))
    with conn.transaction():
        told = conn.execute("SELECT token_name, resource, remaining FROM relore.quotas ORDER BY 2").fetchall()
    assert told == [("GITHUB_TOKEN", "core", 3000), ("GITHUB_TOKEN", "graphql", 2000)]


def test_a_record_that_cannot_be_written_does_not_stop_the_run(
    conn: psycopg.Connection, activity: Callable[..., Activity], caplog: pytest.LogCaptureFixture
) -> None:
    with activity() as record:
        record._url = "postgresql://nobody@127.0.0.1:1/nothing"
        record.request("issues")
    assert row(conn)["ended_at"] is None
    assert "could not be recorded" in caplog.text


def test_the_client_tells_all_of_what_it_does(
    talk: Start, conn: psycopg.Connection, activity: Callable[..., Activity], clock: Clock
) -> None:
    headers = {
        "X-RateLimit-Limit": "5000",
        "X-RateLimit-Remaining": "4998",
        "X-RateLimit-Reset": str(int(clock.now() + 60)),
    }
    limited = Say({"message": "You have exceeded a secondary rate limit."}, status=403)
    with activity() as record:
        said = talk(in_turn(limited, Say(status=500), Say({}, headers=headers)), activity=record)
        said.github.get("/repos/octo/kit/issues/7")
    told = row(conn)
    assert told["requests"] == {"issues/N": 3}
    assert told["retries"] == {"secondary limit": 1, "500": 1}
    assert 61 <= told["waited_seconds"] <= 62
    with conn.transaction():
        assert conn.execute("SELECT token_name, remaining FROM relore.quotas").fetchall() == [
            ("GITHUB_TOKEN", 4998)
        ]


def test_threads_that_wait_together_are_shown_waiting_until_the_last_goes_on(clock: Clock) -> None:
    record = NullActivity(now=clock.now)
    with record.waiting("core quota", 60):
        with record.waiting("core quota", 60):
            pass
        assert record.waiting_for == "core quota"
    assert record.waiting_for is None


def test_counts_are_metadata(clock: Clock) -> None:
    record = NullActivity(now=clock.now)
    record.request("issues")
    record.request("graphql")
    record.points(2)
    record.quota("GITHUB_TOKEN", Quota("core", 5000, 4999, 0))
    told = record.metadata()
    assert (told["requests"], told["graphql_points"]) == (2, 2)
    assert told["requests_by_endpoint"] == {"issues": 1, "graphql": 1}
    assert told["quota_remaining"] == {"GITHUB_TOKEN core": 4999}
