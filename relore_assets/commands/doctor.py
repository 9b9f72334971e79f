"""`relored doctor`."""

from __future__ import annotations

from itertools import chain

import click

from relore_assets.fetch.repos import checked_name
from relore_assets.local.doctor import examine
from relore_assets.settings import Settings


@click.command("doctor")
@click.option(
    "--repo",
    metavar="OWNER/NAME",
    help="Ask GitHub once for each kind of thing that fetching this repository needs, too.",
)
def command(repo: str | None) -> int:
    """Check this installation and say what to do about each fault.

    One line per part. Ends with 1 when a part is at fault; a note is no fault. Starts the embedded Postgres for as
    long as it looks. With --repo it names the rights that the token lacks, before hours of work are begun.
    """
    settings = Settings.from_env()
    findings = examine(settings)
    if repo is not None:
        from relore_assets.local.preflight import preflight  # noqa: PLC0415 - loads the HTTP library

        findings = chain(findings, preflight(settings, checked_name(repo)))
    faults = 0
    for finding in findings:
        verdict = "note" if finding.note else "ok" if finding.healthy else "FAULT"
        click.echo(f"{verdict:<5}  {finding.subject:<10}  {finding.text}")
        if finding.remedy:
            click.echo(f"       {'':<10}  {finding.remedy}")
        faults += not finding.healthy
    return 1 if faults else 0
