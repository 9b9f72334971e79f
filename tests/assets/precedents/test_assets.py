"""The assets are a thin shell: what they record is what was built."""

from __future__ import annotations

from typing import TYPE_CHECKING

import dagster as dg

from relore_assets.checks import QUERIES, every_finished_pull_request_is_a_unit
from relore_assets.precedents.assets import precedents
from relore_assets.precedents.build import build
from relore_assets.resources import Store

if TYPE_CHECKING:
    import psycopg
    from rows import History


def materialized(instance: dg.DagsterInstance, database_url: str, name: str) -> dg.ExecuteInProcessResult:
    instance.add_dynamic_partitions("repos", [name])
    return dg.materialize(
        [precedents, every_finished_pull_request_is_a_unit],
        instance=instance,
        partition_key=name,
        resources={"store": Store(url=database_url)},
    )


def test_a_materialisation_counts_what_is_held_and_what_was_written(
    conn: psycopg.Connection, database_url: str, history: History
) -> None:
    """Of its own repository alone; a second one writes nothing, and the check holds."""
    one, two = history.repo("harbor/tide"), history.repo("harbor/moor")
    for repo in (one, two):
        history.thread(repo, 1, "Sails", kind="pr", merged=True)
        history.thread(repo, 2, "Oars", kind="pr", state="closed")
    conn.commit()
    with dg.DagsterInstance.ephemeral() as instance:
        first = materialized(instance, database_url, one.name)
        again = materialized(instance, database_url, one.name)

    numbers = [
        {
            name: entry.value
            for name, entry in result.asset_materializations_for_node("precedents")[0].metadata.items()
        }
        for result in (first, again)
    ]
    assert {name: numbers[0][name] for name in ("units", "merged", "rejected", "rows_written")} == {
        "units": 2,
        "merged": 1,
        "rejected": 1,
        "rows_written": 2,
    }
    assert (numbers[1]["units"], numbers[1]["rows_written"]) == (2, 0)
    assert [check.passed for check in first.get_asset_check_evaluations()] == [True]
    assert conn.execute("SELECT DISTINCT repo_id FROM relore.precedents").fetchall() == [(one.id,)]


def test_the_check_finds_what_is_missing_and_what_is_too_much(
    conn: psycopg.Connection, history: History
) -> None:
    """A pull request that was finished after the build, and one that was reopened."""
    repo = history.repo("harbor/tide")
    history.thread(repo, 1, "Sails", kind="pr", merged=True)
    build(conn, repo.id)
    history.thread(repo, 2, "Oars", kind="pr", state="closed")
    conn.execute("UPDATE relore.threads SET state = 'open' WHERE number = 1")

    assert conn.execute(QUERIES["precedents"], {"repo_id": repo.id}).fetchone() == (1, 1, 0)
