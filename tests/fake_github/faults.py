"""What goes wrong: faults that a test asks for, each for some requests only."""

from __future__ import annotations

import random
import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable

    from fake_github.log import Entry

# https://docs.github.com/en/rest/using-the-rest-api/rate-limits-for-the-rest-api#about-secondary-rate-limits
_SECONDARY = {
    "message": "You have exceeded a secondary rate limit. Please wait a few minutes before you try again.",
    "documentation_url": "https://docs.github.com/rest/using-the-rest-api/rate-limits-for-the-rest-api"
    "#about-secondary-rate-limits",
}
_MESSAGES = {
    500: "Server Error",
    502: "Server Error",
    503: "Service Unavailable",
    504: "We couldn't respond to your request in time. Sorry about that. Please try resubmitting your request and "
    "contact us if the problem persists.",
}


@dataclass(kw_only=True)
class Fault:
    """One kind of trouble and whom it meets.

    Whom: requests whose ``METHOD path?query`` (for GraphQL also the text of the query and its variables)
    contain the pattern ``match``, and for which ``when(entry)`` holds; the first ``after`` of them are spared,
    the next ``times`` meet it (None: all), each with the probability ``rate``.

    What, the first that is set: ``status`` and ``body`` replace the answer; ``secondary`` is GitHub's secondary
    limit (``status`` 403 unless told); otherwise the true answer goes out with ``headers`` over its own and
    its JSON passed through ``alter``. ``delay`` seconds pass before it, ``drop`` ends the connection after half
    of the body, ``hang`` never sends anything until the server stops.
    """

    match: str = ""
    when: Callable[[Entry], bool] | None = None
    after: int = 0
    times: int | None = 1
    rate: float = 1.0
    seed: int = 1

    status: int | None = None
    body: Any = None
    headers: dict[str, str] = field(default_factory=dict[str, str])
    secondary: bool = False
    alter: Callable[[Any], Any] | None = None
    drop: bool = False
    hang: bool = False
    delay: float = 0.0

    #: How often it has struck.
    hits: int = 0
    _seen: int = 0

    def __post_init__(self) -> None:
        self._pattern = re.compile(self.match)
        self._random = random.Random(self.seed)  # noqa: S311 - repeatable on purpose

    def strikes(self, text: str, entry: Entry) -> bool:
        """Say whether it meets this request, and count it."""
        if self.times is not None and self.hits >= self.times:
            return False
        if not self._pattern.search(text) or (self.when is not None and not self.when(entry)):
            return False
        self._seen += 1
        if self._seen <= self.after or (self.rate < 1 and self._random.random() >= self.rate):
            return False
        self.hits += 1
        return True

    def replacement(self) -> tuple[int, Any] | None:
        """Return status and body in place of the true answer; None when that one goes out."""
        if self.secondary:
            return self.status or 403, self.body or _SECONDARY
        if self.status is None and self.body is None:
            return None
        status = self.status or 200
        return status, self.body if self.body is not None else {"message": _MESSAGES.get(status, "Trouble")}

    def __str__(self) -> str:
        named = ("status", "secondary", "drop", "hang", "delay", "alter", "headers", "body")
        return "+".join(name for name in named if getattr(self, name))
