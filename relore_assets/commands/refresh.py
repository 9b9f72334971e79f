"""`relored refresh`: single threads, fetched again and derived."""

from __future__ import annotations

import click

from relore_assets.settings import Settings


@click.command("refresh")
@click.option("--repo", required=True, metavar="OWNER/NAME", help="An indexed repository.")
@click.argument("numbers", nargs=-1, required=True, type=click.IntRange(min=1), metavar="NUMBER...")
def command(repo: str, numbers: tuple[int, ...]) -> None:
    """Fetch single threads again, whole, and derive them.

    Afterwards what is stored of them is what GitHub has; comments that are gone there are gone here.
    """
    from relore_assets.runs import verbs  # noqa: PLC0415 - imports Dagster, which takes its time

    result = verbs.refresh(Settings.from_env(), repo, numbers, say=click.echo)
    click.echo(f"{repo}: {len(result.read):,} threads read, {result.staged.written:,} rows written")
    for number in result.missing:
        click.echo(f"{repo}#{number}: GitHub lists it and does not give it; what was stored of it stays")
    if result.gone:
        listed = ", ".join(f"#{number} ({reason})" for number, reason in sorted(result.gone.items()))
        from relore_assets.fetch.github.errors import NotFound  # noqa: PLC0415 - loads what asks GitHub

        raise NotFound(f"not at GitHub: {listed}; `relored sweep --repo {repo}` removes what is gone")
