"""What the verbs `poll` and `sweep` do: look at GitHub, and run the assets that what was found calls for."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from relore_assets.errors import ReloreError
from relore_assets.fetch import repos
from relore_assets.fetch.current.poll import Due, due, recall, remember
from relore_assets.partitions import key
from relore_assets.resources import Store
from relore_assets.runs.inprocess import Finished, run
from relore_assets.runs.verbs import BUILT, DERIVED, Instance, opened

if TYPE_CHECKING:
    from collections.abc import Callable

    from relore_assets.fetch.github.client import GitHub
    from relore_assets.fetch.repos import Repo
    from relore_assets.settings import Settings


class NothingToFollow(ReloreError):
    """No repository here is fetched from GitHub."""


@dataclass(frozen=True, slots=True)
class Polled:
    """What became of one repository.

    Attributes:
        moved: something waited, and was fetched. rows_written: by all assets together. problem: why it is not up to
        date now, None when it is. exit_code: of that problem.
    """

    repo: str
    moved: bool = False
    rows_written: int = 0
    problem: str | None = None
    exit_code: int = 0


def poll(
    settings: Settings, repo: str | None = None, *, say: Callable[[str], object] | None = None
) -> list[Polled]:
    """Bring one repository, or all that are fetched from GitHub, up to date; what fails in one is its own.

    Raises:
        UnknownRepository, NotFromGitHub: the repository that was named cannot be polled.
        NothingToFollow: none was named, and there is none.
        BadToken: there is no token.
    """
    with opened(settings) as instance, settings.github().client() as client:
        with Store(url=instance.database_url).connect() as conn:
            known = [repos.from_github(conn, repo)] if repo else repos.every_from_github(conn)
        if not known:
            raise NothingToFollow(
                "no repository here is fetched from GitHub: begin with relored backfill --repo OWNER/NAME."
            )
        return [_poll(instance, client, each, say) for each in known]


def sweep(
    settings: Settings,
    repo: str,
    *,
    allow_mass_deletion: bool = False,
    say: Callable[[str], object] | None = None,
) -> Finished:
    """Materialise ``tombstones`` for a repository.

    Raises:
        UnknownRepository, NotFromGitHub: nothing was run.
        RunFailed: nothing was removed, or what was stays removed; sweeping again goes on from there.
    """
    with opened(settings) as instance:
        with Store(url=instance.database_url).connect() as conn:
            name = repos.from_github(conn, repo).full_name
        instance.dagster.add_dynamic_partitions("repos", [name])
        return run(
            instance.definitions,
            instance.dagster,
            ["tombstones"],
            command="sweep",
            partition=name,
            config={"ops": {"tombstones": {"config": {"allow_mass_deletion": allow_mass_deletion}}}},
            say=say,
        )


def _poll(instance: Instance, client: GitHub, repo: Repo, say: Callable[[str], object] | None) -> Polled:
    """Look at one repository, fetch and derive what waits, and keep what was seen for the next look."""
    with Store(url=instance.database_url).connect() as conn:
        seen = recall(conn, repo.id)
        try:
            found = due(conn, client, repo, seen)
        except ReloreError as error:
            remember(conn, repo.id, seen, error=str(error))
            return Polled(repo.full_name, problem=str(error), exit_code=error.exit_code)
        polled = _fetch(instance, repo, found, say) if found.windows else Polled(repo.full_name)
        remember(conn, repo.id, found.heads, error=polled.problem)
    return polled


def _fetch(instance: Instance, repo: Repo, found: Due, say: Callable[[str], object] | None) -> Polled:
    name = repo.full_name
    instance.dagster.add_dynamic_partitions("repos", [name])
    span = str(key(name, found.windows[0])), str(key(name, found.windows[-1]))
    definitions, dagster = instance.definitions, instance.dagster
    try:
        fetched = run(definitions, dagster, ["raw_objects"], command="poll", partition_range=span, say=say)
        standing = run(definitions, dagster, ["authors"], command="poll", partition=name, say=say)
        tables = run(definitions, dagster, DERIVED, command="poll", partition_range=span, say=say)
        built = run(definitions, dagster, BUILT, command="poll", partition=name, say=say)
    except ReloreError as error:
        return Polled(name, moved=True, problem=str(error), exit_code=error.exit_code)
    failed = int(tables.recorded.get("threads", {}).get("threads_failed", 0))
    return Polled(
        name,
        moved=True,
        rows_written=sum(each.rows_written() for each in (fetched, standing, tables, built)),
        problem=f"{failed} threads could not be derived and kept what they had" if failed else None,
        exit_code=1 if failed else 0,
    )
