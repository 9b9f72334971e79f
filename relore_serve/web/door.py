"""What happens to every request before a route sees it, and to every answer after.

The order is part of the contract: versions first (a client that would misread the answer should learn that,
not that its token is wrong), then where the request came from, then who sent it, then how often.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from flask import Flask, Response, g, request

from relore_serve.web import handshake
from relore_serve.web.binding import check_request

if TYPE_CHECKING:
    from relore_serve.web.desk import Desk

API_PREFIX = "/api/"
UNCHARGED = frozenset({"/api/v1/status"})
"""Asking how much of a quota is left does not use it up."""


def init_app(app: Flask, desk: Desk) -> None:
    """Put the door in front of every route of ``app``."""

    def enter() -> None:
        if not request.path.startswith(API_PREFIX):
            return
        handshake.check(
            request.headers.get(handshake.API_HEADER),
            client=request.headers.get(handshake.CLIENT_HEADER),
            version=desk.version,
        )
        if not desk.tokens and not desk.trust_network:
            check_request(remote=request.remote_addr, host=request.headers.get("Host", ""))
        caller = desk.tokens.caller(request.headers.get("Authorization"))
        if caller.metered and request.path not in UNCHARGED:
            desk.quota.charge(caller.name, desk.clock())
        g.caller = caller

    def leave(response: Response) -> Response:
        response.headers[handshake.VERSION_HEADER] = desk.version
        response.headers[handshake.API_HEADER] = str(handshake.API)
        response.headers["X-Content-Type-Options"] = "nosniff"
        # Answers depend on the token and on the moment.
        response.headers["Cache-Control"] = "no-store"
        return response

    app.before_request(enter)
    app.after_request(leave)
