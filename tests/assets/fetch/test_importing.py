"""An archive becomes staged objects: once, whole, clean, and whatever happens on the way."""

from __future__ import annotations

import gzip
import json
import signal
import subprocess
import sys
import threading
import tracemalloc
from datetime import UTC, date, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import psycopg
import pytest
import sample_archives as sample

from relore_assets.errors import UnknownRepository
from relore_assets.fetch import repos, staging
from relore_assets.fetch.importing import Progress, books_of, import_archive, quarters_present
from relore_assets.fetch.repos import BadNameError
from relore_assets.fingerprint import fingerprint
from relore_assets.partitions import all_windows
from relore_assets.windows import NO_WINDOW, window_of

if TYPE_CHECKING:
    from psycopg import Connection

REPO = sample.REPO
TOKEN = "ghp_" + "Zq3Tx9Lm" * 4 + "Rv7K"


def staged(conn: Connection) -> dict[tuple[str, str], Any]:
    return {
        (kind, ident): payload
        for kind, ident, payload in conn.execute("SELECT kind, object_id, payload FROM relore.raw_objects")
    }


def named(conn: Connection) -> set[tuple[str, int, str]]:
    return set(conn.execute("SELECT file, line, reason FROM relore.rejected_lines").fetchall())


def marks(conn: Connection) -> dict[tuple[str, date], tuple[int, int]]:
    rows = conn.execute("SELECT pass, window_start, stated, done FROM relore.sync_state").fetchall()
    return {(name, window): (stated, done) for name, window, stated, done in rows}


