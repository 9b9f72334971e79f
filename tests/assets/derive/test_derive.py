"""Derive on a real Postgres: what changed is written, once, whole, and nothing else."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from datetime import UTC, date, datetime
from typing import TYPE_CHECKING, Any

import psycopg
import pytest
from payloads import REPO, add_repo, comment, commit, issue, pull, review, stage, unstage

from relore_assets.authority.authors import refresh
from relore_assets.derive import batch, pool
from relore_assets.derive.derive import derive
from relore_assets.derive.fold import fold
from relore_assets.errors import UnknownRepository
from relore_assets.fingerprint import fingerprint
from relore_assets.partitions import all_windows
from relore_assets.windows import FIRST_WINDOW

if TYPE_CHECKING:
    from pathlib import Path

    from relore_assets.authority.lookup import Standing
    from relore_assets.derive.rows import Derived
    from relore_assets.derive.staged import Staged


def many(conn: psycopg.Connection, repo_id: int, count: int, *, comments: int = 3) -> None:
    """Stage a history of ``count`` threads, every third a pull request."""
    for number in range(1, count + 1):
        if number % 3 == 0:
            stage(
                conn,
                repo_id,
                "pull",
                number,
                number,
                pull(number, body=f"Fixes #{number - 1} in `tide_{number}`"),
            )
            stage(conn, repo_id, "review", number, number, review(number, "APPROVED", "Good."))
            stage(conn, repo_id, "pull_commits", number, number,
                  {"number": number, "items": [commit(f"{number:040x}", f"Mend tide {number}")]})  # fmt: skip
        else:
            stage(
                conn, repo_id, "issue", number, number, issue(number, body=f"ValueError: expected {number}")
            )
        for index in range(comments):
            key = number * 100 + index
            stage(
                conn,
                repo_id,
                "issue_comment",
                key,
                number,
                comment(key, f"word{index} about src/t{number}.py"),
            )


def rows(conn: psycopg.Connection, query: str, *values: object) -> list[tuple[Any, ...]]:
    found = conn.execute(query, values).fetchall()
    conn.commit()
    return found


def test_a_secret_that_is_taken_out_of_a_text_lives_on_in_no_version(
    conn: psycopg.Connection, database_url: str
) -> None:
    """Newer rules find more; what they find was never to be kept."""
    repo_id = add_repo(conn)
    stage(conn, repo_id, "issue", 1, 1, issue(1, body="The key is hunter2, mind you."))
    derive(database_url, REPO)
    stage(conn, repo_id, "issue", 1, 1, issue(1, body="The key is [redacted password], mind you."))
    derive(database_url, REPO)
    assert rows(conn, "SELECT body FROM relore.document_versions") == []
    stage(conn, repo_id, "issue", 1, 1, issue(1, body="The key is [redacted password], and old."))
    derive(database_url, REPO)
    assert len(rows(conn, "SELECT body FROM relore.document_versions")) == 1


def test_deriving_again_writes_nothing(conn: psycopg.Connection, database_url: str) -> None:
    """Unchanged threads are recognised by what they were derived from, and even when computed again write nothing."""
    repo_id = add_repo(conn)
    many(conn, repo_id, 20)
    first = derive(database_url, REPO)
    assert first.rows_written > 0
    assert first.batch.documents == rows(conn, "SELECT count(*) FROM relore.documents")[0][0]
    again = derive(database_url, REPO)
    assert (again.unchanged, again.rows_written) == (20, 0)
    full = derive(database_url, REPO, full=True)
    assert (full.batch.threads, full.rows_written) == (20, 0)


def test_a_fact_bears_the_thread_of_its_text(conn: psycopg.Connection, database_url: str) -> None:
    """Also after the text was edited."""
    repo_id = add_repo(conn)
    many(conn, repo_id, 6)
    derive(database_url, REPO)
    stage(conn, repo_id, "issue_comment", 100, 1, comment(100, "edited, about src/t2.py"))
    derive(database_url, REPO)

    told = "SELECT s.thread_id = d.thread_id, count(*) > 10 FROM relore.signals s JOIN relore.documents d"
    assert rows(conn, f"{told} ON d.id = s.document_id GROUP BY 1") == [(True, True)]


def test_workers_and_one_process_derive_the_same(conn: psycopg.Connection, database_url: str) -> None:
    """How the work was spread leaves no trace in the rows."""
    for name in ("harbor/one", "harbor/two"):
        many(conn, add_repo(conn, name), 120)
    derive(database_url, "harbor/one", workers=3)
    derive(database_url, "harbor/two", workers=1)
    one, two = fingerprint(conn, "harbor/one"), fingerprint(conn, "harbor/two")
    same = {"threads", "documents", "signals", "term_stats", "commits"}
    assert {name: one[name] for name in same} == {name: two[name] for name in same}


def test_an_edit_is_written_and_leaves_its_old_words(conn: psycopg.Connection, database_url: str) -> None:
    """The thread that changed is derived, the others are not looked at."""
    repo_id = add_repo(conn)
    many(conn, repo_id, 5)
    derive(database_url, REPO)
    stage(
        conn,
        repo_id,
        "issue_comment",
        100,
        1,
        comment(100, "changed zebra", updated_at="2024-05-01T00:00:00Z"),
    )
    result = derive(database_url, REPO)
    assert (result.unchanged, result.batch.written.documents, result.batch.written.versions) == (4, 1, 1)
    assert rows(conn, "SELECT body, reason FROM relore.document_versions") == [
        ("word0 about src/t1.py", "edited")
    ]
    assert rows(conn, "SELECT documents FROM relore.term_stats WHERE lexeme = 'zebra'") == [(1,)]
    assert rows(conn, "SELECT documents FROM relore.term_stats WHERE lexeme = 'word0'") == [(4,)]
    assert rows(conn, "SELECT count(*) FROM relore.signals WHERE value = 'src/t1.py'") == [(2,)]


def test_nothing_waits_beside_the_index_of_words(conn: psycopg.Connection, database_url: str) -> None:
    """What is written is in the index itself, so that no search has to read through a list of it."""
    many(conn, add_repo(conn), 5)
    derive(database_url, REPO)
    for index in ("documents_search", "documents_heads", "term_stats_parts"):
        assert rows(conn, "SELECT gin_clean_pending_list(%s::regclass)", f"relore.{index}") == [(0,)]


def test_what_is_deleted_is_gone_and_stays_gone(conn: psycopg.Connection, database_url: str) -> None:
    """Documents, signals and word counts go; the old words stay in the versions alone."""
    repo_id = add_repo(conn)
    many(conn, repo_id, 5)
    derive(database_url, REPO)
    unstage(conn, repo_id, "issue_comment", 100)
    assert derive(database_url, REPO).batch.written.removed_documents == 1
    assert derive(database_url, REPO, full=True).rows_written == 0
    assert rows(conn, "SELECT count(*) FROM relore.documents WHERE source_id = '100'") == [(0,)]
    assert rows(conn, "SELECT source_id, reason FROM relore.document_versions") == [("100", "deleted")]


def test_a_thread_whose_head_is_gone_goes(conn: psycopg.Connection, database_url: str) -> None:
    """Its comments become orphans, which are counted and derived by nobody."""
    repo_id = add_repo(conn)
    many(conn, repo_id, 5)
    derive(database_url, REPO)
    unstage(conn, repo_id, "issue", 1)
    result = derive(database_url, REPO)
    assert (result.batch.written.removed_threads, result.orphans) == (1, {1: 3})
    assert rows(conn, "SELECT number FROM relore.threads ORDER BY number") == [(2,), (3,), (4,), (5,)]
    assert rows(conn, "SELECT documents FROM relore.term_stats WHERE lexeme = 'word0'") == [(4,)]


def test_one_bad_thread_does_not_hold_up_the_others(conn: psycopg.Connection, database_url: str) -> None:
    """It is named with the reason, keeps what it had, and the pass does not count as well."""
    repo_id = add_repo(conn)
    many(conn, repo_id, 5)
    stage(conn, repo_id, "issue", 2, 2, issue(2, created_at=None))
    result = derive(database_url, REPO)
    assert list(result.batch.failed) == [2]
    assert rows(conn, "SELECT number FROM relore.threads ORDER BY number") == [(1,), (3,), (4,), (5,)]
    state = rows(conn, "SELECT last_ok_at, done, stated, error FROM relore.sync_state WHERE pass = 'derive'")
    assert state[0][:3] == (None, 4, 5)
    assert "#2" in state[0][3]


def test_windows_in_any_order_leave_every_thread_whole(conn: psycopg.Connection, database_url: str) -> None:
    """A window rebuilds the threads that it touched from everything staged, not from its own objects alone."""
    for name in ("harbor/one", "harbor/two"):
        repo_id = add_repo(conn, name)
        many(conn, repo_id, 6)
        late = comment(999, "late word", created_at="2024-08-01T00:00:00Z", updated_at="2024-08-01T00:00:00Z")
        stage(conn, repo_id, "issue_comment", 999, 1, late)
    derive(database_url, "harbor/one", windows=[date(2024, 7, 1)])
    assert rows(conn, "SELECT collected_comments FROM relore.threads") == [(4,)]
    derive(database_url, "harbor/one", windows=[date(2024, 1, 1), date(2024, 4, 1)])
    derive(database_url, "harbor/two")
    one, two = fingerprint(conn, "harbor/one"), fingerprint(conn, "harbor/two")
    assert {name: one[name] for name in ("threads", "documents", "signals")} == {
        name: two[name] for name in ("threads", "documents", "signals")
    }


def test_a_promotion_moves_documents_and_is_no_edit(conn: psycopg.Connection, database_url: str) -> None:
    """Standing is refreshed set-based; the words and their versions stay as they are."""
    repo_id = add_repo(conn)
    stage(conn, repo_id, "issue_comment", 5, 1, comment(5, "So be it."))
    stage(conn, repo_id, "issue", 1, 1, issue(1))
    derive(database_url, REPO)
    merged = pull(
        2, merged=True, merged_at="2023-12-01T00:00:00Z", merged_by={"login": "BUOY", "type": "User"}
    )
    stage(conn, repo_id, "pull", 2, 2, merged)
    moved = refresh(conn, repo_id)
    conn.commit()
    assert (moved.written, moved.documents_moved) == (1, 2)
    assert rows(conn, "SELECT DISTINCT trust FROM relore.documents") == [("authoritative",)]
    assert rows(conn, "SELECT count(*) FROM relore.document_versions") == [(0,)]
    assert refresh(conn, repo_id).written == 0
    conn.commit()
    derive(database_url, REPO)
    assert rows(conn, "SELECT count(*) FROM relore.documents WHERE trust <> 'authoritative'") == [(0,)]


def test_two_derives_at_once_are_one(conn: psycopg.Connection, database_url: str) -> None:
    """Threads are locked in one order: the second finds nothing to write, and neither fails."""
    repo_id = add_repo(conn)
    many(conn, repo_id, 150)
    script = f"from relore_assets.derive.derive import derive; print(derive({database_url!r}, {REPO!r}).rows_written)"
    both = [
        subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE, text=True) for _ in range(2)
    ]
    outcomes = [process.communicate()[0] for process in both]
    assert [process.returncode for process in both] == [0, 0], outcomes
    assert derive(database_url, REPO, full=True).rows_written == 0
    counted = rows(conn, "SELECT documents FROM relore.term_stats WHERE lexeme = 'word0'")
    assert counted == [(150,)]


@pytest.mark.parametrize("after", [0.0, 0.3, 0.6, 1.0])
def test_a_killed_derive_is_completed_by_the_next(
    conn: psycopg.Connection, database_url: str, tmp_path: Path, after: float
) -> None:
    """Wherever it was killed, the tables end as those of a derive that nobody disturbed."""
    for name in ("harbor/killed", "harbor/undisturbed"):
        many(conn, add_repo(conn, name), 200)
    mark = tmp_path / "started"
    script = (
        f"from pathlib import Path; from relore_assets.derive.derive import derive; Path({str(mark)!r}).touch(); "
        f"derive({database_url!r}, 'harbor/killed')"
    )
    process = subprocess.Popen([sys.executable, "-c", script], start_new_session=True)
    while not mark.exists():
        time.sleep(0.01)
    time.sleep(after)
    os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    derive(database_url, "harbor/killed")
    derive(database_url, "harbor/undisturbed")
    killed, undisturbed = fingerprint(conn, "harbor/killed"), fingerprint(conn, "harbor/undisturbed")
    same = {"threads", "documents", "signals", "changed_files", "commits", "term_stats"}
    assert {name: killed[name] for name in same} == {name: undisturbed[name] for name in same}


def test_a_worker_that_dies_ends_the_derive_and_the_next_one_resumes(
    conn: psycopg.Connection, database_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A dead worker is said, never taken for a finished one."""
    repo_id = add_repo(conn)
    many(conn, repo_id, 120)
    monkeypatch.setattr(sys, "executable", "/bin/false")
    with pytest.raises(pool.WorkerDied):
        derive(database_url, REPO, workers=2)
    monkeypatch.undo()
    assert derive(database_url, REPO).batch.threads == 120


