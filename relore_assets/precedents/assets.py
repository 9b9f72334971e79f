"""Tables ``precedents`` and ``precedent_threads`` as assets: a thin shell over :mod:`.build`, which fills both."""

from collections import Counter
from collections.abc import Iterator
from typing import Any

import dagster as dg

from relore_assets.columns import table_metadata
from relore_assets.fetch import repos
from relore_assets.partitions import by_repo, recorded
from relore_assets.partitions import repos as repo_partitions
from relore_assets.precedents.build import build
from relore_assets.resources import Store

_SOURCES = ("threads", "documents", "signals", "links", "commits", "verdicts")

_DESCRIPTIONS = {
    "precedents": (
        "Finished units of work: pull requests that were merged or turned down, what kind of work it was and what says "
        "so, and which document tells why. Words are named by their documents, never copied."
    ),
    "precedent_threads": (
        "What belongs to a unit of work: the issues it closed, rejected attempts at the same, what took it back. "
        "Linked where somebody claims it, else inferred, and labelled so."
    ),
}

_MOVED = (
    dg.AutomationCondition.any_deps_updated()
    & ~dg.AutomationCondition.any_deps_in_progress()
    & ~dg.AutomationCondition.in_progress()
).with_label("derived tables moved")

_SPECS = [
    dg.AssetSpec(
        name,
        description=description,
        group_name="precedents",
        kinds={"postgres", "sql"},
        owners=["team:relore"],
        deps=[dg.AssetDep(source, partition_mapping=by_repo) for source in _SOURCES],
        metadata=table_metadata(name),
        code_version="2",
        automation_condition=_MOVED,
        # A run that changes nothing records nothing.
        skippable=True,
    )
    for name, description in _DESCRIPTIONS.items()
]


@dg.multi_asset(
    name="precedents",
    specs=_SPECS,
    partitions_def=repo_partitions,
    backfill_policy=dg.BackfillPolicy.single_run(),
)
def precedents(context: dg.AssetExecutionContext, store: Store) -> Iterator[dg.MaterializeResult[Any]]:
    """Build the run's repositories' units of work anew, and write what differs."""
    counts: Counter[str] = Counter()
    written: Counter[str] = Counter()
    with store.connect() as conn:
        for name in context.partition_keys:
            built = build(conn, repos.known(conn, name).id)
            written.update(built.written)
            counts.update({"units": built.units, **built.counts})
            context.log.info(
                "%s: %d units of work, %d rows written", name, built.units, sum(built.written.values())
            )
    if not written.total() and recorded(context, "precedents"):
        context.log.info("nothing had changed: 0 rows written, nothing to record")
        return
    for name in _DESCRIPTIONS:
        more: dict[str, int] = dict(counts) if name == "precedents" else {}
        yield dg.MaterializeResult(asset_key=name, metadata={"rows_written": written[name], **more})
