"""Table ``tombstones`` as an asset: a thin shell over :func:`.sweep.sweep`."""

from typing import Any

import dagster as dg

from relore_assets.columns import table_metadata
from relore_assets.fetch import repos
from relore_assets.fetch.current.sweep import SWEEP, sweep
from relore_assets.fetch.github.activity import Activity
from relore_assets.partitions import by_repo
from relore_assets.partitions import repos as repo_partitions
from relore_assets.resources import Store
from relore_assets.settings import Settings


class Sweep(dg.Config):
    """How to sweep."""

    allow_mass_deletion: bool = False
    """Remove however much is missing at GitHub; without it, more than a history loses is taken for a fault."""


@dg.asset(
    name="tombstones",
    group_name="fetch",
    partitions_def=repo_partitions,
    deps=[dg.AssetDep("raw_objects", partition_mapping=by_repo)],
    kinds={"github", "postgres"},
    owners=["team:relore"],
    metadata=table_metadata("tombstones"),
    code_version="1",
    pool="github",
    backfill_policy=dg.BackfillPolicy.single_run(),
)
def tombstones(context: dg.AssetExecutionContext, config: Sweep, store: Store) -> dg.MaterializeResult[Any]:
    """What is at GitHub no more: that it was there, and when it went; nothing of what it said.

    All lists are walked to their ends, what is missing is asked for one by one, removed from what is staged and from
    every table derived from it, and stays away. What was overlooked, or is back, is staged.
    """
    counts = {"listed": 0, "removed": 0, "transferred": 0, "brought_back": 0, "requests": 0}
    for name in context.partition_keys:
        with store.connect() as conn:
            repo = repos.from_github(conn, name)
        with (
            Activity(store.address(), repo.id, run_id=context.run.run_id, pass_name=SWEEP) as activity,
            Settings.from_env().github().client(activity) as client,
        ):
            done = sweep(store.address(), client, name, allow_mass_deletion=config.allow_mass_deletion)
        context.log.info(
            "%s: %d entries at GitHub, %d removed here, %d of them transferred, %d brought back",
            name,
            done.live,
            done.removed,
            done.transferred,
            done.brought_back,
        )
        counts["listed"] += done.live
        counts["removed"] += done.removed
        counts["transferred"] += done.transferred
        counts["brought_back"] += done.brought_back
        counts["requests"] += activity.counts.total
    return dg.MaterializeResult(metadata=counts)
