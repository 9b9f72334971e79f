"""Answers that need not be sent again: a tag on what a question by number was answered with.

The tag is a digest of the whole answer before it is rendered, of the question and of the program's version.
Ages are part of the answer, so a tag changes when an age does and a 304 never stands for a page that would
read differently now. The one thing left out is the random part of the page's marks, which is why the tag is
weak: two answers with one tag say the same in different bytes.
"""

from __future__ import annotations

import json
from hashlib import blake2b
from typing import TYPE_CHECKING, Any

from flask import Response

if TYPE_CHECKING:
    from flask import Request

CACHING = "private, no-cache"
"""Kept by whoever asked, and asked for again each time."""


def tag(payload: dict[str, Any], question: bytes, version: str) -> str:
    """Return the tag of an answer; ``question`` is the query string it answers."""
    digest = blake2b(json.dumps(payload).encode(), digest_size=12, person=b"relore tag")
    digest.update(b"\0" + question + b"\0" + version.encode())
    return digest.hexdigest()


def not_modified(request: Request, tag: str) -> Response | None:
    """Return the answer to somebody who holds this one already, None for all others."""
    if not request.if_none_match.contains_weak(tag):
        return None
    return tagged(Response(status=304), tag)


def tagged(response: Response, tag: str, *, weak: bool = True) -> Response:
    """Put a tag on an answer."""
    response.set_etag(tag, weak=weak)
    response.headers["Cache-Control"] = CACHING
    return response
