"""What somebody's tier was at a date, and what it was once thought to be."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import defaultdict
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable
    from datetime import datetime

    from relore_assets.authority.hindsight import View
    from relore_assets.authority.standing import Interval, Trust


class Told(NamedTuple):
    """A tier, and what it was as seen earlier: up to and at ``until[i]`` it was ``then[i]``. None: ever the same."""

    trust: Trust
    until: tuple[datetime, ...] = ()
    then: tuple[Trust, ...] = ()


class Standing:
    """Answers what somebody's tier was at a date.

    Args:
        found: every account's intervals.
        views: what was seen otherwise earlier, of each account in order.
    """

    def __init__(self, found: Iterable[Interval], views: Iterable[View] = ()) -> None:
        self._by_login: dict[str, list[Interval]] = defaultdict(list)
        for interval in found:
            self._by_login[interval.login].append(interval)
        # An unbounded start sorts before every date.
        self._starts: dict[str, list[float]] = {}
        for login, spans in self._by_login.items():
            spans.sort(key=_start)
            self._starts[login] = [_start(span) for span in spans]
        self._views: dict[str, list[View]] = defaultdict(list)
        for view in views:
            self._views[view.login].append(view)

    def trust(self, login: str, at: datetime | None) -> Trust:
        """Return the tier of ``login`` at ``at``. An unknown date is covered by unbounded intervals only."""
        key = login.lower()
        spans = self._by_login.get(key)
        if not spans:
            return "reported"
        if at is None:
            whole = [span for span in spans if span.from_at is None and span.to_at is None]
            return whole[0].tier if whole else "reported"
        index = bisect_right(self._starts[key], at.timestamp()) - 1
        if index < 0:
            return "reported"
        span = spans[index]
        return span.tier if span.to_at is None or at < span.to_at else "reported"

    def told(self, login: str, at: datetime | None) -> Told:
        """Return the tier of ``login`` at ``at``, and what it was as seen from dates between ``at`` and today."""
        trust = self.trust(login, at)
        views = self._views.get(login.lower())
        if at is None or not views:
            return Told(trust)
        seen = views[bisect_right(views, at, key=lambda view: view.seen_until) :]
        tiers: list[Trust] = [*(view.tiers[bisect_right(view.starts, at)] for view in seen), trust]
        moved = [place for place in range(len(seen)) if tiers[place] != tiers[place + 1]]
        return Told(
            trust, tuple(seen[place].seen_until for place in moved), tuple(tiers[place] for place in moved)
        )

    def as_of(self, login: str, at: datetime, before: datetime) -> Trust:
        """Return the tier of ``login`` at ``at`` by the evidence from before ``before``, which is later than ``at``."""
        trust, until, then = self.told(login, at)
        place = bisect_left(until, before)
        return then[place] if place < len(then) else trust


def _start(interval: Interval) -> float:
    return float("-inf") if interval.from_at is None else interval.from_at.timestamp()
