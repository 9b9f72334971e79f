"""One line about a fetching run: what it does and how long it has left, or how the last one ended and what it cost."""

from __future__ import annotations

from typing import Any

from relore_serve.pages import pieces
from relore_serve.pages.untrusted import name


def line(run: dict[str, Any]) -> str:
    """Return what a fetching run does, or what became of the last one."""
    cost = _cost(run)
    if run["under_way"]:
        facts = pieces.present(
            f"{pieces.words(run['doing'])}" if run["doing"] else None,
            _progress(run),
            f"waiting for {pieces.words(run['waiting_for'])} until {run['waiting_until']}"
            if run["waiting_for"]
            else None,
            f"last sign of life {pieces.lasting(run['seconds_silent'])} ago",
            cost,
        )
        return f"  now: {pieces.words(run['pass'])}: {'; '.join(facts)}"
    if run["ended_at"] is None:
        facts = pieces.present(f"no sign of life since {run['seen_at']}: it died; run it again", cost)
        return f"  last: {pieces.words(run['pass'])}: {'; '.join(facts)}"
    how = (
        f"failed at {run['ended_at']}: {name(run['error'])}"
        if run["error"]
        else f"ended at {run['ended_at']}"
    )
    return f"  last: {pieces.words(run['pass'])}: {'; '.join(pieces.present(how, cost))}"


def _progress(run: dict[str, Any]) -> str | None:
    parts = pieces.present(
        f"{run['done']:,} of {run['total']:,}" if run["total"] is not None else None,
        f"{run['done']:,} so far" if run["total"] is None and run["done"] else None,
        f"{run['per_second']:,.4g} a second" if run["per_second"] else None,
        f"about {pieces.lasting(run['seconds_left'])} left" if run["seconds_left"] is not None else None,
    )
    return ", ".join(parts) or None


def _cost(run: dict[str, Any]) -> str:
    retries = sum(run["retries"].values())
    return ", ".join(
        pieces.present(
            pieces.counted(run["requests_total"], "request"),
            f"{run['not_modified']:,} of them free (not modified)" if run["not_modified"] else None,
            f"{pieces.counted(run['points'], 'GraphQL point')}" if run["points"] else None,
            f"{pieces.counted(retries, 'retry', 'retries')}" if retries else None,
            f"waited {pieces.lasting(round(run['waited_seconds']))}" if run["waited_seconds"] >= 1 else None,
        )
    )
