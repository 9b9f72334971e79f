"""`relored embeddings`: vectors of threads for the semantic tier."""

from __future__ import annotations

import click

from relore_assets.settings import Settings


@click.command("embeddings")
@click.option("--repo", required=True, metavar="OWNER/NAME", help="An indexed repository.")
def command(repo: str) -> None:
    """Make a vector of every thread that has none, or whose title or opening post has changed.

    Needs the extra `semantic` and pgvector in the database. No network: the model comes with the extra. Search uses the
    vectors at once; RELORE_SEMANTIC=off leaves them aside.
    """
    from relore_assets.embeddings import check  # noqa: PLC0415 - loads what only this verb needs
    from relore_assets.runs import verbs  # noqa: PLC0415 - imports Dagster, which takes its time

    settings = Settings.from_env()
    check.possible(settings)
    finished = verbs.embeddings(settings, repo, say=click.echo)
    numbers = finished.recorded.get("embeddings")
    if numbers is None:
        click.echo(f"{repo}: nothing had changed, 0 vectors written (run {finished.run_id})")
        return
    click.echo(
        f"{repo}: {numbers['vectors']:,.0f} of {numbers['threads']:,.0f} threads have a vector; "
        f"{finished.rows_written():,} written (run {finished.run_id})"
    )
