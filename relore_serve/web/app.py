"""Puts a server together from its collaborators."""

from __future__ import annotations

from datetime import UTC, datetime
from importlib.metadata import version as installed_version
from typing import TYPE_CHECKING

from flask import Flask
from flask.json.provider import DefaultJSONProvider

from relore_serve.semantic.tier import Tier
from relore_serve.web import compression, door, errors, history, labelling, metrics, operations, pages
from relore_serve.web.desk import Desk
from relore_serve.web.labels import Labels
from relore_serve.web.metrics import Metrics
from relore_serve.web.pin import Pin
from relore_serve.web.quota import Limits, Quota

if TYPE_CHECKING:
    from collections.abc import Callable

    from relore_serve.web.desk import Connections
    from relore_serve.web.tokens import Tokens

MAX_BODY = 256 * 1024
"""Bytes of a request; a question and its filters at their longest need less."""


def create_app(
    *,
    reader: Connections,
    tokens: Tokens,
    clock: Callable[[], datetime] | None = None,
    version: str | None = None,
    limits: Limits | None = None,
    trust_network: bool = False,
    pin: Pin | None = None,
    labels: Labels | None = None,
    semantic: Tier | None = None,
) -> Flask:
    """Return the API as a WSGI application.

    Args:
        reader: lends read-only sessions.
        tokens: who may ask; without any, only requests from this machine to this machine are answered.
        clock: the present; ages and quotas are counted from it.
        version: what the server says it is; the installed version by default.
        limits: calls per token.
        trust_network: answer everybody although there are no tokens.
        pin: bounds of every answer; its threads name their repositories.
        labels: where verdicts on answers go; without any they are refused.
        semantic: the semantic tier; off without.
    """
    app = Flask("relore_serve.web", static_folder=None)
    app.config["MAX_CONTENT_LENGTH"] = MAX_BODY
    # A method that a route does not take is refused in the one shape, OPTIONS as well.
    app.config["PROVIDE_AUTOMATIC_OPTIONS"] = False
    app.json = _Json(app)
    version = version or installed_version("relore")
    desk = Desk(
        reader=reader,
        tokens=tokens,
        quota=Quota(limits or Limits()),
        clock=clock or (lambda: datetime.now(UTC)),
        version=version,
        trust_network=trust_network,
        pin=pin or Pin(),
        metrics=Metrics(reader, version),
        labels=labels or Labels(),
        semantic=semantic or Tier(),
    )
    # What is registered first sees a request first, and its answer last.
    compression.init_app(app)
    metrics.init_app(app, desk.metrics)
    errors.init_app(app)
    door.init_app(app, desk)
    pages.init_app(app)
    for part in (history, labelling, operations, metrics, pages):
        app.register_blueprint(part.blueprint(desk))
    return app


class _Json(DefaultJSONProvider):
    """ASCII, in the order that the answers are written in."""

    ensure_ascii = True
    sort_keys = False
    compact = True
