"""`relored derive`: every table from what is staged."""

from __future__ import annotations

import click

from relore_assets.settings import Settings


@click.command("derive")
@click.option("--repo", required=True, metavar="OWNER/NAME", help="An indexed repository.")
@click.option(
    "--full",
    is_flag=True,
    help="Compute every thread again, even where nothing it derives from has changed; write only what differs.",
)
def command(repo: str, *, full: bool) -> None:
    """Rebuild threads, documents, signals and precedents from what was fetched.

    No network; what is unchanged is left alone.
    """
    from relore_assets.runs import verbs  # noqa: PLC0415 - imports Dagster, which takes its time

    runs = verbs.derive(Settings.from_env(), repo, full=full, say=click.echo)
    _, tables, _ = runs
    written = sum(each.rows_written() for each in runs)
    recorded = {name: numbers for each in runs for name, numbers in each.recorded.items()}
    failed = int(tables.recorded.get("threads", {}).get("threads_failed", 0))
    if failed:
        raise click.ClickException(
            f"{failed} threads could not be derived and kept what they had; `relored status` names the first"
        )
    if not written:
        click.echo(f"{repo}: nothing had changed, 0 rows written (run {tables.run_id})")
        return
    parts = ", ".join(
        f"{name} {numbers['rows_written']:,.0f}"
        for name, numbers in recorded.items()
        if numbers.get("rows_written")
    )
    click.echo(f"{repo}: {written:,} rows written: {parts} (run {tables.run_id})")
