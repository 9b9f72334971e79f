"""What the verbs `import`, `fetch`, `derive` and so on do: the assets' runs, one after the other."""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any
from uuid import uuid4

import dagster as dg
import psycopg
from dagster_postgres.utils import DagsterPostgresException
from sqlalchemy.exc import SQLAlchemyError

from relore_assets.definitions import build
from relore_assets.derive.derive import derive as derive_threads
from relore_assets.fetch import repos
from relore_assets.fetch.archives.found import as_object
from relore_assets.fetch.archives.layout import recognise
from relore_assets.fetch.github.errors import GitHubError, Moved, Unavailable
from relore_assets.fetch.passes.refresh import RefreshResult, refresh_threads
from relore_assets.fetch.passes.reporting import Reporting
from relore_assets.fetch.passes.sample import Sample, SampleResult, fetch_sample
from relore_assets.fetch.passes.window import first_incomplete
from relore_assets.partitions import all_windows, key
from relore_assets.resources import Store
from relore_assets.runs.inprocess import Finished, run
from relore_assets.runs.reaper import reap
from relore_assets.windows import FIRST_WINDOW, window_of
from relore_serve.database import StoreUnavailable, store_errors

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Sequence
    from datetime import date
    from pathlib import Path

    from relore_assets.fetch.github.client import GitHub
    from relore_assets.settings import Settings

DERIVED = (
    "threads",
    "documents",
    "signals",
    "changed_files",
    "links",
    "commits",
    "verdicts",
    "thread_events",
    "term_stats",
)

BUILT = ("precedents", "precedent_threads")


@dataclass(frozen=True, slots=True)
class Instance:
    """An open Dagster instance with our definitions over our database."""

    dagster: dg.DagsterInstance
    definitions: dg.Definitions
    database_url: str


@contextmanager
def opened(settings: Settings) -> Generator[Instance]:
    """Yield the instance, database up and migrated, runs of dead processes ended."""
    settings.ensure_database()
    settings.prepare_dagster()
    try:
        with dg.DagsterInstance.get() as instance:
            reap(instance)
            url = settings.database_url
            yield Instance(instance, build(Store(url=url)), url)
    except (SQLAlchemyError, DagsterPostgresException) as error:
        raise StoreUnavailable(
            "The database went away while the run was on. What had been committed stays: once it is back, give the "
            "same command again and it goes on from there."
        ) from error


def import_archive(
    settings: Settings, repo: str, path: Path, *, say: Callable[[str], object] | None = None
) -> Finished:
    """Register the archive as the repository's source and materialise ``raw_objects`` from it, all windows.

    Raises:
        BadName, UnknownLayoutError: nothing was registered.
        RunFailed: what had been committed stays; importing again goes on from there.
    """
    repos.checked_name(repo)
    recognise(path)
    with opened(settings) as instance:
        with store_errors(), psycopg.connect(instance.database_url, autocommit=True) as conn:
            name = repos.register(conn, repo, "archive", str(path.resolve())).full_name
        instance.dagster.add_dynamic_partitions("repos", [name])
        return run(
            instance.definitions,
            instance.dagster,
            ["raw_objects"],
            command="import",
            partition_range=_since(name, FIRST_WINDOW),
            # Named to the run: a repository that is read from GitHub stays so when an archive is read besides.
            config={"ops": {"raw_objects": {"config": {"archive": str(path.resolve())}}}},
            say=say,
        )


def fetch(
    settings: Settings, repo: str, *, again: bool = False, say: Callable[[str], object] | None = None
) -> Finished:
    """Materialise ``raw_objects`` from GitHub, all windows; what is complete already is left alone.

    GitHub is asked first how it spells the name, so that nothing is registered that it does not know. A repository
    that was imported from an archive is read from GitHub from now on.

    Args:
        settings: the installation.
        repo: ``owner/name``.
        again: walk GitHub's lists from their beginnings.
        say: told what happens, line by line.

    Raises:
        BadNameError, GitHubError: nothing was registered.
        RunFailed: what had been committed stays; fetching again goes on from there.
    """
    repos.checked_name(repo)
    with opened(settings) as instance:
        name = register_from_github(instance, settings, repo)
        return run(
            instance.definitions,
            instance.dagster,
            ["raw_objects"],
            command="fetch",
            partition_range=_since(name, _first_to_fetch(instance, name, again=again)),
            config={"ops": {"raw_objects": {"config": {"again": again}}}},
            say=say,
        )


