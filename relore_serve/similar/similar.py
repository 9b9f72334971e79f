"""`read`: the threads that are most like one, scored as search scores texts; those called duplicates come first.

The question is the thread itself: its title counts twice, the head of its opening post once. Nothing looks at a clock.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, cast

from psycopg.rows import class_row, tuple_row

from relore_serve.as_of.heads import heads
from relore_serve.as_of.judged import counted_from, judged_today
from relore_serve.prepared import Prepared
from relore_serve.search import ages, snippets, tokens
from relore_serve.search.question import MAX_HITS, MAX_NUMBER
from relore_serve.search.ranking import OF_WORK
from relore_serve.search.scope import Scope, statements
from relore_serve.search.shapes import Named
from relore_serve.search.terms import text_query, weigh, widenings
from relore_serve.similar.results import Alike, Mark, Passage, SimilarResult

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from datetime import datetime

    from psycopg import Connection

    from relore_serve.as_of.heads import Head
    from relore_serve.search.question import Exclusion
    from relore_serve.search.scope import Repo
    from relore_serve.search.terms import WeighedTerm

HEAD = 2_000
"""Characters of the opening post that are read."""
TERMS = 16
"""Words looked for: the rarest of those."""
FACTS = 40
"""Facts of the thread that are looked for."""
TELLING = 200
"""Threads that may carry a fact which tells them from others."""
MATCHES = 3_000
"""Texts looked at; `CANDIDATES` of them are scored, at most `PER_THREAD` of one thread."""
CANDIDATES = 300
PER_THREAD = 3
FACT_THREADS = 60
_TITLE_SHARE = 2.0
_HOLD = {"error": "errors", "test": "tests", "symbol": "symbols", "file": "files"}

_TEXTS = statements(
    "relore_serve.similar",
    "similar.sql",
    head=HEAD,
    facts=FACTS,
    telling=TELLING,
    common=TELLING * 4,
    matches=MATCHES,
    per_thread=PER_THREAD,
    fact_threads=FACT_THREADS,
    repeated=OF_WORK.repeated,
    length_share=OF_WORK.length_share,
)
_SUBJECT = Prepared(_TEXTS["subject"])
_WEIGH = Prepared(_TEXTS["weigh"])
_ALIKE = Prepared(_TEXTS["alike"])


@dataclass(frozen=True, slots=True)
class _Subject:
    id: int
    repo: str
    number: int
    type: str
    title: str
    url: str
    author: str
    created_at: datetime
    body: str | None
    facts: list[list[str]]


@dataclass(frozen=True, slots=True)
class _Row(Named):
    candidates: int
    duplicates: int
    bounded: bool
    common: list[int]
    id: int | None
    state: str
    state_reason: str | None
    merged: bool
    created_at: datetime
    carried: str | None
    ords: list[int] | None
    how: str | None
    direction: str
    source: str
    score: float
    mark_author: str
    mark_trust: str
    mark_url: str
    mark_at: datetime | None
    source_type: str | None
    source_id: str
    chunk_index: int
    chunk_count: int
    said_by: str
    trust: str
    said_at: str
    body: str
    said: datetime | None
    lead: str | None


@dataclass(frozen=True, slots=True)
class _Asked:
    """What is looked for: words with their worth, and facts."""

    terms: list[WeighedTerm]
    left_out: int
    facts: list[list[str]]
    threads: float
    length: float


def read(
    conn: Connection,
    repo: Repo,
    number: int,
    *,
    visible: tuple[Repo, ...] = (),
    before: datetime | None = None,
    exclude: tuple[Exclusion, ...] = (),
    limit: int = MAX_HITS,
    compact: bool = False,
    now: datetime,
) -> SimilarResult | None:
    """Return the threads of a repository that are most like one of its own; None where that is not held.

    Args:
        conn: a session that may read the tables.
        repo: the repository of the thread asked about, and of those that are looked at.
        number: that thread's.
        visible: other repositories; a duplicate may be in one of these.
        before: as far as it stood at that instant.
        exclude: threads to withhold; without a repository they are of ``repo``.
        limit: threads to return, within 1 and `MAX_HITS`.
        compact: shorter passages.
        now: what ages are counted from; under a cutoff they are counted from that.
    """
    if not 0 < number <= MAX_NUMBER:
        return None
    every = (repo, *(other for other in visible if other.id != repo.id))
    scope = Scope((repo,), before=before, withheld=_excluded(conn, every, exclude))
    subjects = _SUBJECT.fetch(conn, {**scope.parameters(), "number": number}, class_row(_Subject))
    if not subjects:
        return None
    subject = subjects[0]
    head = heads(conn, [subject.id], before).get(subject.id) if before else None
    title = head.title if head else subject.title
    asked = _asked(conn, repo, title, subject)
    page = min(max(limit, 1), MAX_HITS)
    values = {**_parameters(scope, every, subject, asked), "limit": page}
    rows: list[_Row] = []
    for query in widenings(text_query(asked.terms, CANDIDATES * 2)):
        rows = _ALIKE.fetch(conn, {**values, "any": query.any_rare or query.any_text}, class_row(_Row))
        if rows[0].candidates >= page:
            break
    found = [row for row in rows if row.id is not None]
    then = heads(conn, [row.id for row in found if row.id], before) if before else {}
    common = set(rows[0].common)
    return SimilarResult(
        repo=subject.repo,
        number=subject.number,
        type=subject.type,
        title=title,
        url=subject.url,
        returned=len(found),
        candidates=rows[0].candidates,
        candidates_bounded=rows[0].bounded,
        duplicates_total=rows[0].duplicates,
        terms=tuple(term.term.text for term in asked.terms),
        terms_left_out=asked.left_out,
        facts=tuple(
            f"{fact[0]}:{_spelled(fact)}" for place, fact in enumerate(asked.facts, 1) if place not in common
        ),
        facts_left_out=len(common),
        similar=tuple(_alike(row, asked, then, counted_from(before, now), compact=compact) for row in found),
        exclude=tuple(f"{one.repo or repo.name}#{one.number}" for one in exclude if one.told),
        before=ages.utc(before),
        judged_today=judged_today(before),
        withheld=tuple(
            dict.fromkeys(name for each in then.values() for name in each.withheld if name == "state")
        ),
        todays_words=("titles",)
        if any("title" in each.todays_words for each in (*then.values(), *([head] if head else [])))
        else (),
    )


def _excluded(conn: Connection, repos: Sequence[Repo], exclude: Sequence[Exclusion]) -> tuple[int, ...]:
    if not exclude:
        return ()
    ids = {repo.name.lower(): repo.id for repo in repos}
    pairs = [
        (repos[0].id if one.repo is None else ids.get(one.repo.lower(), 0), one.number) for one in exclude
    ]
    values = {"repos": [repo for repo, _ in pairs], "numbers": [number for _, number in pairs]}
    row = conn.execute(_TEXTS["excluded"], values).fetchone()
    return tuple(row[0]) if row else ()


def _asked(conn: Connection, repo: Repo, title: str, subject: _Subject) -> _Asked:
    """Choose the words to look for: of the title and the head of the opening post, the rarest."""
    titled = tokens.query(title).terms
    opening = tokens.query(snippets.visible(subject.body)[:HEAD] if subject.body else "").terms
    every = {term.tsquery: term for term in (*opening, *titled)}
    lexemes = sorted({lexeme for term in every.values() for lexeme in term.lexemes})
    [(documents, threads, length, frequencies)] = _WEIGH.fetch(
        conn, {"repo_id": repo.id, "lexemes": lexemes}, tuple_row
    )
    weighed = weigh(list(every.values()), documents, cast("Mapping[str, int]", frequencies or {}), OF_WORK)
    own = {term.tsquery for term in titled}
    # A word that no other text carries finds nothing, and one that is no name finds everything.
    telling = [term for term in weighed if term.frequency > 1 and term.required]
    telling.sort(key=lambda term: -term.weight * (_TITLE_SHARE if term.term.tsquery in own else 1))
    chosen = [
        replace(term, weight=term.weight * (_TITLE_SHARE if term.term.tsquery in own else 1))
        for term in telling[:TERMS]
    ]
    whole = sum(term.weight for term in chosen) or 1.0
    terms = [replace(term, weight=term.weight / whole) for term in chosen]
    return _Asked(terms, len(telling) - len(chosen), subject.facts, float(max(threads, 1)), max(length, 1.0))


def _parameters(scope: Scope, visible: Sequence[Repo], subject: _Subject, asked: _Asked) -> dict[str, object]:
    counts: dict[str, int] = {}
    for kind, _, _ in asked.facts:
        counts[kind] = counts.get(kind, 0) + 1
    return {
        **scope.parameters(),
        "repo": scope.repos[0].name,
        "repo_id": scope.repos[0].id,
        "visible": [repo.id for repo in visible],
        "number": subject.number,
        "subject": subject.id,
        "threads": asked.threads,
        "term_queries": [term.term.tsquery for term in asked.terms],
        "term_weights": [term.weight for term in asked.terms],
        "fact_kinds": [kind for kind, _, _ in asked.facts],
        "fact_tails": [tail for _, tail, _ in asked.facts],
        "fact_values": [value for _, _, value in asked.facts],
        # Many facts of one kind together are worth little more than a few.
        "fact_weights": [OF_WORK.evidence(kind) / counts[kind] ** 0.8 for kind, _, _ in asked.facts],
        "candidates": CANDIDATES,
        "title_weight": OF_WORK.title,
        "body_weight": OF_WORK.body,
        "length_floor": OF_WORK.length_floor,
        "usual_length": asked.length,
    }


def _spelled(fact: Sequence[str]) -> str:
    kind, tail, value = fact
    return ": ".join(part for part in (tail, value) if part) if kind == "error" else value


def _alike(row: _Row, asked: _Asked, then: Mapping[int, Head], now: datetime, *, compact: bool) -> Alike:
    head = then.get(row.id or 0)
    shared: dict[str, list[str]] = {name: [] for name in _HOLD.values()}
    for place in row.ords or ():
        fact = asked.facts[place - 1]
        shared[_HOLD[fact[0]]].append(_spelled(fact))
    carried = [int(place) for place in row.carried.split(",")] if row.carried else []
    return Alike(
        repo=row.repo,
        number=row.number,
        type=row.type,
        title=head.title if head else row.title,
        url=row.url,
        author=row.author,
        state=(head.state or "unknown") if head else row.state,
        state_reason=head.state_reason if head else row.state_reason,
        merged=head.merged if head else row.merged,
        age=ages.age(row.created_at, now),
        date=ages.utc(row.created_at) or "",
        duplicate=_mark(row, now),
        terms=tuple(asked.terms[place - 1].term.text for place in carried),
        errors=tuple(shared["errors"]),
        tests=tuple(shared["tests"]),
        symbols=tuple(shared["symbols"]),
        files=tuple(shared["files"]),
        passage=_passage(row, asked, now, compact=compact),
        score=None if compact else row.score,
    )


def _mark(row: _Row, now: datetime) -> Mark | None:
    if row.how is None:
        return None
    return Mark(
        direction=row.direction,
        how=row.how,
        author=row.mark_author,
        trust=row.mark_trust,
        source=row.source,
        age=ages.age(row.mark_at, now),
        date=ages.utc(row.mark_at),
        url=row.mark_url,
    )


def _passage(row: _Row, asked: _Asked, now: datetime, *, compact: bool) -> Passage | None:
    if row.source_type is None or row.source_type == "title":
        return None
    limit = snippets.COMPACT if compact else snippets.FULL
    text, truncated = snippets.passage(
        row.body, row.lead or "", snippets.marks(snippets.words(asked.terms)), limit
    )
    return Passage(
        source_type=row.source_type,
        source_id=row.source_id,
        document_id=f"{row.source_type}:{row.source_id}:{row.chunk_index}",
        author=row.said_by,
        trust=row.trust,
        age=ages.age(row.said, now),
        date=ages.utc(row.said),
        url=row.said_at,
        text=text,
        truncated=truncated or row.chunk_count > 1,
    )
