"""What the verbs `import`, `derive` and `authority` do: the assets' runs, one after the other."""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING

import dagster as dg
import psycopg

from relore_assets.definitions import build
from relore_assets.fetch import repos
from relore_assets.fetch.archives.layout import recognise
from relore_assets.partitions import all_windows, key
from relore_assets.resources import Store
from relore_assets.runs.inprocess import Finished, run
from relore_assets.runs.reaper import reap
from relore_assets.windows import FIRST_WINDOW, window_of
from relore_serve.database import store_errors

if TYPE_CHECKING:
    from collections.abc import Callable, Generator
    from datetime import date
    from pathlib import Path

    from relore_assets.settings import Settings

DERIVED = (
    "threads",
    "documents",
    "signals",
    "changed_files",
    "links",
    "commits",
    "verdicts",
    "term_stats",
)


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
    with dg.DagsterInstance.get() as instance:
        reap(instance)
        url = settings.database_url
        yield Instance(instance, build(Store(url=url)), url)


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
            say=say,
        )


def derive(
    settings: Settings, repo: str, *, full: bool = False, say: Callable[[str], object] | None = None
) -> list[Finished]:
    """Materialise ``authors``, then every derived table, for all windows of a repository.

    Raises:
        BadName, UnknownRepository: nothing was run.
        RunFailed: what had been committed stays; deriving again goes on from there.
    """
    with opened(settings) as instance:
        name = _known(instance, repo)
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
    return [standing, tables]


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
    with opened(settings) as instance:
        name = _known(instance, repo)
        return run(
            instance.definitions,
            instance.dagster,
            ["authors"],
            command="authority",
            partition=name,
            config={"ops": {"authors": {"config": {"ask": ask, "again": again}}}},
            say=say,
        )


def _known(instance: Instance, repo: str) -> str:
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
