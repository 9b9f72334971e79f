"""Questions about a repository's history: search, one thread, who is fixing it."""

from __future__ import annotations

from dataclasses import asdict
from difflib import get_close_matches
from functools import partial
from typing import TYPE_CHECKING, Any

from flask import Blueprint, Response, request

from relore_serve.pages import inflight as inflight_page
from relore_serve.pages import search as search_page
from relore_serve.pages import thread as thread_page
from relore_serve.search import engine
from relore_serve.search.question import (
    KINDS,
    MAX_HITS,
    MAX_TEXT,
    MAX_VALUE,
    MAX_VALUES,
    SORTS,
    TRUSTS,
    Exclusion,
    Question,
    QuestionError,
)
from relore_serve.threads import inflight as claims_on
from relore_serve.threads import thread as threads
from relore_serve.threads.results import ThreadView
from relore_serve.web import scope
from relore_serve.web.desk import View
from relore_serve.web.errors import NotFound, Refused, UnsupportedMediaType
from relore_serve.web.parameters import (
    MAX_WORD,
    Choice,
    Excluded,
    Flag,
    Id,
    Moment,
    Repo,
    Several,
    Text,
    Whole,
    read_body,
    read_query,
    thread_number,
)

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from relore_serve.search.scope import Repo as HeldRepo
    from relore_serve.web.desk import Desk
    from relore_serve.web.parameters import Field

MAX_FOCUS = 2_000
"""Characters of a focus; it travels in an address."""

VIEW_FIELDS: dict[str, Field] = {"compact": Flag(), "render": Flag(), "presentation": Flag()}
BOUND_FIELDS: dict[str, Field] = {"before": Moment(), "exclude": Several(Excluded(), MAX_VALUES)}
SEARCH_FIELDS: dict[str, Field] = {
    "query": Text(MAX_TEXT),
    "repos": Several(Repo(), 50),
    "files": Several(Text(MAX_VALUE), MAX_VALUES),
    "mentioned": Flag(),
    "symbols": Several(Text(MAX_VALUE), MAX_VALUES),
    "errors": Several(Text(MAX_VALUE), MAX_VALUES),
    "tests": Several(Text(MAX_VALUE), MAX_VALUES),
    "labels": Several(Text(MAX_WORD), MAX_VALUES),
    "authors": Several(Text(MAX_WORD), MAX_VALUES),
    "kind": Choice(KINDS),
    "trust": Choice(TRUSTS),
    "since": Moment(),
    **BOUND_FIELDS,
    "sort": Choice(SORTS),
    "limit": Whole(1, 1000),
    "cursor": Text(MAX_WORD),
    "expand": Flag(),
    **VIEW_FIELDS,
}
INFLIGHT_FIELDS: dict[str, Field] = {"repo": Repo(), **BOUND_FIELDS, **VIEW_FIELDS}
THREAD_FIELDS: dict[str, Field] = {
    "repo": Repo(),
    "focus": Text(MAX_FOCUS),
    "full": Flag(),
    "outline": Flag(),
    "after": Id(),
    "comment": Id(),
    "files": Flag(),
    **BOUND_FIELDS,
    **VIEW_FIELDS,
}


