"""The derived tables as assets: thin shells over :func:`relore_assets.derive.derive.derive`.

One operation fills all of them, because one transaction per batch of threads does: a thread is never half derived.
"""

from collections.abc import Iterator
from functools import partial
from time import monotonic
from typing import Any

import dagster as dg

from relore_assets.columns import table_metadata
from relore_assets.derive.derive import DeriveResult, Progress, derive
from relore_assets.partitions import by_repo, recorded, repo_windows, windows_by_repo
from relore_assets.resources import Store
from relore_assets.runs.pace import Pace

_FROM_RAW = dg.AssetDep("raw_objects")
_FROM_AUTHORS = dg.AssetDep("authors", partition_mapping=by_repo)

_DESCRIPTIONS = {
    "threads": "One row per issue or pull request, folded from the newest version of everything staged under it.",
    "documents": (
        "One row per title, body, comment, review, inline comment and commit message, cut where long: what is "
        "searched and quoted. An edit or deletion leaves its old text in `document_versions`."
    ),
    "signals": "Exact facts read off each document: errors, test ids, symbols, file paths, commit shas.",
    "changed_files": "Each pull request's diff as paths; complete when `collected_files` equals `stated_files`.",
    "links": "What threads say of other threads: closes, duplicates, reverts, supersedes, mentions.",
    "commits": "Which commits belong to which pull request, and which commit merged it.",
    "verdicts": "Decisive reviews; a decision is computed from them when it is asked for.",
    "thread_events": "What changed threads' heads, and when: a head itself tells of today only.",
    "term_stats": "How many documents carry a lexeme: what makes a rare word weigh more than a common one.",
}

_SPECS = [
    dg.AssetSpec(
        name,
        description=description,
        group_name="derive",
        kinds={"postgres", "python"},
        owners=["team:relore"],
        deps=[_FROM_RAW, _FROM_AUTHORS] if name == "documents" else [_FROM_RAW],
        metadata=table_metadata(name),
        code_version="1",
        # A run that changes nothing records nothing, so that nothing downstream stirs.
        skippable=True,
    )
    for name, description in _DESCRIPTIONS.items()
]


class DeriveConfig(dg.Config):
    """How to derive."""

    full: bool = False
    """Compute every thread again, even where nothing that it derives from has changed."""


@dg.multi_asset(
    name="derive",
    specs=_SPECS,
    partitions_def=repo_windows,
    backfill_policy=dg.BackfillPolicy.single_run(),
)
def derived_tables(
    context: dg.AssetExecutionContext, config: DeriveConfig, store: Store
) -> Iterator[dg.MaterializeResult[Any]]:
    """Derive the threads that the run's windows touched, each once and from everything staged."""
    results: dict[str, DeriveResult] = {}
    for repo, windows in windows_by_repo(context.partition_keys).items():
        started = monotonic()
        result = results[repo] = derive(
            store.address(),
            repo,
            windows=windows,
            full=config.full,
            on_progress=partial(_report, Pace(context.log.info, repo)),
        )
        context.log.info(
            "%s: %d threads considered, %d unchanged, %d rows written in %.1f s",
            repo,
            result.considered,
            result.unchanged,
            result.rows_written,
            monotonic() - started,
        )
        for number, reason in sorted(result.batch.failed.items())[:20]:
            context.log.warning("%s#%d was left as it was: %s", repo, number, reason)
    quiet = not any(result.rows_written or result.batch.failed for result in results.values())
    if quiet and recorded(context, "documents"):
        context.log.info("nothing had changed: 0 rows written, nothing to record")
        return
    yield from _materializations(results)


def _materializations(results: dict[str, DeriveResult]) -> Iterator[dg.MaterializeResult[Any]]:
    written = {
        "threads": sum(r.batch.written.threads for r in results.values()),
        "documents": sum(r.batch.written.documents for r in results.values()),
        "signals": sum(r.batch.written.signals for r in results.values()),
        "changed_files": sum(r.batch.written.files for r in results.values()),
        "links": sum(r.batch.written.links for r in results.values()),
        "commits": sum(r.batch.written.commits for r in results.values()),
        "verdicts": sum(r.batch.written.verdicts for r in results.values()),
        "thread_events": sum(r.batch.written.events for r in results.values()),
        "term_stats": sum(r.lexemes_moved for r in results.values()),
    }
    considered = sum(result.considered for result in results.values())
    unchanged = sum(result.unchanged for result in results.values())
    failed = sum(len(result.batch.failed) for result in results.values())
    orphans = sum(sum(result.orphans.values()) for result in results.values())
    for name, rows in written.items():
        metadata: dict[str, int] = {"rows_written": rows}
        if name == "threads":
            metadata |= {
                "threads_considered": considered,
                "threads_unchanged": unchanged,
                "threads_failed": failed,
                "orphaned_objects": orphans,
            }
        yield dg.MaterializeResult(asset_key=name, metadata=metadata)


def _report(pace: Pace, progress: Progress) -> None:
    pace(
        share=progress.done / max(progress.total, 1),
        done=f"{progress.done:,} of {progress.total:,} objects derived",
        items=progress.documents,
        unit="documents",
    )
