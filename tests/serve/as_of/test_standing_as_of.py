"""Whose word counted as a maintainer's is told as it was known at the cutoff, on every page and by every floor."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import pytest
from psycopg.types.json import Jsonb

from relore_assets.authority.authors import refresh
from relore_assets.derive.derive import derive
from relore_serve.search.engine import search
from relore_serve.search.question import Question
from relore_serve.search.scope import Repo
from relore_serve.similar.similar import read as similar
from relore_serve.threads import brief
from relore_serve.threads.inflight import claims
from relore_serve.threads.results import ThreadResult, ThreadView
from relore_serve.threads.thread import read

if TYPE_CHECKING:
    from psycopg import Connection

NAME = "harbor/tide"
NOW = datetime(2024, 6, 1, tzinfo=UTC)
LABELLED, APPROVED, MERGED = "2021-01-01T00:00:00Z", "2021-03-01T00:00:00Z", "2022-01-01T00:00:00Z"
#: One label proves nothing of keel, until keel merges within the same spell.
BEFORE, AFTER = datetime(2021, 12, 1, tzinfo=UTC), datetime(2022, 2, 1, tzinfo=UTC)


def user(login: str) -> dict[str, Any]:
    return {"login": login, "id": 1, "type": "User"}


def head(number: int, title: str, author: str, at: str, **more: Any) -> dict[str, Any]:
    return {
        "number": number, "title": title, "state": "open", "user": user(author), "labels": [], "comments": 0,
        "author_association": "NONE", "created_at": at, "updated_at": "2022-06-01T00:00:00Z", **more,
    }  # fmt: skip


@pytest.fixture
def repo(conn: Connection, database_url: str) -> Repo:
    row = conn.execute(
        "INSERT INTO relore.repos (full_name, source_kind, source_location) VALUES (%s, 'archive', '-') RETURNING id",
        [NAME],
    ).fetchone()
    assert row is not None
    at = "2021-02-01T00:00:00Z"
    said = {"author_association": "NONE", "created_at": at, "updated_at": at, "user": user("keel")}
    staged = [
        ("issue", 1, 1, head(1, "The quay sinks", "buoy", at, body="The quay sinks at spring tide.")),
        ("issue_comment", 11, 1, {**said, "id": 11, "body": "The quay sinks since the piles rot."}),
        ("pull", 2, 2, head(2, "Raise the sunken quay", "keel", at, body="Fixes #1. The quay sinks.")),
        (
            "review", 21, 3,
            {"id": 21, "user": user("keel"), "state": "APPROVED", "submitted_at": APPROVED, "body": ""},
        ),
        ("pull", 3, 3, head(3, "Paint the quay", "buoy", at, body="The quay rusts.")),
        ("event", 31, 3, {"event": "labeled", "created_at": LABELLED, "actor": user("keel"), "label": {"name": "x"}}),
        ("event", 32, 3, {"event": "merged", "created_at": MERGED, "actor": user("keel")}),
    ]  # fmt: skip
    for kind, key, number, payload in staged:
        conn.execute(
            "INSERT INTO relore.raw_objects (repo_id, kind, object_id, thread_number, payload, payload_hash,"
            " fetched_at, source, redaction_version) VALUES (%s, %s, %s, %s, %s, %s, now(), 'archive', 1)",
            [row[0], kind, str(key), number, Jsonb(payload), f"{kind} {key}".encode()],
        )
    refresh(conn, row[0])
    conn.commit()
    assert derive(database_url, NAME).batch.failed == {}
    return Repo(row[0], NAME)


def thread(conn: Connection, repo: Repo, number: int, before: datetime | None) -> ThreadResult:
    found = read(conn, repo.id, number, ThreadView(before=before), NOW)
    assert found is not None
    return found


@pytest.mark.parametrize(
    ("before", "tier"), [(BEFORE, "reported"), (AFTER, "authoritative"), (None, "authoritative")]
)
def test_every_page_shows_the_tier_of_then(
    conn: Connection, repo: Repo, before: datetime | None, tier: str
) -> None:
    """Of the opener, the commenter, the reviewer, the claim, the passage."""
    pull, painted, issue = (thread(conn, repo, number, before) for number in (2, 3, 1))
    beside = brief.read(conn, repo, 1, visible=(), before=before, exclude=(), compact=False, now=NOW)
    alike = similar(conn, repo, 1, before=before, now=NOW)
    assert beside is not None
    assert alike is not None
    hits = search(conn, Question("piles", repos=(repo,), before=before), NOW).hits
    assert {
        "opener": pull.trust,
        "comment": issue.comments[0].trust,
        "claim": claims(conn, repo, 1, NOW, before=before).claims[0].trust,
        "brief": beside.people.listed[0].trust,
        "passage": next(one.passage.trust for one in alike.similar if one.number == 2 and one.passage),
        "hit": hits[0].trust,
        "verdict": painted.verdicts[0].trust,
    } == dict.fromkeys(("opener", "comment", "claim", "brief", "passage", "hit", "verdict"), tier)
    assert painted.review_decision == (None if tier == "reported" else "approved")


@pytest.mark.parametrize(("before", "found"), [(BEFORE, []), (AFTER, [1]), (None, [1])])
def test_a_floor_admits_whom_it_would_have_admitted_then(
    conn: Connection, repo: Repo, before: datetime | None, found: list[int]
) -> None:
    """The rationale is a maintainer's, once it is known to be one's."""
    hits = search(conn, Question("piles", repos=(repo,), kind="rationale", before=before), NOW).hits
    assert [hit.number for hit in hits] == found
