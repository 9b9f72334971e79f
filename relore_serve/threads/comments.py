"""The comments of a thread: a sample, the best for a focus, the next in order, all in outline, one whole."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from psycopg.rows import class_row, scalar_row

from relore_serve.search import ages, snippets, tokens
from relore_serve.search.question import clean
from relore_serve.search.ranking import DEFAULT
from relore_serve.search.scope import statements
from relore_serve.search.terms import coverage_power, text_query, weigh
from relore_serve.signals import markdown
from relore_serve.threads.results import Comment, OutlineRow, WholeComment
from relore_serve.threads.shared import PassageRow, said

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from psycopg import Connection

    from relore_serve.search.terms import TextQuery, WeighedTerm
    from relore_serve.threads.kept import KeptTexts

PAGE = 10
ENDS = 2
OUTLINE = 100
OUTLINE_SNIPPET = 60
MENTIONED = 100
LINKS = 50

TYPES = ("issue_comment", "review", "review_comment")

SQL = statements(
    "relore_serve.threads",
    "thread.sql",
    page=PAGE,
    ends=ENDS,
    outline=OUTLINE,
    mentioned=MENTIONED,
    links=LINKS,
    repeated=DEFAULT.repeated,
    length_share=DEFAULT.length_share,
)
_WEIGH = statements("relore_serve.search", "weigh.sql")["weigh"]


@dataclass(frozen=True, slots=True)
class Focus:
    """Words that comments are asked for."""

    terms: Sequence[WeighedTerm]
    query: TextQuery
    marks: snippets.Marks
    usual_length: float


@dataclass(frozen=True, slots=True)
class Place:
    """A place in the order of comments: that of the comment with an id."""

    created_at: datetime | None
    source_type: str
    source_id: str


@dataclass(frozen=True, slots=True)
class Ambiguous:
    """An id without its kind that several comments have; ``choices`` say which is meant."""

    choices: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class _Passage(PassageRow):
    """One piece of a comment."""

    review_state: str | None


@dataclass(frozen=True, slots=True)
class Row(_Passage):
    """One comment, by one of its passages.

    ``version`` is when its text was written, where that is an earlier one than today's.
    """

    id: int
    lead: str | None
    focus_matched: int = 0
    version: datetime | None = None


@dataclass(frozen=True, slots=True)
class _OutlineRow:
    matched: int
    reachable: int
    id: int | None
    source_type: str
    source_id: str
    chunk_count: int
    author: str
    trust: str
    url: str
    body: str
    created_at: datetime | None
    version: datetime | None = None


@dataclass(frozen=True, slots=True)
class Outline:
    """Rows of an outline; ``reachable`` comments follow the place it starts at, ``matched`` carry a word."""

    rows: tuple[OutlineRow, ...]
    reachable: int
    matched: int


def focus(conn: Connection, repo_id: int, text: str) -> Focus | None:
    """Weigh the words of a focus; None where it holds none that could be looked for."""
    words = tokens.query(text)
    if not words.terms:
        return None
    row = conn.execute(
        _WEIGH,
        {
            "repo_ids": [repo_id],
            "lexemes": sorted({lexeme for term in words.terms for lexeme in term.lexemes}),
            "withheld_repos": [],
            "withheld_numbers": [],
            "endings": [],
            "before": None,
        },
    ).fetchone()
    documents, usual_length, frequencies, _, _ = row or (0, 1.0, None, None, None)
    terms = weigh(words.terms, documents, frequencies or {})
    marks = snippets.marks(snippets.words(terms))
    return Focus(terms, text_query(terms, DEFAULT.candidates), marks, max(usual_length, 1.0))


def sample(conn: Connection, parameters: dict[str, Any], kept: KeptTexts) -> list[Row]:
    """Return the first and the last few comments and a spread of the middle, oldest first."""
    return _rows(conn, "sample", parameters, kept)


def focused(conn: Connection, parameters: dict[str, Any], kept: KeptTexts, wanted: Focus) -> list[Row]:
    """Return a page of the comments that say most about the focus, best first, even if none says anything."""
    return _rows(
        conn,
        "focus",
        {
            **parameters,
            "term_queries": [term.term.tsquery for term in wanted.terms],
            "term_weights": [term.weight for term in wanted.terms],
            "any": wanted.query.any_text,
            "every": wanted.query.every,
            "length_floor": DEFAULT.length_floor,
            "usual_length": wanted.usual_length,
            "coverage_power": coverage_power(wanted.terms),
        },
        kept,
    )


def shared_ids(conn: Connection, parameters: dict[str, Any]) -> frozenset[str]:
    """Return the ids that several comments of the thread have, each of another kind."""
    with conn.cursor(row_factory=scalar_row) as cursor:
        return frozenset(cursor.execute(SQL["shared_ids"], parameters).fetchall())


def name_of(row: Row | _OutlineRow, shared: frozenset[str]) -> str:
    """Return what ``after`` and ``comment`` take for this comment: its id, with its kind where that is needed."""
    return f"{row.source_type}:{row.source_id}" if row.source_id in shared else row.source_id


def sequence(
    conn: Connection, parameters: dict[str, Any], kept: KeptTexts, after: Place | None
) -> tuple[list[Row], bool]:
    """Return the comments after a place, in order, and whether more follow."""
    rows = _rows(conn, "sequence", {**parameters, **_after(after)}, kept)
    return rows[:PAGE], len(rows) > PAGE


def place(conn: Connection, parameters: dict[str, Any], after: str) -> Place | Ambiguous | None:
    """Return where the comment with this id stands; None where the thread has none such."""
    source_type, source_id = _address(after)
    with conn.cursor(row_factory=class_row(Place)) as cursor:
        places = cursor.execute(
            SQL["cursor"], {**parameters, "after_type": source_type, "after_id": source_id}
        ).fetchall()
    if len(places) > 1:
        return Ambiguous(tuple(f"{one.source_type}:{one.source_id}" for one in places))
    return places[0] if places else None


def outline(
    conn: Connection,
    parameters: dict[str, Any],
    kept: KeptTexts,
    wanted: Focus | None,
    after: Place | None,
    shared: frozenset[str],
    now: datetime,
) -> Outline:
    """Return one row per comment, in order: those that carry any word of the focus, or all if none does."""
    asked = {**parameters, **_after(after), "any": wanted.query.any_text if wanted else None}
    with conn.cursor(row_factory=class_row(_OutlineRow)) as cursor:
        rows = cursor.execute(SQL["outline"], asked).fetchall()
    shown = tuple(_outlined(_row_then(row, kept), wanted, shared, now) for row in rows if row.id is not None)
    return Outline(shown, rows[0].reachable, rows[0].matched)


def whole(
    conn: Connection, parameters: dict[str, Any], kept: KeptTexts, comment: str, now: datetime
) -> tuple[WholeComment | Ambiguous | None, str]:
    """Return one comment whole, and what became of the question: see `ThreadResult.comment_status`."""
    source_type, source_id = _address(comment)
    asked = {**parameters, "comment_type": source_type, "comment_id": source_id}
    with conn.cursor(row_factory=class_row(_Passage)) as cursor:
        passages = cursor.execute(SQL["comment"], asked).fetchall()
    if not passages:
        edited = conn.execute(SQL["comment_edited"], asked).fetchone()
        return None, "edited" if edited and edited[0] else "absent"
    kinds = dict.fromkeys(passage.source_type for passage in passages)
    if len(kinds) > 1:
        return Ambiguous(tuple(f"{kind}:{source_id}" for kind in kinds)), "ambiguous"
    first = passages[0]
    if first.trust == "machine":
        return None, "suppressed"
    earlier = kept.of(first.source_type, first.source_id)
    body = "".join(passage.body for passage in passages) if earlier is None else earlier.body
    return (
        WholeComment(
            **said(first, now),
            id=first.source_id,
            review_state=first.review_state,
            passages=first.chunk_count if first.chunk_count > 1 and earlier is None else None,
            version=None if earlier is None else ages.utc(earlier.written_at),
            body=body,
            chars=len(body),
            hidden_comments=len(markdown.split(body).hidden),
        ),
        "served",
    )


def shown(row: Row, wanted: Focus | None, shared: frozenset[str], limit: int, now: datetime) -> Comment:
    """Cut a comment to its window."""
    marks = wanted.marks if wanted else snippets.NO_MARKS
    snippet, truncated = snippets.passage(row.body, row.lead or "", marks, limit)
    return Comment(
        **said(row, now),
        id=name_of(row, shared),
        document_id=f"{row.source_type}:{row.source_id}:{row.chunk_index}",
        chunk_index=row.chunk_index,
        passages=row.chunk_count if row.chunk_count > 1 else None,
        review_state=row.review_state,
        snippet=snippet,
        truncated=truncated or row.chunk_count > 1,
        version=ages.utc(row.version),
    )


def _outlined(row: _OutlineRow, wanted: Focus | None, shared: frozenset[str], now: datetime) -> OutlineRow:
    marks = wanted.marks if wanted else snippets.NO_MARKS
    return OutlineRow(
        id=name_of(row, shared),
        source_type=row.source_type,
        author=row.author,
        trust=row.trust,
        age=ages.age(row.created_at, now),
        date=ages.utc(row.created_at),
        url=row.url,
        passages=row.chunk_count if row.chunk_count > 1 else None,
        snippet=snippets.passage(row.body, "", marks, OUTLINE_SNIPPET)[0],
        version=ages.utc(row.version),
    )


def _rows(conn: Connection, name: str, parameters: dict[str, Any], kept: KeptTexts) -> list[Row]:
    with conn.cursor(row_factory=class_row(Row)) as cursor:
        rows = cursor.execute(SQL[name], parameters).fetchall()
    return [_then(row, kept) for row in rows]


def _then(row: Row, kept: KeptTexts) -> Row:
    """Return a comment with its text of then, whole, where that is another than today's."""
    text = kept.of(row.source_type, row.source_id)
    if text is None:
        return row
    return replace(row, body=text.body, lead=None, chunk_index=0, chunk_count=1, version=text.written_at)


def _row_then(row: _OutlineRow, kept: KeptTexts) -> _OutlineRow:
    text = kept.of(row.source_type, row.source_id)
    return row if text is None else replace(row, body=text.body, chunk_count=1, version=text.written_at)


def _address(comment: str) -> tuple[str | None, str]:
    """Part ``source_type:source_id``; the type may be left out, and a passage may follow."""
    parts = clean(comment).split(":")
    if parts[0] in TYPES and len(parts) > 1:
        return parts[0], parts[1]
    return None, parts[0]


def _after(after: Place | None) -> dict[str, Any]:
    return {
        "after_created": after.created_at if after else None,
        "after_source": after.source_type if after else None,
        "after_id": after.source_id if after else None,
    }
