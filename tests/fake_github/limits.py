"""How much may be asked: where lists end, and what is left of a quota."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from fake_github.clock import Clock

_HOUR = 3600.0
_MINUTE = 60.0


@dataclass
class Limits:
    """GitHub's figures; a test lowers them (``github.limits.core = 3``) instead of building a large world."""

    # https://docs.github.com/en/rest/using-the-rest-api/rate-limits-for-the-rest-api
    core: int = 5_000
    graphql: int = 5_000
    unauthenticated: int = 60
    #: A minute, as opposed to the others. https://docs.github.com/en/rest/search/search#rate-limit
    search: int = 30
    search_unauthenticated: int = 10

    # https://docs.github.com/en/rest/using-the-rest-api/using-pagination-in-the-rest-api
    per_page_default: int = 30
    per_page_max: int = 100

    #: Lists of issues longer than this are read by cursor; page numbers past it are refused (422).
    numbered_items: int = 10_000
    #: The repository's list of issue comments ends here, whatever its order; pages past it are refused (422).
    comments: int = 30_000

    # https://docs.github.com/en/rest/pulls/pulls: at most 3,000 files, at most 250 commits
    files: int = 3_000
    commits: int = 250

    # https://docs.github.com/en/graphql/overview/rate-limits-and-query-limits-for-the-graphql-api
    nodes: int = 500_000
    page: int = 100


@dataclass
class _Window:
    resets_at: float
    used: int = 0


class Quotas:
    """What each token has used of each resource in the hour (search: the minute) that began with its first request."""

    def __init__(self, limits: Limits, clock: Clock) -> None:
        self._limits = limits
        self._clock = clock
        self._windows: dict[tuple[str, str], _Window] = {}

    def limit(self, holder: str, resource: str) -> int:
        """Return how much a holder has an hour; the holder "" is whoever comes without a token."""
        if resource == "search":
            return self._limits.search if holder else self._limits.search_unauthenticated
        if not holder:
            return self._limits.unauthenticated if resource == "core" else 0
        return self._limits.core if resource == "core" else self._limits.graphql

    def take(self, holder: str, resource: str, cost: int) -> bool:
        """Use up ``cost``; False, and nothing used, when there is less left."""
        window = self._window(holder, resource)
        if window.used + cost > self.limit(holder, resource):
            return False
        window.used += cost
        return True

    def used(self, holder: str, resource: str) -> int:
        """Return what has been used since the window began."""
        return self._window(holder, resource).used

    def resets_at(self, holder: str, resource: str) -> int:
        """Return when the window ends, in seconds since 1970."""
        return int(self._window(holder, resource).resets_at)

    def remaining(self, holder: str, resource: str) -> int:
        """Return what is left."""
        return max(0, self.limit(holder, resource) - self.used(holder, resource))

    def state(self, holder: str, resource: str) -> dict[str, int]:
        """Return the numbers as ``GET /rate_limit`` shows them."""
        return {
            "limit": self.limit(holder, resource),
            "used": self.used(holder, resource),
            "remaining": self.remaining(holder, resource),
            "reset": self.resets_at(holder, resource),
        }

    def headers(self, holder: str, resource: str, *, exhausted: bool = False) -> dict[str, str]:
        """Return the numbers as every answer carries them."""
        state = self.state(holder, resource)
        if exhausted:
            state["remaining"] = 0
        return {f"X-RateLimit-{name.capitalize()}": str(value) for name, value in state.items()} | {
            "X-RateLimit-Resource": resource
        }

    def _window(self, holder: str, resource: str) -> _Window:
        now = self._clock.time()
        window = self._windows.get((holder, resource))
        if window is None or now >= window.resets_at:
            length = _MINUTE if resource == "search" else _HOUR
            window = self._windows[holder, resource] = _Window(float(int(now) + int(length)))
        return window