def blueprint(desk: Desk) -> Blueprint:
    """Return the routes."""
    routes = Blueprint("history", __name__, url_prefix="/api/v1")

    @routes.post("/search")
    def search() -> Response:
        """Return a page of hits."""
        asked = _posted(SEARCH_FIELDS)
        view = _view(asked)
        with desk.reading() as connection:
            repos = scope.named(scope.repositories(connection, desk.caller), asked.pop("repos", ()))
            question = Question(
                text=asked.pop("query", ""),
                repos=repos,
                exclude=_exclusions(asked.pop("exclude", ())),
                compact=view.compact,
                **asked,
            )
            try:
                result = engine.search(connection, question, desk.clock())
            except QuestionError as error:
                facts = {"parameter": error.parameter} if error.parameter else None
                raise Refused(str(error), code=error.code, facts=facts) from error
        return desk.answer(_searched(asdict(result), question), search_page.render, view)

    @routes.get("/thread/<number>")
    def thread(number: str) -> Response:
        """Return a thread, its outline or one of its comments."""
        asked = read_query(request.args, THREAD_FIELDS)
        _check_combination(asked)
        view, wanted = _view(asked), thread_number(number)
        page = partial(thread_page.render, files=asked.pop("files", False))
        with desk.reading() as connection:
            within = scope.repositories(connection, desk.caller)
            repo = scope.one(within, asked.pop("repo", None))
            withheld = _withheld(asked.pop("exclude", ()), repo)
            visible = tuple(held.id for held in within)
            found = (
                threads.read(
                    connection,
                    repo.id,
                    wanted,
                    ThreadView(compact=view.compact, visible=visible, **asked),
                    desk.clock(),
                )
                if wanted not in withheld
                else None
            )
        if found is None:
            raise _no_such_thread(repo, wanted, asked.get("before"))
        return desk.answer({"thread": asdict(found)}, page, view)

    @routes.get("/inflight/<number>")
    def inflight(number: str) -> Response:
        """Return who claims to close a thread, which need not be indexed itself."""
        asked = read_query(request.args, INFLIGHT_FIELDS)
        view, wanted = _view(asked), thread_number(number)
        with desk.reading() as connection:
            within = scope.repositories(connection, desk.caller)
            repo = scope.one(within, asked.pop("repo", None))
            found = claims_on.claims(
                connection,
                repo,
                wanted,
                desk.clock(),
                visible=within,
                before=asked.get("before"),
                exclude=_exclusions(asked.get("exclude", ())),
            )
        return desk.answer(asdict(found), inflight_page.render, view)

    # Flask registers the functions; naming them here tells the type checker so.
    _ = (search, thread, inflight)
    return routes


def _posted(fields: dict[str, Field]) -> dict[str, Any]:
    """Return the fields of the body; the address holds none, and one put there would change nothing."""
    if request.args:
        name = next(iter(request.args))
        near = get_close_matches(name[:MAX_WORD], fields, n=1)
        raise Refused(
            "This question is asked in the body; its address takes no parameters.",
            code="unknown_parameter",
            facts={"parameter": name[:MAX_WORD], "nearest": near[0] if near else None},
        )
    if not request.is_json:
        raise UnsupportedMediaType("Send the question as application/json.")
    return read_body(request.get_data(), fields)


def _view(asked: dict[str, Any]) -> View:
    return View(**{name: asked.pop(name) for name in tuple(VIEW_FIELDS) if name in asked})


def _searched(result: dict[str, Any], question: Question) -> dict[str, Any]:
    # A page holds less than was asked for: say so instead of cutting in silence.
    if question.limit > MAX_HITS:
        result["query"]["limit_asked"] = question.limit
    return result


def _exclusions(excluded: Sequence[tuple[str | None, int]]) -> tuple[Exclusion, ...]:
    return tuple(Exclusion(number=number, repo=repo) for repo, number in excluded)


def _withheld(excluded: Sequence[tuple[str | None, int]], repo: HeldRepo) -> frozenset[int]:
    """Return the numbers to withhold of ``repo``; a bare number speaks of the repository asked."""
    return frozenset(number for name, number in excluded if name is None or name.lower() == repo.name.lower())


def _check_combination(asked: dict[str, Any]) -> None:
    if "comment" not in asked:
        return
    other = next((name for name in ("focus", "outline", "after", "full", "files") if asked.get(name)), None)
    if other is not None:
        raise Refused(
            f"comment asks for one comment and nothing else, so it does not go with {other}.",
            code="bad_value",
            facts={"parameter": other},
        )


def _no_such_thread(repo: HeldRepo, number: int, before: datetime | None) -> NotFound:
    when = "" if before is None else " as of that time"
    return NotFound(
        f"There is no thread {repo.name}#{number} in the index{when}.",
        code="no_such_thread",
        facts={"repo": repo.name, "number": number},
    )
