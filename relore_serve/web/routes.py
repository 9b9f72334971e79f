"""Every route, declared once: what it takes, what it answers, whether it is open.

The functions behind them read requests by these declarations, and the OpenAPI document is made of them.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from types import MappingProxyType
from typing import TYPE_CHECKING

from relore_serve.precedents.question import KINDS as PRECEDENT_KINDS
from relore_serve.precedents.results import PrecedentPage
from relore_serve.search.question import KINDS, MAX_TEXT, MAX_VALUE, MAX_VALUES, SORTS, TRUSTS
from relore_serve.search.results import SearchResult
from relore_serve.similar.results import SimilarResult
from relore_serve.threads.brief_results import BriefResult
from relore_serve.threads.results import InflightResult, ThreadResult
from relore_serve.web import shapes
from relore_serve.web.fields import (
    MAX_NUMBER,
    MAX_WORD,
    Choice,
    Excluded,
    Flag,
    Id,
    Moment,
    Named,
    Paths,
    Repo,
    Several,
    Text,
    Whole,
)

if TYPE_CHECKING:
    from collections.abc import Mapping

    from relore_serve.web.fields import Field

API_PREFIX = "/api/v1"
MAX_FOCUS = 2_000
"""Characters of a focus; it travels in an address."""
MAX_LIMIT = 1_000
MAX_REPOS = 50
MAX_NOTE = 2_000
"""Characters that somebody may add to a verdict."""
LABEL_VERDICTS = ("relevant", "decisive", "not_relevant")
JUDGES = ("human", "model")
SOURCES = ("title", "body", "issue_comment", "review", "review_comment", "commit")
"""Kinds of texts that a hit can be."""

_NONE: Mapping[str, Field] = MappingProxyType({})

VIEW: dict[str, Field] = {"compact": Flag(), "render": Flag(), "presentation": Flag(), "fields": Paths()}
BOUNDS: dict[str, Field] = {"before": Moment(), "exclude": Several(Excluded(), MAX_VALUES)}
VALUES = Several(Text(MAX_VALUE), MAX_VALUES)
NAMES = Several(Text(MAX_WORD), MAX_VALUES)
NUMBERED: dict[str, Field] = {"repo": Repo(), **BOUNDS, **VIEW}
ASKED_WITH: dict[str, Field] = {
    "repos": Several(Repo(), MAX_REPOS),
    "files": VALUES,
    "mentioned": Flag(),
    "symbols": VALUES,
    "errors": VALUES,
    "tests": VALUES,
    "contains": VALUES,
    "labels": NAMES,
    "authors": NAMES,
    "trust": Choice(TRUSTS),
    "since": Moment(),
    **BOUNDS,
    "sort": Choice(SORTS),
    "expand": Flag(),
}
"""All that a search is asked with besides its words and its kind."""

ABOUT: Mapping[str, str] = {
    "after": "only comments behind this id, in order",
    "authors": "what one of these people wrote",
    "before": "only what was there at that instant, strictly; ages are counted from it",
    "comment": "this one comment, whole; goes with no other view",
    "compact": "shorten quoted prose",
    "contains": "parts of identifiers, wherever in them they stand",
    "cursor": "continues the page that gave it out; the rest of the question must be the same",
    "errors": "error lines or whole pasted tracebacks, at least one of which a thread carries",
    "exclude": "threads to withhold; a bare number is one of the only repository asked",
    "expand": "false asks exactly this question and reads nothing off its text",
    "explain": "say on the page why each hit is there",
    "fields": "of the JSON only what these dotted paths lead to, divided by commas; goes with no render",
    "files": "search: paths or folders that a thread changed; thread: the paths of the diff on the page",
    "filters": "what the question was asked with besides its words and its kind, in the names that a search has",
    "focus": "orders the comments of a page, narrows an outline",
    "full": "the opening post whole",
    "judge": "who judges; human where it is not said",
    "kind": "what is asked for, which chooses whose words are admitted",
    "labels": "labels, at least one of which a thread carries",
    "limit": "how many on a page; more than a page holds is served as a full page, and told",
    "mentioned": "files also match where a path was only named",
    "note": "why, in the words of whoever judges",
    "number": "the thread that was judged",
    "outline": "a row per comment instead of a page of them",
    "presentation": "add advice to the page, as for a person at a terminal",
    "query": "the question, or a pasted error",
    "rejected": "only what was turned down: closed unmerged, or merged and reverted",
    "render": "add the text page as rendered",
    "repo": "the repository of the number, in any case; needed where several are in scope",
    "repos": "the repositories to ask; the whole scope where it is empty",
    "since": "only what was written then or later",
    "sort": "what decides the order",
    "source_id": "the id of the text that was judged, as a hit has it",
    "source_type": "the kind of the text that was judged",
    "symbols": "functions, classes or methods, at least one of which a thread names",
    "tests": "tests, at least one of which a thread names",
    "trust": "raises the floor of whose words are admitted; machine asks for those of bots alone",
    "verdict": "whether the thread answers the question; decisive where it does so alone",
}
"""What each parameter is for; one name means one thing on whatever route."""


@dataclass(frozen=True, slots=True, eq=False)
class Route:
    """One question that can be asked over HTTP.

    Attributes:
        name: of the function behind it.
        path: as Flask writes it.
        summary: what it answers, in one sentence.
        fields: its parameters, of the body where it is posted, else of the query string.
        answer: the class that an answer is made of.
        inside: the key that the answer stands under, where it is not the whole.
        foreign: whether an answer quotes GitHub, and so carries the notice and the counts of what was removed.
        required: the parameters that it cannot do without.
        tagged: whether an answer has an ETag.
        is_open: whether everybody may ask, without a token, from anywhere, in any version.
        media: what an answer is, where it is not JSON.
    """

    name: str
    path: str
    summary: str
    fields: Mapping[str, Field] = field(default_factory=lambda: _NONE)
    answer: object = None
    method: str = "GET"
    inside: str | None = None
    foreign: bool = True
    required: tuple[str, ...] = ()
    tagged: bool = False
    is_open: bool = False
    media: str = "application/json"


SEARCH = Route(
    "search",
    f"{API_PREFIX}/search",
    "A page of hits.",
    {
        "query": Text(MAX_TEXT),
        "kind": Choice(KINDS),
        **ASKED_WITH,
        "limit": Whole(1, MAX_LIMIT),
        "cursor": Text(MAX_WORD),
        "explain": Flag(),
        **VIEW,
    },
    SearchResult,
    method="POST",
)
THREAD = Route(
    "thread",
    f"{API_PREFIX}/thread/<number>",
    "One thread, its outline, or one of its comments.",
    {
        "focus": Text(MAX_FOCUS),
        "full": Flag(),
        "outline": Flag(),
        "after": Id(),
        "comment": Id(),
        "files": Flag(),
        **NUMBERED,
    },
    ThreadResult,
    inside="thread",
    tagged=True,
)
INFLIGHT = Route(
    "inflight",
    f"{API_PREFIX}/inflight/<number>",
    "Who claims to close a thread, which need not be indexed itself.",
    NUMBERED,
    InflightResult,
    tagged=True,
)
BRIEF = Route(
    "brief",
    f"{API_PREFIX}/brief/<number>",
    "What one would look up before reading a thread: its people, what competes with it, its files and its like.",
    NUMBERED,
    BriefResult,
    tagged=True,
)
SIMILAR = Route(
    "similar",
    f"{API_PREFIX}/similar/<number>",
    "The threads of a repository that are most like one of its own, those called its duplicates first.",
    {"limit": Whole(1, MAX_LIMIT), **NUMBERED},
    SimilarResult,
    tagged=True,
)
PRECEDENT = Route(
    "precedent",
    f"{API_PREFIX}/precedent",
    "Finished work and rejected attempts, with the reasons that were given.",
    {
        "query": Text(MAX_TEXT),
        "repos": Several(Repo(), MAX_REPOS),
        "files": VALUES,
        "symbols": VALUES,
        "errors": VALUES,
        "kind": Choice(PRECEDENT_KINDS),
        "rejected": Flag(),
        "since": Moment(),
        **BOUNDS,
        "limit": Whole(1, MAX_LIMIT),
        "cursor": Text(MAX_WORD),
        **VIEW,
    },
    PrecedentPage,
    method="POST",
)
LABEL = Route(
    "label",
    f"{API_PREFIX}/label",
    "Keeps what somebody thinks of an answer, in a file that no question is answered from.",
    {
        "query": Text(MAX_TEXT),
        "kind": Choice(KINDS),
        "filters": Named(ASKED_WITH),
        "repo": Repo(),
        "number": Whole(1, MAX_NUMBER),
        "source_type": Choice(SOURCES),
        "source_id": Id(),
        "verdict": Choice(LABEL_VERDICTS),
        "judge": Choice(JUDGES),
        "note": Text(MAX_NOTE),
    },
    shapes.Labelled,
    method="POST",
    foreign=False,
    required=("query", "number", "verdict"),
)
STATUS = Route(
    "status",
    f"{API_PREFIX}/status",
    "What is indexed of the repositories in scope, how complete and fresh it is, and the quota used.",
    VIEW,
    shapes.Status,
)
OPENAPI = Route(
    "openapi",
    f"{API_PREFIX}/openapi.json",
    "This document.",
    answer=dict[str, object],
    foreign=False,
    is_open=True,
)
HEALTH = Route(
    "healthz",
    "/healthz",
    "200 while the database answers; names nothing that is in it.",
    answer=shapes.Health,
    foreign=False,
    is_open=True,
)
METRICS = Route(
    "metrics",
    "/metrics",
    "How the server does, as Prometheus reads it; names no repository.",
    answer=str,
    foreign=False,
    is_open=True,
    media="text/plain",
)

ROUTES: tuple[Route, ...] = (
    SEARCH,
    PRECEDENT,
    THREAD,
    INFLIGHT,
    BRIEF,
    SIMILAR,
    LABEL,
    STATUS,
    OPENAPI,
    HEALTH,
    METRICS,
)
