"""Table ``bench_runs`` as an asset: a thin shell over :mod:`.benching`, which fills it."""

from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any

import dagster as dg

from relore_assets.bench.benching import RUN_TAG, Wanted, bench
from relore_assets.bench.results import SystemRun
from relore_assets.bench.run import Run
from relore_assets.bench.table import SERVED, markdown
from relore_assets.columns import table_metadata
from relore_assets.fetch import repos
from relore_assets.partitions import by_repo, recorded
from relore_assets.partitions import repos as repo_partitions
from relore_assets.resources import Store
from relore_assets.settings import Settings

_INDEX = ("documents", "signals", "changed_files", "term_stats", "thread_events")
_PLOTTED = ("R@10", "MRR")


class BenchConfig(dg.Config):
    """What is measured; see `relore_assets.bench.benching.Wanted`.

    Attributes:
        set: a frozen set's name or a file; empty for the newest frozen one.
        systems: by name; none for all that can run here.
        clone: the folder of a clone, which grep needs.
        ablate: switch the parts of the ranking off besides, one at a time.
        unfrozen: take a set that may still change.
        again: keep the run though it says what the last one said.
        accept: let later runs be held against this one.
    """

    set: str = ""
    systems: list[str] = []  # noqa: RUF012 - every run has a copy of its own
    clone: str = ""
    ablate: bool = False
    unfrozen: bool = False
    again: bool = False
    accept: bool = False


@dg.multi_asset(
    name="bench_runs",
    specs=[
        dg.AssetSpec(
            "bench_runs",
            description=(
                "How well a set's questions are answered: search as it is served, with and without what it reads off "
                "the text, beside plain full text, grep and GitHub, on the same questions and under the same bounds. "
                "With intervals; what leaks counts apart."
            ),
            group_name="bench",
            kinds={"postgres", "python"},
            owners=["team:relore"],
            deps=["judgements", *(dg.AssetDep(source, partition_mapping=by_repo) for source in _INDEX)],
            metadata=table_metadata("bench_runs"),
            code_version="1",
            # A run that changes nothing records nothing.
            skippable=True,
        )
    ],
    partitions_def=repo_partitions,
    backfill_policy=dg.BackfillPolicy.multi_run(max_partitions_per_run=1),
)
def bench_runs(
    context: dg.AssetExecutionContext, config: BenchConfig, store: Store
) -> Iterator[dg.MaterializeResult[Any]]:
    """Measure the run's repository, and keep what differs from the last run of the same systems."""
    wanted = Wanted(
        named=config.set,
        systems=tuple(config.systems),
        clone=config.clone,
        ablate=config.ablate,
        unfrozen=config.unfrozen,
        again=config.again,
        accept=config.accept,
    )
    with store.connect() as conn:
        done = bench(
            conn,
            store.reader_address(),
            repos.known(conn, context.partition_key),
            wanted,
            Run(context.run.run_id, datetime.now(UTC)),
            settings=Settings.from_env(),
            say=context.log.info,
        )
    if done.runs:
        context.instance.add_run_tags(context.run.run_id, {RUN_TAG: done.runs[0].run_id})
    if not done.rows_written and recorded(context, "bench_runs"):
        context.log.info("every answer is as it was: 0 rows written, nothing to record")
        return
    yield dg.MaterializeResult(
        asset_key="bench_runs",
        metadata={
            "rows_written": done.rows_written,
            "run": done.runs[0].run_id if done.runs else "",
            "table": dg.MetadataValue.md(markdown(done.runs)),
            **_numbers(done.runs),
        },
    )


def _numbers(runs: tuple[SystemRun, ...]) -> dict[str, float]:
    """Return the figures of search as it is served that plot over time, by slice and part."""
    ours = next((run for run in runs if run.system == SERVED), runs[0] if runs else None)
    return {
        f"{name} {cell.slice} {cell.part}": cell.measures[name].mean
        for cell in (ours.cells if ours else ())
        if cell.leak_free
        for name in _PLOTTED
        if name in cell.measures
    }
