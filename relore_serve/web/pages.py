"""The page at ``/``, those of a thread, and that of finished work: the API's answers, as HTML that needs no script.

Nothing runs in a browser: the policy of the pages admits one style sheet, by its digest, and nothing else. What is
foreign is scrubbed as in every answer, and escaped by the templates besides.
"""

from __future__ import annotations

import base64
import re
from functools import partial
from hashlib import sha256
from importlib.resources import files
from typing import TYPE_CHECKING, Any, cast
from urllib.parse import urlencode

from flask import Blueprint, Flask, Response, render_template, request
from markupsafe import Markup
from werkzeug.routing import BaseConverter

from relore_serve.json_tree import tree
from relore_serve.pages import precedent as precedent_page
from relore_serve.pages import search as search_page
from relore_serve.pages.untrusted import NOTICE, address
from relore_serve.precedents import find as precedents
from relore_serve.precedents.question import PrecedentQuestion
from relore_serve.search import engine
from relore_serve.search.question import KINDS, MAX_TEXT, MAX_VALUE, SORTS, Question
from relore_serve.status import facts
from relore_serve.web import asking, forms, scope
from relore_serve.web.desk import View, made
from relore_serve.web.errors import NotFound, Refused
from relore_serve.web.fields import MAX_WORD, Choice, Flag, Id, Moment, Repo, Text
from relore_serve.web.numbered import ABOUT_BRIEF, ABOUT_SIMILAR, ABOUT_THREAD
from relore_serve.web.parameters import read_query, thread_number
from relore_serve.web.routes import MAX_FOCUS, PRECEDENT_KINDS

if TYPE_CHECKING:
    from psycopg import Connection
    from werkzeug.datastructures import MultiDict

    from relore_serve.web.desk import Desk
    from relore_serve.web.fields import Field
    from relore_serve.web.numbered import Question as AboutThread

NAME = "pages"
"""Of the blueprint, by which the door knows a page."""

STYLE = files("relore_serve.web").joinpath("templates/style.css").read_text(encoding="utf-8")
_DIGEST = base64.b64encode(sha256(STYLE.encode()).digest()).decode()
POLICY = (
    f"default-src 'none'; style-src 'sha256-{_DIGEST}'; form-action 'self'; base-uri 'none'; "
    "frame-ancestors 'none'"
)
HEADERS = {
    "Content-Security-Policy": POLICY,
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "X-Frame-Options": "DENY",
}
DEFAULT_ORIGIN = "http://127.0.0.1:8080"

_ORIGIN = re.compile(r"https?://[A-Za-z0-9.-]+(:[0-9]{1,5})?|https?://\[[0-9A-Fa-f:.]+\](:[0-9]{1,5})?")
_GITHUB = re.compile(r"https://[A-Za-z0-9.-]+/.*")
_MOST = 12
_SEARCH: dict[str, Field] = {
    "q": Text(MAX_TEXT),
    "repo": Repo(),
    "kind": Choice(KINDS),
    "sort": Choice(SORTS),
    "before": Moment(),
    "cursor": Text(MAX_WORD),
}
_THREAD: dict[str, Field] = {"focus": Text(MAX_FOCUS), "after": Id(), "full": Flag(), "before": Moment()}
_BESIDE: dict[str, Field] = {"before": Moment()}
_PRECEDENT: dict[str, Field] = {
    "q": Text(MAX_TEXT),
    "repo": Repo(),
    "kind": Choice(PRECEDENT_KINDS),
    "rejected": Flag(),
    "file": Text(MAX_VALUE),
    "symbol": Text(MAX_VALUE),
    "error": Text(MAX_VALUE),
    "before": Moment(),
    "cursor": Text(MAX_WORD),
}


class Owner(BaseConverter):
    """The owner of a repository; below ``api`` there are no pages."""

    regex = r"(?!api\Z)[A-Za-z0-9][A-Za-z0-9-]*"


def init_app(app: Flask) -> None:
    """Let ``app`` know what an owner is; to be called before the pages are registered."""
    app.url_map.converters["owner"] = Owner


def blueprint(desk: Desk) -> Blueprint:
    """Return the pages."""
    routes = Blueprint(NAME, __name__, template_folder="templates")
    routes.add_app_template_filter(link, "github")

    @routes.get("/")
    def home() -> str:
        """Search, say what is indexed, and how to ask from a shell."""
        given = _filled(request.args)
        asked = read_query(given, _SEARCH)
        with desk.reading() as connection:
            repos = scope.repositories(connection, desk.caller)
            # What was named is not there, whether or not anything is looked for in it.
            scope.named(repos, [asked["repo"]] if "repo" in asked else ())
            found = _search(desk, connection, asked) if asked.get("q") else None
            status = facts(connection, [repo.id for repo in repos], now=desk.clock(), semantic=desk.semantic)
        onward = f"/?{urlencode({**given.to_dict(), 'cursor': found['cursor']})}" if found else ""
        return render_template(
            "home.html",
            **_frame(desk, [repo.name for repo in repos]),
            pin=desk.pin.told(repos),
            asked={**asked, "sort": asked.get("sort", SORTS[0])},
            found=found,
            cutoff=given.get("before"),
            onward=onward,
            judging=forms.of_page(desk, asked, given.to_dict()) if found else None,
            status=status,
            kinds=KINDS,
            sorts=SORTS,
            longest=MAX_TEXT,
        )

    routes.add_url_rule("/precedent", "precedent", partial(_finished_work, desk))
    for tail, view in (
        ("", (ABOUT_THREAD, "thread.html", _THREAD)),
        ("/brief", (ABOUT_BRIEF, "brief.html", _BESIDE)),
        ("/similar", (ABOUT_SIMILAR, "similar.html", _BESIDE)),
    ):
        # A number that none can be is a page that is not there, and no address that nobody knows.
        address_of = f"/<owner:owner>/<name>/<number>{tail}"
        routes.add_url_rule(address_of, view[0].route.name, partial(_of_thread, desk, *view))

    forms.add_to(routes, desk, lambda: _frame(desk, []))

    def leave(response: Response) -> Response:
        """Show a refusal as a page too, and let nothing run on any."""
        if response.is_json:
            refusal = cast("dict[str, Any]", response.get_json())
            frame = {**_frame(desk, []), "status": response.status, "message": refusal["message"]}
            response.set_data(render_template("refused.html", **frame))
            response.mimetype = "text/html"
        if response.status_code == 401:  # noqa: PLR2004 - a number of HTTP's
            response.headers["WWW-Authenticate"] = 'Basic realm="relore", charset="UTF-8"'
        response.headers.update(HEADERS)
        return response

    routes.after_request(leave)
    # Flask registers the function; naming it here tells the type checker so.
    _ = home
    return routes


