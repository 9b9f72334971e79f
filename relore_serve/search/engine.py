"""`search`: a question in, a page of hits out, in two statements whatever the number of legs.

The first asks how rare the question's words are, the second does the rest. An empty page asks once more, whether
machines said it, before it says that nobody did. Nothing here looks at a clock: the caller says what time it is.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import TYPE_CHECKING, Any, NamedTuple

from psycopg.rows import tuple_row

from relore_serve.as_of.heads import heads
from relore_serve.as_of.judged import counted_from, judged_today
from relore_serve.as_of.untested import MOST, untested
from relore_serve.prepared import Prepared, positional
from relore_serve.search import (
    ages,
    alike,
    contains,
    cursor,
    legs,
    machines,
    needles,
    snippets,
    spelling,
    suggestions,
    tokens,
    weights,
)
from relore_serve.search.question import FILTERS, check, cleaned
from relore_serve.search.ranking import DEFAULT
from relore_serve.search.results import (
    TOPPED_UP,
    WIDENED,
    WORDLESS,
    ContainsEcho,
    Hit,
    LegEcho,
    QueryEcho,
    SearchResult,
    Suggestion,
    Why,
)
from relore_serve.search.scope import MACHINE, Floor, Scope, floor, statements
from relore_serve.search.terms import coverage_power, head, share, text_query, weigh, widenings

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from psycopg import Connection

    from relore_serve.as_of.heads import Head
    from relore_serve.prepared import Fixed
    from relore_serve.search.alike import Likeness
    from relore_serve.search.legs import Leg
    from relore_serve.search.needles import Filters, Needle
    from relore_serve.search.question import Question
    from relore_serve.search.ranking import Ranking
    from relore_serve.search.terms import TextQuery, WeighedTerm
    from relore_serve.search.tokens import Term


NAMED = 5
"""Threads that a hit names beside its own."""
_GROUPS = ("best", "further", "some-terms", "some-terms-further", "noise")


@lru_cache(maxsize=256)
def page_statement(ranking: Ranking) -> Prepared:
    """Return the statement of a page with the numbers of a ranking in it."""
    texts = statements(
        "relore_serve.search",
        "page.sql",
        alike_threads=ranking.alike_threads,
        candidates=ranking.candidates,
        few_answers=ranking.few_answers,
        few_by_author=ranking.few_by_author,
        few_threads=ranking.few_threads,
        few_untested=ranking.few_untested,
        noise_below=ranking.noise_below,
        noise_tier=_GROUPS.index("noise"),
        facts=ranking.facts,
        guessed=ranking.guessed,
        fact_threads=ranking.fact_threads,
        in_thread=ranking.in_thread,
        repeated=float(ranking.repeated),
        length_share=float(ranking.length_share),
        per_thread=ranking.per_thread,
        substance=ranking.substance_length,
        substance_title=float(ranking.substance_title),
        substance_body=float(ranking.substance_body),
        substance_ends=float(ranking.substance_ends),
        telling=weights.TELLING_ERROR,
        untested_matches=ranking.untested_matches,
    )
    return Prepared(texts["page"], _WORDS_ALONE, _WITHOUT_FACTS, _UNFILTERED, _UNBOUNDED)


# What most questions do not ask for: nothing of it is planned for them.
_UNBOUNDED: Fixed = {
    **dict.fromkeys(("since", "before", "within"), (None, "NULL")),
    **dict.fromkeys(("after_tier", "after_key", "after_moment", "after_tie"), (None, "NULL")),
    **dict.fromkeys(("labels", "authors"), ([], "'{}'")),
    "merged_too": (False, "false"),
    "sort": ("relevance", "'relevance'"),
    "half_years": (0.0, "0"),
    "newest_leg": (0, "0"),
}
_UNFILTERED: Fixed = {
    **_UNBOUNDED,
    **dict.fromkeys(
        ("filtered", "filtered_otherwise", "asked_files", "tell_untested", "looks_anywhere"), (False, "false")
    ),
    **dict.fromkeys(("asked_others", "filters_leg"), (0, "0")),
}
_WITHOUT_FACTS: Fixed = {
    **_UNFILTERED,
    **dict.fromkeys(("looks_for_facts", "looks_into_threads"), (False, "false")),
    **dict.fromkeys(
        (
            *("needle_kinds", "needle_tails", "needle_values", "needle_weights"),
            *("needle_asked", "needle_whole", "needle_names", "needle_legs"),
        ),
        ([], "'{}'"),
    ),
}
_WORDS_ALONE: Fixed = {
    **_WITHOUT_FACTS,
    **dict.fromkeys(("alike_threads", "alike_worths", "alike_lets_in"), ([], "'{}'")),
    "alike_leg": (0, "0"),
}
_ALL = 2**62
# Of a question that is only tried, so much is looked at; what goes beyond is a lower bound.
_COUNTED = {
    "tell_untested": False,
    "candidates": weights.TRIED_CANDIDATES,
    "match_limit": weights.TRIED_MATCHES,
}
_WEIGH = Prepared(statements("relore_serve.search", "weigh.sql")["weigh"])


class _Row(NamedTuple):
    """One row of the statement ``page``, in the order of its columns.

    All but the sums are None where nothing was found; the last two are no columns.
    """

    widened: bool
    topped_up: bool
    worded: bool
    total: int
    total_exact: bool
    threads_total: int
    every_total: int
    alike_total: int
    carrying: int
    reachable: int
    oldest: datetime | None
    files_untested: int
    files_untested_exact: bool
    id: int | None
    tier: int
    key: float
    moment: float
    tie: str
    legs: int
    score: float | None
    lexical: float
    coverage: float
    thread_worth: float
    document_worth: float
    alike: float
    substance: float
    age_factor: float
    evidence: dict[str, float] | None
    source_type: str
    source_id: str
    chunk_index: int
    chunk_count: int
    author: str
    trust: str
    url: str
    body: str
    lead: str | None
    created_at: datetime | None
    updated_at: datetime | None
    path: str | None
    line: int | None
    repo: str
    number: int
    type: str
    thread_id: int
    moved_at: datetime
    title: str
    state: str | None
    merged: bool
    labels: Sequence[str]
    term_ords: list[int]
    needle_ords: list[int]
    said_ords: list[int]
    also_in: list[str]
    withheld: tuple[str, ...] = ()
    todays_words: tuple[str, ...] = ()


_ROWS = positional(_Row)


@dataclass(frozen=True, slots=True)
class _Plan:
    """A question taken apart, before and after the tables were asked how rare its words are.

    ``asked`` is the question as it came, which a cursor has to match; ``question`` is the same one cleaned.
    ``text`` is what can be looked for of it: nothing where there are no words in it.
    """

    asked: Question
    question: Question
    text: str
    words: tokens.Query
    filters: Filters
    needles: tuple[Needle, ...]
    legs: tuple[Leg, ...]
    scope: Scope
    ranking: Ranking
    alike: tuple[alike.Alike, ...] = ()
    met: tuple[contains.Met, ...] = ()
    usual_length: float = 1.0
    terms: list[WeighedTerm] = field(default_factory=list["WeighedTerm"])
    query: TextQuery = field(default_factory=lambda: text_query([], 0))


def search(
    conn: Connection,
    question: Question,
    now: datetime,
    *,
    ranking: Ranking = DEFAULT,
    semantic: Likeness | None = None,
) -> SearchResult:
    """Answer ``question`` from the repositories it names.

    Args:
        conn: a session that may read the tables.
        question: what is asked; its ``repos`` are what the caller may see of what the caller named.
        now: what ages are counted from; under a cutoff they are counted from that.
        ranking: what decides the order. A statement is planned for each, so a session asks by few at a time; a cursor
            goes on only by the ranking that gave it out.
        semantic: tells which threads are like a question as a whole. Without it, and where it knows of none, nothing of
            it is in the answer.

    Raises:
        QuestionError: the question cannot be asked as it is.
    """
    check(question)
    after = cursor.decode(question.cursor, question) if question.cursor is not None else None
    asked, question = question, cleaned(question)
    plan = _weighed(conn, _plan(asked, question, ranking))
    if not question.repos:
        return _empty(plan)
    plan = _with_likeness(conn, plan, semantic)
    if after is not None:
        cursor.fits(after, alike=bool(plan.alike))
    left_out = _left_out(conn, plan)
    if not _can_find(plan):
        return replace(_empty(plan), **left_out, **_elsewhere(conn, plan))
    plan, rows = _page(conn, plan, after)
    rows = _then(conn, rows, question)
    found = replace(_result(plan, rows, counted_from(question.before, now)), **left_out)
    carrying = found.total - (found.alike_total or 0)
    if found.query.widened in {WIDENED, WORDLESS} and carrying:
        return replace(found, **_said_by_machines(conn, plan))
    return found if carrying else replace(found, **_elsewhere(conn, plan))


def _with_likeness(conn: Connection, plan: _Plan, semantic: Likeness | None) -> _Plan:
    """Add the leg of threads that are like the question as a whole, where there is one."""
    if semantic is None or not alike.applies(plan.question, plan.text, plan.terms) or plan.filters.hopeless:
        return plan
    most = plan.ranking.alike_threads * (
        alike.FILTERED if plan.filters.needles or plan.question.labels else 1
    )
    found = tuple(semantic.threads(conn, plan.text, plan.scope, most))
    return replace(plan, alike=found, legs=legs.with_likeness(plan.legs, plan.text)) if found else plan


def _left_out(conn: Connection, plan: _Plan) -> dict[str, Any]:
    """Count what a cutoff keeps the question from being tried on."""
    if plan.question.before is None:
        return {}
    left = untested(conn, plan.scope, labels=bool(plan.question.labels))
    return {
        "edited_since": min(left.edited, MOST),
        "edited_since_exact": left.edited_exact,
        "labels_untested": left.labels,
    }


def _then(conn: Connection, rows: list[_Row], question: Question) -> list[_Row]:
    """Return the rows of a page with their threads' heads as of the cutoff."""
    before = question.before
    if before is None:
        return rows
    then = heads(conn, list({row.thread_id for row in rows if row.id is not None}), before)
    return [row if row.id is None else _row_then(row, then[row.thread_id], before) for row in rows]


