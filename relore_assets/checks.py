"""What must hold after a materialisation, or whatever stands downstream is not run.

A check looks at the repositories of its run; outside a run, at all of them.
"""

import re
from typing import Any

import dagster as dg
import psycopg

from relore_assets.derive.derive import RULE_VERSIONS
from relore_assets.fetch import repos
from relore_assets.fetch.redact import BEGINNINGS, contains_secret
from relore_assets.fetch.repos import Repo
from relore_assets.resources import Store
from relore_serve import sql
from relore_serve.status.accounts import accounts

QUERIES = sql.load("relore_assets", "checks.sql")

#: Every way in which a secret can begin, for Postgres to sort out the texts worth reading.
_BEGINNINGS = "|".join(re.escape(each) for each in BEGINNINGS)


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
    missing: dict[str, int] = {}
    foreign = 0
    with store.connect() as conn:
        for repo in _in_question(context, conn):
            underived, strangers = _row(conn, "underived", repo.id)
            foreign += strangers
            # A run over some windows leaves the others' threads for their own runs.
            if underived and _covers_everything(context):
                missing[repo.full_name] = underived
    return dg.AssetCheckResult(
        passed=not missing and not foreign,
        description="; ".join(f"{name}: {count} heads without a thread" for name, count in missing.items()),
        metadata={"underived": sum(missing.values()), "documents_of_other_repositories": foreign},
    )


@dg.asset_check(asset="documents", blocking=True)
def no_secret_is_left(context: dg.AssetCheckExecutionContext, store: Store) -> dg.AssetCheckResult:
    """No body, title or label holds what redaction should have replaced. Says where, never what."""
    places: list[str] = []
    with store.connect() as conn:
        for repo in _in_question(context, conn):
            scope = {"repo_id": repo.id, "beginnings": _BEGINNINGS}
            for number, source_type, source_id, body in conn.execute(QUERIES["suspicious_documents"], scope):
                if contains_secret(body):
                    places.append(f"{repo.full_name}#{number} {source_type} {source_id}")
            for number, text in conn.execute(QUERIES["suspicious_titles"], scope):
                if contains_secret(text):
                    places.append(f"{repo.full_name}#{number} title or label")
    return dg.AssetCheckResult(
        passed=not places, description="; ".join(places[:20]), metadata={"places": len(places)}
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


checks = [
    everything_stated_is_collected,
    no_orphans,
    every_head_is_a_thread,
    no_secret_is_left,
    rules_are_current,
    somebody_has_standing,
]


def _in_question(context: dg.AssetCheckExecutionContext, conn: psycopg.Connection) -> list[Repo]:
    """Return the repositories of the run's partitions; all of them outside a partitioned run."""
    tags = context.run.tags
    keys = [tags.get(name) for name in ("dagster/partition", "dagster/asset_partition_range_start")]
    named = {each.rpartition("|")[0] or each for each in keys if each}
    end = tags.get("dagster/asset_partition_range_end")
    if end and end.rpartition("|")[0] not in named:
        named.clear()  # a range over several repositories: look at all
    return [repo for repo in repos.every(conn) if not named or repo.full_name in named]


def _covers_everything(context: dg.AssetCheckExecutionContext) -> bool:
    """Return whether the run's range begins with the first window: the verbs' runs, and whole backfills."""
    start = context.run.tags.get("dagster/asset_partition_range_start", "")
    return start.endswith("|2008-01-01")


def _row(conn: psycopg.Connection, query: str, repo_id: int) -> tuple[Any, ...]:
    row = conn.execute(QUERIES[query], {"repo_id": repo_id}).fetchone()
    assert row is not None  # noqa: S101 - an aggregate always has a row
    return row