def backfill(
    settings: Settings, repo: str, *, again: bool = False, say: Callable[[str], object] | None = None
) -> list[Finished]:
    """Fetch, then derive: everything that GitHub holds of a repository is here, and searchable.

    Raises as :func:`fetch` and :func:`derive` do.
    """
    fetched = fetch(settings, repo, again=again, say=say)
    return [fetched, *derive(settings, repo, say=say)]


def sample(
    settings: Settings,
    repo: str,
    wanted: Sample,
    *,
    limit: int | None = None,
    say: Callable[[str], object] = print,
) -> SampleResult:
    """Fetch a declared part of a history, and derive it.

    Raises:
        BadNameError, GitHubError: what was committed stays; sampling again goes on from there.
        RunFailed: it is fetched, but not derived.
    """
    repos.checked_name(repo)
    with opened(settings) as instance:
        name = register_from_github(instance, settings, repo)
        with _asking(instance, settings, name, "sample", say) as (conn, client, known):
            result = fetch_sample(conn, client, known, wanted, limit=limit)
    derive(settings, name, say=say)
    return result


def refresh(
    settings: Settings, repo: str, numbers: Sequence[int], *, say: Callable[[str], object] = print
) -> RefreshResult:
    """Fetch some threads again, whole, and derive them.

    Raises:
        BadNameError, UnknownRepository, GitHubError: what was committed stays.
    """
    with opened(settings) as instance:
        name = known(instance, repo)
        with _asking(instance, settings, name, "refresh", say) as (conn, client, _):
            result = refresh_threads(conn, client, name, numbers)
        derive_threads(instance.database_url, name, numbers=result.read)
        run(instance.definitions, instance.dagster, BUILT, command="refresh", partition=name)
    return result


def register_from_github(instance: Instance, settings: Settings, repo: str) -> str:
    """Register a repository to be read from GitHub; return its name as GitHub spells it.

    Raises:
        GitHubError: GitHub does not know it, or not under this name, or does not let us see it; nothing was registered.
    """
    with settings.github().client() as client:
        body = client.get(f"/repos/{repo}").body
        told = as_object(body) or {}
        if "full_name" not in told:
            raise Unavailable(f"GitHub does not say what {repo} is called: try again later.")
        name = str(told["full_name"])
        with store_errors(), psycopg.connect(instance.database_url, autocommit=True) as conn:
            former = None if repos.find(conn, name) else _former(conn, client, name)
            if former is not None:
                repos.rename(conn, former, name)
            name = repos.register(conn, name, "api", client.base.url).full_name
    instance.dagster.add_dynamic_partitions("repos", [name])
    return name


def _former(conn: psycopg.Connection, client: GitHub, name: str) -> repos.Repo | None:
    """Return the indexed repository that GitHub calls ``name`` now; it is asked about all that are indexed.

    Registered anew, a history would be here twice, and without what was removed from it on request.
    """
    for known in repos.every(conn):
        try:
            client.get(f"/repos/{known.full_name}")
        except Moved as moved:
            if moved.new.lower() == name.lower():
                return known
        except GitHubError:
            continue  # not at GitHub, or not to be seen: not the one that was asked for
    return None


@contextmanager
def _asking(
    instance: Instance, settings: Settings, repo: str, pass_name: str, say: Callable[[str], object]
) -> Generator[tuple[psycopg.Connection, GitHub, repos.Repo]]:
    """Yield what a pass outside a run of Dagster's needs; what it does is recorded all the same."""
    with psycopg.connect(instance.database_url, autocommit=True) as conn:
        known = repos.known(conn, repo)
        with (
            Reporting(
                say, instance.database_url, known.id, run_id=str(uuid4()), pass_name=pass_name
            ) as activity,
            settings.github().client(activity) as client,
        ):
            yield conn, client, known


def _first_to_fetch(instance: Instance, repo: str, *, again: bool) -> date:
    """Return the first window that may have anything to fetch; each window recorded costs events."""
    if again:
        return FIRST_WINDOW
    with store_errors(), psycopg.connect(instance.database_url, autocommit=True) as conn:
        return first_incomplete(conn, repos.known(conn, repo).id)


