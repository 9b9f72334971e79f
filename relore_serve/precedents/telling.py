"""What a page of finished work tells of each unit, read for all of them at once."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING

from psycopg.rows import class_row, tuple_row

from relore_serve.as_of.heads import heads
from relore_serve.precedents.results import Bounded, Related, Unit, Words
from relore_serve.search import ages, snippets
from relore_serve.search.scope import statements
from relore_serve.search.shapes import Named

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from psycopg import Connection

    from relore_serve.as_of.heads import Head
    from relore_serve.search.scope import Scope

LISTED = 8
"""Paths, symbols and the like told of a unit; their number is told beside."""
RELATED = 5
"""Threads of one role told of a unit."""

_SQL = statements("relore_serve.precedents", "tell.sql")
_INFERRED = frozenset({"near the closing", "last word"})
_DAY = 86_400


@dataclass(frozen=True, slots=True)
class Found:
    """A unit, the text that answers best, and what of the question the unit carries."""

    unit: int
    best: int | None
    terms: tuple[str, ...]
    facts: tuple[str, ...]
    score: float | None


@dataclass(frozen=True, slots=True)
class _Unit(Named):
    unit: int
    outcome: str
    kind: str | None
    kind_evidence: str | None
    kind_by_label: bool
    opened_at: datetime
    finished_at: datetime
    rounds: int
    reviewers: int
    problem_id: int | None
    words_id: int | None
    words_how: str | None
    collected_files: int | None
    stated_files: int | None


@dataclass(frozen=True, slots=True)
class _Related(Named):
    unit: int
    role: str
    how: str
    evidence: str
    document_id: int | None
    thread_id: int
    state: str
    merged: bool
    created_at: datetime
    closed_at: datetime | None
    finished_at: datetime | None
    reverted: bool
    words_id: int | None
    words_how: str | None
    total: int
    place: int


@dataclass(frozen=True, slots=True)
class _Document:
    id: int
    author: str
    trust: str
    source_type: str
    source_id: str
    chunk_index: int
    chunk_count: int
    url: str
    body: str
    created_at: datetime | None
    lead: str | None
    in_scope: bool


@dataclass(frozen=True, slots=True)
class _Telling:
    """Everything that was read of a page, and how it is told."""

    related: dict[int, list[_Related]]
    documents: dict[int, _Document]
    lists: dict[tuple[int, str], tuple[list[str], int]]
    heads: dict[int, Head]
    before: datetime | None
    now: datetime
    marks: snippets.Marks
    length: int

    def words(self, document: int | None, how: str, *, marked: bool = False) -> tuple[Words | None, str]:
        """Return the words of a document, and whether they are given, gone, withheld, or none."""
        if document is None:
            return None, "none"
        row = self.documents.get(document)
        if row is None:
            return None, "gone"
        if not row.in_scope:
            return None, "withheld"
        text, truncated = snippets.passage(
            row.body, row.lead or "", self.marks if marked else snippets.NO_MARKS, self.length
        )
        return (
            Words(
                how=how,
                inferred=how in _INFERRED,
                author=row.author,
                trust=row.trust,
                source_type=row.source_type,
                source_id=row.source_id,
                document_id=f"{row.source_type}:{row.source_id}:{row.chunk_index}",
                age=ages.age(row.created_at, self.now),
                date=ages.utc(row.created_at),
                url=row.url,
                text=text,
                truncated=truncated or row.chunk_count > 1,
            ),
            "given",
        )

    def listed(self, unit: int, kind: str) -> Bounded:
        """Return what is told of a list."""
        values, total = self.lists.get((unit, kind), ([], 0))
        return Bounded(tuple(values), total)

    def title(self, thread: int, today: str) -> str:
        """Return a thread's title as of the cutoff."""
        head = self.heads.get(thread)
        return today if head is None else head.title


