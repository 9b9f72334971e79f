"""`relored fingerprint`: one content hash per table."""

from __future__ import annotations

import json

import click

from relore_assets.settings import Settings


@click.command("fingerprint")
@click.option("--repo", required=True, metavar="OWNER/NAME", help="An indexed repository.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def command(repo: str, *, as_json: bool) -> None:
    """Print one content hash per table, for comparing two databases.

    Hashes depend on what the tables say, not on row ids, on the order of work or on when it was done.
    """
    from relore_assets.fingerprint import fingerprint  # noqa: PLC0415 - loads the driver
    from relore_serve.database import connect_reader, require_schema  # noqa: PLC0415 - likewise

    settings = Settings.from_env()
    settings.start_database()
    # Reading everything takes as long as there is much of it.
    with connect_reader(settings.reader_url, statement_timeout_ms=0) as conn:
        require_schema(conn)
        prints = fingerprint(conn, repo)
    if as_json:
        click.echo(json.dumps(prints, indent=2))
        return
    width = max(map(len, prints))
    for table, value in prints.items():
        click.echo(f"{table.ljust(width)}  {value}")
