"""Questions about the server itself: `status` for whoever asks it, `healthz` for whoever watches it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from flask import Blueprint, Response, jsonify, request

from relore_serve.pages import status as status_page
from relore_serve.sql import load
from relore_serve.status import facts
from relore_serve.web import handshake, scope
from relore_serve.web.desk import View
from relore_serve.web.parameters import Flag, read_query

if TYPE_CHECKING:
    from relore_serve.web.desk import Desk
    from relore_serve.web.parameters import Field

_SQL = load("relore_serve.web", "web.sql")
STATUS_FIELDS: dict[str, Field] = {"compact": Flag(), "render": Flag(), "presentation": Flag()}


def blueprint(desk: Desk) -> Blueprint:
    """Return the routes."""
    routes = Blueprint("operations", __name__)

    @routes.get("/api/v1/status")
    def status() -> Response:
        """Say what is indexed of the repositories in scope, how fresh it is, and the quota used."""
        view = View(**read_query(request.args, STATUS_FIELDS))
        with desk.reading() as connection:
            repos = scope.repositories(connection, desk.caller)
            known = facts(connection, [repo.id for repo in repos], now=desk.clock())
        payload = {
            "version": desk.version,
            "api": handshake.API,
            "oldest_api": handshake.OLDEST_API,
            **known,
            "usage": desk.quota.usage(desk.caller.name, desk.clock()) if desk.caller.metered else None,
        }
        return desk.answer(payload, status_page.render, view)

    @routes.get("/healthz")
    def healthz() -> Response:
        """Answer while the database does; names nothing that is in it, and needs no token."""
        with desk.reader.connection() as connection:
            connection.execute(_SQL["alive"])
        return jsonify(status="ok", version=desk.version)

    # Flask registers the functions; naming them here tells the type checker so.
    _ = (status, healthz)
    return routes
