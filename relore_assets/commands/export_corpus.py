"""`relored export-corpus`: every document in scope, in one file."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import click

from relore_assets.settings import Settings


def _moment(_context: click.Context, _parameter: click.Parameter, value: str | None) -> datetime | None:
    """Read a date, which begins at midnight UTC, or a moment with a time zone."""
    if value is None:
        return None
    try:
        moment = datetime.fromisoformat(value)
    except ValueError as error:
        raise click.BadParameter(f"{value!r} is neither a date nor a moment, such as 2024-05-01.") from error
    if len(value) == len("2024-05-01"):
        return moment.replace(tzinfo=UTC)
    if moment.tzinfo is None:
        raise click.BadParameter(f"{value!r} needs a time zone, for instance a trailing Z.")
    return moment.astimezone(UTC)


@click.command("export-corpus")
@click.option("--repo", required=True, metavar="OWNER/NAME", help="An indexed repository.")
@click.option(
    "--out",
    required=True,
    type=click.Path(dir_okay=False, allow_dash=True, path_type=Path),
    metavar="FILE",
    help="Where to; - is standard output, a name that ends in .gz is compressed.",
)
@click.option("--before", callback=_moment, metavar="WHEN", help="Only what was there strictly before it.")
@click.option(
    "--exclude",
    multiple=True,
    type=click.IntRange(min=1, max=2_147_483_647),
    metavar="NUMBER",
    help="A thread to leave out; may be repeated.",
)
@click.option("--machine", is_flag=True, help="Also what machines wrote.")
def command(
    repo: str, out: Path, before: datetime | None, exclude: tuple[int, ...], *, machine: bool
) -> None:
    """Write every document that search may show to a file, one JSON object a line behind a header.

    The order is stable and nothing in the file tells of when it was written: the same index gives the same bytes. The
    header states the sha256 of the lines behind it, by which two files compare.
    """
    from relore_assets.mine.corpus import export  # noqa: PLC0415 - loads the driver
    from relore_serve.database import connect_reader, require_schema  # noqa: PLC0415 - likewise

    settings = Settings.from_env()
    settings.start_database()
    to_stdout = str(out) == "-"
    # Reading everything takes as long as there is much of it.
    with connect_reader(settings.reader_url, statement_timeout_ms=0) as conn:
        require_schema(conn)
        done = export(conn, repo, None if to_stdout else out, before=before, exclude=exclude, machine=machine)
    click.echo(f"{out}: {done.documents:,} documents, sha256 {done.digest}", err=to_stdout)
