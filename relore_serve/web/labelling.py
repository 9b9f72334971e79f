"""The one route that writes: somebody's verdict on an answer, added to a file that no question is answered from.

A label keeps the whole question, every filter of it, so that the benchmark can tell which question was judged. Who
may label is a right of its own (`LABEL`); a token that reads may not.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, cast

from flask import Blueprint, Response, jsonify

from relore_serve.search import scope as reading
from relore_serve.search.ages import utc
from relore_serve.search.question import FILTERS, SORTS, Question, QuestionError, check, clean
from relore_serve.search.results import Backend
from relore_serve.search.tokens import VERSION as TOKENS
from relore_serve.signals import VERSION as SIGNALS
from relore_serve.web import asking, scope
from relore_serve.web.errors import Forbidden, NotFound, Refused, Unavailable
from relore_serve.web.labels import VARIABLE, LabelsError
from relore_serve.web.routes import LABEL

if TYPE_CHECKING:
    from datetime import datetime

    import psycopg

    from relore_serve.search.question import Exclusion
    from relore_serve.search.scope import Repo
    from relore_serve.web.desk import Desk
    from relore_serve.web.shapes import Labelled

RIGHT = "label"
"""The scope of a token that may label."""

_SQL = reading.statements("relore_serve.web", "label.sql")


def blueprint(desk: Desk) -> Blueprint:
    """Return the route."""
    routes = Blueprint("labelling", __name__)

    @routes.post(LABEL.path)
    def label() -> Response:
        """Keep a verdict."""
        require_right(desk)
        return jsonify(keep(desk, asking.in_body(LABEL)))

    # Flask registers the function; naming it here tells the type checker so.
    _ = label
    return routes


def may_label(desk: Desk) -> bool:
    """Whether the caller may label.

    Without tokens everybody on this machine may; strangers who are served all the same (``trust_network``) may not.
    """
    return RIGHT in desk.caller.scopes or (not desk.tokens and not desk.trust_network)


def require_right(desk: Desk) -> None:
    """Refuse a caller who may not label, or a server that keeps no labels.

    Raises:
        Forbidden: the token lacks the scope.
        Unavailable: no file is named.
    """
    if not may_label(desk):
        raise Forbidden(
            f"Labelling needs a token with the scope {RIGHT}: secret:repos:{RIGHT}.", facts={"scope": RIGHT}
        )
    if not desk.labels:
        raise Unavailable(
            f"This server keeps no labels: its operator sets {VARIABLE} to a file for them.",
            code="labels_unavailable",
        )


def keep(desk: Desk, asked: dict[str, Any]) -> Labelled:
    """Check a label that was read by the fields of `LABEL`, and add it to the file.

    Raises:
        NotFound: repository, thread or text are not there for this caller and this question.
        Refused: the question asks nothing, or cannot be asked.
        Unavailable: the file cannot be written.
    """
    filters: dict[str, Any] = dict(asked.get("filters", {}))
    if not clean(asked["query"]) and not any(filters.get(name) for name in FILTERS):
        raise Refused(
            "A label is of a question, and this one holds neither words nor filters.",
            code="bad_value",
            facts={"parameter": "query"},
        )
    if asked.get("source_id") is not None and asked.get("source_type") is None:
        raise Refused(
            "A source_id goes with the source_type that it is one of; without both the label is on the thread.",
            code="bad_value",
            facts={"parameter": "source_type"},
        )
    with desk.reading() as connection:
        visible = scope.repositories(connection, desk.caller)
        repo = scope.one(visible, asked.get("repo"))
        repos = scope.named(visible, filters["repos"]) if filters.get("repos") else ()
        excluded = desk.pin.withheld(
            scope.exclusions(visible, filters.get("exclude", ()), repo.name), repos or visible
        )
        before = desk.pin.earlier(filters.get("before"))
        _check_window(asked, filters, before)
        _require_text(connection, repo, asked, excluded, before)
    row = _row(desk, repo, asked, {**filters, "repos": repos, "exclude": excluded, "before": before})
    try:
        desk.labels.append(row)
    except LabelsError as error:
        raise Unavailable(f"The label could not be kept: {error}.", code="labels_unavailable") from error
    return {
        "labelled_at": row["labelled_at"],
        "repo": repo.name,
        "number": asked["number"],
        "verdict": asked["verdict"],
        "judge": row["judge"],
    }


def _check_window(asked: dict[str, Any], filters: dict[str, Any], before: datetime | None) -> None:
    with asking.refusing():
        try:
            check(Question(text=asked["query"], since=filters.get("since"), before=before))
        except QuestionError as error:
            raise QuestionError(error.code, str(error), "filters") from error


def _require_text(
    connection: psycopg.Connection,
    repo: Repo,
    asked: dict[str, Any],
    excluded: tuple[Exclusion, ...],
    before: datetime | None,
) -> None:
    """Refuse a label on what could not have been an answer."""
    filters, number = asked.get("filters", {}), asked["number"]
    name = repo.name.lower()
    bounds = reading.Scope(
        repos=(repo,),
        floor=reading.floor(asked.get("kind"), filters.get("trust")),
        since=filters.get("since"),
        before=before,
    )
    wanted = {"source_type": asked.get("source_type"), "source_id": asked.get("source_id"), "number": number}
    found = connection.execute(_SQL["admitted"], {**bounds.parameters(), **wanted}).fetchone()
    facts = {"repo": repo.name, "number": number}
    if found is None or any(one.number == number and (one.repo or "").lower() == name for one in excluded):
        raise NotFound(
            f"There is no thread {repo.name}#{number} that this question could be answered with.",
            code="no_such_thread",
            facts=facts,
        )
    if found[0]:
        return
    lower = replace(bounds, floor=reading.Floor((*reading.HUMAN, *reading.MACHINE)))
    below = connection.execute(_SQL["admitted"], {**lower.parameters(), **wanted}).fetchone()
    why = _why_below(asked) if below is not None and below[0] else ""
    raise NotFound(
        f"{repo.name}#{number} holds no such text that this question could be answered with{why}.",
        code="no_such_text",
        facts=facts,
    )


def _why_below(asked: dict[str, Any]) -> str:
    """Return which floor keeps a text out that stands there."""
    kind, trust = asked.get("kind"), asked.get("filters", {}).get("trust")
    floor = reading.floor(kind, trust)
    admitted = " or ".join(floor.labels) + (", or in a merged pull request" if floor.merged_too else "")
    question = f"a question of kind {kind}" if kind else "the question"
    if asked.get("source_type") is None:
        return f": it holds texts, but {question} is answered with texts that are {admitted}, and none of these is"
    return (
        f": the text is there, but {question} is answered with texts that are {admitted}, and this one is not. "
        "Name another text, or leave source_type and source_id out to judge the thread"
    )


def _row(desk: Desk, repo: Repo, asked: dict[str, Any], filters: dict[str, Any]) -> dict[str, Any]:
    """Return the line of a label: the question as it was asked, its case kept, and what answered it."""
    backend = Backend()
    return {
        "labelled_at": utc(desk.clock()),
        "judge": asked.get("judge", "human"),
        "caller": desk.caller.name,
        "verdict": asked["verdict"],
        "repo": repo.name,
        "number": asked["number"],
        "source_type": asked.get("source_type"),
        "source_id": asked.get("source_id"),
        "query": asked["query"],
        "kind": asked.get("kind"),
        "filters": _told(filters),
        "note": asked.get("note", ""),
        "backend": {"name": backend.name, "ranking": backend.ranking},
        "versions": {"relore": desk.version, "signals": SIGNALS, "tokens": TOKENS},
    }


def _told(filters: dict[str, Any]) -> dict[str, object]:
    """Return the filters that change what is asked, as JSON has them; what is as it is by itself is left out."""
    as_json: dict[str, Any] = {
        **filters,
        "repos": [repo.name for repo in filters["repos"]],
        "exclude": [f"{one.repo}#{one.number}" for one in filters["exclude"]],
        "since": utc(filters.get("since")),
        "before": utc(filters["before"]),
    }
    usual = {"sort": SORTS[0], "expand": True}
    return {
        name: list(cast("tuple[str, ...]", value)) if isinstance(value, tuple) else value
        for name, value in sorted(as_json.items())
        if value != usual.get(name) and (value or name == "expand")
    }
