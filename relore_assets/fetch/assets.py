"""Table ``raw_objects`` as an asset: a thin shell over the archive import, and over fetching from GitHub."""

from collections import Counter
from datetime import UTC, date, datetime
from functools import partial
from pathlib import Path
from typing import Any

import dagster as dg

from relore_assets.columns import table_metadata
from relore_assets.fetch import repos
from relore_assets.fetch.importing import Progress, import_archive
from relore_assets.fetch.passes.reporting import Reporting
from relore_assets.fetch.passes.window import MARKS, FetchResult, fetch_windows
from relore_assets.fetch.repos import Repo
from relore_assets.fetch.staging import StageResult
from relore_assets.partitions import all_windows, recorded, repo_windows, windows_by_repo
from relore_assets.resources import Store
from relore_assets.runs.pace import Pace
from relore_assets.settings import Settings


class Fetching(dg.Config):
    """How to fetch; an archive is always read as a whole."""

    again: bool = False
    """Walk GitHub's lists from the beginning of each window, also where that has been done."""
    archive: str = ""
    """A folder to read in this run, whatever the repository is read from as a rule."""


@dg.asset(
    name="raw_objects",
    group_name="fetch",
    partitions_def=repo_windows,
    kinds={"github", "postgres"},
    owners=["team:relore"],
    metadata=table_metadata("raw_objects"),
    code_version="1",
    # Its limit is the number of tokens: a token's requests are one after the other, as GitHub asks.
    pool="github",
    backfill_policy=dg.BackfillPolicy.single_run(),
    output_required=False,
)
def raw_objects(context: dg.AssetExecutionContext, config: Fetching, store: Store):
    """What GitHub said, object by object: verbatim but for secrets, unstorable characters and source text.

    Fetched from GitHub, or read from the archive that the repository was registered with. A window holds the objects
    that GitHub last changed in that quarter; fetching what is complete asks next to nothing, and what is stored as it
    is, is not written.
    """
    counts: Counter[str] = Counter()
    asked: dict[str, Any] = {}
    for name, windows in windows_by_repo(context.partition_keys).items():
        with store.connect() as conn:
            repo = repos.known(conn, name)
        if repo.source_kind == "api" and not config.archive:
            result, activity = _fetch(context, store, repo, windows, again=config.again)
            staged = result.staged
            counts["threads_read_in_detail"] += result.detailed
            counts["requests"] += activity.counts.total
            counts["points"] += activity.counts.points
            asked[name] = activity.metadata()
        else:
            staged = _import(context, store, repo, Path(config.archive or repo.source_location), windows)
        counts.update(_numbers(staged))
    if not counts["rows_written"] and recorded(context, "raw_objects"):
        context.log.info("nothing new: 0 rows written, nothing to record")
        return
    yield dg.MaterializeResult(metadata={**counts, **({"github": asked} if asked else {})})


def without_issues(repo: str) -> str:
    """Return what is said of a repository of which GitHub serves the pull requests alone."""
    return (
        f"{repo}: issues are disabled there: its pull requests are fetched, with what was said in them; issues that "
        "were fetched before stay as they were"
    )


def _numbers(staged: StageResult) -> dict[str, int]:
    return {
        "rows_written": staged.written,
        "rows_unchanged": staged.unchanged,
        "objects_read": staged.read,
        "lines_rejected": staged.rejected,
    }


def _fetch(
    context: dg.AssetExecutionContext, store: Store, repo: Repo, windows: list[date], *, again: bool
) -> tuple[FetchResult, Reporting]:
    with (
        Reporting(
            partial(context.log.info, "%s: %s", repo.full_name),
            store.address(),
            repo.id,
            run_id=context.run.run_id,
            pass_name=MARKS,
        ) as activity,
        Settings.from_env().github().client(activity) as client,
        store.connect() as conn,
    ):
        result = fetch_windows(conn, client, repo, windows, again=again)
    context.log.info(
        "%s: %d objects read, %d written, %d threads in detail; %d requests, %d GraphQL points",
        repo.full_name,
        result.staged.read,
        result.staged.written,
        result.detailed,
        activity.counts.total,
        activity.counts.points,
    )
    if result.staged.rejected:
        context.log.warning(
            "%s: %d entries of GitHub's lists could not be read and are not stored; relored status names the first",
            repo.full_name,
            result.staged.rejected,
        )
    if result.issues_disabled:
        context.log.warning("%s", without_issues(repo.full_name))
    if result.missing:
        context.log.warning(
            "%s: GitHub lists %d threads and does not give them, #%d first; what is stored of them stays",
            repo.full_name,
            len(result.missing),
            result.missing[0],
        )
    if result.comments_collected < result.comments_stated:
        context.log.warning(
            "%s: GitHub counts %d comments and gave %d",
            repo.full_name,
            result.comments_stated,
            result.comments_collected,
        )
    return result, activity


def _import(
    context: dg.AssetExecutionContext, store: Store, repo: Repo, archive: Path, windows: list[date]
) -> StageResult:
    whole = windows == all_windows(datetime.now(UTC))
    result = import_archive(
        store.address(),
        repo.full_name,
        archive,
        only_windows=None if whole else set(windows),
        on_progress=partial(_report, Pace(context.log.info, repo.full_name)),
    )
    if result.not_read:
        context.log.warning(
            "%s: not read: %s; the same history stands beside it in another form (%s), which was read",
            repo.full_name,
            ", ".join(result.not_read),
            result.layout,
        )
    return result.staged


def _report(pace: Pace, progress: Progress) -> None:
    pace(
        share=progress.bytes_read / max(progress.bytes_total, 1),
        done=f"{progress.read:,} objects read, {progress.written:,} written, {progress.rejected:,} rejected",
        items=progress.read,
        unit="objects",
    )
