"""What a run counts now is timed by itself, so that the time left is that of the work left."""

from __future__ import annotations

from typing import TYPE_CHECKING

from relore_assets.fetch import repos
from relore_assets.fetch.github.activity import Activity, NullActivity

if TYPE_CHECKING:
    import psycopg


class Clock:
    """A clock that goes when it is told to."""

    def __init__(self) -> None:
        self.seconds = 1_700_000_000.0

    def __call__(self) -> float:
        """Return the time."""
        return self.seconds

    def pass_by(self, seconds: float) -> None:
        """Let time go by."""
        self.seconds += seconds


def test_work_is_timed_without_the_waits() -> None:
    """Waiting for a limit says nothing of how fast the work goes."""
    clock = Clock()
    activity = NullActivity(now=clock)
    clock.pass_by(10)
    with activity.waiting("quota", 600):
        clock.pass_by(600)
    clock.pass_by(10)
    activity.progress(100)
    assert activity.worked_seconds == 20


def test_something_else_is_timed_from_its_own_beginning() -> None:
    """Another total begins it, and so does a count that falls."""
    clock = Clock()
    activity = NullActivity(now=clock)
    clock.pass_by(100)
    activity.progress(5_000)
    clock.pass_by(3)
    activity.progress(10, total=1_000)
    assert activity.worked_seconds == 3
    clock.pass_by(4)
    activity.progress(20, total=1_000)
    assert activity.worked_seconds == 7
    clock.pass_by(2)
    activity.progress(1)
    assert activity.worked_seconds == 2


def test_the_time_is_written_with_the_count(conn: psycopg.Connection, database_url: str) -> None:
    """Also when a run is taken up again after a wait."""
    repo_id = repos.register(conn, "harbor/tide", "api", "https://github.test").id
    conn.commit()
    clock = Clock()
    for _ in range(2):
        with Activity(database_url, repo_id, run_id="r", pass_name="fetch", now=clock) as activity:
            with activity.waiting("quota", 60):
                clock.pass_by(60)
            clock.pass_by(5)
            activity.progress(10)
    row = conn.execute("SELECT done, worked_seconds, waited_seconds FROM relore.fetch_activity").fetchone()
    assert row == (10, 5.0, 120.0)