def _row_then(row: _Row, head: Head, before: datetime) -> _Row:
    # Of an opening post it is often not known when it was edited; what nothing has moved since was not.
    post = row.source_type == "body" and row.updated_at is None and row.moved_at >= before
    return row._replace(
        title=head.title,
        state=head.state,
        merged=head.merged,
        labels=head.labels,
        withheld=tuple(name for name in head.withheld if name == "state"),
        todays_words=(*head.todays_words, *(("body",) if post else ())),
    )


def _said_by_machines(conn: Connection, plan: _Plan) -> dict[str, Any]:
    """Count the texts of machines that carry every word where no person's does, and name their threads."""
    if MACHINE[0] in plan.scope.floor.labels or plan.filters.needles or plan.question.labels:
        return {}
    count, threads = machines.matches(conn, _values(_of_machines(plan), None))
    return {"machine_withheld": count, "machine_threads": threads}


def _of_machines(plan: _Plan) -> _Plan:
    return replace(plan, scope=replace(plan.scope, floor=Floor(MACHINE)), alike=())


def _elsewhere(conn: Connection, plan: _Plan) -> dict[str, Any]:
    """Count what machines said of a question that nobody else said anything of, and what near questions find.

    Two more statements however many are tried: one weighs the words of all, one asks for all; and one or two that look
    up what stands near a misspelt word or login.
    """
    tried = suggestions.forms(
        plan.question, (*plan.filters.uninformative_errors, *plan.filters.untyped_errors)
    )
    if spelled := spelling.respelled(conn, plan.question, plan.terms if plan.text else ()):
        tried.insert(0, suggestions.Form("spelled as something here is", spelled))
    near = [_plan(form.question, form.question, plan.ranking) for form in tried]
    rows = _WEIGH.fetch_each(conn, [_weigh_values(other) for other in near], tuple_row) if near else []
    near = [_with_weights(conn, other, row) for other, [row] in zip(near, rows, strict=True)]
    asking = [(form, other) for form, other in zip(tried, near, strict=True) if _can_find(other)]
    plans = [replace(other, question=replace(other.question, limit=1)) for _, other in asking]
    asks_machines = MACHINE[0] not in plan.scope.floor.labels and _can_find(plan)
    if asks_machines:
        plans.append(_of_machines(plan))
    if not plans:
        return {}
    asked = [{**_values(each, None), **_COUNTED} for each in plans]
    sums = [page[0] for page in page_statement(plan.ranking).fetch_each(conn, asked, _ROWS)]
    told: dict[str, Any] = {}
    if asks_machines:
        last = sums.pop()
        told = {"machine_withheld": last.total, "machine_withheld_exact": last.total_exact}
    return told | {
        "suggestions": tuple(
            Suggestion(form.change, form.command, first.total, first.total_exact)
            for (form, _), first in zip(asking, sums, strict=True)
            if first.total
        )
    }


