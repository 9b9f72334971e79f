"""Ends, on paper, runs whose process is gone. Dagster's own monitoring watches only the runs it launched."""

from __future__ import annotations

import socket
from typing import TYPE_CHECKING

import dagster as dg
import psutil

from relore_assets.runs.inprocess import HOST_TAG, PID_TAG, STARTED_TAG

if TYPE_CHECKING:
    from collections.abc import Mapping

_UNFINISHED = [
    dg.DagsterRunStatus.NOT_STARTED,
    dg.DagsterRunStatus.STARTING,
    dg.DagsterRunStatus.STARTED,
    dg.DagsterRunStatus.CANCELING,
]


def reap(instance: dg.DagsterInstance) -> list[str]:
    """Mark unfinished runs of this host failed where their process is gone, and free their pool slots.

    Returns:
        The ids of the runs that were ended. Runs of other hosts, and runs that Dagster launched, are left alone.
    """
    filters = dg.RunsFilter(statuses=_UNFINISHED, tags={HOST_TAG: socket.gethostname()})
    ended: list[str] = []
    for run in instance.get_runs(filters=filters):
        if not _lives(run.tags):
            instance.report_run_failed(run, "its process died")
            instance.event_log_storage.free_concurrency_slots_for_run(run.run_id)
            ended.append(run.run_id)
    return ended


def _lives(tags: Mapping[str, str]) -> bool:
    """Return whether the process in the tags runs: same id, same start, and not a zombie awaiting its parent."""
    try:
        process = psutil.Process(int(tags[PID_TAG]))
        same = abs(process.create_time() - float(tags[STARTED_TAG])) < 1
        return same and process.status() != psutil.STATUS_ZOMBIE
    except (psutil.NoSuchProcess, KeyError, ValueError):
        return False
