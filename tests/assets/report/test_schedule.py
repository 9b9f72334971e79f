"""Who is measured every week."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING

import dagster as dg

from relore_assets.automation import bench_weekly
from relore_assets.resources import Store

if TYPE_CHECKING:
    from psycopg import Connection
    from rows import History


def tick(database_url: str) -> list[dg.RunRequest | dg.SkipReason]:
    with dg.instance_for_test() as instance:
        context = dg.build_schedule_context(
            instance=instance,
            scheduled_execution_time=datetime(2024, 6, 2, 5, 17, tzinfo=UTC),
            resources={"store": Store(url=database_url)},
        )
        return list(bench_weekly(context))


def with_set(conn: Connection, history: History, repo: str, name: str, *, frozen: bool) -> None:
    repo_id = _known(conn, repo) or history.repo(repo).id
    conn.execute(
        "INSERT INTO relore.bench_sets (repo_id, name, frozen_at, digest, header)"
        " VALUES (%s, %s, CASE WHEN %s THEN now() END, 'd', '{}')",
        [repo_id, name, frozen],
    )
    conn.commit()


def _known(conn: Connection, repo: str) -> int | None:
    row = conn.execute("SELECT id FROM relore.repos WHERE full_name = %s", [repo]).fetchone()
    return row[0] if row else None


def test_each_repository_with_a_frozen_set_is_measured_once_a_week(
    conn: Connection, database_url: str, history: History
) -> None:
    with_set(conn, history, "harbor/tide", "first", frozen=True)
    with_set(conn, history, "harbor/tide", "second", frozen=True)
    with_set(conn, history, "harbor/moor", "first", frozen=False)

    assert [(each.partition_key, each.run_key) for each in tick(database_url)] == [
        ("harbor/tide", "harbor/tide 2024-06-02")
    ]


def test_where_nothing_is_frozen_the_tick_says_so(
    conn: Connection, database_url: str, history: History
) -> None:
    with_set(conn, history, "harbor/moor", "first", frozen=False)
    (only,) = tick(database_url)

    assert isinstance(only, dg.SkipReason)
    assert only.skip_message == "no repository has a frozen set of questions"


def test_it_does_not_run_unless_somebody_starts_it() -> None:
    assert bench_weekly.default_status == dg.DefaultScheduleStatus.STOPPED
