"""What the verb `bench` does: the asset's run, and its rows read back."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import dagster as dg
import psycopg

from relore_assets.bench import sets, store
from relore_assets.bench.benching import RUN_TAG, Benched, Wanted
from relore_assets.fetch import repos
from relore_assets.runs.inprocess import RunFailed, owner_tags, run
from relore_assets.runs.verbs import known, opened
from relore_serve.database import store_errors

if TYPE_CHECKING:
    from collections.abc import Callable

    from relore_assets.settings import Settings

_COMMAND = "bench"


@dataclass(frozen=True, slots=True)
class Finished:
    """A run as it is kept, and what failed all the same: a check that finds it worse than the accepted one."""

    benched: Benched
    failure: RunFailed | None = None


def bench(
    settings: Settings, repo: str, wanted: Wanted, *, say: Callable[[str], object] | None = None
) -> Finished:
    """Materialise ``bench_runs`` for a repository; returns the run as it is kept.

    Raises as :func:`relore_assets.runs.verbs.derive` does, and:
        Unmeasurable, NotASet: the set must not be measured; no run was begun.
        RunFailed: nothing was kept.
    """
    named = str(Path(wanted.named).absolute()) if sets.is_file(wanted.named) else wanted.named
    clone = str(Path(wanted.clone).absolute()) if wanted.clone else ""
    config = {
        "set": named,
        "systems": list(wanted.systems),
        "clone": clone,
        "ablate": wanted.ablate,
        "unfrozen": wanted.unfrozen,
        "again": wanted.again,
        "accept": wanted.accept,
    }
    failure: RunFailed | None = None
    with opened(settings) as instance:
        name = known(instance, repo)
        with store_errors(), psycopg.connect(instance.database_url, autocommit=True) as conn:
            sets.held(conn, repos.known(conn, name), named, unfrozen=wanted.unfrozen)
        try:
            run(
                instance.definitions,
                instance.dagster,
                ["bench_runs"],
                command=_COMMAND,
                partition=name,
                config={"ops": {"bench_runs": {"config": config}}},
                say=say,
            )
        except RunFailed as error:
            failure = error
        ours = dg.RunsFilter(tags=owner_tags(_COMMAND))
        [told] = instance.dagster.get_runs(ours, limit=1)
        kept = told.tags.get(RUN_TAG)
        if kept is None and failure is not None:
            raise failure
        with store_errors(), psycopg.connect(instance.database_url, autocommit=True) as conn:
            runs = store.run(conn, repos.known(conn, name).id, kept) if kept else []
    return Finished(Benched(tuple(runs), len(runs) if kept == told.run_id else 0), failure)
