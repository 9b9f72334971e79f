"""The server's own time: what quotas, tokens and the Date header go by."""

from __future__ import annotations

import time
from datetime import UTC, datetime


class Clock:
    """The time of day plus whatever has been skipped; hand its methods to a client and waiting takes no time."""

    def __init__(self) -> None:
        self.skipped = 0.0
        self.slept: list[float] = []

    def time(self) -> float:
        """Return the time in seconds since 1970."""
        return time.time() + self.skipped

    def now(self) -> datetime:
        """Return the time as an aware datetime."""
        return datetime.fromtimestamp(self.time(), UTC)

    def advance(self, seconds: float) -> None:
        """Skip some time."""
        self.skipped += seconds

    def sleep(self, seconds: float) -> None:
        """Stand in for ``time.sleep``: skip the time and keep a note of it in ``slept``."""
        self.slept.append(seconds)
        self.advance(max(seconds, 0.0))
