"""Every refusal leaves in one shape: ``{"error": code, "message": sentence, ...}``.

Codes are stable and meant for programs; sentences are for whoever reads them and say what to do. Additional
keys are facts that a handler needs. `CODES` is all there are.
"""

from __future__ import annotations

import json
import logging
from http import HTTPStatus
from typing import TYPE_CHECKING, Any

import psycopg
from flask import Flask, Response
from werkzeug.exceptions import HTTPException

from relore_serve.database import SchemaMismatch, StoreError
from relore_serve.pages.untrusted import scrub

if TYPE_CHECKING:
    from collections.abc import Mapping

_LOG = logging.getLogger(__name__)

RETRY_SECONDS = 5
"""How long a caller is asked to wait when the database is away; a restart takes about as long."""


CODES: dict[int, dict[str, tuple[str, ...]]] = {
    400: {
        "bad_request": (),
        "unknown_parameter": ("parameter", "nearest"),
        "unknown_field": ("parameter", "field", "nearest"),
        "bad_value": ("parameter",),
        "repository_needed": ("parameter", "repositories"),
        "empty_window": ("parameter",),
        "ambiguous_exclude": ("parameter",),
        "part_too_short": ("parameter",),
        "bad_cursor": ("parameter",),
    },
    401: {"unauthorized": ()},
    403: {"host_refused": (), "scope_needed": ("scope",)},
    404: {
        "not_found": (),
        "no_such_repository": ("parameter",),
        "nothing_indexed": (),
        "no_such_thread": ("repo", "number"),
        "no_such_text": ("repo", "number"),
    },
    405: {"method_not_allowed": ()},
    413: {"too_large": ()},
    414: {"address_too_long": ()},
    415: {"unsupported_media_type": ()},
    426: {"incompatible": ("behind", "api", "oldest_api", "version")},
    429: {"rate_limited": ("limit", "of", "retry_after")},
    500: {"internal": ()},
    503: {"store_unavailable": (), "schema_mismatch": (), "too_slow": (), "labels_unavailable": ()},
}
"""By status, every code, and the keys that may stand beside it."""


class ApiError(Exception):
    """A refusal that the caller can read.

    Args:
        message: one sentence.
        facts: further keys of the answer.
        headers: further headers of the answer.
    """

    status = 500
    code = "internal"

    def __init__(
        self,
        message: str,
        *,
        code: str | None = None,
        facts: Mapping[str, object] | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> None:
        super().__init__(message)
        self.code = code or type(self).code
        self.facts = dict(facts or {})
        self.headers = dict(headers or {})


class Refused(ApiError):
    """The question is not one that can be answered as it was asked."""

    status = 400
    code = "bad_request"


class Unauthorized(ApiError):
    """No token, or one that this server does not know."""

    status = 401
    code = "unauthorized"

    def __init__(self, message: str) -> None:
        super().__init__(message, headers={"WWW-Authenticate": 'Bearer realm="relore"'})


class HostRefused(ApiError):
    """A server without tokens was reached from beyond this machine."""

    status = 403
    code = "host_refused"


class Forbidden(ApiError):
    """The token is known and lacks a right beyond reading."""

    status = 403
    code = "scope_needed"


class NotFound(ApiError):
    """Not there, or not this token's business: the two are one answer."""

    status = 404
    code = "not_found"


class AddressTooLong(ApiError):
    """The query string is longer than anything that could be asked in it."""

    status = 414
    code = "address_too_long"


class UnsupportedMediaType(ApiError):
    """The body does not say that it is JSON."""

    status = 415
    code = "unsupported_media_type"


class Incompatible(ApiError):
    """Client and server speak versions of the API that do not fit."""

    status = 426
    code = "incompatible"


class RateLimited(ApiError):
    """The token has asked as often as it may, for now."""

    status = 429
    code = "rate_limited"


class Unavailable(ApiError):
    """Not now; asking again may help."""

    status = 503
    code = "store_unavailable"

    def __init__(self, message: str, *, code: str | None = None) -> None:
        super().__init__(message, code=code, headers={"Retry-After": str(RETRY_SECONDS)})


# What the framework itself refuses, in our words. The code is the contract, so it is not made from its names.
_FRAMEWORK = {
    400: ("bad_request", "The request could not be read."),
    404: ("not_found", "There is no such route; docs/api.md lists them."),
    405: ("method_not_allowed", "This route does not answer that method."),
    413: ("too_large", "The request is larger than this server reads."),
    414: ("address_too_long", "The address is longer than this server reads."),
    415: ("unsupported_media_type", "Send the question as application/json."),
}


def shape(error: ApiError) -> Response:
    """Return the answer that tells of ``error``. What it quotes of the request is scrubbed like all else."""
    clean, _ = scrub({"error": error.code, "message": str(error), **error.facts})
    body = json.dumps(clean, ensure_ascii=True)
    return Response(body, error.status, {**error.headers}, mimetype="application/json")


def _from_framework(error: HTTPException) -> Response:
    status = error.code or int(HTTPStatus.INTERNAL_SERVER_ERROR)
    code, message = _FRAMEWORK.get(
        status, ("bad_request" if status < HTTPStatus.INTERNAL_SERVER_ERROR else "internal", str(error.name))
    )
    ours = ApiError(message, code=code)
    ours.status = status
    response = shape(ours)
    allowed = getattr(error, "valid_methods", None)
    if allowed:
        response.headers["Allow"] = ", ".join(sorted(allowed))
    return response


def _from_store(error: StoreError) -> Response:
    # The driver's own words may name hosts and accounts: they are for the log.
    _LOG.warning("the store did not answer: %s", error)
    if isinstance(error, SchemaMismatch):
        return shape(Unavailable(str(error), code="schema_mismatch"))
    return shape(
        Unavailable("The index cannot be reached at the moment; this is an outage, not an empty answer.")
    )


def _from_time_limit(_: psycopg.errors.QueryCanceled) -> Response:
    return shape(
        Unavailable("The question took longer than this server allows; ask a narrower one.", code="too_slow")
    )


def _from_bug(error: Exception) -> Response:
    _LOG.exception("a request failed", exc_info=error)
    return shape(ApiError("The server failed on this request; its log says why."))


def init_app(app: Flask) -> None:
    """Give every failure of ``app`` the one shape."""
    handlers: dict[type[Exception], Any] = {
        ApiError: shape,
        HTTPException: _from_framework,
        StoreError: _from_store,
        psycopg.errors.QueryCanceled: _from_time_limit,
        Exception: _from_bug,
    }
    for kind, handler in handlers.items():
        app.register_error_handler(kind, handler)
