"""The report as an asset: a thin shell over :mod:`.build`, one HTML file per repository."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import dagster as dg

from relore_assets.fetch import repos
from relore_assets.partitions import recorded
from relore_assets.partitions import repos as repo_partitions
from relore_assets.resources import Store
from relore_assets.settings import Settings


class Reporting(dg.Config):
    """Where the report goes: a folder, ``RELORE_REPORTS`` or ``reports`` in the state folder where it is empty."""

    out: str = ""


_MOVED = (
    dg.AutomationCondition.any_deps_updated()
    & dg.AutomationCondition.all_deps_blocking_checks_passed()
    & ~dg.AutomationCondition.any_deps_in_progress()
    & ~dg.AutomationCondition.in_progress()
).with_label("measured anew, and no worse")

_SPEC = dg.AssetSpec(
    "bench_report",
    description=(
        "What the benchmark's latest run found, as one HTML file: every system by slice and part with intervals, what "
        "each part of the ranking earns, the history of runs, and what has to be borne in mind. The same runs make "
        "the same file."
    ),
    group_name="bench",
    kinds={"html", "pandas"},
    owners=["team:relore"],
    deps=["bench_runs"],
    code_version="1",
    automation_condition=_MOVED,
    # A run that changes nothing records nothing.
    skippable=True,
)


@dg.multi_asset(
    name="bench_report",
    specs=[_SPEC],
    partitions_def=repo_partitions,
    backfill_policy=dg.BackfillPolicy.multi_run(max_partitions_per_run=1),
)
def bench_report(
    context: dg.AssetExecutionContext, config: Reporting, store: Store
) -> Iterator[dg.MaterializeResult[Any]]:
    """Make the report of the run's repository, and say what is in it."""
    from relore_assets.report.build import build, path_of, write  # noqa: PLC0415 - loads the templates' engine

    folder = Path(config.out).expanduser().absolute() if config.out else Settings.from_env().reports
    with store.connect() as conn:
        repo = repos.known(conn, context.partition_key)
        report = build(conn, repo)
    path = path_of(folder, repo.full_name)
    changed = write(path, report.html)
    context.log.info("%s: %s", path, report.said)
    if not changed and recorded(context, "bench_report"):
        context.log.info("nothing had changed: the report stays as it was, nothing to record")
        return
    yield dg.MaterializeResult(
        asset_key="bench_report",
        metadata={
            **{title: dg.MetadataValue.md(image) for title, image in report.image.items()},
            "R@10 and MRR of all systems": dg.MetadataValue.md(report.table),
            "path": dg.MetadataValue.path(path),
            "against the accepted run": report.said,
            "run": report.run_id,
            **report.numbers,
        },
    )
