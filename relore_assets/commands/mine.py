"""`relored mine`: questions for the benchmark, from the record."""

from __future__ import annotations

from pathlib import Path

import click

from relore_assets.settings import Settings


@click.command("mine")
@click.option("--repo", required=True, metavar="OWNER/NAME", help="An indexed repository.")
@click.option(
    "--out",
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="FILE",
    help="Also write what was mined as a set of questions, not frozen.",
)
@click.option(
    "--slice",
    "slices",
    multiple=True,
    metavar="NAME",
    help="Only this kind of question; may be repeated. The others stay as they are.",
)
@click.option("--limit", type=click.IntRange(min=1), metavar="N", help="Questions of a slice at most.")
def command(repo: str, out: Path | None, slices: tuple[str, ...], limit: int | None) -> None:
    """Mine questions whose answers the record knows, or proposes for somebody to judge.

    No network. Mining an unchanged index again gives the same questions with the same ids.
    """
    from relore_assets.mine.mining import checked_slices  # noqa: PLC0415 - loads the driver

    names = checked_slices(slices)
    from relore_assets.mine.sets import check_unfrozen  # noqa: PLC0415 - likewise
    from relore_assets.runs.mining import mine  # noqa: PLC0415 - imports Dagster, which takes its time

    if out is not None:
        check_unfrozen(out)
    mined = mine(Settings.from_env(), repo, names, limit, out=out, say=click.echo)
    by_slice = mined.counts
    click.echo(
        f"{mined.repo}: {sum(by_slice.values()):,} questions ("
        + ", ".join(f"{number:,} {name}" for name, number in by_slice.items())
        + f"); {mined.leaking:,} leak; {mined.rows_written:,} rows written"
    )
    if out is not None:
        click.echo(f"{out}: {'written' if mined.file_changed else 'unchanged'}")
