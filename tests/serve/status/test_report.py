"""Status tells what was counted with its date, and everything else as it stands."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

import psycopg
import pytest
from ledger import DERIVED, STAGED, WINDOW, Ledger

from relore_assets import books
from relore_serve.database import connect_reader
from relore_serve.search import tokens
from relore_serve.status import facts

if TYPE_CHECKING:
    from psycopg import Connection

NOW = datetime(2024, 6, 2, tzinfo=UTC)


@pytest.fixture
def ledger(conn: Connection) -> Ledger:
    """The rows of one repository."""
    return Ledger(conn)


def test_what_was_never_counted_is_no_zero(ledger: Ledger) -> None:
    """An import that is killed before its end leaves rows and no books."""
    ledger.raw("issue", 1, 1)
    repo = ledger.facts()
    assert repo["counted_at"] is None
    assert (repo["threads"], repo["objects"], repo["unexplained"]) == (None, None, None)


def test_counts_are_those_of_the_last_counting_with_its_date(ledger: Ledger) -> None:
    """Nothing is counted when status is asked for."""
    ledger.raw("issue", 1, 1)
    counted = ledger.count()
    ledger.raw("issue", 2, 2)
    repo = ledger.facts()
    assert repo["counted_at"] is not None
    assert {name: repo[name] for name in counted} == counted
    assert repo["raw_objects"] == 1


def test_repositories_add_up(conn: Connection) -> None:
    """Those that were counted; the others are told by having no date."""
    here, there, new = Ledger(conn), Ledger(conn, "harbor/moon"), Ledger(conn, "harbor/sun")
    for ledger, numbers in ((here, (1,)), (there, (1, 2)), (new, (1, 2, 3))):
        for number in numbers:
            ledger.raw("issue", number, number)
            ledger.thread(number)
    here.count()
    there.count()
    told = facts(conn, now=NOW)
    assert [repo["repo"] for repo in told["repositories"]] == ["harbor/moon", "harbor/sun", "harbor/tide"]
    assert (told["raw_objects"], told["threads"]) == (3, 3)
    assert facts(conn, [], now=NOW)["repositories"] == []


@pytest.mark.parametrize(
    ("name", "columns", "since"),
    [
        ("import", {"last_run_at": 60, "last_ok_at": 61}, ["import"]),
        ("fetch:issue", {"last_run_at": -60, "last_ok_at": 61}, ["fetch"]),
        ("derive", {"last_run_at": 60, "last_ok_at": -60}, ["derive"]),
        ("derive", {"last_run_at": -60, "last_ok_at": -90}, ["derive"]),
        ("derive", {"last_run_at": -60, "last_ok_at": -90, "error": "#1: broken"}, []),
        ("fetch", {"last_run_at": 60, "last_ok_at": -90, "error": "Exhausted"}, ["fetch"]),
        ("sweep", {"last_run_at": -60, "last_ok_at": -30}, []),
        ("poll", {"last_run_at": 60, "last_ok_at": 61}, []),
    ],
    ids=[
        "ran-after",
        "ended-after",
        "begun-after",
        "died-around",
        "failed-before",
        "failed-after",
        "before",
        "writes-nothing-itself",
    ],
)
def test_what_may_have_changed_the_counts_is_named(
    ledger: Ledger, name: str, columns: dict[str, Any], since: list[str]
) -> None:
    """A pass that ended counts anew; so one that ran since the counting did not get to it yet, or never will."""
    ledger.count()
    (at,) = ledger.conn.execute("SELECT counted_at FROM relore.books").fetchone() or (None,)
    assert at is not None
    ledger.mark(
        name,
        **{
            column: at + timedelta(seconds=value) if isinstance(value, int) else value
            for column, value in columns.items()
        },
    )
    assert ledger.facts()["ran_since"] == since


def test_a_removal_after_the_counting_is_named(ledger: Ledger) -> None:
    """It has no mark of its own."""
    ledger.count()
    ledger.conn.execute(
        "INSERT INTO relore.forgotten_authors VALUES (%s, 'x', now() + interval '1 h')", [ledger.id]
    )
    assert ledger.facts()["ran_since"] == ["forget"]


def test_a_pass_is_under_way_for_as_long_as_its_session_lives(ledger: Ledger, database_url: str) -> None:
    """And not a moment longer: marks of a pass that died look the same as those of one at work."""
    ledger.mark("derive", last_run_at=STAGED)
    other = Ledger(ledger.conn, "harbor/moon")
    with psycopg.connect(database_url, autocommit=True) as session:
        books.at_work(session, ledger.id, "derive")
        at_work, elsewhere = ledger.status(), other.facts()
    over = ledger.status()
    assert at_work["repositories"][0]["under_way"] == ["derive"]
    assert at_work["passes"][0]["note"] == "under way"
    assert elsewhere["under_way"] == []
    assert over["repositories"][0]["under_way"] == []
    assert over["passes"][0]["note"] == "did not end when it last ran; run it again"


def test_a_pass_that_did_not_end_is_noted(ledger: Ledger) -> None:
    """Whichever of its windows it was; parts of a pass are one pass."""
    ledger.mark("import", last_run_at=STAGED, last_ok_at=STAGED, high_water=STAGED)
    ledger.mark("import:event", WINDOW, last_run_at=DERIVED, last_ok_at=STAGED)
    ledger.mark("derive", last_run_at=DERIVED, last_ok_at=DERIVED, error=None)
    passes = {row["pass"]: row for row in ledger.status(NOW)["passes"]}
    assert passes["import"]["note"] == "did not end when it last ran; run it again"
    assert passes["import"]["high_water"] == "2024-06-01T00:00:00Z"
    assert passes["import"]["last_run_at"] == "2024-06-01T01:00:00Z"
    assert passes["derive"]["note"] is None
    assert passes["derive"]["lag_seconds"] == 23 * 3600
    assert set(passes) == {"import", "derive"}


def test_windows_that_a_pass_has_not_been_through_are_named(ledger: Ledger) -> None:
    """Those that failed, and those between the first and today's that it never began."""
    for window in ("2023-01-01", "2023-07-01", "2023-10-01"):
        ledger.mark("fetch:issue", window, last_run_at=STAGED, last_ok_at=STAGED)
    ledger.mark("fetch:review", "2023-10-01", last_run_at=DERIVED, last_ok_at=STAGED, error="Unavailable")
    (told,) = ledger.status(NOW)["passes"]
    assert told["windows"] == {
        "first": "2023-01-01",
        "last": "2024-04-01",
        "through": 2,
        "of": 6,
        "open": ["2023-04-01", "2023-10-01", "2024-01-01", "2024-04-01"],
    }


