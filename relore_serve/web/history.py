"""Questions about a repository's history: a route for each verb."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

from flask import Blueprint, Response

from relore_serve.json_tree import tree
from relore_serve.pages import brief as brief_page
from relore_serve.pages import inflight as inflight_page
from relore_serve.pages import precedent as precedent_page
from relore_serve.pages import search as search_page
from relore_serve.pages import similar as similar_page
from relore_serve.pages import thread as thread_page
from relore_serve.precedents import find as precedents
from relore_serve.precedents.question import PrecedentQuestion
from relore_serve.search import engine
from relore_serve.search.question import MAX_HITS, Question
from relore_serve.similar import similar as alike
from relore_serve.threads import brief as briefs
from relore_serve.threads import inflight as claims_on
from relore_serve.threads import thread as threads
from relore_serve.threads.results import ThreadView
from relore_serve.web import asking
from relore_serve.web.desk import View
from relore_serve.web.errors import Refused
from relore_serve.web.routes import BRIEF, INFLIGHT, PRECEDENT, SEARCH, SIMILAR, THREAD

if TYPE_CHECKING:
    from relore_serve.web.desk import Desk


def blueprint(desk: Desk) -> Blueprint:
    """Return the routes."""
    routes = Blueprint("history", __name__)
    _posted(desk, routes)
    _by_number(desk, routes)
    return routes


def _posted(desk: Desk, routes: Blueprint) -> None:
    """Add the questions about everything."""

    @routes.post(SEARCH.path)
    def search() -> Response:
        """Return a page of hits."""
        asked = asking.in_body(SEARCH)
        view = View.taken(asked, SEARCH)
        asked["text"] = asked.pop("query", "")
        with desk.reading() as connection, asking.refusing():
            named = bool(asked.get("repos"))
            question = Question(
                **asking.bound(desk, connection, asked), compact=view.compact, repos_named=named
            )
            result = tree(engine.search(connection, question, desk.clock()))
        return desk.answer(SEARCH, _with_limit(result, question.limit), search_page.render, view)

    @routes.post(PRECEDENT.path)
    def precedent() -> Response:
        """Return a page of finished work."""
        asked = asking.in_body(PRECEDENT)
        view = View.taken(asked, PRECEDENT)
        asked["text"] = asked.pop("query", "")
        with desk.reading() as connection, asking.refusing():
            question = PrecedentQuestion(**asking.bound(desk, connection, asked), compact=view.compact)
            result = tree(precedents.find(connection, question, desk.clock()))
        return desk.answer(PRECEDENT, _with_limit(result, question.limit), precedent_page.render, view)

    # Flask registers the functions; naming them here tells the type checker so.
    _ = (search, precedent)


def _by_number(desk: Desk, routes: Blueprint) -> None:
    """Add the questions about one thread."""

    @routes.get(THREAD.path)
    def thread(number: str) -> Response:
        """Return a thread, its outline or one of its comments."""
        asked, wanted = asking.in_address(THREAD, number)
        _check_combination(asked)
        view = View.taken(asked, THREAD)
        page = partial(thread_page.render, files=asked.pop("files", False))
        with desk.reading() as connection:
            about = asking.numbered(desk, connection, asked, wanted)
            how = ThreadView(
                compact=view.compact,
                before=about.before,
                visible=tuple(repo.id for repo in about.visible),
                exclude=about.exclude,
                **asked,
            )
            found = (
                None
                if about.is_withheld
                else threads.read(connection, about.repo.id, wanted, how, desk.clock())
            )
        if found is None:
            raise about.not_there()
        return desk.answer(THREAD, {"thread": tree(replace(found, exclude=about.left_out))}, page, view)

    @routes.get(INFLIGHT.path)
    def inflight(number: str) -> Response:
        """Return who claims to close a thread, which need not be indexed itself."""
        asked, wanted = asking.in_address(INFLIGHT, number)
        view = View.taken(asked, INFLIGHT)
        with desk.reading() as connection:
            about = asking.numbered(desk, connection, asked, wanted)
            if about.is_left_out:
                raise about.not_there()
            found = claims_on.claims(
                connection,
                about.repo,
                wanted,
                desk.clock(),
                visible=about.visible,
                before=about.before,
                exclude=about.exclude,
            )
        return desk.answer(INFLIGHT, tree(replace(found, exclude=about.left_out)), inflight_page.render, view)

    @routes.get(BRIEF.path)
    def brief(number: str) -> Response:
        """Return what one would look up before reading a thread."""
        asked, wanted = asking.in_address(BRIEF, number)
        view = View.taken(asked, BRIEF)
        with desk.reading() as connection:
            about = asking.numbered(desk, connection, asked, wanted)
            found = briefs.read(
                connection,
                about.repo,
                wanted,
                visible=about.visible,
                before=about.before,
                exclude=about.exclude,
                compact=view.compact,
                now=desk.clock(),
            )
        if found is None:
            raise about.not_there()
        return desk.answer(BRIEF, tree(replace(found, exclude=about.left_out)), brief_page.render, view)

    @routes.get(SIMILAR.path)
    def similar(number: str) -> Response:
        """Return the threads that are most like one."""
        asked, wanted = asking.in_address(SIMILAR, number)
        view = View.taken(asked, SIMILAR)
        with desk.reading() as connection:
            about = asking.numbered(desk, connection, asked, wanted)
            found = alike.read(
                connection,
                about.repo,
                wanted,
                visible=about.visible,
                before=about.before,
                exclude=about.exclude,
                limit=asked.get("limit", MAX_HITS),
                compact=view.compact,
                now=desk.clock(),
            )
        if found is None:
            raise about.not_there()
        return desk.answer(SIMILAR, tree(replace(found, exclude=about.left_out)), similar_page.render, view)

    # Flask registers the functions; naming them here tells the type checker so.
    _ = (thread, inflight, brief, similar)


def _with_limit(result: dict[str, Any], limit: int) -> dict[str, Any]:
    """Say that more was asked for than a page holds, instead of cutting in silence."""
    if limit > MAX_HITS:
        result["query"]["limit_asked"] = limit
    return result


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