def _can_find(plan: _Plan) -> bool:
    return bool(plan.question.repos and plan.legs) and not plan.filters.hopeless


def _plan(asked: Question, question: Question, ranking: Ranking) -> _Plan:
    words = tokens.query(question.text)
    filtered = any(getattr(question, name) for name in FILTERS)
    # A text of no words is none, so that filters beside it still apply; without any it asks for nothing at all.
    text = question.text if words.terms or not filtered else ""
    filters = needles.filters(question)
    derived = needles.read_off(text, filters.needles, legs.PER_KIND) if text and question.expand else []
    chosen = legs.plan(
        text=text,
        searchable=bool(words.terms),
        asked=filters.needles,
        derived=derived,
        filtered=bool(filters.needles or question.labels),
        expand=question.expand,
        within=bool(filters.parts),
    )
    return _Plan(
        asked=asked,
        question=question,
        text=text,
        words=words,
        filters=filters,
        needles=(*filters.needles, *derived),
        legs=chosen,
        scope=Scope(question.repos, floor(question.kind, question.trust), question.since, question.before),
        ranking=ranking,
    )


def _weighed(conn: Connection, plan: _Plan) -> _Plan:
    """Weigh the words of the plan, and look up the threads to withhold."""
    if not plan.question.repos:
        return plan
    [row] = _WEIGH.fetch(conn, _weigh_values(plan), tuple_row)
    return _with_weights(conn, plan, row)


