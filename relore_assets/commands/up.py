"""`relored up`."""

from __future__ import annotations

import click

from relore_assets.local.services import Services
from relore_assets.settings import Settings


@click.command("up")
@click.option("--port", type=click.IntRange(1, 65535), help="The API's port. [default: 8080, or a free one]")
@click.option(
    "--dagster-port", type=click.IntRange(1, 65535), help="The UI's port. [default: 3000, or a free one]"
)
def command(port: int | None, dagster_port: int | None) -> None:
    """Run everything on this machine: Postgres, the API, the Dagster UI.

    Stays in the foreground; Ctrl-C stops all of it. Listens on this machine's loopback address only.
    """
    settings = Settings.from_env()
    services = Services(settings, api_port=port, dagster_port=dagster_port, say=click.echo)
    services.stop_on_signals()
    click.echo("Starting; the Dagster UI takes about half a minute.")
    with services:
        if not services.wait_until_ready():
            return
        where = settings.local_postgres().home if settings.embedded else "RELORE_DATABASE_URL"
        click.echo(f"Postgres    {where}")
        click.echo(f"API         {services.api_url}")
        click.echo(f"Dagster UI  {services.dagster_url}")
        click.echo(f"Logs        {settings.home / 'logs'}")
        click.echo("Ctrl-C stops everything.")
        services.watch()
