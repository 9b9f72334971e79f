"""What a fetching run is doing, how fast, how long it has left, and what it has cost."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from relore_serve.search.ages import utc
from relore_serve.status.presence import lives

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import datetime


_TOO_SOON = 1.0
"""Seconds of work before which no rate is told."""


def told(run: Mapping[str, Any], now: datetime) -> dict[str, Any]:
    """Return a row of ``fetch_activity`` as JSON, with what follows from it at ``now``."""
    alive = lives(run["ended_at"], run["seen_at"], run["waiting_until"], now)
    rate = _per_second(run)
    return {
        "pass": run["pass"],
        "run": run["run_id"],
        "under_way": alive,
        "started_at": utc(run["started_at"]),
        "seen_at": utc(run["seen_at"]),
        "seconds_silent": _seconds_silent(run, now),
        "ended_at": utc(run["ended_at"]),
        "doing": run["doing"] if alive else None,
        "waiting_for": run["waiting_for"] if alive else None,
        "waiting_until": utc(run["waiting_until"]) if alive else None,
        "done": run["done"],
        "total": run["total"],
        "per_second": rate,
        "seconds_left": _seconds_left(run, rate, now) if alive else None,
        "requests": run["requests"],
        "requests_total": sum(run["requests"].values()),
        "not_modified": run["not_modified"],
        "points": run["points"],
        "retries": run["retries"],
        "waited_seconds": round(run["waited_seconds"], 1),
        "error": run["error"],
    }


def _per_second(run: Mapping[str, Any]) -> float | None:
    """Return the rate while it worked, waiting left out; None before there is one."""
    worked = run["worked_seconds"]
    return round(run["done"] / worked, 2) if run["done"] and worked >= _TOO_SOON else None


def _seconds_left(run: Mapping[str, Any], rate: float | None, now: datetime) -> int | None:
    """Return how long is left at that rate, the present wait included; None where nobody can know."""
    if not rate or run["total"] is None:
        return None
    waiting = max((run["waiting_until"] - now).total_seconds(), 0) if run["waiting_until"] else 0
    return round(max(run["total"] - run["done"], 0) / rate + waiting)


def _seconds_silent(run: Mapping[str, Any], now: datetime) -> int | None:
    """Return how long ago the last sign of life was; None for a run that has ended."""
    return None if run["ended_at"] else max(round((now - run["seen_at"]).total_seconds()), 0)
