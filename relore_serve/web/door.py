"""What happens to every request before a route sees it, and to every answer after.

The order is part of the contract: versions first (a client that would misread the answer should learn that,
not that its token is wrong), then where the request came from, then who sent it, then how often. A question
too long to be one is refused before all of that.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from flask import Flask, Response, g, request

from relore_serve.web import handshake, pages
from relore_serve.web.binding import check_request
from relore_serve.web.errors import AddressTooLong, RateLimited
from relore_serve.web.routes import ROUTES, STATUS

if TYPE_CHECKING:
    from relore_serve.web.desk import Desk

MAX_QUERY_STRING = 32 * 1024
"""Bytes; what the longest focus takes when each of its characters is written in twelve."""

_GUARDED = "/api/"
_OPEN = frozenset(route.path for route in ROUTES if route.is_open)
_UNCHARGED = frozenset({STATUS.path})
"""Asking how much of a quota is left does not use it up."""


def init_app(app: Flask, desk: Desk) -> None:
    """Put the door in front of every route of ``app``."""

    def enter() -> None:
        if len(request.query_string) > MAX_QUERY_STRING:
            raise AddressTooLong(
                f"The query string has {len(request.query_string):,} bytes and at most {MAX_QUERY_STRING:,} are read."
            )
        is_page = request.blueprint == pages.NAME
        if is_page or (request.path.startswith(_GUARDED) and request.path not in _OPEN):
            _admit(desk, is_page=is_page)

    def leave(response: Response) -> Response:
        response.headers[handshake.VERSION_HEADER] = desk.version
        response.headers[handshake.API_HEADER] = str(handshake.API)
        response.headers["X-Content-Type-Options"] = "nosniff"
        note = g.get("note")
        if note:
            response.headers[handshake.NOTE_HEADER] = note
        if "ETag" not in response.headers:
            # Answers depend on the token and on the moment.
            response.headers["Cache-Control"] = "no-store"
        elif request.path not in _OPEN:
            response.vary.add("Authorization")
        return response

    app.before_request(enter)
    app.after_request(leave)


def _admit(desk: Desk, *, is_page: bool) -> None:
    """Let a request in, or refuse it."""
    g.note = handshake.check(
        request.headers.get(handshake.API_HEADER),
        client=request.headers.get(handshake.CLIENT_HEADER),
        version=desk.version,
    )
    if not desk.tokens and not desk.trust_network:
        check_request(remote=request.remote_addr, host=request.headers.get("Host", ""))
    known = desk.tokens.reader if is_page else desk.tokens.caller
    caller = known(request.headers.get("Authorization"))
    if caller.metered and request.path not in _UNCHARGED:
        try:
            desk.quota.charge(caller.name, desk.clock())
        except RateLimited as refusal:
            desk.metrics.refused(str(refusal.facts["limit"]))
            raise
    g.caller = caller
