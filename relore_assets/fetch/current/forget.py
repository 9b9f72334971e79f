"""Removes words on request, everywhere, and for good: a comment, a thread, or all that a person wrote.

What forbids their return is written first, or in the transaction that removes them, so that no fetch brings back what
a removal that was interrupted has left out; run again, it goes on. Of an object its id stays, of a person a digest of
the login. What others quoted of the words is theirs, and stays.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from hashlib import blake2b
from typing import TYPE_CHECKING, Any

import orjson
import psycopg
from psycopg.rows import tuple_row

from relore_assets.derive import writer
from relore_assets.derive.derive import derive
from relore_assets.embeddings.keeping import remove_of_documents
from relore_assets.errors import ReloreError
from relore_assets.fetch import removals, repos
from relore_assets.fetch.current.questions import forget_questions, texts_of_person
from relore_assets.fetch.current.removing import hold_alone, hold_threads, remove_objects, remove_threads
from relore_serve.database import store_errors
from relore_serve.sql import load

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from psycopg import Connection

SQL = load("relore_assets.fetch.current", "forget.sql")

#: Threads whose objects are looked through in one transaction.
BATCH_THREADS = 200

# GitHub's own grammar; an underscore for accounts that a company manages, and the suffix of GitHub's apps.
_LOGIN = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,99}(?:\[bot\])?")


class NotHeld(ReloreError):
    """Nothing is known here of what was asked to be forgotten."""


class Ambiguous(ReloreError):
    """An id belongs to objects of several kinds."""


@dataclass(slots=True)
class Forgotten:
    """How much was removed: staged objects (or their words), documents, kept versions, threads."""

    objects: int = 0
    documents: int = 0
    versions: int = 0
    threads: int = 0

    @property
    def total(self) -> int:
        """All of it."""
        return self.objects + self.documents + self.versions + self.threads


def forget_comment(database_url: str, repo: str, object_id: str, *, kind: str | None = None) -> Forgotten:
    """Remove one comment, inline comment or review; ``kind`` as `raw_objects` has it, where the id has several.

    Raises:
        UnknownRepository: the repository is not indexed.
        NotHeld: no such object is staged, kept as a version, or known to have been deleted.
        Ambiguous: objects of several kinds bear the id, and ``kind`` was not given.
    """
    with _connected(database_url) as conn:
        known = repos.known(conn, repo)
        scope = {"repo_id": known.id, "object_id": object_id, "kind": kind}
        places = _rows(conn, "places", scope)
        if not places:
            raise NotHeld(f"nothing is held of comment {object_id} of {repo}: look the id up in its address.")
        if len({row[0] for row in places}) > 1:
            kinds = ", ".join(sorted({row[0] for row in places}))
            raise Ambiguous(
                f"{object_id} is the id of several kinds of object in {repo}: name one of {kinds}."
            )
        bears, number = places[0]
        scope = {"repo_id": known.id, "kind": bears, "object_id": object_id}
        done = Forgotten()
        with conn.transaction():
            hold_alone(conn, known.id)
            hold_threads(conn, known.id, [number])
            _remember(conn, known.id, bears, object_id, number)
            done.objects = len(
                remove_objects(conn, known.id, [(bears, object_id)], reason=removals.FORGOTTEN)
            )
            done.documents = _remove_documents(conn, known.id, _ids(conn, "documents_of_object", scope))
            done.versions = conn.execute(SQL["remove_versions_of_object"], scope).rowcount
            conn.execute(SQL["remove_verdict"], scope)
            forget_questions(conn, known.id, texts=[(bears, object_id)], touched=[number])
        _remove_titles(conn, known.id)
    _settle(database_url, known.full_name, [number])
    return done


def forget_thread(database_url: str, repo: str, number: int) -> Forgotten:
    """Remove an issue or pull request with everything that anybody said in it.

    Raises:
        UnknownRepository: the repository is not indexed.
        NotHeld: nothing is known of the number.
    """
    with _connected(database_url) as conn:
        known = repos.known(conn, repo)
        scope = {"repo_id": known.id, "number": number}
        if not _rows(conn, "traces_of_thread", scope):
            raise NotHeld(f"nothing is held of {repo}#{number}.")
        done = Forgotten()
        with conn.transaction():
            hold_alone(conn, known.id)
            hold_threads(conn, known.id, [number])
            done.objects = _count(conn, "objects_of_thread", scope)
            remove_threads(conn, known.id, [number], reason=removals.FORGOTTEN)
            _remember(conn, known.id, removals.THREAD, str(number), number)
            done.documents = _remove_documents(conn, known.id, _ids(conn, "documents_of_thread", scope))
            done.versions = conn.execute(SQL["remove_versions_of_thread"], scope).rowcount
            done.threads = conn.execute(SQL["remove_thread"], scope).rowcount
            forget_questions(conn, known.id, threads=[number])
        _remove_titles(conn, known.id)
    _settle(database_url, known.full_name, [number])
    return done


def forget_author(database_url: str, repo: str, login: str) -> Forgotten:
    """Remove all that a person wrote, and the account wherever it is named as one.

    Threads that the person opened stay, without title, body and author, for what others said in them. A login that
    is not known here is blocked all the same.

    Raises:
        UnknownRepository: the repository is not indexed.
        NotHeld: ``login`` is none.
    """
    if not _LOGIN.fullmatch(login):
        raise NotHeld(f"{login!r} is no login.")
    with _connected(database_url) as conn:
        known = repos.known(conn, repo)
        person = {
            "repo_id": known.id,
            "login": login.lower(),
            "digest": removals.login_digest(login),
            "pattern": '%"login": "' + login.replace("_", r"\_") + '"%',
        }
        with conn.transaction():
            hold_alone(conn, known.id)
            conn.execute(SQL["remember_person"], person)
        numbers = sorted(row[0] for row in _rows(conn, "numbers_of_person", person))
        done = Forgotten()
        for batch in _slices(numbers, BATCH_THREADS):
            with conn.transaction():
                hold_threads(conn, known.id, batch)
                theirs = texts_of_person(conn, known.id, login.lower(), batch)
                forget_questions(conn, known.id, texts=theirs, touched=batch)
                done.objects += _remove_person(conn, known.id, {**person, "numbers": batch})
                written = _ids(conn, "documents_of_person", {**person, "numbers": batch})
                done.documents += _remove_documents(conn, known.id, written)
                done.versions += conn.execute(
                    SQL["remove_versions_of_person"], {**person, "numbers": batch}
                ).rowcount
        conn.execute(SQL["remove_standing"], person)
        conn.execute(SQL["remove_permission"], person)
        _remove_titles(conn, known.id)
    _settle(database_url, known.full_name, numbers)
    return done


def _remove_person(conn: Connection, repo_id: int, person: dict[str, Any]) -> int:
    """Take a person's words and account out of what is staged of some threads; returns how many objects changed."""
    people = frozenset({person["digest"]})
    gone: list[tuple[str, str]] = []
    changed: list[tuple[str, str, Any]] = []
    for kind, object_id, payload in _rows(conn, "objects_of_person", person):
        kept = removals.redacted_of_people(kind, payload, people)
        if kept is None:
            gone.append((kind, object_id))
        elif kept != payload:
            changed.append((kind, object_id, kept))
    remove_objects(conn, repo_id, gone, reason=removals.FORGOTTEN)
    _replace(conn, repo_id, changed)
    return len(gone) + len(changed)


