"""Which set is measured: a file, or one that is frozen in the database; and what must not be measured at all."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from relore_assets.bench.corpus import SQL
from relore_assets.errors import ReloreError
from relore_assets.fetch import repos
from relore_assets.judge import frozen
from relore_assets.mine import sets
from relore_assets.mine.example import ASKED, identity

if TYPE_CHECKING:
    from psycopg import Connection

    from relore_assets.fetch.repos import Repo
    from relore_assets.mine.example import Example
    from relore_assets.mine.sets import ExampleSet


class Unmeasurable(ReloreError):
    """A set is not one whose figures would mean anything here."""

    exit_code = 2


def held(conn: Connection, repo: Repo, named: str, *, unfrozen: bool) -> ExampleSet:
    """Return the set that is to be measured.

    Args:
        conn: a session that may read the tables.
        repo: whose questions these have to be.
        named: a file, the name of a frozen set, or empty for the newest frozen one.
        unfrozen: take a set that may still change: its figures are not to be kept.

    Raises:
        Unmeasurable: there is none, it is of another repository, or it is not frozen.
        NotASet: the file is none, or not what was frozen.
        ReloreError: no set of that name is in the database, or its rows are not what was frozen.
    """
    found = sets.read(Path(named)) if is_file(named) else frozen.load(conn, repo.id, _name(conn, repo, named))
    other = _asks_of_another(conn, repo, found)
    if other is not None:
        raise Unmeasurable(f"The set {found.name} asks of {other}, and not of {repo.full_name}.")
    if found.frozen_at is None and not unfrozen:
        raise Unmeasurable(
            f"The set {found.name} is not frozen, so what is measured on it compares with nothing: freeze it "
            "(relored judge --freeze), or measure it all the same with --unfrozen."
        )
    return found


def _asks_of_another(conn: Connection, repo: Repo, found: ExampleSet) -> str | None:
    """Return the other repository that a set asks of, by its header, or by the ids of its questions; else None.

    A header may follow a repository that was renamed, and ids keep its former name; they tell where they are those of
    another repository that is here as well.
    """
    if found.repo.lower() != repo.full_name.lower():
        return found.repo
    mined = next((each for each in found.examples if each.slice != ASKED), None)
    if mined is None or mined.id == _id_in(repo, mined):
        return None
    return next((each.full_name for each in repos.every(conn) if mined.id == _id_in(each, mined)), None)


def _id_in(repo: Repo, example: Example) -> str:
    return identity(repo.full_name, example.slice, example.query, example.filters, example.asked.number)


def is_file(named: str) -> bool:
    """Whether a set is named by its file."""
    return named.endswith(".jsonl") or "/" in named or "\\" in named


def _name(conn: Connection, repo: Repo, named: str) -> str:
    if named:
        return named
    row = conn.execute(SQL["newest_frozen"], {"repo_id": repo.id}).fetchone()
    if row is None:
        raise Unmeasurable(
            f"No set of {repo.full_name} is frozen: mine, judge and freeze one first, or name a file with --set."
        )
    return str(row[0])