def _weighed_words(plan: _Plan) -> tuple[Term, ...]:
    # Without text, what the filters look for still says which of the documents they admit is about it.
    return plan.words.terms or tokens.query(" ".join(map(str, plan.filters.needles))).terms


def _weigh_values(plan: _Plan) -> dict[str, Any]:
    return {
        "repo_ids": [repo.id for repo in plan.question.repos],
        "lexemes": sorted({lexeme for term in _weighed_words(plan) for lexeme in term.lexemes}),
        "endings": needles.absolute_endings(plan.filters),
        "before": plan.question.before,
        **_exclusions(plan.question),
    }


def _with_weights(conn: Connection, plan: _Plan, row: tuple[Any, ...]) -> _Plan:
    documents, usual_length, frequencies, withheld, held = row
    terms = weigh(_weighed_words(plan), documents, frequencies or {}, plan.ranking, head=head(plan.text))
    filters = needles.located(plan.filters, held)
    alone = bool(legs.bit(plan.legs, "contains"))
    met = contains.met(conn, [repo.id for repo in plan.question.repos], filters.parts, alone=alone)
    if met and not plan.text:
        terms = [contains.term(met)]
    return replace(
        plan,
        filters=filters,
        met=met,
        needles=(*filters.needles, *plan.needles[len(plan.filters.needles) :]),
        scope=replace(plan.scope, withheld=tuple(withheld)),
        usual_length=max(usual_length, 1.0),
        terms=terms,
        query=_text_query(plan, terms, met),
    )


def _text_query(plan: _Plan, terms: Sequence[WeighedTerm], met: Sequence[contains.Met]) -> TextQuery:
    query = contains.narrowed(
        text_query(terms if plan.text else (), plan.ranking.some_words, plan.ranking), met
    )
    # Without words, threads that the filters admit lead to texts, and no text to its thread.
    return replace(query, every=None) if legs.bit(plan.legs, "filters") and not plan.text else query


