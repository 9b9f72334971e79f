"""`relored backfill`: fetch, then derive."""

from __future__ import annotations

import click

from relore_assets.settings import Settings


@click.command("backfill")
@click.option(
    "--repo", required=True, metavar="OWNER/NAME", help="A repository at GitHub; registered if it is new."
)
@click.option(
    "--again",
    is_flag=True,
    help="Walk GitHub's lists from their beginnings, also where that was done before.",
)
def command(repo: str, *, again: bool) -> None:
    """Fetch a repository's whole history from GitHub, and derive every table from it.

    Interrupted, it goes on where it stopped when it is run again. The token comes from GITHUB_TOKEN or
    GITHUB_TOKEN_FILE.
    """
    from relore_assets.commands.fetch import told  # noqa: PLC0415 - likewise
    from relore_assets.runs import verbs  # noqa: PLC0415 - imports Dagster, which takes its time

    fetched, *derived = verbs.backfill(Settings.from_env(), repo, again=again, say=click.echo)
    click.echo(told(repo, fetched.recorded.get("raw_objects"), fetched.run_id))
    click.echo(f"{repo}: {sum(finished.rows_written() for finished in derived):,} rows derived")
