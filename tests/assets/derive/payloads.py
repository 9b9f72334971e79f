"""Payloads as GitHub sends them, with the fields that a test does not name filled in; and a way to stage them."""

from __future__ import annotations

import json
from hashlib import blake2b
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import psycopg

REPO = "harbor/tide"


def user(login: str, kind: str = "User") -> dict[str, Any]:
    return {"login": login, "id": 1, "type": kind}


def issue(number: int, **fields: Any) -> dict[str, Any]:
    return {
        "number": number,
        "title": f"Issue {number}",
        "body": "",
        "user": user("buoy"),
        "state": "open",
        "labels": [],
        "comments": 0,
        "created_at": "2024-01-01T00:00:00Z",
        "updated_at": "2024-01-02T00:00:00Z",
        "html_url": f"https://github.com/{REPO}/issues/{number}",
        "author_association": "NONE",
        **fields,
    }


def pull(number: int, **fields: Any) -> dict[str, Any]:
    return issue(number, title=f"Pull {number}", html_url=f"https://github.com/{REPO}/pull/{number}") | {
        "draft": False,
        "merged": False,
        "review_comments": 0,
        "commits": 0,
        "changed_files": 0,
        **fields,
    }


def comment(comment_id: int, body: str | None, **fields: Any) -> dict[str, Any]:
    return {
        "id": comment_id,
        "body": body,
        "user": user("buoy"),
        "created_at": "2024-01-01T10:00:00Z",
        "updated_at": "2024-01-01T10:00:00Z",
        "html_url": f"https://github.com/{REPO}/issues/1#issuecomment-{comment_id}",
        "author_association": "NONE",
        **fields,
    }


def review(review_id: int, state: str, body: str = "", **fields: Any) -> dict[str, Any]:
    return {
        "id": review_id,
        "state": state,
        "body": body,
        "user": user("keel"),
        "submitted_at": "2024-01-03T00:00:00Z",
        "commit_id": "a" * 40,
        "html_url": f"https://github.com/{REPO}/pull/1#pullrequestreview-{review_id}",
        "author_association": "NONE",
        **fields,
    }


def commit(sha: str, message: str, **fields: Any) -> dict[str, Any]:
    who = {"name": "Keel", "email": "keel@example.invalid", "date": "2024-01-01T08:00:00Z"}
    return {"sha": sha, "commit": {"message": message, "author": who, "committer": who}, **fields}


def add_repo(conn: psycopg.Connection, name: str = REPO) -> int:
    row = conn.execute(
        "INSERT INTO relore.repos (full_name, source_kind, source_location) VALUES (%s, 'archive', 'x') RETURNING id",
        (name,),
    ).fetchone()
    assert row is not None
    conn.commit()
    return row[0]


def stage(
    conn: psycopg.Connection, repo_id: int, kind: str, object_id: object, number: int, payload: dict[str, Any]
) -> None:
    """Stage one object, or a newer version of it."""
    conn.execute(
        """
        INSERT INTO relore.raw_objects (repo_id, kind, object_id, thread_number, payload, payload_hash,
                                        github_updated_at, fetched_at, source, redaction_version)
        VALUES (%s, %s, %s, %s, %s, %s, %s, now(), 'archive', 1)
        ON CONFLICT (repo_id, kind, object_id) DO UPDATE
        SET payload = excluded.payload, payload_hash = excluded.payload_hash,
            github_updated_at = excluded.github_updated_at
        """,
        (
            repo_id,
            kind,
            str(object_id),
            number,
            json.dumps(payload),
            blake2b(json.dumps(payload, sort_keys=True).encode(), digest_size=16).digest(),
            payload.get("updated_at") or payload.get("submitted_at") or "2024-01-02T00:00:00Z",
        ),
    )
    conn.commit()


def unstage(conn: psycopg.Connection, repo_id: int, kind: str, object_id: object) -> None:
    conn.execute(
        "DELETE FROM relore.raw_objects WHERE repo_id = %s AND kind = %s AND object_id = %s",
        (repo_id, kind, str(object_id)),
    )
    conn.commit()
