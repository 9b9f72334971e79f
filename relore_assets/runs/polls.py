"""Which polls Dagster has been asked for, and when the next one of a repository may be.

Dagster never starts a second run under a run key that it has seen. A key therefore names what was newest when it was
made and how many runs had been asked for that: the same news is asked for again when a run of it has failed, however
far back the sensor's cursor may have slipped, and whatever somebody re-executed by hand.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

import dagster as dg

from relore_assets.partitions import key

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import date

POLL_TAG = "relore/poll"
WATERMARK_TAG = "relore/watermark"

#: A run of the same news is tried again after so long, and after twice as long each time.
FIRST_PAUSE = timedelta(minutes=5)
LONGEST_PAUSE = timedelta(hours=6)

_UNFINISHED = [
    dg.DagsterRunStatus.QUEUED,
    dg.DagsterRunStatus.NOT_STARTED,
    dg.DagsterRunStatus.STARTING,
    dg.DagsterRunStatus.STARTED,
    dg.DagsterRunStatus.CANCELING,
]


@dataclass(frozen=True, slots=True)
class Asked:
    """Runs that were asked for the same news of a repository: how many, and when the last one was."""

    runs: int = 0
    last_at: datetime | None = None


def pause(asked: Asked) -> timedelta:
    """Return how long to wait after the last of some runs that did not settle the matter."""
    if asked.runs == 0:
        return timedelta()
    return min(FIRST_PAUSE * 2 ** min(asked.runs - 1, 16), LONGEST_PAUSE)


def may_ask(asked: Asked, now: datetime) -> bool:
    """Return whether a run may be asked for (again)."""
    return asked.last_at is None or now - asked.last_at >= pause(asked)


def is_running(instance: dg.DagsterInstance, repo: str) -> bool:
    """Return whether a poll of the repository waits or runs."""
    filters = dg.RunsFilter(statuses=_UNFINISHED, tags={POLL_TAG: repo})
    return instance.get_runs_count(filters) > 0


def asked(instance: dg.DagsterInstance, repo: str, watermark: str) -> Asked:
    """Return what was asked for this news of a repository before."""
    filters = dg.RunsFilter(tags={POLL_TAG: repo, WATERMARK_TAG: watermark})
    runs = instance.get_runs_count(filters)
    if not runs:
        return Asked()
    newest = instance.get_run_records(filters, limit=1)
    return Asked(runs, newest[0].create_timestamp.astimezone(UTC))


def request(
    repo: str, windows: Sequence[date], watermark: str, before: Asked, assets: Sequence[str]
) -> dg.RunRequest:
    """Return the request for a run over some windows, oldest first, of the assets that follow from them."""
    first, last = str(key(repo, windows[0])), str(key(repo, windows[-1]))
    return dg.RunRequest(
        run_key=f"{repo} {watermark} {before.runs + 1}",
        asset_selection=[dg.AssetKey(name) for name in assets],
        tags={
            POLL_TAG: repo,
            WATERMARK_TAG: watermark,
            "dagster/asset_partition_range_start": first,
            "dagster/asset_partition_range_end": last,
        },
    )
