"""`relored doctor`."""

from __future__ import annotations

import click

from relore_assets.local.doctor import examine
from relore_assets.settings import Settings


@click.command("doctor")
def command() -> int:
    """Check this installation and say what to do about each fault.

    One line per part. Ends with 1 when a part is at fault. Starts the embedded Postgres for as long as it looks.
    """
    faults = 0
    for finding in examine(Settings.from_env()):
        click.echo(f"{'ok   ' if finding.healthy else 'FAULT'}  {finding.subject:<9}  {finding.text}")
        if not finding.healthy:
            faults += 1
            click.echo(f"       {'':<9}  {finding.remedy}")
    return 1 if faults else 0
