"""A worker that is killed in the middle of its work is said, holds up nothing, and costs nothing but its batch."""

from __future__ import annotations

from typing import TYPE_CHECKING

import psutil
import psycopg
import pytest
from payloads import add_repo, comment, issue, stage

import relore_assets.derive.derive as deriving
from relore_assets.derive.derive import Progress, derive
from relore_assets.derive.pool import WorkerDied
from relore_assets.fingerprint import fingerprint

if TYPE_CHECKING:
    from collections.abc import Callable

THREADS = 150
SAME = {"threads", "documents", "signals", "term_stats", "links"}


def fill(conn: psycopg.Connection, repo_id: int) -> None:
    for number in range(1, THREADS + 1):
        stage(conn, repo_id, "issue", number, number, issue(number, title=f"Leak {number}", comments=2))
        for place in range(2):
            object_id = number * 10 + place
            stage(
                conn,
                repo_id,
                "issue_comment",
                object_id,
                number,
                comment(object_id, f"caulk {place} of {number}"),
            )
    conn.commit()


def workers() -> list[psutil.Process]:
    """Return the worker processes of this one."""
    return [
        child
        for child in psutil.Process().children()
        if "relore_assets.derive.worker" in " ".join(child.cmdline())
    ]


def after(steps: int, act: Callable[[], object]) -> Callable[[Progress], None]:
    """Do something once, when so many batches are done."""
    seen: list[Progress] = []

    def told(progress: Progress) -> None:
        seen.append(progress)
        if len(seen) == steps:
            act()

    return told


@pytest.mark.parametrize("steps", [1, 4, 9])
@pytest.mark.parametrize("count", [1, 2], ids=["one worker", "all workers"])
def test_a_killed_worker_ends_the_derive_and_the_next_one_completes_it(
    conn: psycopg.Connection, database_url: str, monkeypatch: pytest.MonkeyPatch, steps: int, count: int
) -> None:
    """What was committed stays, and at the end the tables are those of a derive that nobody disturbed."""
    monkeypatch.setattr(deriving, "BATCH_OBJECTS", 30)
    for name in ("harbor/one", "harbor/two"):
        fill(conn, add_repo(conn, name))
    killed: list[int] = []

    def kill() -> None:
        for worker in workers()[:count]:
            killed.append(worker.pid)
            worker.kill()

    with pytest.raises(WorkerDied, match="ended early"):
        derive(database_url, "harbor/one", workers=2, on_progress=after(steps, kill))
    assert len(killed) == count
    assert workers() == []
    assert derive(database_url, "harbor/one", workers=2).batch.failed == {}
    derive(database_url, "harbor/two", workers=2)
    one, two = fingerprint(conn, "harbor/one"), fingerprint(conn, "harbor/two")
    assert {name: one[name] for name in SAME} == {name: two[name] for name in SAME}
