"""A recorded history cut at a date has the standing that the whole one has as seen from that date."""

from __future__ import annotations

from collections import Counter
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from payloads import REPO, add_repo, comment, issue, pull, review, stage, user
from psycopg.sql import SQL

from relore_assets.authority.authors import load_evidence, load_standing, refresh
from relore_assets.authority.lookup import Standing
from relore_assets.authority.standing import intervals
from relore_assets.derive.derive import derive
from relore_assets.fetch.importing import import_archive
from relore_serve.sql import load

if TYPE_CHECKING:
    from pathlib import Path

    from psycopg import Connection

AS_OF = load("relore_serve.as_of", "as_of.sql")
NAME = "bitcoin-core/secp256k1"

# What there was of it at the time, in the state that its head had then.
CUT = """
    INSERT INTO relore.raw_objects (
        repo_id, kind, object_id, thread_number, payload, payload_hash, github_updated_at, fetched_at, source,
        redaction_version)
    SELECT
        %(cut)s, kind, object_id, thread_number,
        payload || CASE WHEN (payload ->> 'closed_at')::timestamptz >= %(at)s
                        THEN '{"closed_at": null, "closed_by": null}' ELSE '{}' END::jsonb
                || CASE WHEN (payload ->> 'merged_at')::timestamptz >= %(at)s
                        THEN '{"merged_at": null, "merged_by": null}' ELSE '{}' END::jsonb,
        payload_hash, github_updated_at, fetched_at, source, redaction_version
    FROM relore.raw_objects
    WHERE repo_id = %(whole)s
      AND kind IN ('issue', 'pull', 'issue_comment', 'review', 'review_comment', 'event')
      AND coalesce(payload ->> 'submitted_at', payload ->> 'created_at')::timestamptz < %(at)s"""

SAID = """
    SELECT payload #>> '{user,login}', coalesce(payload ->> 'submitted_at', payload ->> 'created_at')::timestamptz
    FROM relore.raw_objects
    WHERE repo_id = %s AND kind <> 'event' AND payload #>> '{user,login}' IS NOT NULL"""


def test_every_text_of_then_has_the_tier_that_it_had(
    database_url: str, conn: Connection, corpus: Path
) -> None:
    """At seven dates, over all that was written before each; and today's tiers would be others."""
    import_archive(database_url, NAME, corpus)
    row = conn.execute("SELECT id FROM relore.repos WHERE full_name = %s", [NAME]).fetchone()
    assert row is not None
    whole = row[0]
    refresh(conn, whole)
    standing = load_standing(conn, whole)
    otherwise = Counter[int]()
    for year in (2014, 2015, 2017, 2019, 2021, 2023, 2025):
        at = datetime(year, 9, 1, tzinfo=UTC)
        cut = add_repo(conn, f"harbor/cut-{year}")
        conn.execute(CUT, {"cut": cut, "whole": whole, "at": at})
        known = load_evidence(conn, cut)
        then = Standing(intervals(known.accounts, known.acts))
        said = conn.execute(SAID, [cut]).fetchall()
        differing = {
            (login, written)
            for login, written in said
            if standing.as_of(login, written, at) != then.trust(login, written)
        }
        assert differing == set()
        otherwise[year] = sum(standing.trust(*one) != then.trust(*one) for one in said)
    assert sum(otherwise.values()) > 0, otherwise


MOMENTS = [
    datetime(year, month, 15, tzinfo=UTC)
    for year in (2018, 2019, 2020, 2021, 2022, 2023)
    for month in (1, 5, 9)
]

THEN = SQL(
    "SELECT t.number, d.source_type, d.source_id, {tier} FROM relore.documents d JOIN relore.threads t "
    "ON t.id = d.thread_id WHERE d.repo_id = %(repo)s AND d.created_at < %(before)s"
)


def tiers(conn: Connection, repo_id: int, before: datetime, tier: str) -> set[tuple[object, ...]]:
    statement = THEN.format(tier=SQL(tier))  # pyright: ignore[reportArgumentType]
    return set(conn.execute(statement, {"repo": repo_id, "before": before}).fetchall())


ANSWERS = [
    ("asked", "write", "2020-05-01", "2021-05-01"),
    ("asked", "read", "2022-05-01", "2022-06-01"),
    ("late", "admin", "2021-01-01", "2021-01-01"),
]
KEEP = "INSERT INTO relore.permissions (repo_id, login, permission, since, checked_at) VALUES (%s, %s, %s, %s, %s)"