def _exclusions(question: Question) -> dict[str, list[int]]:
    ids = {repo.name.lower(): repo.id for repo in question.repos}
    repos: list[int] = []
    numbers: list[int] = []
    for exclusion in question.exclude:
        repo = question.repos[0].id if exclusion.repo is None else ids.get(exclusion.repo.lower())
        if repo is not None:
            repos.append(repo)
            numbers.append(exclusion.number)
    return {"withheld_repos": repos, "withheld_numbers": numbers}


def _page(conn: Connection, plan: _Plan, after: cursor.Position | None) -> tuple[_Plan, list[_Row]]:
    """Return the rows, and the plan with the query that found them."""
    rows: list[_Row] = []
    for query in widenings(plan.query):
        plan = replace(plan, query=query)
        rows = page_statement(plan.ranking).fetch(conn, _values(plan, after), _ROWS)
        carrying = rows[0].total - rows[0].alike_total
        if carrying >= plan.ranking.few_answers or not (rows[0].widened or rows[0].topped_up):
            break
    return plan, rows


def _values(plan: _Plan, after: cursor.Position | None) -> dict[str, Any]:
    question = plan.question
    asked = plan.filters.needles
    leg_of = {leg.needle: leg.bit for leg in plan.legs if leg.needle is not None}
    counts = needles.by_kind(plan.needles)
    ranking = plan.ranking
    return {
        **plan.scope.parameters(),
        "term_queries": [term.term.tsquery for term in plan.terms],
        "term_weights": [term.weight for term in plan.terms],
        "needle_kinds": [needle.kind for needle in plan.needles],
        "needle_tails": [needle.tail for needle in plan.needles],
        "needle_values": [needle.value for needle in plan.needles],
        "needle_weights": [_worth(plan, needle) / counts[needle.kind] for needle in plan.needles],
        "needle_asked": [needle.asked for needle in plan.needles],
        "needle_whole": [needle.whole for needle in plan.needles],
        "needle_names": [needle.name for needle in plan.needles],
        "needle_legs": [leg_of.get(needle, 0) for needle in plan.needles],
        "asked_others": len({needle.kind for needle in asked if needle.kind != "file"}),
        "asked_files": any(needle.kind == "file" for needle in asked),
        "tell_untested": any(needle.kind == "file" for needle in asked),
        "looks_for_facts": bool(plan.needles),
        "looks_anywhere": any(needle.tail is None for needle in plan.needles),
        "looks_into_threads": bool(plan.needles or legs.bit(plan.legs, "filters")),
        "filtered": bool(asked or question.labels),
        "filtered_otherwise": bool(question.labels or any(needle.kind != "file" for needle in asked)),
        "mentioned": question.mentioned,
        "labels": [label.lower() for label in question.labels],
        "authors": [author.strip().removeprefix("@").lower() for author in question.authors],
        "alike_threads": [each.thread_id for each in plan.alike],
        "alike_worths": alike.worths(plan.alike, plan.ranking),
        "alike_lets_in": [each.likeness >= plan.ranking.alike_least for each in plan.alike],
        "alike_leg": legs.bit(plan.legs, legs.LIKENESS),
        "every": plan.query.every,
        "any": plan.query.any_rare,
        "any_text": plan.query.any_text,
        "any_is_part": plan.query.partial,
        "tops_up": plan.query.tops_up and question.sort == "relevance",
        "some_queries": [term.term.tsquery for term in (*plan.query.rare, *plan.query.in_heads)],
        "some_weights": [term.weight for term in (*plan.query.rare, *plan.query.in_heads)],
        "some_heads": [False] * len(plan.query.rare) + [True] * len(plan.query.in_heads),
        # Alone, a part is the question itself, and need not be put to each text again.
        "within": None if legs.bit(plan.legs, "contains") else contains.within(plan.met),
        "text_leg": legs.bit(plan.legs, "text") | legs.bit(plan.legs, "contains"),
        "filters_leg": legs.bit(plan.legs, "filters"),
        "filter_threads": _filter_threads(plan),
        "newest_leg": legs.bit(plan.legs, "newest"),
        "sort": question.sort,
        "match_limit": ranking.matches if question.sort == "relevance" else _ALL,
        "common": plan.query.least > ranking.matches and question.sort == "relevance",
        "rarest": plan.query.least,
        "heads_limit": ranking.heads if question.sort == "relevance" else _ALL,
        "candidates": ranking.scored(len(plan.terms)),
        "title_weight": ranking.title,
        "body_weight": ranking.body,
        "length_floor": ranking.length_floor,
        "usual_length": plan.usual_length,
        "coverage_power": coverage_power(plan.terms, ranking),
        "repeat_factor": ranking.repeat,
        "thread_share": ranking.thread_share,
        "substance_weight": ranking.substance,
        "half_years": float(ranking.years(question.kind)),
        "after_tier": None if after is None else after.tier,
        "after_key": None if after is None else after.key,
        "after_moment": None if after is None else after.moment,
        "after_tie": None if after is None else after.tie,
        "limit": question.page_size,
    }


