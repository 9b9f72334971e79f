"""What every route is handed: the collaborators, the caller, and the one way an answer leaves."""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol, Self, cast

from flask import Response, g, jsonify, request
from psycopg import IsolationLevel

from relore_serve.pages.untrusted import NOTICE, scrub
from relore_serve.web import conditional
from relore_serve.web.errors import Refused
from relore_serve.web.openapi import picker
from relore_serve.web.picking import pick

if TYPE_CHECKING:
    from collections.abc import Callable, Generator
    from contextlib import AbstractContextManager
    from datetime import datetime

    import psycopg

    from relore_serve.semantic.tier import Tier
    from relore_serve.web.labels import Labels
    from relore_serve.web.metrics import Metrics
    from relore_serve.web.pin import Pin
    from relore_serve.web.quota import Quota
    from relore_serve.web.routes import Route
    from relore_serve.web.tokens import Caller, Tokens


class Connections(Protocol):
    """Hands out read-only sessions, as `relore_serve.database.Reader` does."""

    def connection(self) -> AbstractContextManager[psycopg.Connection]:
        """Lend a session for as long as the block lasts."""
        ...


class Page(Protocol):
    """Renders one kind of answer, `render` of a module in `relore_serve.pages`."""

    def __call__(self, payload: dict[str, Any], *, compact: bool, presentation: bool) -> str:
        """Return the text page of a scrubbed tree."""
        ...


@dataclass(frozen=True, slots=True)
class View:
    """How an answer is to be shown.

    Attributes:
        render: add the text page, ``rendered``.
        compact: shorten quoted prose.
        presentation: add advice, as for a person at a terminal.
        fields: paths of what is wanted of the JSON; all of it without any.
    """

    render: bool = False
    compact: bool = False
    presentation: bool = False
    fields: tuple[tuple[str, ...], ...] = ()

    @classmethod
    def taken(cls, asked: dict[str, Any], route: Route) -> Self:
        """Take out of ``asked`` what says how to show the answer of ``route``.

        Raises:
            Refused: a path leads nowhere in this kind of answer, or the text page was asked for too.
        """
        view = cls(**{name: asked.pop(name) for name in cls.__slots__ if name in asked})
        if view.fields and view.render:
            raise Refused(
                "fields shortens the JSON and render adds the text page, so they do not go together.",
                code="bad_value",
                facts={"parameter": "fields"},
            )
        if view.fields:
            picker(route).check(view.fields)
        return view


@dataclass(frozen=True, slots=True)
class Desk:
    """The collaborators of a server."""

    reader: Connections
    tokens: Tokens
    quota: Quota
    clock: Callable[[], datetime]
    version: str
    trust_network: bool
    pin: Pin
    metrics: Metrics
    labels: Labels
    semantic: Tier

    @contextmanager
    def reading(self) -> Generator[psycopg.Connection]:
        """Lend a session in which all statements see one state of the tables."""
        with self.reader.connection() as connection:
            if connection.isolation_level is not IsolationLevel.REPEATABLE_READ:
                connection.isolation_level = IsolationLevel.REPEATABLE_READ
            with connection.transaction():
                yield connection

    @property
    def caller(self) -> Caller:
        """Who is asking; known once the request has passed the door."""
        return cast("Caller", g.caller)

    def answer(self, route: Route, payload: dict[str, Any], page: Page, view: View) -> Response:
        """Answer with ``payload``, or say that the caller holds this answer already.

        Scrub, then render: in that order, and nothing runs after the envelope is on.
        """
        if not route.tagged:
            return jsonify(made(payload, page, view))
        tag = conditional.tag(payload, request.query_string, self.version)
        return conditional.not_modified(request, tag) or conditional.tagged(
            jsonify(made(payload, page, view)), tag
        )


def made(payload: dict[str, Any], page: Page, view: View) -> dict[str, Any]:
    """Return an answer as it is sent: trimmed, scrubbed, counted, and rendered where that was asked for."""
    if view.fields:
        payload = pick(payload, view.fields)
    tree, removed = scrub({"notice": NOTICE, **payload})
    tree["scrubbed"] = removed.as_dict()
    if view.render:
        tree["rendered"] = page(tree, compact=view.compact, presentation=view.presentation)
    return tree
