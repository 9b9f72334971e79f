"""`relored forget`: words removed on request."""

from __future__ import annotations

import click

from relore_assets.settings import Settings


@click.command("forget")
@click.option("--repo", required=True, metavar="OWNER/NAME", help="An indexed repository.")
@click.option(
    "--comment", metavar="ID", help="A comment, inline comment or review: the digits in its address."
)
@click.option(
    "--kind",
    type=click.Choice(["issue_comment", "review", "review_comment"]),
    help="Which of them, where the same id belongs to several.",
)
@click.option(
    "--thread", type=click.IntRange(min=1), metavar="NUMBER", help="An issue or pull request, whole."
)
@click.option("--author", metavar="LOGIN", help="Everything that somebody wrote, and the account's name.")
@click.option("--yes", is_flag=True, help="Do not ask.")
def command(
    repo: str, comment: str | None, kind: str | None, thread: int | None, author: str | None, *, yes: bool
) -> None:
    """Remove what somebody asked to have removed, everywhere, for good.

    It goes from the staged objects, documents, kept versions, signals, links and word counts, and no import, fetch or
    poll brings it back. Of a comment or thread its id is kept, of a person a digest of the login; threads that the
    person opened stay for what others said in them. Backups of the database are yours to deal with.
    """
    asked = [comment is not None, thread is not None, author is not None]
    if asked.count(True) != 1:
        raise click.UsageError("say what: one of --comment, --thread, --author")
    if kind is not None and comment is None:
        raise click.UsageError("--kind goes with --comment")
    from relore_assets.fetch.current import forget  # noqa: PLC0415 - loads the driver

    settings = Settings.from_env()
    # No run of Dagster's: its records would keep whom and what this was about.
    settings.ensure_database()
    url = settings.database_url
    if not yes:
        what = f"comment {comment}" if comment else f"#{thread}" if thread else f"all that {author} wrote"
        click.confirm(f"Remove {what} from {repo} for good?", abort=True)
    if comment is not None:
        done = forget.forget_comment(url, repo, comment, kind=kind)
    elif thread is not None:
        done = forget.forget_thread(url, repo, thread)
    else:
        done = forget.forget_author(url, repo, author or "")
    if author is not None and not done.objects:
        click.echo(
            f"Nothing by {author} is held of {repo}. Check the login: from now on its words are kept out.",
            err=True,
        )
    click.echo(
        f"{repo}: removed {done.objects:,} staged objects or their words, {done.documents:,} documents, "
        f"{done.versions:,} kept versions, {done.threads:,} threads; their return is blocked"
    )
