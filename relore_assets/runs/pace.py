"""How fast a run goes and how long it has left, said at most every few seconds."""

from __future__ import annotations

from time import monotonic
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

EVERY_SECONDS = 2.0


class Pace:
    """Says progress in one form: what is done of what there is, the rate, the time left."""

    def __init__(self, say: Callable[[str], object], subject: str) -> None:
        self._say = say
        self._subject = subject
        self._started = self._last = monotonic()

    def __call__(self, *, share: float, done: str, items: int, unit: str) -> None:
        """Report that ``share`` (0 to 1) of the work is done; ``items`` of ``unit`` give the rate."""
        now = monotonic()
        if now - self._last < EVERY_SECONDS:
            return
        self._last = now
        spent = now - self._started
        left = spent / share - spent if share > 0 else 0.0
        self._say(
            f"{self._subject}: {done}, {items / spent:,.0f} {unit}/s, {share:.0%} done, about {left:,.0f} s left"
        )
