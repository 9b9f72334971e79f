"""`relored report`: what the benchmark found, as one page."""

from __future__ import annotations

from pathlib import Path

import click

from relore_assets.settings import Settings


@click.command("report")
@click.option("--repo", required=True, metavar="OWNER/NAME", help="An indexed repository that was measured.")
@click.option(
    "--out",
    type=click.Path(file_okay=False, path_type=Path),
    metavar="DIR",
    help="A folder for it. [default: RELORE_REPORTS, else reports in the state folder]",
)
def command(repo: str, out: Path | None) -> None:
    """Write what the benchmark's latest run found into one HTML file, and say where it is.

    No network, no measuring: it shows what relored bench has recorded, also when the ranking has become worse.
    """
    from relore_assets.runs import verbs  # noqa: PLC0415 - imports Dagster, which takes its time

    finished = verbs.report(Settings.from_env(), repo, out=out, say=click.echo)
    if finished.recorded:
        click.echo(f"{repo}: written (run {finished.run_id})")