def test_an_empty_repository_derives_to_nothing_and_is_complete(
    conn: psycopg.Connection, database_url: str
) -> None:
    """Nothing staged is an answer, with a date."""
    add_repo(conn)
    assert derive(database_url, REPO).rows_written == 0
    assert rows(
        conn, "SELECT stated, done FROM relore.sync_state WHERE pass = 'derive' AND last_ok_at IS NOT NULL"
    ) == [(0, 0)]


def test_an_unknown_repository_is_refused_with_what_to_do(database_url: str) -> None:
    """The sentence names the verb that indexes it."""
    with pytest.raises(UnknownRepository, match=r"relored import --repo harbor/none"):
        derive(database_url, "harbor/none")


def test_dates_out_of_all_windows_are_derived_with_the_nearest(
    conn: psycopg.Connection, database_url: str
) -> None:
    """A clock that ran ahead or was never set must not hide a thread: the open and the first window take them."""
    repo_id = add_repo(conn)
    for number, year in ((1, 2035), (2, 1999), (3, 2024)):
        at = f"{year}-02-01T00:00:00Z"
        stage(conn, repo_id, "issue", number, number, issue(number, created_at=at, updated_at=at))
    today = datetime.now(UTC)
    derive(database_url, REPO, windows=[all_windows(today)[-1]])
    assert rows(conn, "SELECT number FROM relore.threads") == [(1,)]
    derive(database_url, REPO, windows=[FIRST_WINDOW])
    assert rows(conn, "SELECT number FROM relore.threads ORDER BY number") == [(1,), (2,)]
    whole = derive(database_url, REPO, windows=all_windows(today))
    assert rows(conn, "SELECT count(*) FROM relore.threads") == [(3,)]
    assert whole.considered == 3


