"""The books of a repository: everything staged is in the tables, or has its reason, or is unexplained."""

from __future__ import annotations

import json
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

import pytest
from ledger import DERIVED, STAGED, WINDOW, Ledger

from relore_serve.status.accounts import EMPTY, NO_TABLE, ORPHAN, WAITING

if TYPE_CHECKING:
    from psycopg import Connection


@pytest.fixture
def ledger(conn: Connection) -> Ledger:
    """The books of one repository."""
    return Ledger(conn)


def test_what_is_in_the_tables_is_derived(ledger: Ledger) -> None:
    """A comment counts once, into however many pieces it was cut."""
    ledger.raw("issue", 1, 1)
    ledger.raw("issue_comment", 11, 1, body="long")
    ledger.document(ledger.thread(1), "issue_comment", 11, pieces=3)
    ledger.derived()
    account = ledger.account("issue_comment")
    assert (account["collected"], account["derived"], account["skipped"], account["unexplained"]) == (
        1,
        1,
        {},
        0,
    )


@pytest.mark.parametrize("kind", ["issue_comment", "review", "review_comment"])
@pytest.mark.parametrize(
    "body", [None, "", " \r\n\t", "\u200b\u2060 \u00ad"], ids=["null", "empty", "blank", "hidden"]
)
def test_a_body_without_text_is_skipped_with_that_reason(ledger: Ledger, kind: str, body: str | None) -> None:
    """Nor is one in which nothing shows: there is nothing to find."""
    ledger.raw("pull", 1, 1)
    ledger.raw(kind, 11, 1, body=body)
    ledger.thread(1)
    ledger.derived()
    account = ledger.account(kind)
    assert (account["derived"], account["skipped"], account["unexplained"]) == (0, {EMPTY: 1}, 0)


def test_what_nothing_explains_is_unexplained(ledger: Ledger) -> None:
    """A text that derive has seen and that is in no table; a head without a thread."""
    ledger.raw("issue", 1, 1)
    ledger.raw("issue_comment", 11, 1, body="lost")
    ledger.raw("issue", 2, 2)
    ledger.thread(1)
    ledger.derived()
    repo = ledger.count()
    unexplained = {
        account["kind"]: account["unexplained"] for account in repo["objects"] if account["unexplained"]
    }
    assert unexplained == {"issue": 1, "issue_comment": 1}
    assert repo["unexplained"] == 2