def _worth(plan: _Plan, needle: Needle) -> float:
    """Return what a fact is worth: one read off the text as much as it is of the question."""
    worth = plan.ranking.evidence(needle.kind)
    return worth if needle.asked or not plan.text else worth * share(plan.terms, str(needle))


def _filter_threads(plan: _Plan) -> int:
    """Return how many threads are looked into for what the caller's filters admit without the text."""
    if plan.text:
        return plan.ranking.fact_threads
    return plan.ranking.newest_threads if plan.question.sort == "newest" else plan.ranking.filter_threads


def _result(plan: _Plan, rows: Sequence[_Row], now: datetime) -> SearchResult:
    first = rows[0]
    found = [row for row in rows if row.id is not None]
    shown = found[: plan.question.page_size]
    wanted = _marks(plan)
    hits = tuple(_hit(plan, row, wanted, now) for row in shown)
    following = None
    if len(found) > len(shown):
        last = shown[-1]
        position = cursor.Position(last.tier, last.key, last.moment, last.tie, alike=bool(plan.alike))
        following = cursor.encode(position, plan.asked)
    bounded = first.reachable < first.total or not first.total_exact
    return SearchResult(
        query=_echo(plan, widened=_widened(first)),
        count=len(hits),
        total=first.total,
        total_exact=first.total_exact,
        threads_total=first.threads_total,
        alike_total=first.alike_total if plan.alike else None,
        every_term_total=first.every_total if first.topped_up else None,
        carrying_total=first.carrying if plan.filters.needles else None,
        reachable=first.reachable,
        reaches_back_to=ages.utc(first.oldest) if bounded else None,
        files_untested=first.files_untested,
        files_untested_exact=first.files_untested_exact,
        hits=hits,
        cursor=following,
    )


def _widened(first: _Row) -> str:
    if first.widened:
        return WIDENED if first.worded or not first.total else WORDLESS
    return TOPPED_UP if first.topped_up else ""


def _empty(plan: _Plan) -> SearchResult:
    return SearchResult(
        query=_echo(plan, widened=""),
        count=0,
        total=0,
        total_exact=True,
        threads_total=0,
        every_term_total=None,
        carrying_total=None,
        reachable=0,
        reaches_back_to=None,
        files_untested=0,
        hits=(),
        cursor=None,
    )


def _hit(plan: _Plan, row: _Row, wanted: snippets.Marks, now: datetime) -> Hit:
    question = plan.question
    limit = snippets.COMPACT if question.compact else snippets.FULL
    if row.source_type == "title":
        # A title is never cut: it is on the page anyway, and whoever shows both sees that they are the same.
        snippet, truncated = row.title, False
    else:
        snippet, truncated = snippets.passage(row.body, row.lead or "", wanted, limit)
    told = question.explain or not question.compact
    return Hit(
        repo=row.repo,
        number=row.number,
        type=row.type,
        title=row.title,
        state=row.state,
        merged=row.merged,
        source_type=row.source_type,
        url=row.url,
        author=row.author,
        trust=row.trust,
        age=ages.age(row.created_at, now),
        date=ages.utc(row.created_at),
        snippet=snippet,
        truncated=truncated,
        document_id=f"{row.source_type}:{row.source_id}:{row.chunk_index}",
        source_id=row.source_id,
        chunk_index=row.chunk_index,
        passages=row.chunk_count if row.chunk_count > 1 else None,
        path=row.path,
        line=row.line,
        why=_why(plan, row),
        group=_GROUPS[row.tier],
        also_in=tuple(row.also_in or ())[:NAMED],
        also_in_total=len(row.also_in or ()),
        score=row.score if told else None,
        breakdown=_breakdown(row) if told and row.score is not None else None,
        withheld=row.withheld,
        todays_words=row.todays_words,
    )


