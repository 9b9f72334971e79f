"""What five repositories with all their windows cost Dagster: loading, ticks, and what the asset page asks for.

    python benchmarks/partitions.py [--repositories 5]

Where RELORE_HOME is set, an instance that was made there is used again.

Makes an instance of its own in an embedded Postgres, records a materialisation of every partition of every asset,
starts Dagster's web server, and prints seconds.
"""

from __future__ import annotations

import argparse
import json
import logging
import os
import subprocess
import sys
import tempfile
import time
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.request import Request, urlopen

if TYPE_CHECKING:
    from collections.abc import Generator

PAGE = """
query AssetPage($key: AssetKeyInput!) {
  assetNodeOrError(assetKey: $key) {
    ... on AssetNode {
      id groupName description isMaterializable isPartitioned kinds
      partitionDefinition { description }
      partitionStats { numMaterialized numPartitions numFailed numMaterializing }
      partitionKeysByDimension { name type partitionKeys }
      assetPartitionStatuses {
        ... on MultiPartitionStatuses { primaryDimensionName ranges { primaryDimStartKey primaryDimEndKey } }
      }
      assetMaterializations(limit: 1) { runId timestamp }
      dependencyKeys { path }
      dependedByKeys { path }
    }
  }
  assetOrError(assetKey: $key) {
    ... on Asset { id assetMaterializations(limit: 100) { runId partition timestamp } }
  }
}
"""


@contextmanager
def timed(what: str) -> Generator[None]:
    """Print how long something took, how long this process worked for it, and how busy the machine was."""
    began, worked = time.perf_counter(), time.process_time()
    yield
    print(
        f"{what:<58} {time.perf_counter() - began:6.2f} s, processor {time.process_time() - worked:5.2f} s, "
        f"load {os.getloadavg()[0]:.1f}",
        flush=True,
    )


def materialise(repositories: int) -> None:
    """Record every partition of every windowed asset, as a backfill of all of them does."""
    import dagster as dg  # noqa: PLC0415 - after the environment

    from relore_assets.partitions import all_windows, key  # noqa: PLC0415
    from relore_assets.runs.verbs import DERIVED  # noqa: PLC0415

    names = [f"harbor/tide{number}" for number in range(1, repositories + 1)]
    windows = all_windows(datetime.now(UTC))
    with dg.DagsterInstance.get() as instance:
        if instance.get_dynamic_partitions("repos") == names:
            print("made by an earlier run", flush=True)
            return
        for asset in ("raw_objects", *DERIVED):
            for name in names:
                for window in windows:
                    instance.report_runless_asset_event(
                        dg.AssetMaterialization(asset, partition=key(name, window))
                    )
        instance.add_dynamic_partitions("repos", names)
    print(
        f"{repositories} repositories x {len(windows)} windows x {1 + len(DERIVED)} assets materialised",
        flush=True,
    )


def ask(port: int, query: str, **variables: Any) -> dict[str, Any]:
    """Send a query to the web server."""
    body = json.dumps({"query": query, "variables": variables}).encode()
    request = Request(f"http://127.0.0.1:{port}/graphql", body, {"Content-Type": "application/json"})
    with urlopen(request, timeout=120) as answer:  # noqa: S310
        told = json.load(answer)
    if told.get("errors"):
        raise SystemExit(told["errors"][0]["message"])
    return told["data"]


@contextmanager
def webserver(port: int) -> Generator[None]:
    """Run Dagster's web server over our code location until it is left."""
    command = [
        sys.executable,
        "-m",
        "dagster_webserver",
        "-m",
        "relore_assets.definitions",
        "-h",
        "127.0.0.1",
        "-p",
        str(port),
    ]
    with tempfile.TemporaryFile() as output:
        process = subprocess.Popen(command, stdout=output, stderr=output)
        try:
            with timed("web server started, code location loaded"):
                _wait(port, process)
            yield
        finally:
            process.terminate()
            process.wait()


def _wait(port: int, process: subprocess.Popen[bytes]) -> None:
    while True:
        if process.poll() is not None:
            raise SystemExit("the web server did not start")
        try:
            locations = ask(
                port, "{ repositoriesOrError { ... on RepositoryConnection { nodes { name } } } }"
            )
        except OSError:
            time.sleep(0.2)
            continue
        if locations["repositoriesOrError"].get("nodes"):
            return


def ticks() -> None:
    """Evaluate both sensors once, with nothing new anywhere."""
    import dagster as dg  # noqa: PLC0415

    # As the daemon evaluates it. Dagster's own helper for tests asks Postgres for the repositories a hundred times.
    from dagster._core.definitions.asset_daemon_cursor import AssetDaemonCursor  # noqa: PLC0415
    from dagster._core.definitions.automation_tick_evaluation_context import (  # noqa: PLC0415
        AutomationTickEvaluationContext,
    )

    from relore_assets.automation import poll_github  # noqa: PLC0415
    from relore_assets.definitions import build  # noqa: PLC0415

    with timed("definitions built"):
        definitions = build()
    with dg.DagsterInstance.get() as instance:
        repository = definitions.get_repository_def()
        store = repository.get_top_level_resources()["store"]
        for which in ("first", "second"):
            context = dg.build_sensor_context(
                instance=instance, repository_def=repository, sensor_name="poll_github"
            )
            with context, timed(f"poll_github: {which} tick"):
                poll_github(context, store=store)
        cursor = AssetDaemonCursor.empty()
        for number, which in enumerate(("first", "second", "third, one partition moved"), 1):
            if number == 3:
                moved = dg.AssetMaterialization(
                    "raw_objects",
                    partition=instance.get_materialized_partitions(dg.AssetKey("raw_objects")).pop(),
                )
                instance.report_runless_asset_event(moved)
            with timed(f"follow_upstream: {which} tick"):
                requests, cursor, _ = AutomationTickEvaluationContext(
                    evaluation_id=number,
                    instance=instance,
                    asset_graph=repository.asset_graph,
                    cursor=cursor,
                    materialize_run_tags={},
                    observe_run_tags={},
                    auto_observe_asset_keys=set(),
                    asset_selection=dg.AssetSelection.all(),
                    logger=logging.getLogger("relore.benchmark"),
                    emit_backfills=True,
                ).evaluate()
            print(f"  runs asked for: {len(requests)}", flush=True)


def main() -> None:
    """Measure, and print."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--repositories", type=int, default=5)
    parser.add_argument("--port", type=int, default=3939)
    arguments = parser.parse_args()
    home = os.environ.get("RELORE_HOME") or tempfile.mkdtemp(prefix="relore-partitions-")
    os.environ["RELORE_HOME"] = home
    from relore_assets.settings import Settings  # noqa: PLC0415 - after the environment

    settings = Settings.from_env()
    settings.ensure_database()
    settings.prepare_dagster()
    print(f"state in {Path(home)}", flush=True)
    with timed("materialisations recorded"):
        materialise(arguments.repositories)
    ticks()
    with webserver(arguments.port):
        for asset in ("raw_objects", "documents", "authors"):
            for which in ("first", "second"):
                with timed(f"asset page of {asset}, all it asks for: {which} time"):
                    ask(arguments.port, PAGE, key={"path": [asset]})


if __name__ == "__main__":
    main()
