"""The books of status: everything staged is in the tables, or has its reason, or is unexplained."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

import psycopg
import pytest

from relore_serve.database import connect_reader
from relore_serve.search import tokens
from relore_serve.status import facts
from relore_serve.status.accounts import EMPTY, LATER, ORPHAN, WAITING

if TYPE_CHECKING:
    from psycopg import Connection

STAGED = datetime(2024, 6, 1, tzinfo=UTC)
DERIVED = STAGED + timedelta(hours=1)
WINDOW = "2024-04-01"


class Books:
    """Writes rows of one repository, as import and derive would."""

    def __init__(self, conn: Connection, name: str = "harbor/tide") -> None:
        self.conn = conn
        self.name = name
        self.id = self._one(
            """INSERT INTO relore.repos (full_name, source_kind, source_location)
               VALUES (%s, 'archive', '/a') RETURNING id""",
            name,
        )

    def raw(self, kind: str, ident: object, number: int, *, at: datetime = STAGED, **payload: Any) -> None:
        """Stage an object."""
        self.conn.execute(
            """INSERT INTO relore.raw_objects (repo_id, kind, object_id, thread_number, payload, payload_hash,
                                               github_updated_at, fetched_at, source, redaction_version)
               VALUES (%s, %s, %s, %s, %s, '', '2024-05-05', %s, 'archive', 1)""",
            (self.id, kind, str(ident), number, json.dumps(payload), at),
        )

    def thread(self, number: int, **counts: int | None) -> int:
        """Derive a thread; returns its row's id."""
        columns = {"stated_comments": None, "collected_comments": 0, **counts}
        return self._one(
            f"""INSERT INTO relore.threads (repo_id, number, kind, title, author, state, url, created_at, updated_at,
                                            indexed_at, input_hash, {", ".join(columns)})
                VALUES (%s, %s, 'pr', 't', 'buoy', 'open', 'u', now(), now(), now(), '',
                        {", ".join(["%s"] * len(columns))}) RETURNING id""",
            self.id,
            number,
            *columns.values(),
        )

    def document(self, thread: int, source_type: str, ident: object, pieces: int = 1) -> None:
        """Derive a text."""
        for piece in range(pieces):
            self.conn.execute(
                """INSERT INTO relore.documents (repo_id, thread_id, source_type, source_id, chunk_index, chunk_count,
                                                 author, trust, url, body, search_vector, lexemes, content_hash)
                   VALUES (%s, %s, %s, %s, %s, %s, 'buoy', 'reported', 'u', 'b', '', 0, '')""",
                (self.id, thread, source_type, str(ident), piece, pieces),
            )

    def mark(self, name: str, window: str = "0001-01-01", **columns: Any) -> None:
        """Mark a pass."""
        names = ", ".join(columns)
        self.conn.execute(
            f"""INSERT INTO relore.sync_state (repo_id, pass, window_start, {names})
                VALUES (%s, %s, %s, {", ".join(["%s"] * len(columns))})""",
            (self.id, name, window, *columns.values()),
        )

    def derived(self, at: datetime = DERIVED) -> None:
        """Mark that derive has run over everything."""
        self.mark("derive", last_run_at=at, last_ok_at=at)

    def facts(self) -> dict[str, Any]:
        """Return what status says of this repository."""
        self.conn.commit()
        (repo,) = facts(self.conn, [self.id])["repositories"]
        return repo

    def account(self, kind: str) -> dict[str, Any]:
        """Return the account of one kind."""
        return {account["kind"]: account for account in self.facts()["objects"]}[kind]

    def _one(self, statement: str, *values: object) -> int:
        row = self.conn.execute(statement, values).fetchone()  # pyright: ignore[reportArgumentType, reportCallIssue]
        assert row is not None
        return row[0]


@pytest.fixture
def books(conn: Connection) -> Books:
    return Books(conn)


def test_what_is_in_the_tables_is_derived(books: Books) -> None:
    """A comment counts once, into however many pieces it was cut."""
    books.raw("issue", 1, 1)
    books.raw("issue_comment", 11, 1, body="long")
    books.document(books.thread(1), "issue_comment", 11, pieces=3)
    books.derived()
    account = books.account("issue_comment")
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
def test_a_body_without_text_is_skipped_with_that_reason(books: Books, kind: str, body: str | None) -> None:
    """Nor is one in which nothing shows: there is nothing to find."""
    books.raw("pull", 1, 1)
    books.raw(kind, 11, 1, body=body)
    books.thread(1)
    books.derived()
    account = books.account(kind)
    assert (account["derived"], account["skipped"], account["unexplained"]) == (0, {EMPTY: 1}, 0)


