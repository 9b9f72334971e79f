"""How often a token may ask: a sliding minute and a UTC day.

Counted in the memory of one process. Several processes allow as many times the rate, and a restart forgets; a
limit that must hold across machines belongs to the proxy in front of them.
"""

from __future__ import annotations

import math
from collections import deque
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, timedelta
from threading import Lock
from typing import TYPE_CHECKING, Self

from relore_serve.web.errors import RateLimited

if TYPE_CHECKING:
    from collections.abc import Mapping

_MINUTE = timedelta(minutes=1)
PER_MINUTE_VARIABLE = "RELORE_API_RATE_PER_MINUTE"
PER_DAY_VARIABLE = "RELORE_API_RATE_PER_DAY"


@dataclass(frozen=True, slots=True)
class Limits:
    """Calls per token; 0 is without limit."""

    per_minute: int = 60
    per_day: int = 5000

    @classmethod
    def from_env(cls, environ: Mapping[str, str]) -> Self:
        """Read the limits that the environment names.

        Raises:
            ValueError: one of them is not a whole number.
        """
        return cls(
            per_minute=_whole(environ, PER_MINUTE_VARIABLE, cls().per_minute),
            per_day=_whole(environ, PER_DAY_VARIABLE, cls().per_day),
        )


def _whole(environ: Mapping[str, str], variable: str, default: int) -> int:
    text = environ.get(variable, "").strip()
    if not text:
        return default
    if not (text.isascii() and text.isdigit()):
        raise ValueError(f"{variable} is a whole number; 0 is without limit")
    return int(text)


@dataclass(slots=True)
class _Calls:
    recent: deque[datetime] = field(default_factory=deque[datetime])
    day: date = date.min
    today: int = 0

    def forget(self, now: datetime) -> None:
        while self.recent and self.recent[0] <= now - _MINUTE:
            self.recent.popleft()
        if self.day != now.date():
            self.day, self.today = now.date(), 0


class Quota:
    """Counts calls by name; safe to use from several threads."""

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self._lock = Lock()
        self._calls: dict[str, _Calls] = {}

    def charge(self, name: str, now: datetime) -> None:
        """Count one call.

        Raises:
            RateLimited: a limit is reached; the call is not counted.
        """
        now = now.astimezone(UTC)
        with self._lock:
            calls = self._current(name, now)
            if self._limits.per_day and calls.today >= self._limits.per_day:
                midnight = datetime.combine(now.date() + timedelta(days=1), datetime.min.time(), UTC)
                raise _limited("daily", self._limits.per_day, midnight - now)
            if self._limits.per_minute and len(calls.recent) >= self._limits.per_minute:
                raise _limited("per-minute", self._limits.per_minute, calls.recent[0] + _MINUTE - now)
            calls.today += 1
            if self._limits.per_minute:
                calls.recent.append(now)

    def usage(self, name: str, now: datetime) -> dict[str, dict[str, int | None]]:
        """Return what the name has used of each limit; a limit of None is none."""
        now = now.astimezone(UTC)
        with self._lock:
            calls = self._current(name, now)
            return {
                "per_minute": {"used": len(calls.recent), "limit": self._limits.per_minute or None},
                "daily": {"used": calls.today, "limit": self._limits.per_day or None},
            }

    def _current(self, name: str, now: datetime) -> _Calls:
        calls = self._calls.setdefault(name, _Calls())
        calls.forget(now)
        return calls


def _limited(limit: str, of: int, wait: timedelta) -> RateLimited:
    seconds = max(1, math.ceil(wait.total_seconds()))
    return RateLimited(
        f"This token's {limit} limit of {of} calls is reached; ask again in {seconds} seconds.",
        facts={"limit": limit, "of": of, "retry_after": seconds},
        headers={"Retry-After": str(seconds)},
    )
