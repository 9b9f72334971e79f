"""Table ``raw_objects`` as an asset: a thin shell over the archive import."""

from datetime import UTC, datetime
from functools import partial
from pathlib import Path

import dagster as dg

from relore_assets.columns import table_metadata
from relore_assets.fetch import repos
from relore_assets.fetch.importing import ImportResult, Progress, import_archive
from relore_assets.partitions import all_windows, recorded, repo_windows, windows_by_repo
from relore_assets.resources import Store
from relore_assets.runs.pace import Pace


@dg.asset(
    name="raw_objects",
    group_name="fetch",
    partitions_def=repo_windows,
    kinds={"github", "postgres"},
    owners=["team:relore"],
    metadata=table_metadata("raw_objects"),
    code_version="1",
    backfill_policy=dg.BackfillPolicy.single_run(),
    output_required=False,
)
def raw_objects(context: dg.AssetExecutionContext, store: Store):
    """What GitHub said, object by object: verbatim but for secrets, unstorable characters and source text.

    Read from the archive that the repository was registered with. A window holds the objects that GitHub last
    changed in that quarter; importing the same archive again writes nothing.
    """
    results: dict[str, ImportResult] = {}
    for name, windows in windows_by_repo(context.partition_keys).items():
        with store.connect() as conn:
            repo = repos.known(conn, name)
        whole = windows == all_windows(datetime.now(UTC))
        pace = Pace(context.log.info, name)
        results[name] = import_archive(
            store.address(),
            name,
            Path(repo.source_location),
            only_windows=None if whole else set(windows),
            on_progress=partial(_report, pace),
        )
    written = sum(result.staged.written for result in results.values())
    rejected = sum(result.staged.rejected for result in results.values())
    if not written and recorded(context, "raw_objects"):
        context.log.info("the archive holds nothing new: 0 rows written, nothing to record")
        return
    yield dg.MaterializeResult(
        metadata={
            "rows_written": written,
            "rows_unchanged": sum(result.staged.unchanged for result in results.values()),
            "objects_read": sum(result.staged.read for result in results.values()),
            "lines_rejected": rejected,
        }
    )


def _report(pace: Pace, progress: Progress) -> None:
    pace(
        share=progress.bytes_read / max(progress.bytes_total, 1),
        done=f"{progress.read:,} objects read, {progress.written:,} written, {progress.rejected:,} rejected",
        items=progress.read,
        unit="objects",
    )
