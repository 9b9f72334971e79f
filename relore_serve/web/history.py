"""Questions about a repository's history: a route for each verb."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from flask import Blueprint, Response

from relore_serve.json_tree import tree
from relore_serve.pages import precedent as precedent_page
from relore_serve.pages import search as search_page
from relore_serve.precedents import find as precedents
from relore_serve.precedents.question import PrecedentQuestion
from relore_serve.search import engine
from relore_serve.search.question import MAX_HITS, Question
from relore_serve.web import asking, numbered
from relore_serve.web.desk import View
from relore_serve.web.routes import PRECEDENT, SEARCH

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
            result = tree(engine.search(connection, question, desk.clock(), semantic=desk.semantic.likeness))
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
    for question in numbered.QUESTIONS:
        route = question.route
        routes.add_url_rule(route.path, route.name, partial(_answered, desk, question))


def _answered(desk: Desk, question: numbered.Question, number: str) -> Response:
    """Return the answer to a question about the thread of that number."""
    asked, wanted = asking.in_address(question.route, number)
    page = question.page_for(asked)
    view = View.taken(asked, question.route)
    with desk.reading() as connection:
        payload = question.answer(desk, connection, asked, wanted, compact=view.compact)
    return desk.answer(question.route, payload, page, view)


def _with_limit(result: dict[str, Any], limit: int) -> dict[str, Any]:
    """Say that more was asked for than a page holds, instead of cutting in silence."""
    if limit > MAX_HITS:
        result["query"]["limit_asked"] = limit
    return result
