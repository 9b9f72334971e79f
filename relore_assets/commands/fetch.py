"""`relored fetch`: GitHub's objects into the staging table."""

from __future__ import annotations

import click

from relore_assets.settings import Settings


@click.command("fetch")
@click.option(
    "--repo", required=True, metavar="OWNER/NAME", help="A repository at GitHub; registered if it is new."
)
@click.option(
    "--again",
    is_flag=True,
    help="Walk GitHub's lists from their beginnings, also where that was done before.",
)
def command(repo: str, *, again: bool) -> None:
    """Bring what GitHub holds of a repository into the staging table.

    Interrupted, it goes on where it stopped when it is run again; run again at its end, it asks for what is new.
    The token comes from GITHUB_TOKEN or GITHUB_TOKEN_FILE.
    """
    from relore_assets.runs import verbs  # noqa: PLC0415 - imports Dagster, which takes its time

    finished = verbs.fetch(Settings.from_env(), repo, again=again, say=click.echo)
    click.echo(told(repo, finished.recorded.get("raw_objects"), finished.run_id))
    click.echo(f"next: relored derive --repo {repo}")


def told(repo: str, numbers: dict[str, float] | None, run_id: str) -> str:
    """Return what a fetch did, in a line."""
    if numbers is None:
        return f"{repo}: nothing new, 0 rows written (run {run_id})"
    return (
        f"{repo}: {numbers['objects_read']:,.0f} objects read, {numbers['rows_written']:,.0f} rows written, "
        f"{numbers['rows_unchanged']:,.0f} unchanged; {numbers['requests']:,.0f} requests, "
        f"{numbers['points']:,.0f} GraphQL points (run {run_id})"
    )
