"""What goes back: an answer, or the error in its place."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import Any

_DOCS = "https://docs.github.com/rest"


@dataclass
class Answer:
    """A status, a JSON value (bytes go out as they are) and headers."""

    status: int = 200
    body: Any = None
    headers: dict[str, str] = field(default_factory=dict[str, str])
    #: When what is shown last changed, as GitHub writes times; None where GitHub does not say.
    last_modified: str | None = None


class ApiError(Exception):
    """A request that GitHub refuses, with the status and the words it does it in."""

    def __init__(
        self, status: int, message: str, *, headers: dict[str, str] | None = None, **more: Any
    ) -> None:
        super().__init__(message)
        self.answer = Answer(
            status,
            {"message": message, "documentation_url": _DOCS, "status": str(status)} | more,
            headers or {},
        )


def as_json(body: Any) -> bytes:
    """Write a value as GitHub does, halves of surrogate pairs as escapes."""
    return json.dumps(body, separators=(",", ":")).encode()
