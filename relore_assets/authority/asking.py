"""Decides whether GitHub may be asked about a repository's people, and asks, with a record of what it cost."""

from __future__ import annotations

from typing import TYPE_CHECKING

from psycopg.types.json import Jsonb

from relore_assets.authority.permissions import QUERIES, Asked, ask
from relore_assets.fetch.github.activity import Activity
from relore_assets.fetch.github.errors import BadToken, GitHubError

if TYPE_CHECKING:
    import psycopg

    from relore_assets.fetch.repos import Repo
    from relore_assets.settings import Settings


def ask_github(
    settings: Settings,
    url: str,
    conn: psycopg.Connection,
    repo: Repo,
    *,
    run_id: str,
    again: bool = False,
    configured_bots: frozenset[str] = frozenset(),
) -> Asked:
    """Ask as :func:`.permissions.ask` does, unless there is no token, or the repository came from an archive.

    An archive may be of a repository that is not on GitHub under this name, or not any more; ``again`` asks all the
    same. ``refused`` says why nobody was asked. The record of it goes to the database at ``url``.

    Raises:
        SettingsError: GitHub's address or a token's file cannot be used.
        GitHubError: see `ask`.
    """
    if repo.source_kind == "archive" and not again:
        return Asked(
            refused=f"{repo.full_name} was imported from an archive: GitHub is asked with --refresh only"
        )
    try:
        github = settings.github()
    except BadToken as absent:
        return Asked(refused=str(absent))
    conn.execute(QUERIES["begin"], {"repo_id": repo.id})
    try:
        with (
            Activity(url, repo.id, run_id=run_id, pass_name="authority") as activity,  # noqa: S106 - of a pass
            github.client(activity) as client,
        ):
            asked = ask(conn, repo, client, again=again, configured_bots=configured_bots)
    except GitHubError as failure:
        _record(conn, repo.id, Asked(), error=str(failure))
        raise
    _record(conn, repo.id, asked)
    return asked


def _record(conn: psycopg.Connection, repo_id: int, asked: Asked, *, error: str | None = None) -> None:
    """Leave behind what the pass came to. That a token is not told permissions is a limit and no failure."""
    done = asked.fresh + asked.answered
    skipped: dict[str, int] = {}
    if asked.failed:
        skipped["no answer about them"] = len(asked.failed)
    if asked.refused:
        skipped[asked.refused] = asked.candidates - done - len(asked.failed)
    conn.execute(
        QUERIES["end"],
        {
            "repo_id": repo_id,
            "stated": asked.candidates,
            "done": done,
            "skipped": Jsonb(skipped),
            "error": error,
        },
    )
