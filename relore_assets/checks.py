"""What must hold after a materialisation, or whatever stands downstream is not run.

A check looks at the repositories of its run; outside a run, at all of them.
"""

from datetime import UTC, date, datetime
from typing import Any

import dagster as dg
import psycopg

from relore_assets.derive.derive import RULE_VERSIONS
from relore_assets.fetch import repos
from relore_assets.fetch.redact import contains_secret
from relore_assets.fetch.repos import Repo
from relore_assets.resources import Store
from relore_assets.windows import end_of
from relore_serve import sql
from relore_serve.status.accounts import accounts

QUERIES = sql.load("relore_assets", "checks.sql")


@dg.asset_check(asset="raw_objects", blocking=True)
def everything_stated_is_collected(
    context: dg.AssetCheckExecutionContext, store: Store
) -> dg.AssetCheckResult:
    """Every object that the source holds is staged, skipped for a stated reason, or named as unreadable."""
    unexplained: dict[str, int] = {}
    with store.connect() as conn:
        for repo in _in_question(context, conn):
            for account in accounts(conn, [repo.id]).get(repo.id, []):
                if account.unexplained:
                    unexplained[f"{repo.full_name} {account.kind}"] = account.unexplained
    return dg.AssetCheckResult(
        passed=not unexplained,
        description="; ".join(f"{what}: {count} unexplained" for what, count in unexplained.items()),
        metadata={"unexplained": sum(unexplained.values())},
    )


@dg.asset_check(asset="raw_objects", blocking=False)
def no_orphans(context: dg.AssetCheckExecutionContext, store: Store) -> dg.AssetCheckResult:
    """Objects whose issue or pull request is not staged: deleted or moved away at the source, and not derived."""
    objects = numbers = 0
    with store.connect() as conn:
        for repo in _in_question(context, conn):
            found = _row(conn, "orphans", repo.id)
            objects, numbers = objects + found[0], numbers + found[1]
    return dg.AssetCheckResult(
        passed=objects == 0,
        severity=dg.AssetCheckSeverity.WARN,
        description=f"{objects} objects under {numbers} numbers wait for a head" if objects else "",
        metadata={"objects": objects, "numbers": numbers},
    )


@dg.asset_check(asset="threads", blocking=True)
def every_head_is_a_thread(context: dg.AssetCheckExecutionContext, store: Store) -> dg.AssetCheckResult:
    """Staged heads and threads are the same numbers, and no document hangs on another repository's thread."""
    missing: dict[str, str] = {}
    underived_heads = foreign = 0
    with store.connect() as conn:
        for repo in _in_question(context, conn):
            underived, strangers = _row(conn, "underived", repo.id, **_span(context))
            foreign += strangers
            underived_heads += underived
            if underived:
                reason = conn.execute(QUERIES["derive_error"], {"repo_id": repo.id}).fetchone()
                missing[repo.full_name] = f"{underived} heads without a thread" + (
                    f" ({reason[0]})" if reason else ""
                )
    return dg.AssetCheckResult(
        passed=not missing and not foreign,
        description="; ".join(f"{name}: {what}" for name, what in missing.items()),
        metadata={"underived": underived_heads, "documents_of_other_repositories": foreign},
    )


@dg.asset_check(asset="documents", blocking=True)
def no_secret_is_left(context: dg.AssetCheckExecutionContext, store: Store) -> dg.AssetCheckResult:
    """No text that this run wrote holds what redaction should have replaced. Says where, never what."""
    places: list[str] = []
    read = 0
    with store.connect() as conn:
        since = _started(context)
        for repo in _in_question(context, conn):
            with conn.transaction(), conn.cursor("written_texts") as texts:
                texts.execute(QUERIES["written_texts"], {"repo_id": repo.id, "since": since})
                for number, source_type, source_id, text in texts:
                    read += 1
                    if contains_secret(text):
                        places.append(f"{repo.full_name}#{number} {source_type} {source_id}")
    return dg.AssetCheckResult(
        passed=not places,
        description="; ".join(places[:20]),
        metadata={"texts_read": read, "texts_with_secrets": len(places)},
    )


@dg.asset_check(asset="signals", blocking=True)
def rules_are_current(context: dg.AssetCheckExecutionContext, store: Store) -> dg.AssetCheckResult:
    """Rows were written with the rules that questions are read with."""
    drift: list[str] = []
    with store.connect() as conn:
        for repo in _in_question(context, conn):
            stored = dict(conn.execute(QUERIES["rules"], {"repo_id": repo.id}).fetchall())
            drift += [
                f"{repo.full_name}: {rule} {stored[rule]}, now {version}"
                for rule, version in RULE_VERSIONS.items()
                if stored.get(rule, version) != version
            ]
    return dg.AssetCheckResult(
        passed=not drift,
        description="; ".join(drift) + ("; derive all windows again" if drift else ""),
        metadata={"stale_rules": len(drift)},
    )


