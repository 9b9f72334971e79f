"""How often something may be started again before that is no help any more."""

from __future__ import annotations

import time

_MOST = 3
_WINDOW = 60.0  # seconds


class Restarts:
    """The recent deaths of one thing that is kept up."""

    def __init__(self) -> None:
        self._deaths: list[float] = []

    def one_more(self) -> bool:
        """Note a death, and return whether another start may help: it does not where deaths are many and close."""
        now = time.monotonic()
        self._deaths = [death for death in self._deaths if now - death < _WINDOW] + [now]
        return len(self._deaths) <= _MOST