def test_quarters_in_which_an_archive_holds_nothing_are_not_owed(ledger: Ledger) -> None:
    """An import leaves marks only where there was something; a pass without windows has no coverage."""
    for window in ("2020-01-01", "2023-07-01"):
        ledger.mark("import:issue", window, last_run_at=STAGED, last_ok_at=STAGED)
    ledger.mark("authority", last_run_at=STAGED, last_ok_at=STAGED)
    passes = {row["pass"]: row for row in ledger.status(NOW)["passes"]}
    assert (passes["import"]["windows"]["through"], passes["import"]["windows"]["open"]) == (2, [])
    assert passes["authority"]["windows"] is None


def run(ledger: Ledger, run_id: str, name: str = "fetch", **columns: Any) -> None:
    """Write down what a fetching run does, as of ten minutes ago unless said otherwise."""
    values = {"started_at": NOW - timedelta(minutes=10), "seen_at": NOW - timedelta(seconds=3), **columns}
    names = ", ".join(values)
    ledger.conn.execute(
        f"""INSERT INTO relore.fetch_activity (repo_id, run_id, pass, {names})
            VALUES (%s, %s, %s, {", ".join(["%s"] * len(values))})""",
        (ledger.id, run_id, name, *values.values()),
    )


def test_a_run_tells_what_it_does_how_fast_and_how_long_it_has_left(ledger: Ledger) -> None:
    """The time it waited does not count as work; the wait ahead does as time."""
    run(
        ledger,
        "r1",
        doing="issues since 2024-01-01, page 7",
        done=100,
        total=300,
        worked_seconds=200.0,
        waiting_for="primary limit",
        waiting_until=NOW + timedelta(seconds=60),
        requests=json.dumps({"repos/issues": 7, "graphql": 2}),
        points=5,
    )
    repo = ledger.facts(NOW)
    (told,) = repo["activity"]
    assert told["under_way"] is True
    assert told["doing"] == "issues since 2024-01-01, page 7"
    assert told["per_second"] == 0.5
    assert told["seconds_left"] == 400 + 60
    assert told["seconds_silent"] == 3
    assert told["waiting_until"] == "2024-06-02T00:01:00Z"
    assert (told["requests_total"], told["points"]) == (9, 5)
    assert repo["under_way"] == ["fetch"]


@pytest.mark.parametrize(
    ("columns", "alive"),
    [
        ({}, True),
        ({"ended_at": NOW}, False),
        ({"seen_at": NOW - timedelta(minutes=3)}, False),
        ({"seen_at": NOW - timedelta(minutes=3), "waiting_until": NOW + timedelta(minutes=30)}, True),
        ({"seen_at": NOW - timedelta(minutes=9), "waiting_until": NOW - timedelta(minutes=5)}, False),
    ],
    ids=["seen", "ended", "silent", "waits-and-said-so", "silent-after-a-wait"],
)
def test_a_silent_run_is_not_under_way(ledger: Ledger, columns: dict[str, Any], *, alive: bool) -> None:
    """Whoever dies cannot say so."""
    run(ledger, "r1", doing="page 7", **columns)
    repo = ledger.facts(NOW)
    assert repo["activity"][0]["under_way"] is alive
    assert repo["activity"][0]["doing"] == ("page 7" if alive else None)
    assert repo["under_way"] == (["fetch"] if alive else [])