def many(root: Path, count: int, size: int = 40) -> Path:
    """Write an archive of ``count`` comments, spread over the quarters of three years."""
    text = "Seen at low water. " * (size // 19 + 1)
    comments = (
        sample.comment(
            1, number, body=f"{number} {text}", updated_at=f"202{number % 3}-0{number % 9 + 1}-05T00:00:00Z"
        )
        for number in range(1, count + 1)
    )
    return sample.rest(root, issue_comments=comments)


def test_every_object_of_an_archive_is_staged(database_url: str, conn: Connection, tmp_path: Path) -> None:
    """Payloads as GitHub sent them, without our number and without source text."""
    result = import_archive(database_url, REPO, sample.rest(tmp_path))
    found = staged(conn)
    assert result.layout == "rest_jsonl"
    assert (result.staged.read, result.staged.written, result.staged.unchanged) == (11, 11, 0)
    assert len(found) == 11
    assert found["event", "42"] == sample.event(42, "closed")
    files = [
        {key: value for key, value in sample.changed(name).items() if key != "patch"}
        for name in ("tide/table.py", "tide/moon.py")
    ]
    assert found["pull_files", "2"] == {"number": 2, "items": files}


def test_a_second_import_writes_nothing_and_says_so(
    database_url: str, conn: Connection, tmp_path: Path
) -> None:
    """Not one row version is new, in the staging table or in the list of rejected lines."""
    sample.rest(tmp_path, events=["{broken", {"_n": 1, **sample.event(41)}])
    import_archive(database_url, REPO, tmp_path)
    versions = (
        "SELECT xmin::text, ctid::text FROM relore.raw_objects UNION ALL "
        "SELECT xmin::text, ctid::text FROM relore.rejected_lines ORDER BY 1, 2"
    )
    before = conn.execute(versions).fetchall()
    result = import_archive(database_url, REPO, tmp_path).staged
    conn.rollback()
    assert (result.written, result.unchanged, result.rejected) == (0, 10, 1)
    assert conn.execute(versions).fetchall() == before


def test_only_what_differs_is_written(database_url: str, conn: Connection, tmp_path: Path) -> None:
    """An edited comment replaces itself; the rest stays."""
    import_archive(database_url, REPO, sample.rest(tmp_path))
    edited = sample.comment(1, 11, body="Never mind.", updated_at="2024-03-01T00:00:00Z")
    sample.rest(tmp_path, issue_comments=[edited, sample.comment(2, 12)])
    result = import_archive(database_url, REPO, tmp_path).staged
    assert result.written == 1
    assert result.of("issue_comment").written == 1
    assert staged(conn)["issue_comment", "11"] == edited


def test_an_older_archive_does_not_turn_time_back(
    database_url: str, conn: Connection, tmp_path: Path
) -> None:
    """What is stored is newer by GitHub's own date, and stays."""
    newer = sample.comment(1, 11, body="Edited.", updated_at="2024-03-01T00:00:00Z")
    import_archive(database_url, REPO, sample.rest(tmp_path, issue_comments=[newer]))
    result = import_archive(
        database_url, REPO, sample.rest(tmp_path, issue_comments=[sample.comment(1, 11)])
    ).staged
    assert (result.written, result.older) == (0, 1)
    assert staged(conn)["issue_comment", "11"] == newer


def test_an_object_repeated_in_the_source_is_stored_once_and_counted(
    database_url: str, conn: Connection, tmp_path: Path
) -> None:
    """The newer of the two stays, whichever comes first."""
    newer = sample.comment(1, 11, body="Edited.", updated_at="2024-03-01T00:00:00Z")
    sample.rest(tmp_path, issue_comments=[newer, sample.comment(1, 11)])
    result = import_archive(database_url, REPO, tmp_path).staged
    assert staged(conn)["issue_comment", "11"] == newer
    assert result.skipped[staging.REPEATED] == 1
    assert import_archive(database_url, REPO, tmp_path).staged.written == 0


def test_a_pull_request_that_is_an_issue_too_is_one_number(
    database_url: str, conn: Connection, tmp_path: Path
) -> None:
    """Its two objects are staged as what they are, under one number."""
    import_archive(database_url, REPO, sample.rest(tmp_path))
    heads = conn.execute(
        "SELECT kind, thread_number FROM relore.raw_objects WHERE kind IN ('issue', 'pull') ORDER BY 1, 2"
    ).fetchall()
    assert heads == [("issue", 1), ("issue", 2), ("pull", 2)]


def test_no_secret_is_stored_wherever_it_stands(database_url: str, conn: Connection, tmp_path: Path) -> None:
    """In a title, a label, a hunk, a commit message, a path, and as the name of a field."""
    sample.rest(
        tmp_path,
        issues=[sample.issue(1, title=f"token {TOKEN} leaked", labels=[{"name": TOKEN}])],
        review_comments=[sample.inline(2, 31, diff_hunk=f"@@ -1 +1 @@\n+key = '{TOKEN}'")],
        commits=[{"_n": 2, **sample.commit("a" * 40, f"Use {TOKEN}")}],
        files=[{"_n": 2, **sample.changed(f"keys/{TOKEN}")}],
        events=[{"_n": 1, **sample.event(41), TOKEN: 1}],
    )
    result = import_archive(database_url, REPO, tmp_path).staged
    everything = conn.execute("SELECT string_agg(payload::text, ' ') FROM relore.raw_objects").fetchone()
    assert everything is not None
    assert TOKEN[:20] not in everything[0]
    total = conn.execute("SELECT sum(redactions) FROM relore.raw_objects").fetchone()
    assert total is not None
    assert total[0] == result.redactions >= 5


def test_characters_that_postgres_cannot_hold_are_replaced_and_counted(
    database_url: str, conn: Connection, tmp_path: Path
) -> None:
    """NUL in a body, half a surrogate pair in a title: both become U+FFFD, and the thread is staged."""
    sample.rest(
        tmp_path,
        issues=[sample.issue(1, title="half \ud83d a face", body="before\x00after")],
        review_comments=[sample.inline(2, 31, diff_hunk="@@ -1 +1 @@\n+\x00")],
    )
    result = import_archive(database_url, REPO, tmp_path).staged
    found = staged(conn)
    assert found["issue", "1"]["title"] == "half \ufffd a face"
    assert found["issue", "1"]["body"] == "before\ufffdafter"
    assert found["review_comment", "31"]["diff_hunk"].endswith("+\ufffd")
    assert result.replacements == 3
    assert result.rejected == 0


def test_a_broken_line_is_named_and_forgotten_when_it_is_mended(
    database_url: str, conn: Connection, tmp_path: Path
) -> None:
    """It costs its own object only, and the next import of a mended archive brings that one."""
    whole = [sample.comment(1, ident) for ident in (11, 12, 13)]
    torn = json.dumps(whole[1])[:-9]
    sample.rest(tmp_path, issue_comments=[whole[0], torn, whole[2]], events=["nonsense"])
    result = import_archive(database_url, REPO, tmp_path).staged
    assert (result.rejected, result.of("issue_comment").rejected) == (2, 1)
    assert {(file, line) for file, line, _ in named(conn)} == {
        ("issue_comments.jsonl.gz", 2),
        ("events.jsonl.gz", 1),
    }
    assert {ident for kind, ident in staged(conn) if kind == "issue_comment"} == {"11", "13"}
    conn.rollback()
    sample.rest(tmp_path, issue_comments=whole, events=["nonsense"])
    assert import_archive(database_url, REPO, tmp_path).staged.written == 1
    assert {(file, line) for file, line, _ in named(conn)} == {("events.jsonl.gz", 1)}
    assert len(staged(conn)) == 12 - 2


def test_an_archive_cut_off_in_the_middle_keeps_what_came_before(
    database_url: str, conn: Connection, tmp_path: Path
) -> None:
    """The end is named, later files are read, and the whole archive brings the rest."""
    many(tmp_path, 3_000)
    path = tmp_path / "issue_comments.jsonl.gz"
    whole = path.read_bytes()
    path.write_bytes(whole[: len(whole) // 2])
    result = import_archive(database_url, REPO, tmp_path).staged
    kept = result.of("issue_comment").written
    assert 500 < kept < 2_500
    assert result.of("review_comment").written == 1
    assert named(conn) == {("issue_comments.jsonl.gz", kept + 1, "the compressed data ends in the middle")}
    conn.rollback()
    path.write_bytes(whole)
    assert import_archive(database_url, REPO, tmp_path).staged.written == 3_000 - kept
    assert named(conn) == set()


def test_windows_together_are_the_whole(
    database_url: str, conn: Connection, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whatever their order, imports of single windows end where one import of everything ends."""
    monkeypatch.setattr(staging, "BATCH_OBJECTS", 16)
    many(tmp_path, 200)
    windows = quarters_present(tmp_path)
    assert windows[0] == date(2020, 1, 1)
    assert len(windows) > 8
    import_archive(database_url, "harbor/whole", tmp_path)
    for window in reversed(windows):
        result = import_archive(database_url, REPO, tmp_path, only_windows={window}).staged
        assert result.written > 0
    assert import_archive(database_url, REPO, tmp_path).staged.written == 0
    assert fingerprint(conn, REPO) == fingerprint(conn, "harbor/whole")


def test_the_first_and_the_open_window_take_what_is_dated_outside_of_all(
    database_url: str, conn: Connection, tmp_path: Path
) -> None:
    """Imported dates and clocks that ran ahead: whoever imports all windows has imported everything."""
    old = sample.comment(1, 11, updated_at="1999-01-01T00:00:00Z")
    new = sample.comment(1, 12, updated_at="2231-01-01T00:00:00Z")
    sample.rest(tmp_path, issue_comments=[old, new])
    windows = all_windows(datetime.now(UTC))
    import_archive(database_url, REPO, tmp_path, only_windows={windows[0]})
    assert ("issue_comment", "11") in staged(conn)
    assert ("issue_comment", "12") not in staged(conn)
    import_archive(database_url, REPO, tmp_path, only_windows={windows[-1]})
    assert ("issue_comment", "12") in staged(conn)
    assert set(quarters_present(tmp_path)) <= set(windows)


def test_a_window_takes_what_changed_in_it_and_no_more(
    database_url: str, conn: Connection, tmp_path: Path
) -> None:
    """Lists go with their pull request, and what has no date at all goes with every window."""
    undated = {"_n": 1, **sample.event(43), "created_at": None}
    sample.rest(tmp_path, events=[{**undated, "_n": 77}, {"_n": 1, **sample.event(41)}])
    import_archive(database_url, REPO, tmp_path, only_windows={date(2024, 4, 1)})
    assert {kind for kind, _ in staged(conn)} == {
        "pull",
        "review",
        "review_comment",
        "pull_commits",
        "pull_files",
        "event",
    }
    assert ("event", "43") in staged(conn)
    assert ("event", "41") not in staged(conn)


def test_marks_say_what_the_source_states_and_what_is_done_of_it(
    database_url: str, conn: Connection, tmp_path: Path
) -> None:
    """By kind and window, in objects of the source; and the same after single windows as after the whole."""
    sample.rest(tmp_path, commits=[{"_n": 2, **sample.commit(sha)} for sha in sample.SHAS] + ["{"])
    import_archive(database_url, REPO, tmp_path)
    whole = marks(conn)
    first, second = date(2024, 1, 1), date(2024, 4, 1)
    assert whole["import:issue", first] == (2, 2)
    assert whole["import:pull", second] == (1, 1)
    assert whole["import:commit", second] == (2, 2)
    assert whole["import:commit", NO_WINDOW] == (1, 0)
    assert whole["import:timeline", NO_WINDOW] == (2, 0)
    skipped = conn.execute(
        "SELECT skipped FROM relore.sync_state WHERE pass = 'import:commit' AND done = 0"
    ).fetchone()
    assert skipped == ({staging.UNREADABLE: 1},)
    conn.rollback()
    import_archive(database_url, REPO, tmp_path, only_windows={first})
    import_archive(database_url, REPO, tmp_path, only_windows={second})
    after = marks(conn)
    assert {key: after[key] for key in whole if key[0] != "import"} == {
        key: value for key, value in whole.items() if key[0] != "import"
    }


def test_progress_is_committed_with_the_objects_it_counts(
    database_url: str, conn: Connection, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """After every batch, for whoever looks on."""
    monkeypatch.setattr(staging, "BATCH_OBJECTS", 100)
    seen: list[tuple[int, int]] = []

    def look(_: Progress) -> None:
        row = conn.execute(
            """SELECT (SELECT count(*) FROM relore.raw_objects WHERE kind = 'issue_comment'),
                      (SELECT coalesce(sum(done), 0)::int FROM relore.sync_state WHERE pass = 'import:issue_comment')"""
        ).fetchone()
        conn.rollback()
        assert row is not None
        seen.append(row)

    import_archive(database_url, REPO, many(tmp_path, 450), on_progress=look)
    assert [done for _, done in seen] == [staged for staged, _ in seen]
    assert seen[0][0] < seen[2][0] < seen[-1][0] == 450


def test_a_window_that_the_source_has_left_is_marked_no_more(
    database_url: str, conn: Connection, tmp_path: Path
) -> None:
    """Once a whole import has ended."""
    import_archive(database_url, REPO, sample.rest(tmp_path))
    moved = [sample.comment(1, ident, updated_at="2025-02-01T00:00:00Z") for ident in (11, 12)]
    import_archive(database_url, REPO, sample.rest(tmp_path, issue_comments=moved))
    assert {key[1]: value for key, value in marks(conn).items() if key[0] == "import:issue_comment"} == {
        date(2025, 1, 1): (2, 2)
    }


_KILLED = """
import os, signal, sys
from pathlib import Path
from relore_assets.fetch import staging
from relore_assets.fetch.importing import import_archive
staging.BATCH_OBJECTS = 100
left = int(sys.argv[3])
def on_progress(progress):
    global left
    left -= 1
    if left < 0:
        os.kill(os.getpid(), signal.SIGKILL)
import_archive(sys.argv[1], "harbor/tide", Path(sys.argv[2]), on_progress=on_progress)
"""


@pytest.mark.parametrize("batches", [0, 1, 6, 9])
def test_a_killed_import_is_simply_run_again(
    database_url: str, conn: Connection, tmp_path: Path, batches: int
) -> None:
    """Wherever it died, the next run ends with the tables of an undisturbed one."""
    many(tmp_path, 1_000)
    died = subprocess.run(
        [sys.executable, "-c", _KILLED, database_url, str(tmp_path), str(batches)], check=False
    )
    assert died.returncode == -signal.SIGKILL
    (count,) = conn.execute("SELECT count(*) FROM relore.raw_objects").fetchone() or (0,)
    assert count >= batches * 100
    unfinished = "SELECT count(*) FROM relore.sync_state WHERE last_ok_at IS NULL OR last_ok_at < last_run_at"
    assert conn.execute(unfinished).fetchone() != (0,)
    conn.rollback()
    import_archive(database_url, REPO, tmp_path)
    import_archive(database_url, "harbor/undisturbed", tmp_path)
    assert conn.execute(unfinished).fetchone() == (0,)
    assert fingerprint(conn, REPO) == fingerprint(conn, "harbor/undisturbed")
    rows = conn.execute(
        "SELECT repo_id, pass, window_start, high_water, stated, done, skipped FROM relore.sync_state ORDER BY 1, 2, 3"
    ).fetchall()
    half = len(rows) // 2
    assert [row[1:] for row in rows[:half]] == [row[1:] for row in rows[half:]]


def test_a_failed_import_leaves_its_reason(database_url: str, conn: Connection, tmp_path: Path) -> None:
    """Until one ends well."""

    def fail(_: Progress) -> None:
        raise BrokenPipeError

    sample.rest(tmp_path)
    with pytest.raises(BrokenPipeError):
        import_archive(database_url, REPO, tmp_path, on_progress=fail)
    reason = "SELECT error FROM relore.sync_state WHERE pass = 'import'"
    assert conn.execute(reason).fetchone() == ("BrokenPipeError",)
    conn.rollback()
    import_archive(database_url, REPO, tmp_path)
    assert conn.execute(reason).fetchone() == (None,)


def test_two_imports_at_once_are_harmless(
    database_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """They take turns; together they write each row once."""
    monkeypatch.setattr(staging, "BATCH_OBJECTS", 50)
    many(tmp_path, 500)
    written: list[int] = []

    def run() -> None:
        written.append(import_archive(database_url, REPO, tmp_path).staged.written)

    threads = [threading.Thread(target=run) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(written) == [0, 509]


def test_imports_of_windows_run_beside_each_other(
    database_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also of one and the same window: no deadlock, no row twice."""
    monkeypatch.setattr(staging, "BATCH_OBJECTS", 10)
    many(tmp_path, 300)
    windows = quarters_present(tmp_path)
    failures: list[BaseException] = []

    def run(order: list[date]) -> None:
        try:
            for window in order:
                import_archive(database_url, REPO, tmp_path, only_windows={window})
        except BaseException as error:  # noqa: BLE001 - handed to the test
            failures.append(error)

    threads = [threading.Thread(target=run, args=(order,)) for order in (windows, windows[::-1])]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []
    assert import_archive(database_url, REPO, tmp_path).staged.written == 0


def test_memory_does_not_grow_with_the_archive(
    database_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Six times the archive takes no more memory than its batches do."""
    monkeypatch.setattr(staging, "BATCH_OBJECTS", 200)
    peaks = []
    for count in (1_000, 6_000):
        root = many(tmp_path / str(count), count, size=2_000)
        tracemalloc.start()
        result = import_archive(database_url, f"harbor/tide-{count}", root).staged
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
        assert result.of("issue_comment").written == count
    assert peaks[1] < 1.3 * peaks[0]


def test_progress_ends_at_the_size_of_the_archive(
    database_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is told after each batch, and never goes back."""
    monkeypatch.setattr(staging, "BATCH_OBJECTS", 100)
    told: list[Progress] = []
    import_archive(database_url, REPO, many(tmp_path, 1_000), on_progress=told.append)
    assert len(told) > 8
    assert [progress.read for progress in told] == sorted(progress.read for progress in told)
    assert told[-1].bytes_read == told[-1].bytes_total
    assert told[-1].written == 1_009


def test_a_connection_may_be_lent(conn: Connection, tmp_path: Path) -> None:
    """Batches commit on it, and it comes back usable."""
    result = import_archive(conn, REPO, sample.rest(tmp_path))
    assert result.staged.written == 11
    assert len(staged(conn)) == 11


def test_a_repository_remembers_its_archive_and_its_first_spelling(
    database_url: str, conn: Connection, tmp_path: Path
) -> None:
    """Names are looked up in any case; a repository fetched from GitHub stays one."""
    import_archive(database_url, REPO, sample.rest(tmp_path))
    import_archive(database_url, REPO.upper(), tmp_path)
    (repo,) = repos.every(conn)
    assert (repo.full_name, repo.source_kind, repo.source_location) == (REPO, "archive", str(tmp_path))
    assert repos.known(conn, "HARBOR/Tide") == repo
    fetched = repos.register(conn, "harbor/moon", "api", "https://api.github.com")
    assert repos.register(conn, "harbor/moon", "archive", "/elsewhere") == fetched
    with pytest.raises(UnknownRepository, match="harbor/none is not indexed here"):
        repos.known(conn, "harbor/none")


@pytest.mark.parametrize(
    "name",
    [
        "tide",
        "harbor/",
        "/tide",
        "harbor/tide/x",
        "-harbor/tide",
        "har bor/tide",
        "harbor/..",
        "harbor/tide\n",
        "a/b;c",
    ],
)
def test_what_is_no_name_is_refused(database_url: str, conn: Connection, tmp_path: Path, name: str) -> None:
    """Before anything is written."""
    with pytest.raises(BadNameError, match="expected owner/name"):
        import_archive(database_url, name, sample.rest(tmp_path))
    assert repos.every(conn) == []


@pytest.mark.parametrize(
    ("moment", "window"),
    [
        ("2024-03-31T23:59:59+00:00", date(2024, 1, 1)),
        ("2024-03-31T23:59:59-01:00", date(2024, 4, 1)),
        ("2024-12-31T00:00:00+00:00", date(2024, 10, 1)),
    ],
)
def test_a_window_is_a_quarter_of_utc(moment: str, window: date) -> None:
    """Named by its first day."""
    assert window_of(datetime.fromisoformat(moment).astimezone(UTC)) == window
    assert window_of(datetime.fromisoformat(moment)) == window


def test_the_recorded_history_is_staged_whole(database_url: str, conn: Connection, corpus: Path) -> None:
    """Every object of the real archive, and not one twice."""
    stated = json.loads((corpus / "meta.json").read_text(encoding="utf-8"))["counts"]
    name = "bitcoin-core/secp256k1"
    import_archive(database_url, name, corpus)
    rows = conn.execute(
        "SELECT pass, sum(stated)::int, sum(done)::int FROM relore.sync_state WHERE pass LIKE 'import:%%' GROUP BY 1"
    ).fetchall()
    found = {kind.partition(":")[2]: (total, done) for kind, total, done in rows}
    assert found == {
        "timeline": (stated["timeline"], 0),
        **{
            kind: (stated[f"{kind}s"], stated[f"{kind}s"])
            for kind in (
                "issue",
                "pull",
                "issue_comment",
                "review",
                "review_comment",
                "event",
                "commit",
                "file",
            )
        },
    }
    assert named(conn) == set()
    conn.rollback()
    assert import_archive(database_url, name, corpus).staged.written == 0


def test_a_compressed_archive_need_not_be(database_url: str, tmp_path: Path) -> None:
    """Plain JSON lines are read as the compressed ones are."""
    sample.rest(tmp_path)
    for path in list(tmp_path.glob("*.gz")):
        path.with_suffix("").write_bytes(gzip.decompress(path.read_bytes()))
        path.unlink()
    assert import_archive(database_url, REPO, tmp_path).staged.written == 11


def test_a_payload_nested_beyond_reason_is_rejected_and_others_are_stored(
    database_url: str, conn: Connection, tmp_path: Path
) -> None:
    """Two hundred levels are stored, a thousand are named."""
    nested = {depth: "[" * depth + "]" * depth for depth in (200, 1_000, 100_000)}
    lines = [
        f'{{"id": {depth}, "issue_url": "{sample.API}/issues/1", "odd": {odd}}}'
        for depth, odd in nested.items()
    ]
    import_archive(database_url, REPO, sample.rest(tmp_path, issue_comments=lines))
    assert {ident for kind, ident in staged(conn) if kind == "issue_comment"} == {"200"}
    assert {(line, reason) for _, line, reason in named(conn)} == {
        (2, "nested too deeply"),
        (3, "nested too deeply"),
    }


def test_a_lock_is_let_go_of(database_url: str, tmp_path: Path) -> None:
    """Neither an import that ended nor one that failed holds anything."""
    import_archive(database_url, REPO, sample.rest(tmp_path))
    with psycopg.connect(database_url) as other:
        assert other.execute("SELECT count(*) FROM pg_locks WHERE locktype = 'advisory'").fetchone() == (0,)


@pytest.mark.parametrize("text", ["as it was", "edited at once"], ids=["same", "differing"])
@pytest.mark.parametrize("apart", [1, 25, 150], ids=["next-to-it", "batches-away", "at-the-end"])
def test_of_objects_that_are_equally_new_the_first_in_the_archive_stays(
    database_url: str,
    conn: Connection,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    apart: int,
    text: str,
) -> None:
    """However far apart they stand: the books add up, and a second import writes nothing."""
    monkeypatch.setattr(staging, "BATCH_OBJECTS", 10)
    others = [sample.comment(1, ident) for ident in range(100, 250)]
    first = sample.comment(1, 11, body="as it was")
    sample.rest(tmp_path, issue_comments=[first, *others[:apart], {**first, "body": text}, *others[apart:]])
    result = import_archive(database_url, REPO, tmp_path).staged
    assert staged(conn)["issue_comment", "11"] == first
    assert (result.of("issue_comment").read, result.of("issue_comment").written) == (152, 151)
    assert result.skipped[staging.REPEATED] == 1
    assert marks(conn)["import:issue_comment", date(2024, 1, 1)] == (152, 151)
    conn.rollback()
    again = import_archive(database_url, REPO, tmp_path).staged
    assert (again.written, again.skipped[staging.REPEATED]) == (0, 1)
    assert books_of(conn, REPO)["unexplained"] == 0


def test_of_objects_far_apart_the_newer_stays_whichever_comes_first(
    database_url: str, conn: Connection, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What gives way is counted in its own window; what is kept, in the one where it stands."""
    monkeypatch.setattr(staging, "BATCH_OBJECTS", 10)
    older = [sample.comment(1, ident) for ident in (11, 12)]
    newer = [
        sample.comment(1, ident, updated_at="2024-05-01T00:00:00Z", body="Edited.") for ident in (11, 12)
    ]
    others = [sample.comment(1, ident) for ident in range(100, 150)]
    sample.rest(tmp_path, issue_comments=[older[0], newer[1], *others, older[1], newer[0]])
    # One of the two is written twice: nobody knows of the newer when the older comes.
    for written in (62, 0):
        result = import_archive(database_url, REPO, tmp_path).staged
        assert (result.written, result.skipped[staging.REPEATED]) == (written, 2)
        assert [staged(conn)["issue_comment", ident]["body"] for ident in ("11", "12")] == [
            "Edited.",
            "Edited.",
        ]
        assert marks(conn)["import:issue_comment", date(2024, 1, 1)] == (52, 50)
        assert marks(conn)["import:issue_comment", date(2024, 4, 1)] == (2, 2)
        conn.rollback()


def test_of_a_list_that_is_repeated_the_members_add_up(
    database_url: str, conn: Connection, tmp_path: Path
) -> None:
    """A thread that stands in two files: the longer list of commits is the older one, and gives way."""
    sample.github_backup(tmp_path)
    file = tmp_path / "pulls/2.json"
    thread = json.loads(file.read_text(encoding="utf-8"))
    later = {**thread, "updated_at": "2024-06-01T00:00:00Z", "commit_data": thread["commit_data"][:1]}
    (tmp_path / "pulls/3.json").write_text(json.dumps(later), encoding="utf-8")
    import_archive(database_url, REPO, tmp_path)
    assert [item["sha"] for item in staged(conn)["pull_commits", "2"]["items"]] == [sample.SHAS[0]]
    assert marks(conn)["import:commit", date(2024, 4, 1)] == (3, 1)
    conn.rollback()
    assert books_of(conn, REPO)["unexplained"] == 0


def test_new_rules_of_redaction_reach_what_is_repeated(
    database_url: str, conn: Connection, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of two versions of one object the newer is the one that is stored, and marked as checked."""
    newer = sample.comment(1, 11, updated_at="2024-05-01T00:00:00Z")
    others = [sample.comment(1, ident) for ident in range(100, 130)]
    sample.rest(tmp_path, issue_comments=[sample.comment(1, 11), *others, newer])
    monkeypatch.setattr(staging, "BATCH_OBJECTS", 10)
    import_archive(database_url, REPO, tmp_path)
    monkeypatch.setattr(staging, "REDACTION_VERSION", 9)
    assert import_archive(database_url, REPO, tmp_path).staged.written == 0
    versions = conn.execute("SELECT DISTINCT redaction_version FROM relore.raw_objects").fetchall()
    assert versions == [(9,)]


def test_a_line_is_rejected_once_however_much_of_it_is_wrong(
    database_url: str, conn: Connection, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The import, the table and the books count alike: lines."""
    monkeypatch.setattr(staging, "BATCH_OBJECTS", 1)
    lines = ["garbage", "[1, 2]", "5", json.dumps([{"number": 1}, {"title": "x"}])]
    result = import_archive(database_url, REPO, sample.rest(tmp_path, issues=lines)).staged
    assert result.rejected == result.of("issue").rejected == 4
    assert {(line, reason) for _, line, reason in named(conn)} == {
        (1, "not JSON: expecting value (character 1)"),
        (2, "not a JSON object"),
        (3, "not a JSON object"),
        (4, "no title"),
    }
    conn.rollback()
    books = books_of(conn, REPO)
    assert (books["rejected"]["lines"], books["unexplained"]) == (4, 0)


@pytest.mark.parametrize(
    ("number", "kept"),
    [(f"{2**70}}}", True), ("9" * 5_000 + "}", False), ("9" * 5_000, False)],
    ids=["more-than-64-bits", "thousands-of-digits", "cut-off"],
)
def test_a_number_of_any_length_holds_up_nothing(
    database_url: str, conn: Connection, tmp_path: Path, number: str, *, kept: bool
) -> None:
    """What stands before and after its line is staged, and the line too where the number can be kept."""
    dates = '"created_at": "2024-01-01T00:00:00Z", "updated_at": "2024-01-01T00:00:00Z"'
    line = f'{{"number": 7, "title": "x \\ud800", {dates}, "big": {number}'
    sample.rest(tmp_path, issues=[sample.ISSUE, line, sample.issue(3)])
    import_archive(database_url, REPO, tmp_path)
    heads = {ident for kind, ident in staged(conn) if kind == "issue"}
    assert heads == ({"1", "3", "7"} if kept else {"1", "3"})
    assert named(conn) == (set() if kept else {("issues.jsonl.gz", 2, "a number too large to be kept")})


@pytest.mark.parametrize("batch", [2, 2_000])
@pytest.mark.parametrize("order", [1, -1])
def test_windows_one_by_one_count_what_is_repeated_as_a_whole_import_does(
    database_url: str,
    conn: Connection,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    batch: int,
    order: int,
) -> None:
    """An object that stands in two quarters is counted in both, and is staged in the later one."""
    monkeypatch.setattr(staging, "BATCH_OBJECTS", batch)
    older = [sample.comment(1, ident) for ident in (11, 12)]
    newer = [
        sample.comment(1, ident, updated_at="2024-05-01T00:00:00Z", body="Edited.") for ident in (11, 12)
    ]
    others = [sample.comment(1, ident) for ident in range(100, 105)]
    sample.rest(tmp_path, issue_comments=[older[0], newer[1], *others, older[1], newer[0]])
    import_archive(database_url, REPO, tmp_path)
    whole = {key: mark for key, mark in marks(conn).items() if key[0] != "import"}
    held = staged(conn)
    conn.execute("TRUNCATE relore.raw_objects, relore.sync_state")
    conn.commit()

    for window in sorted(quarters_present(tmp_path))[::order]:
        import_archive(database_url, REPO, tmp_path, only_windows={window})

    assert staged(conn) == held
    assert {key: mark for key, mark in marks(conn).items() if key in whole} == whole
    assert whole["import:issue_comment", date(2024, 4, 1)] == (2, 2)
    assert whole["import:issue_comment", date(2024, 1, 1)] == (7, 5)
    conn.rollback()
    assert books_of(conn, REPO)["unexplained"] == 0
