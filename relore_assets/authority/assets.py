"""Table ``authors`` as an asset: a thin shell over :mod:`.authors`, and over :mod:`.asking` where it may ask."""

import os
from collections import Counter
from typing import Any

import dagster as dg

from relore_assets.authority.asking import ask_github
from relore_assets.authority.authors import AuthorityResult, refresh
from relore_assets.authority.permissions import Asked
from relore_assets.columns import table_metadata
from relore_assets.fetch import repos
from relore_assets.fetch.github.errors import GitHubError
from relore_assets.partitions import by_repo
from relore_assets.partitions import repos as repo_partitions
from relore_assets.resources import Store
from relore_assets.settings import Settings

#: Run configuration of a pass that asks GitHub, for schedules.
ASKING = {"ops": {"authors": {"config": {"ask": True}}}}


class Authors(dg.Config):
    """Whether GitHub is asked for people's permissions: only on demand, so that deriving stays offline.

    `ask`: about everybody whose answer is missing or older than 30 days. `again`: whatever the age of the answer,
    and also of a repository that was imported from an archive.
    """

    ask: bool = False
    again: bool = False


@dg.asset(
    name="authors",
    group_name="authority",
    partitions_def=repo_partitions,
    deps=[dg.AssetDep("raw_objects", partition_mapping=by_repo)],
    kinds={"postgres", "python"},
    owners=["team:relore"],
    metadata=table_metadata("authors"),
    code_version="2",
    backfill_policy=dg.BackfillPolicy.single_run(),
    automation_condition=(
        dg.AutomationCondition.any_deps_updated() & ~dg.AutomationCondition.in_progress()
    ).with_label("staged objects moved"),
)
def authors(context: dg.AssetExecutionContext, config: Authors, store: Store) -> dg.MaterializeResult[Any]:
    """Who had write access when, from dated acts and GitHub's own answers; and every document's tier.

    An account that is on the team but was never seen to use its access stays `unresolved`: neither a maintainer's word
    nor a stranger's. Accounts of bots are `machine`, whatever they do.
    """
    counts: Counter[str] = Counter()
    bots = configured_bots()
    failures: list[GitHubError] = []
    with store.connect() as conn:
        for name in context.partition_keys:
            repo = repos.known(conn, name)
            if config.ask or config.again:
                try:
                    asked = ask_github(
                        Settings.from_env(),
                        store.address(),
                        conn,
                        repo,
                        run_id=context.run.run_id,
                        again=config.again,
                        configured_bots=bots,
                    )
                except GitHubError as failure:
                    # What was answered before still counts, and so does what people did.
                    failures.append(failure)
                else:
                    context.log.info(_told(name, asked))
                    counts.update(_asked(asked))
            with conn.transaction():
                counts.update(_found(refresh(conn, repo.id, configured_bots=bots)))
    if failures:
        raise failures[0]
    return dg.MaterializeResult(metadata=dict(counts))


def configured_bots() -> frozenset[str]:
    """Return the logins that the operator declares to be machines: RELORE_BOT_ACCOUNTS, separated by commas."""
    declared = os.environ.get("RELORE_BOT_ACCOUNTS", "")
    return frozenset(login.strip().lower() for login in declared.split(",") if login.strip())


def _found(found: AuthorityResult) -> dict[str, int]:
    people = {
        f"people_{tier}": found.people.get(tier, 0) for tier in ("authoritative", "unresolved", "machine")
    }
    return {
        "intervals": found.intervals,
        "rows_written": found.written,
        "documents_moved": found.documents_moved,
        **people,
        **{f"by_{reason}": number for reason, number in found.reasons.items()},
        **{f"documents_{tier}": number for tier, number in found.documents.items()},
    }


def _asked(asked: Asked) -> dict[str, int]:
    return {
        "candidates": asked.candidates,
        "permissions_fresh": asked.fresh,
        "permissions_answered": asked.answered,
        "permissions_changed": asked.changed,
        "permissions_failed": len(asked.failed),
    }


def _told(name: str, asked: Asked) -> str:
    parts = [
        f"{name}: {asked.candidates:,} people may have write access",
        f"{asked.fresh:,} answers are fresh",
        f"{asked.answered:,} were asked for, {asked.changed:,} of them new",
    ]
    if asked.failed:
        login, why = next(iter(asked.failed.items()))
        parts.append(f"{len(asked.failed):,} failed, {login} first: {why}")
    if asked.refused:
        parts.append(f"{asked.refused} - standing rests on recorded acts there")
    return "; ".join(parts)
