"""`relored authority`: who had write access, and when."""

from __future__ import annotations

import click

from relore_assets.settings import Settings


@click.command("authority")
@click.option("--repo", required=True, metavar="OWNER/NAME", help="An indexed repository.")
@click.option("--offline", is_flag=True, help="Ask GitHub nothing: go by recorded acts and earlier answers.")
@click.option(
    "--refresh",
    is_flag=True,
    help="Ask also where GitHub's answer is younger than 30 days, and for a repository imported from an archive.",
)
def command(repo: str, *, offline: bool, refresh: bool) -> None:
    """Work out who had write access, and when, and bring every document's tier in line with it.

    GitHub is asked for people's permissions, which takes a token whose owner may push to the repository. Where it
    does not answer, evidence is what people did: merging, closing, labelling and the like, each of its own date.
    RELORE_BOT_ACCOUNTS names accounts that are machines although GitHub calls them users.
    """
    if offline and refresh:
        raise click.UsageError("--offline and --refresh exclude each other.")
    from relore_assets.runs import verbs  # noqa: PLC0415 - imports Dagster, which takes its time

    finished = verbs.authority(Settings.from_env(), repo, ask=not offline, again=refresh, say=click.echo)
    numbers = finished.recorded["authors"]
    click.echo(
        f"{repo}: {numbers['people_authoritative']:,.0f} people with standing, "
        f"{numbers['people_unresolved']:,.0f} unresolved, {numbers['people_machine']:,.0f} machines; "
        f"{numbers['rows_written']:,.0f} of {numbers['intervals']:,.0f} intervals written, "
        f"{numbers['documents_moved']:,.0f} documents moved to another tier (run {finished.run_id})"
    )
