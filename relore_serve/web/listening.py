"""How Waitress listens for the API: what it holds of a request before anybody may ask, and for how long."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from relore_serve.web.app import MAX_BODY

if TYPE_CHECKING:
    from collections.abc import Mapping

LISTENING: Mapping[str, Any] = {
    # A body is held whole before the token is looked at. One that is a little too long is still answered in our own
    # words, a longer one in Waitress's, as soon as its length is known.
    "max_request_body_size": 2 * MAX_BODY,
    "inbuf_overflow": 2 * MAX_BODY,
    # The longest query string with room for headers beside it; twice as much is Waitress's own idea.
    "max_request_header_size": 128 * 1024,
    # Idle callers are let go, so that they do not keep others out.
    "channel_timeout": 30,
    "cleanup_interval": 10,
    "connection_limit": 1_000,
    # The other way of waiting ends at 1,024 open files.
    "asyncore_use_poll": True,
}