def make(conn: Connection) -> int:
    """Stage a history with every kind of evidence; return the id of its repository."""
    whole = add_repo(conn)
    stage(conn, whole, "issue", 1, 1, issue(1, created_at="2018-01-01T00:00:00Z", user=user("opener")))
    stage(conn, whole, "issue", 2, 2, issue(2, created_at="2018-01-01T00:00:00Z", user=user("opener"),
                                            closed_at="2019-03-01T00:00:00Z", closed_by=user("closer")))  # fmt: skip
    for number in range(3, 9):
        merged = f"20{15 + number}-0{number}-01T00:00:00Z"
        stage(conn, whole, "pull", number, number,
              pull(number, created_at="2018-01-01T00:00:00Z", user=user("opener"), merged_at=merged,
                   merged_by=user("keel" if number % 2 else "member")))  # fmt: skip
    # Labels before and after the triage role came, habits, one act that is none, a bot's, a gap that is bridged.
    for place, (login, what, at, number) in enumerate(
        [
            ("early", "labeled", "2018-06-01", 1), ("late", "labeled", "2020-06-01", 1),
            ("habit", "closed", "2020-02-01", 1), ("habit", "closed", "2020-03-01", 4),
            ("habit", "reopened", "2020-08-01", 3), ("member", "labeled", "2018-03-01", 1),
            ("gap", "locked", "2019-02-01", 1), ("gap", "locked", "2020-09-01", 1),
            ("collab", "assigned", "2022-02-01", 1), ("robot", "labeled", "2019-01-01", 1),
        ]
    ):  # fmt: skip
        acted = {"event": what, "actor": user(login, "Bot" if login == "robot" else "User"),
                 "created_at": f"{at}T00:00:00Z", "assigner": user(login), "assignee": user("opener")}  # fmt: skip
        stage(conn, whole, "event", 500 + place, number, acted)
    for place, number in enumerate((3, 4, 5)):
        sent = {"submitted_at": f"20{19 + place}-04-01T00:00:00Z"}
        stage(
            conn,
            whole,
            "review",
            700 + place,
            number,
            review(700 + place, "APPROVED", user=user("collab"), author_association="COLLABORATOR", **sent),
        )
    called = {"member": "MEMBER", "collab": "COLLABORATOR", "head": "OWNER", "asked": "MEMBER"}
    key = 1_000
    logins = ("early", "late", "habit", "member", "gap", "collab", "robot", "head", "asked", "keel", "closer")
    for login in logins:
        for year in range(2018, 2024):
            for month in (2, 7):
                key += 1
                at = f"{year}-0{month}-10T00:00:00Z"
                said = comment(key, f"word {key}", user=user(login, "Bot" if login == "robot" else "User"),
                               author_association=called.get(login, "NONE"), created_at=at, updated_at=at)  # fmt: skip
                stage(conn, whole, "issue_comment", key, 1, said)
    for answer in ANSWERS:
        conn.execute(KEEP, [whole, *answer])
    return whole


def test_an_index_of_a_history_that_was_cut_has_the_tiers_of_the_whole_one_as_of_then(
    database_url: str, conn: Connection
) -> None:
    """Of a made history with every kind of evidence, in documents as they are derived and as they are asked for."""
    whole = make(conn)
    refresh(conn, whole)
    conn.commit()
    assert derive(database_url, REPO).batch.failed == {}
    moved = 0
    for before in MOMENTS:
        cut = add_repo(conn, f"harbor/cut-{before:%Y-%m}")
        conn.execute(CUT, {"cut": cut, "whole": whole, "at": before})
        for login, permission, since, checked in ANSWERS:
            if since < f"{before:%Y-%m-%d}":
                last = checked if checked < f"{before:%Y-%m-%d}" else since
                conn.execute(KEEP, [cut, login, permission, since, last])
        refresh(conn, cut)
        conn.commit()
        assert derive(database_url, f"harbor/cut-{before:%Y-%m}").batch.failed == {}
        seen = tiers(conn, whole, before, AS_OF["trust_as_of"])
        assert seen == tiers(conn, cut, before, "d.trust")
        moved += len(seen ^ tiers(conn, whole, before, "d.trust"))
    assert moved
    assert {tier for *_, tier in seen} == {"authoritative", "unresolved", "reported", "machine"}
