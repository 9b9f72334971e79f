"""Table ``authors`` as an asset: a thin shell over :func:`relore_assets.authority.authors.refresh`."""

import os
from typing import Any

import dagster as dg

from relore_assets.authority.authors import refresh
from relore_assets.columns import table_metadata
from relore_assets.fetch import repos
from relore_assets.partitions import by_repo
from relore_assets.partitions import repos as repo_partitions
from relore_assets.resources import Store


@dg.asset(
    name="authors",
    group_name="authority",
    partitions_def=repo_partitions,
    deps=[dg.AssetDep("raw_objects", partition_mapping=by_repo)],
    kinds={"postgres", "python"},
    owners=["team:relore"],
    metadata=table_metadata("authors"),
    code_version="1",
    backfill_policy=dg.BackfillPolicy.single_run(),
    automation_condition=(
        dg.AutomationCondition.any_deps_updated() & ~dg.AutomationCondition.in_progress()
    ).with_label("staged objects moved"),
)
def authors(context: dg.AssetExecutionContext, store: Store) -> dg.MaterializeResult[Any]:
    """Who had write access when, from dated merges and from what GitHub calls people; and every document's tier.

    An account that is on the team but never merged stays `unresolved`: neither a maintainer's word nor a stranger's.
    """
    counts = {"intervals": 0, "rows_written": 0, "documents_moved": 0}
    for name in context.partition_keys:
        with store.connect() as conn, conn.transaction():
            repo = repos.known(conn, name)
            found = refresh(conn, repo.id, configured_bots=configured_bots())
        counts["intervals"] += found.intervals
        counts["rows_written"] += found.written
        counts["documents_moved"] += found.documents_moved
    return dg.MaterializeResult(metadata=counts)


def configured_bots() -> frozenset[str]:
    """Return the logins that the operator declares to be machines: RELORE_BOT_ACCOUNTS, separated by commas."""
    declared = os.environ.get("RELORE_BOT_ACCOUNTS", "")
    return frozenset(login.strip().lower() for login in declared.split(",") if login.strip())