def test_of_what_is_over_only_the_last_run_of_each_pass_is_told(ledger: Ledger) -> None:
    """Beside all that are at work."""
    for hour in (1, 2, 3):
        at = NOW - timedelta(hours=hour)
        run(ledger, f"poll-{hour}", "poll", started_at=at, seen_at=at, ended_at=at)
    run(ledger, "window-1")
    run(ledger, "window-2", started_at=NOW - timedelta(minutes=1))
    told = [activity["run"] for activity in ledger.facts(NOW)["activity"]]
    assert told == ["window-2", "window-1", "poll-1"]


def test_quotas_samples_and_removals_are_told(ledger: Ledger) -> None:
    """What GitHub last said is left, which part was sampled, and what is gone."""
    execute = ledger.conn.execute
    execute("INSERT INTO relore.quotas VALUES ('token 1', 'core', 5000, 4321, %s, %s)", (DERIVED, STAGED))
    execute(
        "INSERT INTO relore.samples VALUES (%s, 'pr', true, '2024-01-01', %s)",
        (ledger.id, STAGED),
    )
    for ident, reason in ((1, "deleted"), (2, "deleted"), (3, "forgotten")):
        execute(
            "INSERT INTO relore.tombstones VALUES (%s, 'issue_comment', %s, 1, %s, %s)",
            (ledger.id, ident, reason, STAGED),
        )
    execute("INSERT INTO relore.forgotten_authors VALUES (%s, 'x', %s)", (ledger.id, STAGED))
    told = ledger.status()
    assert told["quotas"] == [
        {
            "token": "token 1",
            "resource": "core",
            "allowed": 5000,
            "remaining": 4321,
            "resets_at": "2024-06-01T01:00:00Z",
            "seen_at": "2024-06-01T00:00:00Z",
        }
    ]
    assert told["samples"] == [
        {
            "repo": "harbor/tide",
            "thread_type": "pr",
            "indexed_from": "2024-01-01T00:00:00Z",
            "selector": "merged",
            "sampled_at": "2024-06-01T00:00:00Z",
        }
    ]
    assert told["repositories"][0]["removed"] == {
        "deleted": {"issue_comment": 2},
        "forgotten": {"author": 1, "issue_comment": 1},
    }


def test_rules_and_standing_are_told_as_they_are(ledger: Ledger) -> None:
    """Versions against the program's, people by tier, however many intervals they have."""
    execute = ledger.conn.execute
    for rule, version in (("tokens", tokens.VERSION), ("signals", 0), ("chunks", 4)):
        execute("INSERT INTO relore.rule_versions VALUES (%s, %s, %s)", (ledger.id, rule, version))
    for login, tier, since in (
        ("keel", "authoritative", "2024-01-01"),
        ("keel", "authoritative", "2024-03-01"),
        ("mole", "unresolved", None),
    ):
        execute(
            "INSERT INTO relore.authors VALUES (%s, %s, %s, 'merged', %s, NULL)",
            (ledger.id, login, tier, since),
        )
    repo = ledger.facts()
    assert {rule["rule"]: rule["current"] for rule in repo["rules"]} == {
        "tokens": True,
        "signals": False,
        "chunks": None,
    }
    assert repo["authors"] == {"authoritative": 1, "unresolved": 1, "machine": 0}
    (told,) = facts(ledger.conn, now=NOW, rules={"chunks": 5})["repositories"]
    assert {rule["rule"]: rule["current"] for rule in told["rules"]}["chunks"] is False


def test_the_facts_are_json_and_a_reader_may_ask_for_them(ledger: Ledger, reader_url: str) -> None:
    """Status is served under the role that can only read."""
    ledger.raw("issue", 1, 1)
    ledger.derived()
    ledger.count()
    run(ledger, "r1", done=1, total=2)
    ledger.conn.commit()
    with connect_reader(reader_url) as reader:
        told = facts(reader, now=NOW)
    assert json.loads(json.dumps(told)) == told
    assert told["schema"]["pending"] == []
    assert told["schema"]["applied"] != []


def test_a_store_without_repositories_is_an_answer_too(conn: psycopg.Connection) -> None:
    """Nothing indexed is nothing indexed."""
    told = facts(conn, now=NOW)
    assert (told["threads"], told["repositories"], told["passes"]) == (0, [], [])
