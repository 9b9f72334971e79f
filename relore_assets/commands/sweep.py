"""`relored sweep`: what is at GitHub no more, removed."""

from __future__ import annotations

import click

from relore_assets.settings import Settings


@click.command("sweep")
@click.option("--repo", required=True, metavar="OWNER/NAME", help="A repository that is fetched from GitHub.")
@click.option(
    "--allow-mass-deletion",
    is_flag=True,
    help="Remove however much is missing at GitHub. Without it more than 20, and more than 5 %, is a fault.",
)
def command(repo: str, *, allow_mass_deletion: bool) -> None:
    """Remove comments and threads that were deleted or transferred at GitHub, which nothing else tells of.

    All lists are walked; what is missing is asked for one by one before it goes. What is there and was overlooked is
    fetched. `relored up` does the same once a week.
    """
    from relore_assets.runs import following  # noqa: PLC0415 - imports Dagster, which takes its time

    finished = following.sweep(
        Settings.from_env(), repo, allow_mass_deletion=allow_mass_deletion, say=click.echo
    )
    numbers = finished.recorded["tombstones"]
    click.echo(
        f"{repo}: {numbers['listed']:,.0f} entries at GitHub, {numbers['removed']:,.0f} removed here, "
        f"{numbers['brought_back']:,.0f} brought back; {numbers['requests']:,.0f} requests (run {finished.run_id})"
    )
