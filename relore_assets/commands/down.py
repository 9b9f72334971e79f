"""`relored down`."""

from __future__ import annotations

import click

from relore_assets.local.services import stop_everything
from relore_assets.settings import Settings


@click.command("down")
def command() -> None:
    """Stop what `relored up` left running, Postgres included.

    Ends a running `relored up`, and what one that was killed left behind; touches no process that it cannot
    prove to be its own, and no server that RELORE_DATABASE_URL names.
    """
    stop_everything(Settings.from_env(), say=click.echo)
