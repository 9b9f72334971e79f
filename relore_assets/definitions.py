"""The one place where the code location is put together. Loads without network, database or environment."""

from __future__ import annotations

import dagster as dg

from relore_assets.authority.assets import authors
from relore_assets.automation import schedules, sensors
from relore_assets.bench.assets import bench_runs
from relore_assets.checks import checks
from relore_assets.derive.assets import derived_tables
from relore_assets.embeddings.assets import embeddings
from relore_assets.fetch.assets import raw_objects
from relore_assets.fetch.current.assets import tombstones
from relore_assets.judge.assets import judgements
from relore_assets.mine.assets import candidates
from relore_assets.precedents.assets import precedents
from relore_assets.report.assets import bench_report
from relore_assets.resources import Store


def build(store: Store | None = None) -> dg.Definitions:
    """Assemble the definitions; ``store`` lets a test hand in a database of its own."""
    return dg.Definitions(
        assets=[
            raw_objects,
            tombstones,
            authors,
            derived_tables,
            precedents,
            embeddings,
            candidates,
            judgements,
            bench_runs,
            bench_report,
        ],
        asset_checks=checks,
        sensors=sensors,
        schedules=schedules,
        resources={"store": store or Store()},
        # A process per step costs seconds of imports; parallelism comes from runs, and derive's from workers.
        executor=dg.in_process_executor,
    )


@dg.definitions
def defs() -> dg.Definitions:
    """Return the code location's definitions."""
    return build()