def _why(plan: _Plan, row: _Row) -> Why:
    carried = [plan.terms[place - 1].term.text for place in row.term_ords] if plan.text else []
    held = set(carried)
    facts = [_fact(plan.needles[place - 1]) for place in row.needle_ords]
    labels = {label.lower() for label in plan.question.labels}
    facts += [f"label:{label}" for label in row.labels if label.lower() in labels]
    names = contains.held(plan.met, row.body)
    facts += names
    if plan.question.authors:
        facts.append(f"author:{row.author}")
    return Why(
        terms=tuple(carried),
        missing=tuple(term.term.text for term in plan.terms if term.term.text not in held)
        if plan.text
        else (),
        filters=tuple(facts),
        said=(*(_fact(plan.needles[place - 1]) for place in row.said_ords), *names),
        legs=tuple(dict.fromkeys(leg.name for leg in plan.legs if leg.bit & row.legs)),
    )


def _fact(needle: Needle) -> str:
    return f"{needle.kind}:{needle}"


def _breakdown(row: _Row) -> dict[str, float]:
    parts: dict[str, float] = {
        "score": row.score or 0,
        "lexical": row.lexical,
        "coverage": row.coverage,
        **(row.evidence or {}),
        "said_here": row.document_worth,
        "likeness": row.alike,
        "substance": row.substance,
        "age_factor": row.age_factor if row.age_factor < 1 else 0,
        "repeat_factor": row.key / row.score if row.score and row.key < row.score else 0,
    }
    return {name: round(value, 4) for name, value in parts.items() if value}


def _marks(plan: _Plan) -> snippets.Marks:
    """Return what a snippet should show: the words, and the names of the facts that were looked for."""
    words = snippets.words(plan.terms)
    words += [(word, 1.0) for met in plan.met for word in met.words]
    for needle in plan.needles:
        words.append((needle.value, 1.0))
        words.append((needle.tail or "", 0.5))
    return snippets.marks(words)


def _contained(plan: _Plan, met: contains.Met) -> ContainsEcho:
    # The list of words knows neither dates nor threads, and so could tell of what is withheld.
    if plan.question.before is not None or plan.question.exclude:
        return ContainsEcho(met.value, (), None)
    return ContainsEcho(met.value, met.words, met.total)


def _echo(plan: _Plan, *, widened: str) -> QueryEcho:
    question = plan.question
    given = plan.filters.echo()
    for name, values in (("labels", question.labels), ("authors", question.authors)):
        if values:
            given[name] = values
    return QueryEcho(
        text=question.text,
        kind=question.kind,
        trust=question.trust,
        trust_floor=plan.scope.floor.labels,
        trust_floor_merged=plan.scope.floor.merged_too,
        limit=question.page_size,
        since=ages.utc(question.since),
        before=ages.utc(question.before),
        judged_today=judged_today(question.before),
        exclude=tuple(
            f"{exclusion.repo or (question.repos[0].name if question.repos else '')}#{exclusion.number}"
            for exclusion in question.exclude
            if exclusion.told
        ),
        repos=tuple(repo.name for repo in question.repos),
        sort=question.sort,
        expand=question.expand,
        explain=question.explain,
        legs=tuple(LegEcho(leg.name, leg.term) for leg in plan.legs),
        filters=given,
        contains=tuple(_contained(plan, met) for met in plan.met),
        mentioned=question.mentioned,
        widened=widened,
        unasked_terms=plan.query.left_any if widened else (),
        terms=len(plan.words.terms),
        dropped_terms=plan.words.dropped,
        unsearchable_terms=plan.words.unsearchable,
        uninformative_errors=plan.filters.uninformative_errors,
        untyped_errors=plan.filters.untyped_errors,
    )
