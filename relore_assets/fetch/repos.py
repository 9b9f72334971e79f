"""Repositories: their names, and the rows that every other table joins on."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from psycopg.rows import class_row

from relore_assets.errors import ReloreError, UnknownRepository
from relore_serve.sql import load

if TYPE_CHECKING:
    from psycopg import Connection

SQL = load("relore_assets.fetch", "repos.sql")

# GitHub's own grammar: owners of letters, digits and hyphens, names with dots and underscores too.
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9-]{0,38}/[A-Za-z0-9._-]{1,100}")

SourceKind = Literal["archive", "api"]


class BadNameError(ReloreError):
    """A repository's name is not one."""

    exit_code = 2  # of a command line that is wrong


class NotFromGitHub(ReloreError):
    """What only GitHub could tell was asked of a repository that came from an archive."""


@dataclass(frozen=True)
class Repo:
    """A repository, and where its history comes from."""

    id: int
    full_name: str
    source_kind: SourceKind
    source_location: str


def checked_name(full_name: str) -> str:
    """Return ``full_name`` as it was given.

    Raises:
        BadNameError: it does not read owner/name as GitHub allows it.
    """
    if not _NAME.fullmatch(full_name) or full_name.rsplit("/", 1)[1] in {".", ".."}:
        raise BadNameError(f"{full_name!r} is no repository name: expected owner/name, such as octo/kit.")
    return full_name


def find(conn: Connection, full_name: str) -> Repo | None:
    """Return the repository of that name, however its letters are cased."""
    with conn.cursor(row_factory=class_row(Repo)) as cursor:
        return cursor.execute(SQL["find"], {"full_name": full_name}).fetchone()


def known(conn: Connection, full_name: str) -> Repo:
    """Return the repository of that name.

    Raises:
        BadNameError: the name is none.
        UnknownRepository: it is not indexed here.
    """
    repo = find(conn, checked_name(full_name))
    if repo is None:
        raise UnknownRepository(
            f"{full_name} is not indexed here: fetch it first (relored backfill --repo {full_name}), or import an "
            f"archive (relored import --repo {full_name} PATH)."
        )
    return repo


def from_github(conn: Connection, full_name: str) -> Repo:
    """Return the repository of that name, which is kept current from GitHub.

    Raises:
        BadNameError, UnknownRepository: as `known` does.
        NotFromGitHub: it was imported from an archive, and GitHub was never asked about it.
    """
    repo = known(conn, full_name)
    if repo.source_kind != "api":
        raise NotFromGitHub(
            f"{repo.full_name} was imported from an archive and is not followed at GitHub: "
            f"fetch it first (relored backfill --repo {repo.full_name})."
        )
    return repo


def every(conn: Connection) -> list[Repo]:
    """Return all repositories by name."""
    with conn.cursor(row_factory=class_row(Repo)) as cursor:
        return cursor.execute(SQL["every"]).fetchall()


def every_from_github(conn: Connection) -> list[Repo]:
    """Return the repositories that are kept current from GitHub, by name."""
    return [repo for repo in every(conn) if repo.source_kind == "api"]


def register(conn: Connection, full_name: str, source_kind: SourceKind, source_location: str) -> Repo:
    """Return the repository's row, made or brought up to date: it remembers the source it was last given.

    A repository that is read from GitHub keeps that source when an archive is imported into it besides.

    Raises:
        BadNameError: the name is none.
    """
    values = {
        "full_name": checked_name(full_name),
        "source_kind": source_kind,
        "source_location": source_location,
    }
    with conn.transaction(), conn.cursor(row_factory=class_row(Repo)) as cursor:
        cursor.execute(SQL["register"], values)
        repo = cursor.execute(SQL["find"], values).fetchone()
    if repo is None:
        raise RuntimeError(f"{full_name}: the row that was just written is gone")
    return repo


def rename(conn: Connection, repo: Repo, full_name: str) -> None:
    """Give a repository the name that it has at GitHub now; the next derive brings its rows in line.

    Raises:
        BadNameError: the name is none.
    """
    values = {"repo_id": repo.id, "full_name": checked_name(full_name)}
    with conn.transaction():
        conn.execute(SQL["rename"], values)
        conn.execute(SQL["derive_again"], values)
        conn.execute(SQL["rename_sets"], values)
