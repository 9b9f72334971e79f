"""What the statements of ``brief.sql`` return, and how a listed thread is made of it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar

from psycopg.rows import class_row

from relore_serve.as_of.heads import heads
from relore_serve.prepared import Prepared
from relore_serve.search import snippets, weights
from relore_serve.search.scope import statements
from relore_serve.threads.brief_results import Evidence, Listed
from relore_serve.threads.decision import decide
from relore_serve.threads.shared import Constant, PassageRow, row_of, said
from relore_serve.threads.thread import latest_verdicts

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from datetime import datetime

    from psycopg import Connection

    from relore_serve.search.question import Exclusion
    from relore_serve.search.scope import Repo
    from relore_serve.threads.results import ThreadResult

_Row = TypeVar("_Row")

PEOPLE = 8
THREADS = 5
SIMILAR = 3
TARGETS = 5
PATHS = 20
ERRORS = 20
COMPACT_WORDS = 60
"""Characters of what is quoted for a row in the compact form: enough to see what it is about."""

# Threads that touch a path, texts that name it, and both of all paths together, as many as are looked at.
_TOUCHING = 2_000
_NAMING = 1_000
_ROWS = 4_000

SQL = statements(
    "relore_serve.threads",
    "brief.sql",
    people=PEOPLE,
    threads=THREADS,
    errors=ERRORS,
    telling=weights.TELLING_ERROR,
    touching=_TOUCHING,
    naming=_NAMING,
    rows=_ROWS,
)
_PREPARED = {name: Prepared(text) for name, text in SQL.items()}


@dataclass(frozen=True, slots=True)
class Asked:
    """One brief: what every section is asked with.

    Attributes:
        own: the bounds of statements that stay within the thread's repository.
        wide: of those that may look into every repository that the caller may see.
        visible: these repositories, the thread's own first.
    """

    conn: Connection
    repo: Repo
    thread: ThreadResult
    own: dict[str, Any]
    wide: dict[str, Any]
    visible: tuple[Repo, ...]
    before: datetime | None
    exclude: tuple[Exclusion, ...]
    compact: bool
    now: datetime


@dataclass(frozen=True, slots=True)
class SaidRow(PassageRow):
    """A text for which a thread is listed."""

    thread_id: int | None


@dataclass(frozen=True, slots=True)
class ErrorRow(SaidRow):
    """A thread that met the same error; the sums are on every row, and on the only one where nothing was found."""

    ord: int | None
    total: int
    above: int


@dataclass(frozen=True, slots=True)
class FileRow:
    """A thread on the same files; the sums are on every row, and on the only one where nothing was found."""

    touching: int
    mentioning: int
    above: int
    untested: int
    used: list[str]
    bounded: bool
    id: int | None
    how: int
    paths: int


@dataclass(frozen=True, slots=True)
class Pick:
    """A thread that a section lists, before its head is read."""

    thread_id: int
    how: str
    targets: tuple[str, ...] = ()
    paths: int | None = None
    duplicate: str | None = None
    evidence: Evidence | None = None


@dataclass(frozen=True, slots=True)
class _TargetRow:
    ord: int
    id: int


@dataclass(frozen=True, slots=True)
class _Constant(Constant):
    id: int


class Heads:
    """Heads of threads, as of a cutoff, all read at once."""

    def __init__(self, asked: Asked, ids: Sequence[int]) -> None:
        """Read the heads of these threads."""
        self._now = asked.now
        rows = (
            rows_of(asked.conn, "listed", {"ids": list(ids), "before": asked.before}, _Constant)
            if ids
            else []
        )
        self._rows = {row.id: row for row in rows}
        self._heads = heads(asked.conn, list(self._rows), asked.before)
        pulls = [row.id for row in rows if row.type == "pr"]
        self._verdicts = latest_verdicts(asked.conn, pulls, asked.before) if pulls else []

    def listed(self, pick: Pick) -> Listed:
        """Return the thread that was picked."""
        row, head = self._rows[pick.thread_id], self._heads[pick.thread_id]
        decision = decide([one for one in self._verdicts if one.thread_id == row.id], row.author)
        return Listed(
            **row_of(row, head, decision, self._now),
            merged_by=head.merged_by,
            how=pick.how,
            targets=pick.targets,
            paths=pick.paths,
            duplicate=pick.duplicate,
            evidence=pick.evidence,
        )

    @property
    def todays_words(self) -> tuple[str, ...]:
        """Return what of these heads is shown in today's words although a cutoff was asked for."""
        return tuple(dict.fromkeys(f"{word}s" for head in self._heads.values() for word in head.todays_words))

    @property
    def withheld(self) -> tuple[str, ...]:
        """Return the fields of which some of these heads are not known as of the cutoff."""
        shown = ("state", "state_reason", "draft", "closed_by")
        unknown = {field for head in self._heads.values() for field in head.withheld}
        return tuple(field for field in shown if field in unknown)


def evidence(row: SaidRow, wanted: Mapping[str, float], *, compact: bool, now: datetime) -> Evidence:
    """Cut a text to the window in which the wanted words stand."""
    limit = COMPACT_WORDS if compact else snippets.FULL
    snippet, truncated = snippets.passage(row.body, "", snippets.marks(wanted.items()), limit)
    return Evidence(**said(row, now), snippet=snippet, truncated=truncated or row.chunk_count > 1)


def rows_of(conn: Connection, name: str, parameters: Mapping[str, Any], row: type[_Row]) -> list[_Row]:
    """Return the rows of a statement of ``brief.sql``."""
    return _PREPARED[name].fetch(conn, parameters, class_row(row))


def held(conn: Connection, bounds: dict[str, Any], targets: Sequence[str]) -> dict[int, int]:
    """Return the ids of those of the named threads that are held and within bounds, by their place from 1."""
    asked = {**bounds, **named(targets)}
    return {row.ord: row.id for row in rows_of(conn, "targets", asked, _TargetRow)}


def named(targets: Sequence[str]) -> dict[str, Any]:
    """Return the parameters for threads named owner/name#number."""
    parts = [target.rpartition("#") for target in targets]
    return {
        "target_repos": [repo.lower() for repo, _, _ in parts],
        "target_numbers": [int(number) for _, _, number in parts],
    }
