"""`relored import`: an archive's objects into the staging table."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from relore_assets.settings import Settings

if TYPE_CHECKING:
    from collections.abc import Mapping


@click.command("import")
@click.option("--repo", required=True, metavar="OWNER/NAME", help="The repository whose history it is.")
@click.option(
    "--renamed",
    is_flag=True,
    help="The archive's addresses name another repository, and that is as it should be.",
)
@click.argument("path", type=click.Path(exists=True, path_type=Path))
def command(repo: str, path: Path, *, renamed: bool) -> None:
    """Index a repository's history from an archive on disk.

    PATH is a folder of GitHub REST objects as gzip JSON lines, of one JSON file per thread
    (github-metadata-backup), or as python-github-backup leaves it. Importing again writes only what differs.
    What cannot be read is named by `relored status` and does not hold up the rest.
    """
    from relore_assets.fetch.importing import books_of, named_repository  # noqa: PLC0415 - loads the driver
    from relore_assets.fetch.repos import checked_name  # noqa: PLC0415 - likewise
    from relore_assets.runs import verbs  # noqa: PLC0415 - imports Dagster, which takes its time

    checked_name(repo)
    named = named_repository(path)
    if named is not None and named.lower() != repo.lower() and not renamed:
        raise click.ClickException(
            f"the addresses in {path} name {named}, not {repo}: give --repo {named}, or --renamed if the "
            "repository has a new name"
        )
    settings = Settings.from_env()
    finished = verbs.import_archive(settings, repo, path, say=click.echo)
    numbers = finished.recorded.get("raw_objects")
    if numbers is None:
        click.echo(f"{repo}: nothing new, 0 rows written (run {finished.run_id})")
    else:
        click.echo(
            f"{repo}: {numbers['objects_read']:,.0f} objects read, {numbers['rows_written']:,.0f} rows written, "
            f"{numbers['rows_unchanged']:,.0f} unchanged, {numbers['lines_rejected']:,.0f} lines rejected "
            f"(run {finished.run_id})"
        )
    books = books_of(settings.database_url, repo)
    # Said also when nothing was new: an archive is no better for having been imported before.
    if books["rejected"]["lines"]:
        click.echo(_unreadable(repo, books["rejected"]), err=True)
    if books["unexplained"]:
        raise click.ClickException(
            f"objects of {repo} that nobody can explain: {books['unexplained']:,}; see relored status --repo {repo}"
        )
    if numbers is not None:
        click.echo(f"next: relored derive --repo {repo}")


def _unreadable(repo: str, rejected: Mapping[str, Any]) -> str:
    """Say how many lines of the archive could not be read, and where the first one is."""
    first = rejected["first"][0]
    return (
        f"{repo}: lines of the archive that could not be read: {rejected['lines']:,}, the first at "
        f"{first['file']}:{first['line']} ({first['reason']}); see relored status --repo {repo}"
    )
