"""What may be read at all: whose repositories, up to when, of what standing, without which threads.

Every query of `search` and `threads` filters by the predicates of ``scope.sql``, and asks for what a head said then
by those of ``as_of.sql``; both stand there once.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, LiteralString, cast

from psycopg import sql
from psycopg.rows import class_row

from relore_serve.sql import load

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from psycopg import Connection

HUMAN = ("authoritative", "unresolved", "reported")
MACHINE = ("machine",)

_FRAGMENTS = load("relore_serve.search", "scope.sql")
_AS_OF = load("relore_serve.as_of", "as_of.sql")


@dataclass(frozen=True, slots=True)
class Repo:
    """A repository, by the id that tables join on and the name that people use."""

    id: int
    name: str


@dataclass(frozen=True, slots=True)
class Floor:
    """Whose words are admitted.

    Attributes:
        labels: the labels of trust.
        merged_too: besides them, any person's words on a pull request that was merged: merging is a
            maintainer's act, and stands for what was merged.
    """

    labels: tuple[str, ...]
    merged_too: bool = False


def floor(kind: str | None, trust: str | None) -> Floor:
    """Return the floor that a kind of question implies, raised by ``trust``, never lowered.

    A team member whose write access is not confirmed counts as a person, below the authoritative ones.
    """
    if trust == "machine":
        return Floor(MACHINE)
    if trust == "authoritative" or kind == "rationale":
        return Floor(("authoritative",))
    if kind == "precedent":
        return Floor(("authoritative",), merged_too=True)
    return Floor(HUMAN)


@dataclass(frozen=True, slots=True)
class Scope:
    """The bounds that no answer crosses. ``withheld`` are ids of threads."""

    repos: tuple[Repo, ...]
    floor: Floor = Floor(HUMAN)
    since: datetime | None = None
    before: datetime | None = None
    withheld: tuple[int, ...] = ()

    def parameters(self) -> dict[str, object]:
        """Return the values that the predicates of ``scope.sql`` ask for."""
        return {
            "repo_ids": [repo.id for repo in self.repos],
            "trusts": list(self.floor.labels),
            "merged_too": self.floor.merged_too,
            "since": self.since,
            "before": self.before,
            "withheld": list(self.withheld),
        }


def repositories(conn: Connection, names: Sequence[str] | None = None) -> tuple[Repo, ...]:
    """Return the repositories with these names, spelled in any case; all that are held for None."""
    wanted = None if names is None else [name.lower() for name in names]
    with conn.cursor(row_factory=class_row(Repo)) as cursor:
        return tuple(cursor.execute(_FRAGMENTS["repositories"], {"names": wanted}).fetchall())


@cache
def fragments() -> dict[str, sql.Composable]:
    """Return the shared predicates by name, to be put into statements."""
    as_of: dict[str, sql.Composable] = {name: sql.SQL(text) for name, text in _AS_OF.items()}
    return as_of | {
        name: sql.SQL(text).format(**as_of) for name, text in _FRAGMENTS.items() if "_in_" in name
    }


@cache
def statements(package: str, file: str, **constants: float) -> dict[str, LiteralString]:
    """Return the named statements of ``file`` with the shared predicates and ``constants`` put in.

    Both are part of the program: no value of a question ever goes this way.
    """
    parts = fragments() | {name: sql.Literal(number) for name, number in constants.items()}
    return {
        name: cast("LiteralString", sql.SQL(text).format(**parts).as_string(None))
        for name, text in load(package, file).items()
    }
