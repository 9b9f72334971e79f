"""`relored sample`: a declared part of a history."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from relore_assets.settings import Settings

if TYPE_CHECKING:
    from relore_assets.fetch.passes.sample import Kind


@click.command("sample")
@click.option(
    "--repo", required=True, metavar="OWNER/NAME", help="A repository at GitHub; registered if it is new."
)
@click.option(
    "--since", required=True, metavar="DATE", help="The floor: threads that changed on that day or later."
)
@click.option("--kind", required=True, type=click.Choice(["issue", "pr"]), help="Which threads.")
@click.option("--merged", is_flag=True, help="Merged pull requests only.")
@click.option(
    "--limit", type=click.IntRange(min=1), help="Fetch at most so many threads, and leave the rest."
)
def command(repo: str, since: str, kind: Kind, limit: int | None, *, merged: bool) -> None:
    """Fetch a declared part of a history: threads that changed since a date, each whole, and derive them.

    The floor is recorded before the first request and shown by `relored status`. Run again it goes on where it
    stopped; an earlier date widens the sample. Leaves with 1 when it ended at the limit.
    """
    from relore_assets.fetch.passes.sample import Sample, midnight_of  # noqa: PLC0415 - loads the driver
    from relore_assets.runs import verbs  # noqa: PLC0415 - imports Dagster, which takes its time

    if merged and kind != "pr":
        raise click.UsageError("--merged is about pull requests: give --kind pr with it.")
    wanted = Sample(kind, midnight_of(since), merged)
    click.echo(f"{repo}: sample of {wanted.words}, floor {wanted.floor:%Y-%m-%d %H:%M} UTC")
    result = verbs.sample(Settings.from_env(), repo, wanted, limit=limit, say=click.echo)
    click.echo(
        f"{repo}: {result.seen:,} threads seen, {result.selected:,} selected, {result.current:,} current, "
        f"{result.sampled:,} sampled, {result.staged.written:,} rows written"
    )
    if result.issues_disabled:
        click.echo(f"{repo}: issues are disabled there: pull requests came with what was said in them")
    if result.capped:
        raise click.ClickException(f"ended at the limit of {limit:,}; run it again to go on")
