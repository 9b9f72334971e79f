"""Vectors of threads as an asset: a thin shell over :mod:`.embed`."""

from collections.abc import Iterator
from typing import Any

import dagster as dg

from relore_assets.books import add_up
from relore_assets.embeddings.embed import embed, require_encoder
from relore_assets.embeddings.keeping import SCHEMA, VectorsUnavailable, administrator
from relore_assets.fetch import repos
from relore_assets.partitions import by_repo, recorded
from relore_assets.partitions import repos as repo_partitions
from relore_assets.resources import Store
from relore_serve.semantic.encoder import installed

_SOURCES = ("threads", "documents")

_MOVED = (
    dg.AutomationCondition.any_deps_updated()
    & ~dg.AutomationCondition.any_deps_in_progress()
    & ~dg.AutomationCondition.in_progress()
).with_label("derived tables moved")

_COLUMNS = dg.TableSchema(
    columns=[
        dg.TableColumn("repo_id", "integer"),
        dg.TableColumn("thread_id", "bigint"),
        dg.TableColumn("model", "text", description="the model, and the rule that made its texts"),
        dg.TableColumn("digest", "bytea", description="of the text that the vector was made of"),
        dg.TableColumn("embedding", "halfvec", description="of length 1"),
    ]
)

_SPEC = dg.AssetSpec(
    "embeddings",
    description=(
        "One vector per thread, of its title and the head of its opening post, for the optional semantic tier. Without "
        "the extra `semantic`, or without pgvector, a run says so and does nothing."
    ),
    group_name="semantic",
    kinds={"postgres", "onnx"},
    owners=["team:relore"],
    deps=[dg.AssetDep(source, partition_mapping=by_repo) for source in _SOURCES],
    metadata={"dagster/relation_identifier": f"{SCHEMA}.vectors", "dagster/column_schema": _COLUMNS},
    code_version="1",
    # Where there is no model, no run is started only to say so.
    automation_condition=_MOVED if installed() is not None else None,
    # A run that changes nothing records nothing.
    skippable=True,
)


@dg.multi_asset(
    name="embeddings",
    specs=[_SPEC],
    partitions_def=repo_partitions,
    backfill_policy=dg.BackfillPolicy.single_run(),
)
def embeddings(context: dg.AssetExecutionContext, store: Store) -> Iterator[dg.MaterializeResult[Any]]:
    """Make the vectors that the run's repositories lack."""
    threads = made = written = 0
    try:
        encoder = require_encoder()
        with store.connect() as conn:
            for name in context.partition_keys:
                repo = repos.known(conn, name)
                done = embed(
                    conn, repo.id, encoder, administer=administrator(store.address()), say=context.log.info
                )
                add_up(conn, repo.id)
                threads, made, written = threads + done.threads, made + done.vectors, written + done.written
    except VectorsUnavailable as error:
        context.log.warning("%s", error)
        return
    if not written and recorded(context, "embeddings"):
        context.log.info("nothing had changed: 0 vectors written, nothing to record")
        return
    yield dg.MaterializeResult(
        asset_key="embeddings",
        metadata={"rows_written": written, "threads": threads, "vectors": made, "model": encoder.name},
    )
