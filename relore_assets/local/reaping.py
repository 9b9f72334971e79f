"""Run as a program when the services start: ends, on paper, the runs of processes that are gone.

A process of its own, because Dagster's import costs seconds and memory that the supervisor would keep.
"""

from __future__ import annotations

import dagster as dg

from relore_assets.runs.reaper import reap


def main() -> None:
    """Reap in the instance that the environment names."""
    with dg.DagsterInstance.get() as instance:
        for run_id in reap(instance):
            print(f"run {run_id} is marked failed: its process is gone")


if __name__ == "__main__":
    main()