def _finished_work(desk: Desk) -> str:
    """Finished work and rejected attempts."""
    given = _filled(request.args)
    asked = read_query(given, _PRECEDENT)
    looked_for = asked.keys() - {"repo", "before", "cursor"}
    with desk.reading() as connection:
        repos = scope.repositories(connection, desk.caller)
        scope.named(repos, [asked["repo"]] if "repo" in asked else ())
        answer = _precedent(desk, connection, asked) if looked_for else None
    onward = f"/precedent?{urlencode({**given.to_dict(), 'cursor': answer['cursor']})}" if answer else ""
    return render_template(
        "precedent.html",
        **_frame(desk, [repo.name for repo in repos]),
        pin=desk.pin.told(repos),
        asked=asked,
        answer=answer,
        rendered=answer["rendered"] if answer else "",
        cutoff=given.get("before"),
        onward=onward,
        kinds=PRECEDENT_KINDS,
        longest=MAX_TEXT,
    )


def _of_thread(
    desk: Desk,
    question: AboutThread,
    template: str,
    fields: dict[str, Field],
    *,
    owner: str,
    name: str,
    number: str,
) -> str:
    """Show one kind of answer about a thread."""
    given = _filled(request.args)
    asked: dict[str, Any] = {**read_query(given, fields), "repo": f"{owner}/{name}"}
    try:
        wanted = thread_number(number)
    except Refused as refusal:
        raise NotFound(f"There is no such page: {refusal}", code="not_found") from None
    with desk.reading() as connection:
        found = question.answer(desk, connection, asked, wanted, compact=False)
        repos = scope.repositories(connection, desk.caller)
    answer = made(found, question.page, View(render=True))
    thread = answer.get("thread", answer)
    return render_template(
        template,
        **_frame(desk, [repo.name for repo in repos if repo.name == thread["repo"]]),
        pin=desk.pin.told(repo for repo in repos if repo.name == thread["repo"]),
        answer=answer,
        thread=thread,
        rendered=answer["rendered"],
        cutoff=given.get("before"),
        longest=MAX_FOCUS,
        most=_MOST,
    )


def link(url: str) -> str:
    """Return an address that a browser may follow, and nothing that it would run."""
    clean = address(url)
    return clean if _GITHUB.fullmatch(clean) else "#"


def _search(desk: Desk, connection: Connection, asked: dict[str, Any]) -> dict[str, Any]:
    """Return the answer to what was typed, with its text page."""
    values = {name: value for name, value in asked.items() if name not in ("q", "repo")}
    values |= {"text": asked["q"], "repos": [asked["repo"]] if "repo" in asked else ()}
    with asking.refusing():
        question = Question(**asking.bound(desk, connection, values))
        answer = tree(engine.search(connection, question, desk.clock(), semantic=desk.semantic.likeness))
    return made(answer, search_page.render, View(render=True))


def _precedent(desk: Desk, connection: Connection, asked: dict[str, Any]) -> dict[str, Any]:
    """Return the answer about finished work, with its text page."""
    values = {name: asked[name] for name in ("kind", "rejected", "before", "cursor") if name in asked}
    values |= {f"{name}s": (asked[name],) for name in ("file", "symbol", "error") if name in asked}
    values |= {"text": asked.get("q", ""), "repos": [asked["repo"]] if "repo" in asked else ()}
    with asking.refusing():
        question = PrecedentQuestion(**asking.bound(desk, connection, values))
        answer = tree(precedents.find(connection, question, desk.clock()))
    return made(answer, precedent_page.render, View(render=True))


def _filled(arguments: MultiDict[str, str]) -> MultiDict[str, str]:
    """Return what was filled in: a form sends its empty fields too."""
    filled = arguments.copy()
    for name in [name for name, value in arguments.items(multi=True) if not value]:
        filled.poplist(name)
    return filled


def _frame(desk: Desk, repos: list[str]) -> dict[str, Any]:
    """Return what every page shows. The address is the one that was typed, unless it is none."""
    origin = request.host_url.rstrip("/")
    return {
        "style": Markup(STYLE),  # noqa: S704 - our own file, and a digest of it admits it
        "notice": NOTICE,
        "version": desk.version,
        "origin": origin if _ORIGIN.fullmatch(origin) else DEFAULT_ORIGIN,
        "needs_token": bool(desk.tokens),
        "repos": repos,
    }
