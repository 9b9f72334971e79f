"""Table ``candidates`` as an asset: a thin shell over :mod:`.mining`, which fills it."""

from collections import Counter
from collections.abc import Iterator
from typing import Any

import dagster as dg

from relore_assets.columns import table_metadata
from relore_assets.fetch import repos
from relore_assets.mine.mining import VERSION, checked_slices, mine
from relore_assets.partitions import by_repo, recorded
from relore_assets.partitions import repos as repo_partitions
from relore_assets.resources import Store

_SOURCES = ("threads", "documents", "signals", "links", "commits")


class MineConfig(dg.Config):
    """What is mined.

    Attributes:
        slices: names of slices; none for all. Candidates of others stay as they are.
        limit: questions per slice at most; 0 for what the rules say.
        limits: likewise by slice, before ``limit``.
    """

    slices: list[str] = []  # noqa: RUF012 - every run has a copy of its own
    limit: int = 0
    limits: dict[str, int] = {}  # noqa: RUF012 - likewise


@dg.multi_asset(
    name="candidates",
    specs=[
        dg.AssetSpec(
            "candidates",
            description=(
                "Questions of the benchmark, mined from the record: what was asked, as of when, without which threads, "
                "and which threads answer it or are proposed to. Ids are made of what is asked and stay."
            ),
            group_name="bench",
            kinds={"postgres", "python"},
            owners=["team:relore"],
            deps=[dg.AssetDep(source, partition_mapping=by_repo) for source in _SOURCES],
            metadata=table_metadata("candidates"),
            code_version=str(VERSION),
            # A run that changes nothing records nothing.
            skippable=True,
        )
    ],
    partitions_def=repo_partitions,
    # As the assets downstream, so that one run of the UI takes the whole chain.
    backfill_policy=dg.BackfillPolicy.multi_run(max_partitions_per_run=1),
)
def candidates(
    context: dg.AssetExecutionContext, config: MineConfig, store: Store
) -> Iterator[dg.MaterializeResult[Any]]:
    """Mine the run's repositories anew, and write what differs. People ask for it, or the weekly schedule."""
    slices = checked_slices(config.slices)
    by_slice = {name: config.limits.get(name, config.limit) for name in checked_slices([*config.limits])}
    limits = {name: by_slice.get(name, config.limit) for name in slices if by_slice.get(name, config.limit)}
    counts: Counter[str] = Counter()
    written = 0
    with store.connect() as conn:
        for name in context.partition_keys:
            done = mine(conn, repos.known(conn, name), slices, limits)
            written += done.written
            counts.update(done.counts)
            counts.update({"leaking": sum(done.leaking.values())})
            context.log.info(
                "%s: %d questions, %d rows written", name, sum(done.counts.values()), done.written
            )
    if not written and recorded(context, "candidates"):
        context.log.info("nothing had changed: 0 rows written, nothing to record")
        return
    questions = {f"questions_{name}": counts[name] for name in slices}
    yield dg.MaterializeResult(
        asset_key="candidates",
        metadata={
            "rows_written": written,
            "questions": sum(questions.values()),
            "leaking": counts["leaking"],
            **questions,
        },
    )