def test_what_nothing_explains_is_unexplained(books: Books) -> None:
    """A text that derive has seen and that is in no table; a head without a thread."""
    books.raw("issue", 1, 1)
    books.raw("issue_comment", 11, 1, body="lost")
    books.raw("issue", 2, 2)
    books.thread(1)
    books.derived()
    repo = books.facts()
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
    books: Books, window: str | None, ran: datetime | None, reason: dict[str, int]
) -> None:
    """Until derive has run over its window, which then has no excuse."""
    for kind in ("issue", "issue_comment"):
        books.raw(kind, 1, 1, body="text")
    lists = {"items": [{"sha": "a"}, {"sha": "b"}]}
    books.raw("pull_commits", 1, 1, **lists)
    if window:
        books.mark("derive", window, last_run_at=ran, last_ok_at=ran)
    accounts = {account["kind"]: account for account in books.facts()["objects"]}
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
    books: Books, ok: datetime | None, error: str | None, *, waits: bool
) -> None:
    """Under way or killed, what is missing still waits; one that ended, if badly, leaves it unexplained."""
    books.raw("issue", 1, 1)
    books.raw("issue_comment", 11, 1, body="text")
    books.raw("pull_files", 1, 1, items=[{"filename": "a"}])
    books.mark("derive", last_run_at=DERIVED, last_ok_at=ok, error=error)
    repo = books.facts()
    assert repo["unexplained"] == (0 if waits else 3)
    waiting = sum(account["skipped"].get(WAITING, 0) for account in repo["objects"])
    assert waiting == (3 if waits else 0)


def test_objects_under_a_number_without_head_are_orphans(books: Books) -> None:
    """They are counted, said, and hold up nobody."""
    books.raw("issue", 8, 8)
    books.raw("issue_comment", 11, 7, body="left behind")
    books.raw("event", 41, 7)
    books.raw("pull_files", 6, 6, items=[{"filename": "a"}, {"filename": "b"}])
    books.thread(8)
    books.derived()
    repo = books.facts()
    accounts = {account["kind"]: account for account in repo["objects"]}
    assert repo["orphans"] == {"objects": 3, "numbers": 2}
    assert accounts["issue_comment"]["skipped"] == {ORPHAN: 1}
    assert accounts["file"]["skipped"] == {ORPHAN: 2}
    assert repo["unexplained"] == 0


def test_commits_and_files_are_counted_one_by_one(books: Books) -> None:
    """Merge commits, which no list holds, are not counted among them."""
    books.raw("pull", 1, 1)
    books.raw("pull_commits", 1, 1, items=[{"sha": "a"}, {"sha": "b"}, {"sha": "c"}])
    books.raw("pull_files", 1, 1, items=[{"filename": "a"}])
    thread = books.thread(1)
    for sha, how in (("a", "pull"), ("b", "pull"), ("m", "merge")):
        books.conn.execute(
            "INSERT INTO relore.commits (repo_id, sha, thread_id, how) VALUES (%s, %s, %s, %s)",
            (books.id, sha, thread, how),
        )
    books.conn.execute(
        "INSERT INTO relore.changed_files VALUES (%s, %s, 'a', 'a', 'added', 1, 0, NULL)", (books.id, thread)
    )
    books.derived()
    accounts = {account["kind"]: account for account in books.facts()["objects"]}
    assert (accounts["commit"]["collected"], accounts["commit"]["derived"]) == (3, 2)
    assert accounts["commit"]["unexplained"] == 1
    assert (accounts["file"]["collected"], accounts["file"]["derived"], accounts["file"]["unexplained"]) == (
        1,
        1,
        0,
    )


def test_events_are_kept_for_later_reading(books: Books) -> None:
    """They have no table of their own."""
    books.raw("issue", 1, 1)
    books.raw("event", 41, 1)
    account = books.account("event")
    assert (account["derived"], account["skipped"], account["unexplained"]) == (None, {LATER: 1}, 0)


def test_what_the_source_states_is_set_against_what_is_staged(books: Books) -> None:
    """Windows add up; the source's own reasons explain; the rest does not."""
    books.raw("event", 41, 1)
    books.mark("import:event", "2024-01-01", stated=1, done=1)
    books.mark("import:event", "2024-04-01", stated=1, done=0, skipped=json.dumps({"repeated": 1}))
    books.mark("import:event", stated=3, done=0, skipped=json.dumps({"could not be read": 1, "repeated": 1}))
    books.mark("import:timeline", stated=9, done=0, skipped=json.dumps({"an index": 9}))
    account = books.account("event")
    assert account["stated"] == 5
    assert account["skipped"] == {"repeated": 2, "could not be read": 1, LATER: 1}
    assert account["unexplained"] == 1
    assert books.account("timeline") == {
        "kind": "timeline",
        "stated": 9,
        "github_states": None,
        "collected": 0,
        "derived": 0,
        "skipped": {"an index": 9},
        "unexplained": 0,
        "missing_from_source": 0,
    }


def test_a_source_that_holds_less_than_it_did_leaves_nothing_unexplained(books: Books) -> None:
    """What was staged before stays."""
    for ident in (41, 42, 43):
        books.raw("event", ident, 1)
    books.mark("import:event", stated=1, done=1)
    assert books.account("event")["unexplained"] == 0


