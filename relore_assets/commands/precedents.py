"""`relored precedents`: finished units of work from what was derived."""

from __future__ import annotations

import click

from relore_assets.settings import Settings


@click.command("precedents")
@click.option("--repo", required=True, metavar="OWNER/NAME", help="An indexed repository.")
def command(repo: str) -> None:
    """Build finished units of work: what was merged or turned down, for which issue, and in whose words why.

    No network. `relored derive` does it too, when it is done.
    """
    from relore_assets.runs import verbs  # noqa: PLC0415 - imports Dagster, which takes its time

    finished = verbs.precedents(Settings.from_env(), repo, say=click.echo)
    numbers = finished.recorded.get("precedents")
    if numbers is None:
        click.echo(f"{repo}: nothing had changed, 0 rows written (run {finished.run_id})")
        return
    click.echo(
        f"{repo}: {numbers['merged']:,.0f} merged, {numbers['rejected']:,.0f} rejected, "
        f"{numbers['rejected_with_reason']:,.0f} of these with a reason; "
        f"{finished.rows_written():,} rows written (run {finished.run_id})"
    )
