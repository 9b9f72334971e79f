"""How work is divided: by repository, and within one by quarter of ``updated_at``.

A partition key reads ``owner/name|2024-07-01``. Quarters and not months: each partition of each asset costs an
event row, and a quarter is already small enough to fetch again. Progress finer than that stands in our own table.
"""

from __future__ import annotations

from datetime import UTC, date, datetime
from typing import TYPE_CHECKING

import dagster as dg

from relore_assets.windows import FIRST_WINDOW, end_of

if TYPE_CHECKING:
    from collections.abc import Iterable

REPO = "repo"
WINDOW = "window"

repos = dg.DynamicPartitionsDefinition(name="repos")
windows = dg.TimeWindowPartitionsDefinition(
    cron_schedule="0 0 1 1,4,7,10 *",
    start=datetime(FIRST_WINDOW.year, FIRST_WINDOW.month, FIRST_WINDOW.day, tzinfo=UTC),
    fmt="%Y-%m-%d",
    timezone="UTC",
    end_offset=1,  # the open quarter is where news arrives
)
repo_windows = dg.MultiPartitionsDefinition({REPO: repos, WINDOW: windows})

#: From an asset of one repository to the windows of the same repository.
by_repo = dg.MultiToSingleDimensionPartitionMapping(partition_dimension_name=REPO)


def key(repo: str, window: date) -> dg.MultiPartitionKey:
    """Return the key of one window of one repository."""
    return dg.MultiPartitionKey({REPO: repo, WINDOW: window.isoformat()})


def all_windows(now: datetime) -> list[date]:
    """Return every window up to the open one, in which ``now`` lies."""
    found = [FIRST_WINDOW]
    while end_of(found[-1]) <= now.astimezone(UTC).date():
        found.append(end_of(found[-1]))
    return found


#: Tags a run that one of `relored`'s verbs started, with the verb.
COMMAND_TAG = "relore/command"


def recorded(context: dg.AssetExecutionContext, asset: str) -> bool:
    """Return whether a run that changed nothing may leave nothing behind.

    So it is when a verb started it and Dagster holds a materialisation of ``asset`` for every partition already. Runs
    of the UI always record: a backfill whose partitions were not materialised counts as failed there.
    """
    if COMMAND_TAG not in context.run.tags:
        return False
    held = context.instance.get_materialized_partitions(dg.AssetKey(asset))
    return all(str(key) in held for key in context.partition_keys)


def windows_by_repo(keys: Iterable[str]) -> dict[str, list[date]]:
    """Sort the keys of a run, in whatever shape Dagster chose to group them, into windows per repository."""
    sorted_out: dict[str, list[date]] = {}
    for each in keys:
        # A repository's name cannot hold the separator.
        repo, _, window = each.rpartition("|")
        sorted_out.setdefault(repo, []).append(date.fromisoformat(window))
    return {repo: sorted(found) for repo, found in sorted(sorted_out.items())}
