"""What may not be stored again: words that were removed at the source, or that somebody asked to have removed.

`Stage` asks here before it writes, whatever the objects' source. The words themselves are gone; of an object its id
is kept, of a person a digest of the login.
"""

from __future__ import annotations

from dataclasses import dataclass
from hashlib import blake2b
from typing import TYPE_CHECKING, Any, cast

from relore_assets.fetch.archives import found
from relore_serve.sql import load

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from datetime import datetime

    from psycopg import Connection

    from relore_assets.fetch.archives.found import Payload

SQL = load("relore_assets.fetch", "removals.sql")

# Distinguishes this lock from others that name a repository: "rrem" in ASCII.
LOCK_CLASS = 0x7272656D

THREAD = "thread"
DELETED = "deleted"
TRANSFERRED = "transferred"
FORGOTTEN = "forgotten"

#: Kinds that have tombstones of their own; everything else goes with its thread.
WITH_TOMBSTONE = frozenset({found.ISSUE_COMMENT, found.REVIEW, found.REVIEW_COMMENT})

_HEADS = frozenset({found.ISSUE, found.PULL})

#: Stands where the title was: a thread cannot be without one.
REMOVED_TITLE = "[removed on request]"


@dataclass(frozen=True, slots=True)
class Tombstone:
    """That an object was removed, why, and when."""

    kind: str
    object_id: str
    reason: str
    removed_at: datetime


@dataclass(frozen=True, slots=True)
class Removals:
    """What the store may not hold of a batch of objects."""

    tombstones: Mapping[tuple[str, str], Tombstone]
    #: Digests of the logins of everybody who asked to be forgotten.
    people: frozenset[bytes]
    #: Whether anything of this repository was removed on request: then its events carry no titles.
    anything_forgotten: bool

    def bars(self, kind: str, object_id: str, thread_number: int) -> set[tuple[str, str]]:
        """Return the keys of the tombstones that forbid storing an object: its own, and its thread's."""
        return {key for key in ((THREAD, str(thread_number)), (kind, object_id)) if key in self.tombstones}

    def kept(self, kind: str, payload: Payload) -> Payload | None:
        """Return what of a payload may be stored: the same object when all of it, None when nothing."""
        if not self.anything_forgotten:
            return payload
        return redacted_of_people(kind, without_titles(kind, payload), self.people)


def read(conn: Connection, repo_id: int, objects: Iterable[tuple[str, str, int]]) -> Removals:
    """Return what forbids storing some (kind, object id, thread number).

    Inside a transaction, nothing is removed between this answer and its end: removals wait for it.
    """
    triples = list(objects)
    values = {
        "class": LOCK_CLASS,
        "repo_id": repo_id,
        "kinds": [kind for kind, _, _ in triples],
        "object_ids": [object_id for _, object_id, _ in triples],
        "numbers": [str(number) for number in {number for _, _, number in triples}],
    }
    conn.execute(SQL["share"], values)
    rows = conn.execute(SQL["tombstones"], values).fetchall()
    people = frozenset(bytes(row[0]) for row in conn.execute(SQL["people"], values))
    anything = bool(people) or bool(_one(conn.execute(SQL["anything_forgotten"], values).fetchone()))
    stones = (Tombstone(*row) for row in rows)
    return Removals({(stone.kind, stone.object_id): stone for stone in stones}, people, anything)


def lift(conn: Connection, repo_id: int, stones: Iterable[Tombstone]) -> None:
    """Take away tombstones of objects that are back at the source."""
    gone = list(stones)
    conn.execute(
        SQL["lift"],
        {
            "repo_id": repo_id,
            "kinds": [stone.kind for stone in gone],
            "object_ids": [stone.object_id for stone in gone],
        },
    )


def login_digest(login: str) -> bytes:
    """Return what is kept of a forgotten person: enough to know the login again, not to read it."""
    return blake2b(login.lower().encode(), digest_size=16).digest()


def is_head(kind: str) -> bool:
    """Return whether an object of the kind shows that its thread exists."""
    return kind in _HEADS


def redacted_of_people(kind: str, payload: Payload, people: frozenset[bytes]) -> Payload | None:
    """Return a payload without the words and the accounts of ``people``; None when it is theirs alone.

    What others said stays, and so do threads that others took part in: without title, body and author.
    """
    if not people:
        return payload
    if kind in WITH_TOMBSTONE and _is_one_of(payload.get("user"), people):
        return None
    return cast("Payload", _without_people(payload, people))


def without_titles(kind: str, payload: Payload) -> Payload:
    """Return an event without the titles it quotes: its own thread's before a renaming, those of other threads."""
    if kind != found.EVENT:
        return payload
    kept = {key: each for key, each in payload.items() if key != "rename"}
    source = found.as_object(kept.get("source"))
    issue = found.as_object((source or {}).get("issue"))
    if source is not None and issue is not None:
        bare = {key: each for key, each in issue.items() if key in {"number", "html_url", "id", "state"}}
        kept["source"] = {**source, "issue": bare}
    return kept


def _without_people(value: Any, people: frozenset[bytes]) -> Any:
    """Copy a JSON value, accounts of ``people`` replaced by null (in lists: left out) and their words removed."""
    if isinstance(value, list):
        items = cast("list[Any]", value)
        return [_without_people(item, people) for item in items if not _is_one_of(item, people)]
    if not isinstance(value, dict):
        return value
    entry = cast("Payload", value)
    if _is_one_of(entry.get("user"), people):
        entry = _without_words(entry)
    if "sha" in entry and _is_one_of(entry.get("author"), people):
        entry = _without_message(entry)
    return {
        key: None if _is_one_of(each, people) or _is_owned_by(each, people) else _without_people(each, people)
        for key, each in entry.items()
    }


def _without_words(entry: Payload) -> Payload:
    removed = {"title": REMOVED_TITLE, "body": None, "body_html": None, "body_text": None, "label": None}
    return {key: removed.get(key, each) for key, each in entry.items()}


def _without_message(commit: Payload) -> Payload:
    """Keep a commit's place in its pull request: sha and dates."""
    inner = found.as_object(commit.get("commit")) or {}
    author = found.as_object(inner.get("author")) or {}
    committer = found.as_object(inner.get("committer")) or {}
    kept: Payload = {
        "message": "",
        "author": {"date": author.get("date")},
        "committer": {"date": committer.get("date")},
    }
    return {"sha": commit.get("sha"), "html_url": commit.get("html_url"), "commit": kept, "author": None}


def _is_one_of(account: object, people: frozenset[bytes]) -> bool:
    login = cast("Payload", account).get("login") if isinstance(account, dict) else None
    return isinstance(login, str) and login_digest(login) in people


def _is_owned_by(repository: object, people: frozenset[bytes]) -> bool:
    """Return whether a value is a person's repository: the fork that a branch stands in."""
    return isinstance(repository, dict) and _is_one_of(cast("Payload", repository).get("owner"), people)


def _one(row: tuple[Any, ...] | None) -> Any:
    assert row is not None  # noqa: S101 - EXISTS always has a row
    return row[0]
