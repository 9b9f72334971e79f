"""Questions about the server itself: `status` for whoever asks it, `healthz` for whoever watches it."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from flask import Blueprint, Response, jsonify, request

from relore_serve.pages import status as status_page
from relore_serve.sql import load
from relore_serve.status import facts
from relore_serve.web import conditional, handshake, openapi, scope
from relore_serve.web.desk import View
from relore_serve.web.parameters import read_query
from relore_serve.web.routes import HEALTH, OPENAPI, STATUS

if TYPE_CHECKING:
    from relore_serve.web.desk import Desk

_SQL = load("relore_serve.web", "web.sql")


def blueprint(desk: Desk) -> Blueprint:
    """Return the routes."""
    routes = Blueprint("operations", __name__)

    @routes.get(STATUS.path)
    def status() -> Response:
        """Say what is indexed of the repositories in scope, how fresh it is, and the quota used."""
        view = View.taken(read_query(request.args, STATUS.fields), STATUS)
        with desk.reading() as connection:
            repos = scope.repositories(connection, desk.caller)
            known = facts(connection, [repo.id for repo in repos], now=desk.clock(), semantic=desk.semantic)
        payload = {
            "version": desk.version,
            "api": handshake.API,
            "oldest_api": handshake.OLDEST_API,
            "pin": desk.pin.told(repos),
            **known,
            "usage": desk.quota.usage(desk.caller.name, desk.clock()) if desk.caller.metered else None,
        }
        return desk.answer(STATUS, payload, status_page.render, view)

    @routes.get(OPENAPI.path)
    def document() -> Response:
        """Describe the API to programs; names nothing that is indexed, and needs no token."""
        response = jsonify(openapi.document(desk.version))
        response.add_etag()
        response.headers["Cache-Control"] = conditional.CACHING
        return cast("Response", response.make_conditional(request))

    @routes.get(HEALTH.path)
    def healthz() -> Response:
        """Answer while the database does; names nothing that is in it, and needs no token."""
        with desk.reader.connection() as connection:
            connection.execute(_SQL["alive"])
        return jsonify(status="ok", version=desk.version)

    # Flask registers the functions; naming them here tells the type checker so.
    _ = (status, document, healthz)
    return routes