@dg.asset_check(asset="authors", blocking=True)
def somebody_has_standing(context: dg.AssetCheckExecutionContext, store: Store) -> dg.AssetCheckResult:
    """Where pull requests were merged, somebody merged them: an empty authoritative tier is then a fault."""
    empty: list[str] = []
    unresolved = 0
    with store.connect() as conn:
        for repo in _in_question(context, conn):
            merged, people, waiting = _row(conn, "standing", repo.id)
            unresolved += waiting
            if merged and not people:
                empty.append(f"{repo.full_name}: {merged} merged pull requests, nobody with standing")
    return dg.AssetCheckResult(
        passed=not empty, description="; ".join(empty), metadata={"unresolved_intervals": unresolved}
    )


@dg.asset_check(asset="precedents", blocking=True)
def every_finished_pull_request_is_a_unit(
    context: dg.AssetCheckExecutionContext, store: Store
) -> dg.AssetCheckResult:
    """Each closed pull request is one unit of work, no other is, and no unit reaches into another repository."""
    missing = surplus = foreign = 0
    with store.connect() as conn:
        for repo in _in_question(context, conn):
            found = _row(conn, "precedents", repo.id)
            missing, surplus, foreign = missing + found[0], surplus + found[1], foreign + found[2]
    return dg.AssetCheckResult(
        passed=not (missing or surplus or foreign),
        metadata={"without_a_unit": missing, "unfinished": surplus, "of_other_repositories": foreign},
    )


@dg.asset_check(asset="bench_runs", blocking=True)
def ranking_is_no_worse(context: dg.AssetCheckExecutionContext, store: Store) -> dg.AssetCheckResult:
    """No slice of a set has fallen below what it was when a run was accepted; see `relore_assets.report.regression`.

    Where no run is accepted there is nothing to fall below: that passes, and is said.
    """
    from relore_assets.report import verdicts  # noqa: PLC0415 - computes, and loads what that needs

    found: list[verdicts.Verdict] = []
    with store.connect() as conn:
        for repo in _in_question(context, conn):
            found += verdicts.of(conn, repo)
    passed = not any(each.worse for each in found)
    nothing_to_hold = passed and not any(each.accepted for each in found)
    return dg.AssetCheckResult(
        passed=passed,
        severity=dg.AssetCheckSeverity.WARN if nothing_to_hold else dg.AssetCheckSeverity.ERROR,
        description=" ".join(each.said for each in found) or "Nothing has been measured.",
        metadata={
            "worse": sum(len(each.worse) for each in found),
            "moved": sum(len(each.moved) for each in found),
        },
    )


checks = [
    everything_stated_is_collected,
    no_orphans,
    every_head_is_a_thread,
    no_secret_is_left,
    rules_are_current,
    somebody_has_standing,
    every_finished_pull_request_is_a_unit,
    ranking_is_no_worse,
]


def _keys(context: dg.AssetCheckExecutionContext) -> list[str]:
    """Return the run's partition key, or the first and last of its range; nothing outside a partitioned run."""
    tags = context.run.tags
    names = ("dagster/partition", "dagster/asset_partition_range_start", "dagster/asset_partition_range_end")
    return [tags[name] for name in names if name in tags]


def _in_question(context: dg.AssetCheckExecutionContext, conn: psycopg.Connection) -> list[Repo]:
    """Return the repositories of the run's partitions; all of them outside a run of one repository."""
    named = {key.rpartition("|")[0] or key for key in _keys(context)}
    return [repo for repo in repos.every(conn) if len(named) != 1 or repo.full_name in named]


def _span(context: dg.AssetCheckExecutionContext) -> dict[str, date]:
    """Return the first day of the run's windows and the first day after them; all time outside windows."""
    found = sorted(date.fromisoformat(key.rpartition("|")[2]) for key in _keys(context) if "|" in key)
    return (
        {"since": found[0], "until": end_of(found[-1])} if found else {"since": date.min, "until": date.max}
    )


def _started(context: dg.AssetCheckExecutionContext) -> datetime:
    """Return when the run began; outside a recorded run, a time before everything."""
    record = context.instance.get_run_record_by_id(context.run.run_id)
    return record.create_timestamp if record is not None else datetime(1970, 1, 1, tzinfo=UTC)


def _row(conn: psycopg.Connection, query: str, repo_id: int, **more: object) -> tuple[Any, ...]:
    row = conn.execute(QUERIES[query], {"repo_id": repo_id, **more}).fetchone()
    assert row is not None  # noqa: S101 - an aggregate always has a row
    return row