@pytest.mark.parametrize(
    ("window", "ran", "reason"),
    [
        ("0001-01-01", STAGED - timedelta(hours=1), {WAITING: 2}),
        ("0001-01-01", DERIVED, {}),
        (WINDOW, DERIVED, {}),
        ("2024-01-01", DERIVED, {WAITING: 2}),
        (None, None, {WAITING: 2}),
    ],
    ids=["before", "after", "its-window", "another-window", "never"],
)
def test_what_came_after_the_last_derive_waits_for_the_next(
    ledger: Ledger, window: str | None, ran: datetime | None, reason: dict[str, int]
) -> None:
    """Until derive has run over its window, which then has no excuse."""
    for kind in ("issue", "issue_comment"):
        ledger.raw(kind, 1, 1, body="text")
    lists = {"items": [{"sha": "a"}, {"sha": "b"}]}
    ledger.raw("pull_commits", 1, 1, **lists)
    if window:
        ledger.mark("derive", window, last_run_at=ran, last_ok_at=ran)
    accounts = {account["kind"]: account for account in ledger.count()["objects"]}
    one = {name: count // 2 for name, count in reason.items()}
    assert accounts["issue"]["skipped"] == accounts["issue_comment"]["skipped"] == one
    assert accounts["commit"]["skipped"] == reason
    assert accounts["commit"]["unexplained"] == (0 if reason else 2)


@pytest.mark.parametrize(
    ("ok", "error", "waits"),
    [
        (None, None, True),
        (STAGED - timedelta(days=1), None, True),
        (None, "#1: broken", False),
        (DERIVED, None, False),
    ],
    ids=["first-run-under-way", "killed", "ended-with-an-error", "ended-well"],
)
def test_a_derive_that_has_not_ended_has_seen_nothing(
    ledger: Ledger, ok: datetime | None, error: str | None, *, waits: bool
) -> None:
    """Under way or killed, what is missing still waits; one that ended, if badly, leaves it unexplained."""
    ledger.raw("issue", 1, 1)
    ledger.raw("issue_comment", 11, 1, body="text")
    ledger.raw("pull_files", 1, 1, items=[{"filename": "a"}])
    ledger.mark("derive", last_run_at=DERIVED, last_ok_at=ok, error=error)
    repo = ledger.count()
    assert repo["unexplained"] == (0 if waits else 3)
    waiting = sum(account["skipped"].get(WAITING, 0) for account in repo["objects"])
    assert waiting == (3 if waits else 0)


def test_objects_under_a_number_without_head_are_orphans(ledger: Ledger) -> None:
    """They are counted, said, and hold up nobody."""
    ledger.raw("issue", 8, 8)
    ledger.raw("issue_comment", 11, 7, body="left behind")
    ledger.raw("event", 41, 7)
    ledger.raw("pull_files", 6, 6, items=[{"filename": "a"}, {"filename": "b"}])
    ledger.thread(8)
    ledger.derived()
    repo = ledger.count()
    accounts = {account["kind"]: account for account in repo["objects"]}
    assert repo["orphans"] == {"objects": 3, "numbers": 2}
    assert accounts["issue_comment"]["skipped"] == {ORPHAN: 1}
    assert accounts["file"]["skipped"] == {ORPHAN: 2}
    assert repo["unexplained"] == 0


def test_commits_and_files_are_counted_one_by_one(ledger: Ledger) -> None:
    """Merge commits, which no list holds, are not counted among them."""
    ledger.raw("pull", 1, 1)
    ledger.raw("pull_commits", 1, 1, items=[{"sha": "a"}, {"sha": "b"}, {"sha": "c"}])
    ledger.raw("pull_files", 1, 1, items=[{"filename": "a"}])
    thread = ledger.thread(1)
    for sha, how in (("a", "pull"), ("b", "pull"), ("m", "merge")):
        ledger.conn.execute(
            "INSERT INTO relore.commits (repo_id, sha, thread_id, how) VALUES (%s, %s, %s, %s)",
            (ledger.id, sha, thread, how),
        )
    ledger.conn.execute(
        "INSERT INTO relore.changed_files VALUES (%s, %s, 'a', 'a', 'added', 1, 0, NULL)", (ledger.id, thread)
    )
    ledger.derived()
    accounts = {account["kind"]: account for account in ledger.count()["objects"]}
    assert (accounts["commit"]["collected"], accounts["commit"]["derived"]) == (3, 2)
    assert accounts["commit"]["unexplained"] == 1
    assert (accounts["file"]["collected"], accounts["file"]["derived"], accounts["file"]["unexplained"]) == (
        1,
        1,
        0,
    )


@pytest.mark.parametrize("kind", ["event", "pull_detail", "pull_closing", "issue_detail"])
def test_what_has_no_table_of_its_own_is_read_into_others(ledger: Ledger, kind: str) -> None:
    """Nothing is missing for it."""
    ledger.raw("issue", 1, 1)
    ledger.raw(kind, 41, 1)
    account = ledger.account(kind)
    assert (account["derived"], account["skipped"], account["unexplained"]) == (None, {NO_TABLE: 1}, 0)


def test_what_the_source_states_is_set_against_what_is_staged(ledger: Ledger) -> None:
    """Windows add up; the source's own reasons explain; the rest does not."""
    ledger.raw("event", 41, 1)
    ledger.mark("import:event", "2024-01-01", stated=1, done=1)
    ledger.mark("import:event", "2024-04-01", stated=1, done=0, skipped=json.dumps({"repeated": 1}))
    ledger.mark("import:event", stated=3, done=0, skipped=json.dumps({"could not be read": 1, "repeated": 1}))
    ledger.mark("import:timeline", stated=9, done=0, skipped=json.dumps({"an index": 9}))
    account = ledger.account("event")
    assert account["stated"] == 5
    assert account["skipped"] == {"repeated": 2, "could not be read": 1, NO_TABLE: 1}
    assert account["unexplained"] == 1
    assert ledger.account("timeline") == {
        "kind": "timeline",
        "stated": 9,
        "github_states": None,
        "collected": 0,
        "derived": 0,
        "skipped": {"an index": 9},
        "unexplained": 0,
        "missing_from_source": 0,
    }


def test_a_source_that_holds_less_than_it_did_leaves_nothing_unexplained(ledger: Ledger) -> None:
    """What was staged before stays."""
    for ident in (41, 42, 43):
        ledger.raw("event", ident, 1)
    ledger.mark("import:event", stated=1, done=1)
    assert ledger.account("event")["unexplained"] == 0


def test_what_the_source_lacks_of_githubs_counters_is_said(ledger: Ledger) -> None:
    """Thread by thread, so that one with too many does not hide one with too few."""
    ledger.thread(1, stated_comments=5, collected_comments=2, stated_files=3, collected_files=None)
    ledger.thread(2, stated_comments=1, collected_comments=4, stated_files=1, collected_files=1)
    account = ledger.account("issue_comment")
    assert (account["github_states"], account["missing_from_source"]) == (6, 3)
    account = ledger.account("file")
    assert (account["github_states"], account["missing_from_source"]) == (4, 3)
    assert ledger.account("review")["github_states"] is None


def test_repositories_are_told_apart(conn: Connection) -> None:
    """The same numbers and ids in another repository explain nothing here."""
    here, there = Ledger(conn), Ledger(conn, "harbor/moon")
    for ledger in (here, there):
        ledger.raw("issue", 1, 1)
        ledger.raw("issue_comment", 11, 1, body="text")
        ledger.derived()
    there.document(there.thread(1), "issue_comment", 11)
    assert here.count()["unexplained"] == 2
    assert there.count()["unexplained"] == 0


def test_rejected_lines_and_what_was_cleaned_are_counted(ledger: Ledger) -> None:
    """Lines with the total and the first few."""
    ledger.raw("issue", 1, 1)
    ledger.conn.execute("UPDATE relore.raw_objects SET redactions = 2, replacements = 3")
    for line in range(1, 9):
        ledger.conn.execute(
            "INSERT INTO relore.rejected_lines VALUES (%s, 'events.jsonl.gz', %s, 'not JSON')",
            (ledger.id, line),
        )
    counted = ledger.count()
    assert counted["rejected"]["lines"] == 8
    assert [line["line"] for line in counted["rejected"]["first"]] == [1, 2, 3, 4, 5]
    assert counted["redactions"] == {"secrets": 2, "objects_with_secrets": 1, "characters": 3}
