"""`find`: finished work that answers a question, scored as search scores its texts.

One statement says how rare the words are, one finds and orders the units, and `telling` reads what a page of them has
to tell. Nothing here looks at a clock.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from psycopg.rows import class_row, tuple_row

from relore_serve.as_of.judged import REASONS, counted_from, judged_today
from relore_serve.precedents.question import check
from relore_serve.precedents.results import PrecedentEcho, PrecedentPage
from relore_serve.precedents.telling import Found, tell
from relore_serve.prepared import Prepared
from relore_serve.search import ages, cursor, legs, needles, snippets, tokens, weights
from relore_serve.search.question import cleaned
from relore_serve.search.ranking import OF_WORK
from relore_serve.search.scope import Scope, statements
from relore_serve.search.terms import TextQuery, text_query, weigh, widenings

if TYPE_CHECKING:
    from datetime import datetime

    from psycopg import Connection

    from relore_serve.precedents.question import PrecedentQuestion
    from relore_serve.search.needles import Filters, Needle
    from relore_serve.search.question import Question
    from relore_serve.search.terms import WeighedTerm

MATCHES = 4_000
"""Texts looked at per question; above, a total is a lower bound."""
FACTS = 6_000
"""Threads looked at per question for the facts that it names."""
CANDIDATES = 600
"""Texts scored per question, at most `PER_UNIT` of one unit."""
PER_UNIT = 4
NEWEST = 1_000
"""Units in reach of pages where nothing but dates decides."""

_TEXTS = statements(
    "relore_serve.precedents",
    "find.sql",
    matches=MATCHES,
    facts=FACTS,
    few=OF_WORK.few_answers,
    per_unit=PER_UNIT,
    newest=NEWEST,
    repeated=OF_WORK.repeated,
    length_share=OF_WORK.length_share,
    telling=weights.TELLING_ERROR,
)
_WEIGH = Prepared(_TEXTS["weigh"])
_PAGE = Prepared(_TEXTS["page"])


@dataclass(frozen=True, slots=True)
class _Row:
    """One row of the statement ``page``; what is said of a unit is None where none was found."""

    total: int
    reachable: int
    attempts_told: int
    kind_unknown: int
    files_untested: int
    total_exact: bool
    whole: bool
    widened: bool
    units_total: int
    reopened_since: int
    unit: int | None
    best: int | None
    ords: list[int] | None
    key: float
    moment: float
    tie: str
    needle_ords: list[int]


@dataclass(frozen=True, slots=True)
class _Plan:
    """A question taken apart; ``asked`` is the same as it came, which a cursor has to match."""

    asked: PrecedentQuestion
    question: Question
    words: tokens.Query
    filters: Filters
    needles: tuple[Needle, ...]
    scope: Scope
    terms: list[WeighedTerm] = field(default_factory=list["WeighedTerm"])
    query: TextQuery = field(default_factory=lambda: text_query([], 0))
    built: dict[int, str] = field(default_factory=dict[int, str])
    length: float = 1.0


def find(conn: Connection, question: PrecedentQuestion, now: datetime) -> PrecedentPage:
    """Return finished work that answers ``question``.

    Args:
        conn: a session that may read the tables.
        question: what is asked; its ``repos`` are what the caller may see of what the caller named.
        now: what ages are counted from; under a cutoff they are counted from that.

    Raises:
        QuestionError: the question cannot be asked as it is.
    """
    check(question)
    # A cursor fits the question that it was given out for, and no search of the same words.
    key = replace(question.as_search(), kind=f"precedent {question.kind} {question.rejected}")
    after = cursor.decode(question.cursor, key) if question.cursor is not None else None
    plan = _plan(question)
    if not question.repos:
        return _page(plan, [], (), None)
    plan = _weighed(conn, plan)
    if plan.filters.hopeless or (question.text.strip() and not plan.terms and not plan.filters.needles):
        return _page(plan, [], (), None)
    rows: list[_Row] = []
    for query in widenings(plan.query):
        plan = replace(plan, query=query)
        rows = _PAGE.fetch(conn, _parameters(plan, after), class_row(_Row))
        if rows[0].total >= OF_WORK.few_answers or (rows[0].total and not rows[0].widened):
            break
    found = [row for row in rows if row.unit is not None]
    shown = found[: question.page_size]
    following = None
    if len(found) > len(shown):
        last = shown[-1]
        following = cursor.encode(cursor.Position(0, last.key, last.moment, last.tie), key)
    units = tell(
        conn,
        [_found(plan, row) for row in shown],
        plan.scope,
        now=counted_from(question.before, now),
        marks=_marks(plan),
        compact=question.compact,
    )
    return replace(_page(plan, rows, (), following), count=len(units), units=units)


def _plan(question: PrecedentQuestion) -> _Plan:
    search = cleaned(question.as_search())
    words = tokens.query(search.text)
    filters = needles.filters(search)
    derived = needles.read_off(search.text, filters.needles, legs.PER_KIND) if words.terms else []
    return _Plan(
        asked=question,
        question=search,
        words=words,
        filters=filters,
        needles=(*filters.needles, *derived),
        scope=Scope(question.repos, before=question.before),
    )


def _weighed(conn: Connection, plan: _Plan) -> _Plan:
    ids = {repo.name.lower(): repo.id for repo in plan.question.repos}
    excluded = [
        (plan.question.repos[0].id if one.repo is None else ids.get(one.repo.lower(), 0), one.number)
        for one in plan.question.exclude
    ]
    values = {
        "repo_ids": list(ids.values()),
        "lexemes": sorted({lexeme for term in plan.words.terms for lexeme in term.lexemes}),
        "endings": needles.absolute_endings(plan.filters),
        "before": plan.question.before,
        "withheld_repos": [repo for repo, _ in excluded],
        "withheld_numbers": [number for _, number in excluded],
    }
    [(documents, length, frequencies, withheld, held, built)] = _WEIGH.fetch(conn, values, tuple_row)
    dates: dict[str, str] = built or {}
    terms = weigh(plan.words.terms, documents, frequencies or {}, OF_WORK)
    filters = needles.located(plan.filters, held)
    return replace(
        plan,
        filters=filters,
        needles=(*filters.needles, *plan.needles[len(plan.filters.needles) :]),
        scope=replace(plan.scope, withheld=tuple(withheld)),
        terms=terms,
        query=text_query(terms, _scored(terms)),
        length=max(length, 1.0),
        built={int(repo_id): at for repo_id, at in dates.items()},
    )


def _scored(terms: list[WeighedTerm]) -> int:
    """Return how many texts are scored: each costs as much as there are words."""
    return min(CANDIDATES, OF_WORK.scored_pairs // max(len(terms), 1))


def _parameters(plan: _Plan, after: cursor.Position | None) -> dict[str, object]:
    asked = plan.filters.needles
    counts = needles.by_kind(plan.needles)
    return {
        **plan.scope.parameters(),
        "finished_since": plan.question.since,
        "term_queries": [term.term.tsquery for term in plan.terms],
        "term_weights": [term.weight for term in plan.terms],
        "needle_kinds": [needle.kind for needle in plan.needles],
        "needle_tails": [needle.tail for needle in plan.needles],
        "needle_values": [needle.value for needle in plan.needles],
        "needle_weights": [OF_WORK.evidence(needle.kind) / counts[needle.kind] for needle in plan.needles],
        "needle_asked": [needle.asked for needle in plan.needles],
        "needle_whole": [needle.whole for needle in plan.needles],
        "asked_others": len({needle.kind for needle in asked if needle.kind != "file"}),
        "asked_files": any(needle.kind == "file" for needle in asked),
        "every": plan.query.every,
        "any": plan.query.any_rare,
        "any_is_part": plan.query.partial,
        "filtered": bool(asked),
        "searched": bool(plan.terms),
        "found": bool(plan.terms or asked),
        "kind": plan.asked.kind,
        "rejected": plan.asked.rejected,
        "candidates": _scored(plan.terms),
        "title_weight": OF_WORK.title,
        "body_weight": OF_WORK.body,
        "length_floor": OF_WORK.length_floor,
        "usual_length": plan.length,
        "after_key": None if after is None else after.key,
        "after_moment": None if after is None else after.moment,
        "after_tie": None if after is None else after.tie,
        "limit": plan.asked.page_size,
    }


def _found(plan: _Plan, row: _Row) -> Found:
    terms = sorted((plan.terms[place - 1] for place in row.ords or ()), key=lambda term: -term.weight)
    return Found(
        unit=row.unit or 0,
        best=row.best,
        terms=tuple(term.term.text for term in terms),
        facts=tuple(f"{plan.needles[place - 1].kind}:{plan.needles[place - 1]}" for place in row.needle_ords),
        score=row.key if plan.terms or plan.filters.needles else None,
    )


def _marks(plan: _Plan) -> snippets.Marks:
    words = snippets.words(plan.terms)
    words += [(needle.value, 1.0) for needle in plan.needles]
    return snippets.marks(words)


def _page(plan: _Plan, rows: list[_Row], units: tuple[()], following: str | None) -> PrecedentPage:
    first = rows[0] if rows else None
    widened = ""
    if first is not None and first.widened and first.total:
        widened = "any-term-among" if first.whole else "any-term"
    return PrecedentPage(
        query=_echo(plan, widened),
        count=0,
        total=first.total if first else 0,
        total_exact=first.total_exact if first else True,
        reachable=first.reachable if first else 0,
        attempts_told=first.attempts_told if first else 0,
        kind_unknown=first.kind_unknown if first else 0,
        files_untested=first.files_untested if first else 0,
        units_total=first.units_total if first else 0,
        reopened_since=first.reopened_since if first else 0,
        units=units,
        cursor=following,
    )


def _echo(plan: _Plan, widened: str) -> PrecedentEcho:
    asked, repos = plan.asked, plan.asked.repos
    return PrecedentEcho(
        text=plan.question.text,
        kind=asked.kind,
        rejected=asked.rejected,
        limit=asked.page_size,
        since=ages.utc(asked.since),
        before=ages.utc(asked.before),
        judged_today=judged_today(asked.before, REASONS),
        exclude=tuple(
            f"{one.repo or (repos[0].name if repos else '')}#{one.number}"
            for one in asked.exclude
            if one.told
        ),
        repos=tuple(repo.name for repo in repos),
        filters=plan.filters.echo(),
        widened=widened,
        unasked_terms=plan.query.left_any if widened else (),
        terms=len(plan.words.terms),
        dropped_terms=plan.words.dropped,
        unsearchable_terms=plan.words.unsearchable,
        uninformative_errors=plan.filters.uninformative_errors,
        untyped_errors=plan.filters.untyped_errors,
        never_built=tuple(repo.name for repo in repos if repo.id not in plan.built),
        built_at={repo.name: plan.built[repo.id] for repo in repos if repo.id in plan.built},
    )
