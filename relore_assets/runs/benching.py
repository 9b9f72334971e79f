"""What the verb `bench` does: the asset's run, and its rows read back."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import psycopg

from relore_assets.bench import sets, store
from relore_assets.bench.benching import RUN_TAG, Benched, Wanted
from relore_assets.fetch import repos
from relore_assets.runs.inprocess import run
from relore_assets.runs.verbs import known, opened
from relore_serve.database import store_errors

if TYPE_CHECKING:
    from collections.abc import Callable

    from relore_assets.settings import Settings


def bench(
    settings: Settings, repo: str, wanted: Wanted, *, say: Callable[[str], object] | None = None
) -> Benched:
    """Materialise ``bench_runs`` for a repository; returns the run as it is kept.

    Raises as :func:`relore_assets.runs.verbs.derive` does, and:
        Unmeasurable, NotASet: the set must not be measured; no run was begun.
    """
    named = str(Path(wanted.named).absolute()) if sets.is_file(wanted.named) else wanted.named
    clone = str(Path(wanted.clone).absolute()) if wanted.clone else ""
    with opened(settings) as instance:
        name = known(instance, repo)
        with store_errors(), psycopg.connect(instance.database_url, autocommit=True) as conn:
            sets.held(conn, repos.known(conn, name), named, unfrozen=wanted.unfrozen)
        finished = run(
            instance.definitions,
            instance.dagster,
            ["bench_runs"],
            command="bench",
            partition=name,
            config={
                "ops": {
                    "bench_runs": {
                        "config": {
                            "set": named,
                            "systems": list(wanted.systems),
                            "clone": clone,
                            "ablate": wanted.ablate,
                            "unfrozen": wanted.unfrozen,
                            "again": wanted.again,
                            "accept": wanted.accept,
                        }
                    }
                }
            },
            say=say,
        )
        told = instance.dagster.get_run_by_id(finished.run_id)
        kept = told.tags.get(RUN_TAG) if told else None
        with store_errors(), psycopg.connect(instance.database_url, autocommit=True) as conn:
            runs = store.run(conn, repos.known(conn, name).id, kept) if kept else []
    return Benched(tuple(runs), finished.rows_written())