def test_a_path_longer_than_an_index_entry_is_kept(conn: psycopg.Connection, database_url: str) -> None:
    """Git allows it, and one such path must not cost the thread."""
    repo_id = add_repo(conn)
    path = "/".join(f"{index:032x}" for index in range(120)) + "/é.x"
    stage(conn, repo_id, "pull", 1, 1, pull(1, changed_files=1))
    files = {"number": 1, "items": [{"filename": path, "status": "added", "additions": 1, "deletions": 0}]}
    stage(conn, repo_id, "pull_files", 1, 1, files)
    inline = comment(5, "here", path=path, diff_hunk="@@ -1 +1 @@")
    stage(conn, repo_id, "review_comment", 5, 1, inline)
    assert derive(database_url, REPO).batch.failed == {}
    assert rows(conn, "SELECT path FROM relore.changed_files") == [(path,)]


def test_whatever_one_thread_trips_over_the_others_are_derived(
    conn: psycopg.Connection, database_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Even a fault of our own stops one thread and not a repository."""
    repo_id = add_repo(conn)
    many(conn, repo_id, 5)

    def trip(staged: Staged, repo: str, standing: Standing) -> Derived:
        if staged.number == 3:
            raise AttributeError("no such thing")
        return fold(staged, repo, standing)

    monkeypatch.setattr(batch, "fold", trip)
    result = derive(database_url, REPO)
    assert result.batch.failed == {3: "AttributeError: no such thing"}
    assert result.batch.threads == 4