def test_what_the_source_lacks_of_githubs_counters_is_said(books: Books) -> None:
    """Thread by thread, so that one with too many does not hide one with too few."""
    books.thread(1, stated_comments=5, collected_comments=2, stated_files=3, collected_files=None)
    books.thread(2, stated_comments=1, collected_comments=4, stated_files=1, collected_files=1)
    account = books.account("issue_comment")
    assert (account["github_states"], account["missing_from_source"]) == (6, 3)
    account = books.account("file")
    assert (account["github_states"], account["missing_from_source"]) == (4, 3)
    assert books.account("review")["github_states"] is None


def test_repositories_are_told_apart(conn: Connection) -> None:
    """The same numbers and ids in another repository explain nothing here."""
    here, there = Books(conn), Books(conn, "harbor/moon")
    for books in (here, there):
        books.raw("issue", 1, 1)
        books.raw("issue_comment", 11, 1, body="text")
        books.derived()
    there.document(there.thread(1), "issue_comment", 11)
    assert here.facts()["unexplained"] == 2
    assert there.facts()["unexplained"] == 0
    everything = facts(conn)
    assert [repo["repo"] for repo in everything["repositories"]] == ["harbor/moon", "harbor/tide"]
    assert (everything["raw_objects"], everything["threads"], everything["documents"]) == (4, 1, 1)
    assert facts(conn, [])["repositories"] == []


def test_a_pass_that_did_not_end_is_noted(books: Books) -> None:
    """Whichever of its windows it was; parts of a pass are one pass."""
    books.mark("import", last_run_at=STAGED, last_ok_at=STAGED, high_water=STAGED)
    books.mark("import:event", WINDOW, last_run_at=DERIVED, last_ok_at=STAGED)
    books.mark("derive", last_run_at=DERIVED, last_ok_at=DERIVED, error=None)
    books.conn.commit()
    passes = {row["pass"]: row for row in facts(books.conn)["passes"]}
    assert passes["import"]["note"] == "did not end when it last ran; run it again"
    assert passes["import"]["high_water"] == "2024-06-01T00:00:00Z"
    assert passes["import"]["last_run_at"] == "2024-06-01T01:00:00Z"
    assert passes["derive"]["note"] is None
    assert set(passes) == {"import", "derive"}


def test_rules_rejected_lines_redactions_and_standing_are_told(books: Books) -> None:
    """Versions against the program's, totals with the first few, people by tier."""
    execute = books.conn.execute
    books.raw("issue", 1, 1)
    execute("UPDATE relore.raw_objects SET redactions = 2, replacements = 3")
    for rule, version in (("tokens", tokens.VERSION), ("signals", 0), ("chunks", 4)):
        execute("INSERT INTO relore.rule_versions VALUES (%s, %s, %s)", (books.id, rule, version))
    for line in range(1, 9):
        execute(
            "INSERT INTO relore.rejected_lines VALUES (%s, 'events.jsonl.gz', %s, 'not JSON')",
            (books.id, line),
        )
    for login, tier, since in (
        ("keel", "authoritative", "2024-01-01"),
        ("keel", "authoritative", "2024-03-01"),
        ("mole", "unresolved", None),
    ):
        execute(
            "INSERT INTO relore.authors VALUES (%s, %s, %s, 'merged', %s, NULL)",
            (books.id, login, tier, since),
        )
    repo = books.facts()
    assert {rule["rule"]: rule["current"] for rule in repo["rules"]} == {
        "tokens": True,
        "signals": False,
        "chunks": None,
    }
    assert repo["rejected"]["lines"] == 8
    assert [line["line"] for line in repo["rejected"]["first"]] == [1, 2, 3, 4, 5]
    assert repo["redactions"] == {"secrets": 2, "objects_with_secrets": 1, "characters": 3}
    assert repo["authors"] == {"authoritative": 1, "unresolved": 1, "machine": 0}
    (told,) = facts(books.conn, rules={"chunks": 5})["repositories"]
    assert {rule["rule"]: rule["current"] for rule in told["rules"]}["chunks"] is False


def test_the_facts_are_json_and_a_reader_may_ask_for_them(books: Books, reader_url: str) -> None:
    """Status is served under the role that can only read."""
    books.raw("issue", 1, 1)
    books.derived()
    books.conn.commit()
    with connect_reader(reader_url) as reader:
        told = facts(reader)
    assert json.loads(json.dumps(told)) == told
    assert told["schema"]["pending"] == []
    assert told["schema"]["applied"] != []


def test_a_store_without_repositories_is_an_answer_too(conn: psycopg.Connection) -> None:
    """Nothing indexed is nothing indexed."""
    told = facts(conn)
    assert (told["threads"], told["repositories"], told["passes"]) == (0, [], [])