def _remove_titles(conn: Connection, repo_id: int) -> None:
    """Take the titles of threads out of staged events, which quote them; new ones arrive without."""
    with conn.transaction():
        events = _rows(conn, "events_with_titles", {"repo_id": repo_id})
        bare = [
            (kind, object_id, removals.without_titles(kind, payload)) for kind, object_id, payload in events
        ]
        _replace(conn, repo_id, bare)


def _replace(conn: Connection, repo_id: int, objects: Iterable[tuple[str, str, Any]]) -> None:
    """Store payloads anew, with the hash that `Stage` would give them."""
    for kind, object_id, payload in objects:
        text = orjson.dumps(payload, option=orjson.OPT_SORT_KEYS)
        conn.execute(
            SQL["replace_payload"],
            {
                "repo_id": repo_id,
                "kind": kind,
                "object_id": object_id,
                "payload": text.decode(),
                "hash": blake2b(text, digest_size=16).digest(),
            },
        )


def _remove_documents(conn: Connection, repo_id: int, ids: list[int]) -> int:
    """Remove documents, their signals, links, lexemes and vectors, keeping no version of them."""
    if ids:
        remove_of_documents(conn, ids)
        conn.execute(writer.QUERIES["subtract_terms"], {"repo_id": repo_id, "replaced": ids})
        conn.execute(writer.QUERIES["remove_documents"], {"ids": ids})
    return len(ids)


def _remember(conn: Connection, repo_id: int, kind: str, object_id: str, number: int) -> None:
    conn.execute(
        SQL["remember_object"],
        {"repo_id": repo_id, "kind": kind, "object_id": object_id, "number": number},
    )


def _settle(database_url: str, repo: str, numbers: Sequence[int]) -> None:
    """Bring the rows of the threads that lost something in line with what is staged."""
    derive(database_url, repo, numbers=numbers)


def _connected(database_url: str) -> Connection:
    with store_errors():
        return psycopg.connect(database_url, autocommit=True)


def _rows(conn: Connection, name: str, values: dict[str, Any]) -> list[tuple[Any, ...]]:
    with conn.cursor(row_factory=tuple_row) as cursor:
        return cursor.execute(SQL[name], values).fetchall()


def _ids(conn: Connection, name: str, values: dict[str, Any]) -> list[int]:
    return [row[0] for row in _rows(conn, name, values)]


def _count(conn: Connection, name: str, values: dict[str, Any]) -> int:
    return _rows(conn, name, values)[0][0]


def _slices(numbers: list[int], size: int) -> Iterator[list[int]]:
    for start in range(0, len(numbers), size):
        yield numbers[start : start + size]