def tell(
    conn: Connection,
    found: Sequence[Found],
    scope: Scope,
    *,
    now: datetime,
    marks: snippets.Marks,
    compact: bool,
) -> tuple[Unit, ...]:
    """Return the units in the order given."""
    if not found:
        return ()
    values = {**scope.parameters(), "units": [each.unit for each in found]}
    with conn.cursor(row_factory=class_row(_Unit)) as cursor:
        units = {row.unit: row for row in cursor.execute(_SQL["units"], values).fetchall()}
    with conn.cursor(row_factory=class_row(_Related)) as cursor:
        rows = cursor.execute(_SQL["related"], {**values, "most": RELATED}).fetchall()
    related: dict[int, list[_Related]] = defaultdict(list)
    for row in rows:
        related[row.unit].append(row)
    documents = {each.best for each in found}
    for unit in units.values():
        documents |= {unit.problem_id, unit.words_id}
    documents |= {row.words_id for row in rows}
    telling = _Telling(
        related=related,
        documents=_documents(conn, values, [number for number in documents if number is not None]),
        lists=_lists(conn, values),
        heads=heads(conn, [*units, *{row.thread_id for row in rows}], scope.before) if scope.before else {},
        before=scope.before,
        now=now,
        marks=marks,
        length=snippets.COMPACT if compact else snippets.FULL,
    )
    return tuple(_unit(telling, units[each.unit], each) for each in found if each.unit in units)


def _documents(conn: Connection, values: dict[str, object], ids: list[int]) -> dict[int, _Document]:
    with conn.cursor(row_factory=class_row(_Document)) as cursor:
        return {row.id: row for row in cursor.execute(_SQL["documents"], {**values, "ids": ids}).fetchall()}


def _lists(conn: Connection, values: dict[str, object]) -> dict[tuple[int, str], tuple[list[str], int]]:
    found: dict[tuple[int, str], tuple[list[str], int]] = {}
    with conn.cursor(row_factory=tuple_row) as cursor:
        for unit, kind, value, total in cursor.execute(_SQL["lists"], {**values, "most": LISTED}):
            found.setdefault((unit, kind), ([], total))[0].append(value)
    return found


def _unit(telling: _Telling, row: _Unit, found: Found) -> Unit:
    related = telling.related.get(row.unit, [])
    totals = {each.role: each.total for each in related}
    words, words_state = telling.words(row.words_id, row.words_how or "")
    problem, _ = telling.words(row.problem_id, "problem", marked=True)
    match = None
    if found.best is not None and found.best not in {row.problem_id, row.words_id}:
        match, _ = telling.words(found.best, "match", marked=True)
        if match is not None and match.source_type == "title":
            match = None
    reverted = any(each.role == "revert" and each.how == "linked" for each in related)
    unlisted = row.stated_files is not None and (row.collected_files or 0) < row.stated_files
    withheld = ("kind by label",) if telling.before is not None and row.kind_by_label else ()
    return Unit(
        repo=row.repo,
        number=row.number,
        type=row.type,
        title=telling.title(row.unit, row.title),
        url=row.url,
        author=row.author,
        outcome="reverted" if reverted else row.outcome,
        kind=row.kind,
        kind_evidence=row.kind_evidence,
        opened=ages.utc(row.opened_at) or "",
        finished=ages.utc(row.finished_at) or "",
        age=ages.age(row.finished_at, telling.now),
        days=round(max((row.finished_at - row.opened_at).total_seconds(), 0) / _DAY, 1),
        rounds=row.rounds,
        reviewers=row.reviewers,
        problem=problem,
        words=words,
        words_state=words_state,
        match=match,
        terms=found.terms,
        facts=found.facts,
        related=tuple(_related(telling, each) for each in related),
        issues_total=totals.get("issue", 0),
        attempts_total=totals.get("attempt", 0),
        reverts_total=totals.get("revert", 0),
        files=telling.listed(row.unit, "file"),
        files_stated=row.stated_files if unlisted else None,
        symbols=telling.listed(row.unit, "symbol"),
        errors=telling.listed(row.unit, "error"),
        tests=telling.listed(row.unit, "test"),
        withheld=withheld,
        score=found.score,
    )


def _related(telling: _Telling, row: _Related) -> Related:
    words, state = None, "not_asked"
    if row.role in {"attempt", "revert"}:
        how = row.words_how or "" if row.role == "attempt" else "statement"
        words, state = telling.words(row.words_id, how)
    head = telling.heads.get(row.thread_id)
    # It may have been finished since.
    finished = row.finished_at or row.closed_at if head is None else head.merged_at or head.closed_at
    return Related(
        role=row.role,
        how=row.how,
        evidence=row.evidence,
        repo=row.repo,
        number=row.number,
        type=row.type,
        title=telling.title(row.thread_id, row.title),
        url=row.url,
        author=row.author,
        state=row.state if head is None else head.state or "unknown",
        merged=row.merged if head is None else head.merged,
        finished=ages.utc(finished),
        age=ages.age(finished or row.created_at, telling.now),
        words=words,
        words_state=state,
        reverted=row.reverted,
    )
