"""Tables ``bench_sets``, ``bench_examples`` and ``judgements`` as an asset: a thin shell over :mod:`.judging`."""

import os
from collections import Counter
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Literal

import dagster as dg

from relore_assets.columns import table_metadata
from relore_assets.fetch import repos
from relore_assets.judge.judging import RECORD, judge_candidates
from relore_assets.judge.telling import told
from relore_assets.partitions import recorded
from relore_assets.partitions import repos as repo_partitions
from relore_assets.resources import Store
from relore_serve.web.labels import VARIABLE


class JudgeConfig(dg.Config):
    """Which set is made of the candidates, and by whose verdicts.

    Attributes:
        set_name: of the set; one that is frozen is left as it is.
        labels: a file of labels; empty for the one that RELORE_LABELS_PATH names, where there is one.
        judged_by: human or model: fold labels of this kind of judge only; empty for both, kept apart.
        freeze: whether the set shall not change from now on.
    """

    set_name: str = RECORD
    labels: str = ""
    judged_by: Literal["", "human", "model"] = ""
    freeze: bool = True


@dg.multi_asset(
    name="judgements",
    specs=[
        dg.AssetSpec(
            "judgements",
            description=(
                "Sets of questions with the verdicts on their answers: the record's, people's and models', kept apart. "
                "A frozen set does not change any more, so that what is measured on it stays comparable."
            ),
            group_name="bench",
            kinds={"postgres", "python"},
            owners=["team:relore"],
            deps=["candidates"],
            metadata=table_metadata("judgements"),
            code_version="1",
            # A run that changes nothing records nothing.
            skippable=True,
        )
    ],
    partitions_def=repo_partitions,
    # As the assets downstream, so that one run of the UI takes the whole chain.
    backfill_policy=dg.BackfillPolicy.multi_run(max_partitions_per_run=1),
)
def judgements(
    context: dg.AssetExecutionContext, config: JudgeConfig, store: Store
) -> Iterator[dg.MaterializeResult[Any]]:
    """Fold labels into the run's repositories' candidates and freeze them, once; afterwards say what is new.

    Nothing does this by itself: a set that was frozen while a history is still being fetched would stay half of one.
    """
    counts: Counter[str] = Counter()
    digests: dict[str, str] = {}
    labels = labels_file(config.labels)
    with store.connect() as conn:
        for name in context.partition_keys:
            done = judge_candidates(
                conn,
                repos.known(conn, name),
                config.set_name,
                labels=labels,
                judged_by=config.judged_by or None,
                freeze=config.freeze,
                now=datetime.now(UTC),
            )
            for line in told(done):
                context.log.info(line)
            digests[name] = done.held.digest
            counts["rows_written"] += done.written
            counts["new_since_frozen"] += len(done.new_since)
            counts["questions"] += len(done.held.examples)
            counts.update({f"questions_{one.slice}": 1 for one in done.held.examples})
            counts.update(done.folded.counts() if done.folded else {})
    if not counts["rows_written"] and recorded(context, "judgements"):
        context.log.info("nothing had changed: 0 rows written, nothing to record")
        return
    yield dg.MaterializeResult(
        asset_key="judgements",
        metadata={"set": config.set_name, "digests": digests, **dict(counts)},
    )


def labels_file(named: str) -> Path | None:
    """Return the file of labels to fold: the one that was named, else the server's once somebody has labelled."""
    if named:
        return Path(named)
    served = os.environ.get(VARIABLE, "")
    return Path(served) if served and Path(served).exists() else None
