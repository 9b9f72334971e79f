"""`relored migrate`."""

from __future__ import annotations

import click

from relore_assets.settings import Settings


@click.command("migrate")
def command() -> None:
    """Bring the database's schema to this program's version.

    Starts the embedded Postgres when no other is configured. Safe to run from several machines at once:
    they take turns.
    """
    result = Settings.from_env().ensure_database()
    if result.changed:
        click.echo(f"The schema went from {result.before or 'nothing'} to version {result.after}.")
    else:
        click.echo(f"The schema is at version {result.after} already.")
