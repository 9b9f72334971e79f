"""`relored authority`: who had write access, and when."""

from __future__ import annotations

import click

from relore_assets.settings import Settings


@click.command("authority")
@click.option("--repo", required=True, metavar="OWNER/NAME", help="An indexed repository.")
def command(repo: str) -> None:
    """Work out who had write access, and when, and bring every document's tier in line with it.

    Evidence is dated merges and what GitHub calls people. RELORE_BOT_ACCOUNTS names accounts that are machines
    although GitHub calls them users.
    """
    from relore_assets.runs import verbs  # noqa: PLC0415 - imports Dagster, which takes its time

    finished = verbs.authority(Settings.from_env(), repo, say=click.echo)
    numbers = finished.recorded["authors"]
    click.echo(
        f"{repo}: {numbers['intervals']:,.0f} intervals of standing, {numbers['rows_written']:,.0f} written, "
        f"{numbers['documents_moved']:,.0f} documents moved to another tier (run {finished.run_id})"
    )