def derive(
    settings: Settings, repo: str, *, full: bool = False, say: Callable[[str], object] | None = None
) -> list[Finished]:
    """Materialise ``authors``, then every derived table for all windows of a repository, then its precedents.

    Raises:
        BadName, UnknownRepository: nothing was run.
        RunFailed: what had been committed stays; deriving again goes on from there.
    """
    with opened(settings) as instance:
        name = known(instance, repo)
        first = _first_window(instance, name)
        standing = run(
            instance.definitions, instance.dagster, ["authors"], command="derive", partition=name, say=say
        )
        tables = run(
            instance.definitions,
            instance.dagster,
            DERIVED,
            command="derive",
            partition_range=_since(name, first),
            config={"ops": {"derive": {"config": {"full": full}}}},
            say=say,
        )
        built = run(instance.definitions, instance.dagster, BUILT, command="derive", partition=name, say=say)
    return [standing, tables, built]


def precedents(settings: Settings, repo: str, *, say: Callable[[str], object] | None = None) -> Finished:
    """Materialise ``precedents`` and ``precedent_threads`` for a repository.

    Raises as :func:`derive` does.
    """
    return _of_repository(settings, repo, BUILT, command="precedents", say=say)


def embeddings(settings: Settings, repo: str, *, say: Callable[[str], object] | None = None) -> Finished:
    """Materialise ``embeddings`` for a repository.

    Raises as :func:`derive` does.
    """
    return _of_repository(settings, repo, ["embeddings"], command="embeddings", say=say)


def authority(
    settings: Settings,
    repo: str,
    *,
    ask: bool = True,
    again: bool = False,
    say: Callable[[str], object] | None = None,
) -> Finished:
    """Materialise ``authors`` for a repository, asking GitHub for permissions as the asset's configuration says.

    Raises as :func:`derive` does.
    """
    config = {"ops": {"authors": {"config": {"ask": ask, "again": again}}}}
    return _of_repository(settings, repo, ["authors"], command="authority", config=config, say=say)


def report(
    settings: Settings, repo: str, *, out: Path | None = None, say: Callable[[str], object] | None = None
) -> Finished:
    """Materialise ``bench_report`` for a repository, into ``out`` or where the settings say.

    Raises:
        BadName, UnknownRepository: nothing was run.
        RunFailed: nothing has been measured, or the file cannot be written.
    """
    config = {"ops": {"bench_report": {"config": {"out": str((out or settings.reports).absolute())}}}}
    return _of_repository(settings, repo, ["bench_report"], command="report", config=config, say=say)


def _of_repository(
    settings: Settings,
    repo: str,
    assets: Sequence[str],
    *,
    command: str,
    say: Callable[[str], object] | None,
    config: dict[str, Any] | None = None,
) -> Finished:
    """Materialise assets that have one partition a repository."""
    with opened(settings) as instance:
        name = known(instance, repo)
        return run(
            instance.definitions,
            instance.dagster,
            assets,
            command=command,
            partition=name,
            config=config,
            say=say,
        )


def known(instance: Instance, repo: str) -> str:
    """Return the repository's name as it is spelled here, a partition of the instance."""
    with store_errors(), psycopg.connect(instance.database_url, autocommit=True) as conn:
        name = repos.known(conn, repo).full_name
    instance.dagster.add_dynamic_partitions("repos", [name])
    return name


def _first_window(instance: Instance, repo: str) -> date:
    """Return the first window that has anything staged; each window recorded costs events, and older ones are void."""
    with store_errors(), psycopg.connect(instance.database_url, autocommit=True) as conn:
        row = conn.execute(
            "SELECT min(github_updated_at) FROM relore.raw_objects WHERE repo_id = %s",
            (repos.known(conn, repo).id,),
        ).fetchone()
    oldest = row[0] if row else None
    return max(window_of(oldest), FIRST_WINDOW) if oldest else all_windows(datetime.now(UTC))[-1]


def _since(repo: str, first: date) -> tuple[str, str]:
    return str(key(repo, first)), str(key(repo, all_windows(datetime.now(UTC))[-1]))
