"""The page at ``/`` and one for each thread: the same answers as the API's, as HTML that needs no script.

Nothing runs in a browser: the policy of the pages admits one style sheet, by its digest, and nothing else. What is
foreign is scrubbed as in every answer, and escaped by the templates besides.
"""

from __future__ import annotations

import base64
import re
from hashlib import sha256
from importlib.resources import files
from typing import TYPE_CHECKING, Any, cast
from urllib.parse import urlencode

from flask import Blueprint, Flask, Response, render_template, request
from markupsafe import Markup
from werkzeug.routing import BaseConverter

from relore_serve.json_tree import tree
from relore_serve.pages import search as search_page
from relore_serve.pages import thread as thread_page
from relore_serve.pages.untrusted import NOTICE, address
from relore_serve.search import engine
from relore_serve.search.question import KINDS, MAX_TEXT, SORTS, Question
from relore_serve.status import facts
from relore_serve.threads import thread as threads
from relore_serve.threads.results import ThreadView
from relore_serve.web import asking, forms, scope
from relore_serve.web.desk import View, made
from relore_serve.web.fields import MAX_NUMBER, MAX_WORD, Choice, Flag, Id, Moment, Repo, Text
from relore_serve.web.parameters import read_query
from relore_serve.web.routes import MAX_FOCUS

if TYPE_CHECKING:
    from psycopg import Connection
    from werkzeug.datastructures import MultiDict

    from relore_serve.web.desk import Desk
    from relore_serve.web.fields import Field

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
            found = _search(desk, connection, asked) if asked.get("q") else None
            status = facts(connection, [repo.id for repo in repos], now=desk.clock())
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

    @routes.get(f"/<owner:owner>/<name>/<int(min=1, max={MAX_NUMBER}):number>")
    def thread(owner: str, name: str, number: int) -> str:
        """Show a thread."""
        given = _filled(request.args)
        asked: dict[str, Any] = {**read_query(given, _THREAD), "repo": f"{owner}/{name}"}
        with desk.reading() as connection:
            about = asking.numbered(desk, connection, asked, number)
            how = ThreadView(
                before=about.before,
                visible=tuple(repo.id for repo in about.visible),
                exclude=about.exclude,
                **asked,
            )
            found = threads.read(connection, about.repo.id, number, how, desk.clock())
        if found is None or about.is_withheld:
            raise about.not_there()
        answer = made({"thread": tree(found)}, thread_page.render, View(render=True))
        return render_template(
            "thread.html",
            **_frame(desk, [about.repo.name]),
            pin=desk.pin.told([about.repo]),
            thread=answer["thread"],
            rendered=answer["rendered"],
            cutoff=given.get("before"),
            longest=MAX_FOCUS,
            most=_MOST,
        )

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
    # Flask registers the functions; naming them here tells the type checker so.
    _ = (home, thread)
    return routes


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
        answer = tree(engine.search(connection, question, desk.clock()))
    return made(answer, search_page.render, View(render=True))


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
