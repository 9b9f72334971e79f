"""An activity that also tells whoever watches: what is done, how fast, for how long still, what it waits for."""

from __future__ import annotations

from contextlib import contextmanager
from time import monotonic
from typing import TYPE_CHECKING, Any

from relore_assets.fetch.github.activity import Activity
from relore_assets.runs.pace import EVERY_SECONDS

if TYPE_CHECKING:
    from collections.abc import Callable, Generator

#: Shorter waits are between two attempts, and not worth a line.
_LONG_WAIT = 5.0


class Reporting(Activity):
    """An `Activity` that says every few seconds, line by line, what it records.

    Args:
        say: told one line.
        url, repo_id, run_id, pass_name: as `Activity` has them.
    """

    def __init__(self, say: Callable[[str], object], url: str, repo_id: int, **how: Any) -> None:
        super().__init__(url, repo_id, **how)
        self._say = say
        self._began = self._said = self._step_began = monotonic()

    def progress(self, done: int, total: int | None = None) -> None:
        """Say how far it is, and report it when it is time."""
        now = monotonic()
        if total is not None and total != self.total:
            self._step_began = now
        super().progress(done, total)
        if now - self._said >= EVERY_SECONDS:
            self._said = now
            self._say(self._line(now))

    @contextmanager
    def waiting(self, reason: str, seconds: float) -> Generator[None]:
        """Show that we wait; a long wait is reported at once."""
        if seconds >= _LONG_WAIT:
            self._say(f"waiting {seconds:,.0f} s for GitHub: {reason}")
        with super().waiting(reason, seconds):
            yield

    def _line(self, now: float) -> str:
        requests, spent = self.counts.total, max(now - self._began, 0.001)
        parts = [
            self.current,
            f"{requests:,} requests, {requests / spent:.1f} a second, {self.counts.points:,} points",
        ]
        if self.quotas:
            quotas = (f"{name} {quota.remaining:,}" for (_, name), quota in sorted(self.quotas.items()))
            parts.append(f"quota left: {', '.join(quotas)}")
        if self.total and self.done:
            left = (now - self._step_began) * (self.total - self.done) / self.done
            parts.append(f"about {left:,.0f} s left of this step")
        return "; ".join(part for part in parts if part)
