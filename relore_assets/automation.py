"""What happens without being asked: news is fetched, what went is removed, standing is looked up, inputs are followed.

The sensor asks GitHub only whether anything moved, which costs nothing while nothing does; all fetching is done by
runs. Sensors and schedules look at the repositories that are fetched from GitHub when they tick, and at nothing when
definitions load.
"""

import json
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from datetime import UTC, datetime
from time import sleep
from typing import Any, cast

import dagster as dg
import psycopg

from relore_assets.authority.assets import ASKING
from relore_assets.errors import ReloreError
from relore_assets.fetch import repos
from relore_assets.fetch.current.heads import Heads, from_json, to_json
from relore_assets.fetch.current.poll import Due, due
from relore_assets.fetch.github.client import GitHub, Timeouts
from relore_assets.fetch.github.errors import Unavailable
from relore_assets.fetch.repos import Repo
from relore_assets.partitions import repos as repo_partitions
from relore_assets.report.runs import with_a_frozen_set
from relore_assets.resources import Store
from relore_assets.runs.polls import asked, is_running, may_ask, request
from relore_assets.settings import Settings
from relore_serve.database import StoreError

POLL_EVERY_SECONDS = 300

#: What a poll brings up to date. Standing follows when staged objects have moved.
POLLED = (
    "raw_objects",
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

#: What a measurement is made of, from the record to the page.
MEASURED = ("candidates", "judgements", "bench_runs", "bench_report")

#: Repositories that are looked at side by side, so that a tick takes as long as one of them.
LOOKS = 8

#: Seconds that a look waits for anything: a tick must not outlast its own limit, and the next one comes soon.
PATIENCE = 2.0

#: Evaluates the assets' automation conditions. Dagster's own default sensor would be created stopped.
automation_sensor = dg.AutomationConditionSensorDefinition(
    name="follow_upstream",
    target=dg.AssetSelection.all(),
    default_status=dg.DefaultSensorStatus.RUNNING,
    minimum_interval_seconds=60,
)


@dg.sensor(
    name="poll_github",
    target=dg.AssetSelection.assets(*POLLED),
    minimum_interval_seconds=POLL_EVERY_SECONDS,
    default_status=dg.DefaultSensorStatus.RUNNING,
    description="Asks GitHub whether anything moved in the repositories fetched from it, and fetches what did.",
)
def poll_github(context: dg.SensorEvaluationContext, store: Store) -> dg.SensorResult:
    """Look at every repository, and ask for a run where something waits and none is under way."""
    seen = _cursor(context.cursor)
    requests: list[dg.RunRequest] = []
    said: list[str] = []
    known = _from_github(store)
    try:
        looks = _look(store, known, seen) if known else {}
    except ReloreError as error:
        return dg.SensorResult(skip_reason=str(error), cursor=context.cursor)
    for repo in known:
        look = looks[repo.full_name]
        if isinstance(look, Exception):
            said.append(f"{repo.full_name}: {_sentence(look)}")
            continue
        seen[repo.full_name] = look.heads
        if not look.windows:
            continue
        before = asked(context.instance, repo.full_name, look.watermark)
        if is_running(context.instance, repo.full_name):
            said.append(f"{repo.full_name}: something moved, and a poll is under way")
        elif not may_ask(before, datetime.now(UTC)):
            said.append(
                f"{repo.full_name}: {before.runs} runs have not fetched what moved; the next one waits"
            )
        else:
            requests.append(request(repo.full_name, look.windows, look.watermark, before, POLLED))
    for line in said:
        context.log.warning(line)
    names = [repo.full_name for repo in known]
    return dg.SensorResult(
        run_requests=requests,
        skip_reason=None if requests else "; ".join(said) or _nothing(names),
        cursor=json.dumps({name: to_json(heads) for name, heads in sorted(seen.items()) if name in names}),
        dynamic_partitions_requests=[repo_partitions.build_add_request(names)] if requests else [],
    )


@dg.schedule(
    name="sweep_weekly",
    cron_schedule="17 3 * * 0",
    target=dg.AssetSelection.assets("tombstones"),
    default_status=dg.DefaultScheduleStatus.RUNNING,
    description="Removes what is at GitHub no more, which nothing else tells of.",
)
def sweep_weekly(
    context: dg.ScheduleEvaluationContext, store: Store
) -> Iterator[dg.RunRequest | dg.SkipReason]:
    """Ask for a sweep of every repository that is fetched from GitHub."""
    yield from _weekly(context, store, {})


@dg.schedule(
    name="authority_weekly",
    cron_schedule="47 4 * * 0",
    target=dg.AssetSelection.assets("authors"),
    default_status=dg.DefaultScheduleStatus.RUNNING,
    description="Asks GitHub for the permissions of people whose last answer is old.",
)
def authority_weekly(
    context: dg.ScheduleEvaluationContext, store: Store
) -> Iterator[dg.RunRequest | dg.SkipReason]:
    """Ask for standing to be looked up in every repository that is fetched from GitHub."""
    yield from _weekly(context, store, ASKING)


@dg.schedule(
    name="bench_weekly",
    cron_schedule="17 5 * * 0",
    target=dg.AssetSelection.assets(*MEASURED),
    # Minutes of a core per repository, and nothing of it changes an answer: who tunes or develops starts it.
    default_status=dg.DefaultScheduleStatus.STOPPED,
    description="Measures retrieval anew on every frozen set, and reports it unless the ranking has become worse.",
)
def bench_weekly(
    context: dg.ScheduleEvaluationContext, store: Store
) -> Iterator[dg.RunRequest | dg.SkipReason]:
    """Ask for a measurement of every repository that has a frozen set of questions."""
    with store.connect() as conn:
        names = with_a_frozen_set(conn)
    yield from _each(context, names, {}, otherwise="no repository has a frozen set of questions")


sensors = [automation_sensor, poll_github]
schedules = [sweep_weekly, authority_weekly, bench_weekly]


def _weekly(
    context: dg.ScheduleEvaluationContext, store: Store, config: dict[str, Any]
) -> Iterator[dg.RunRequest | dg.SkipReason]:
    names = [repo.full_name for repo in _from_github(store)]
    yield from _each(context, names, config, otherwise="no repository is fetched from GitHub")


def _each(
    context: dg.ScheduleEvaluationContext, names: list[str], config: dict[str, Any], *, otherwise: str
) -> Iterator[dg.RunRequest | dg.SkipReason]:
    """Ask for one run per repository and week; where there is none, say why."""
    if not names:
        yield dg.SkipReason(otherwise)
        return
    context.instance.add_dynamic_partitions("repos", names)
    week = context.scheduled_execution_time.date().isoformat()
    for name in names:
        yield dg.RunRequest(run_key=f"{name} {week}", partition_key=name, run_config=config)


def _from_github(store: Store) -> list[Repo]:
    with store.connect() as conn:
        return repos.every_from_github(conn)


def _look(store: Store, known: list[Repo], seen: dict[str, Heads]) -> dict[str, Due | Exception]:
    """Look at repositories side by side; what one fails with is its own."""
    settings = Settings.from_env().github()

    def one(repo: Repo) -> Due | Exception:
        try:
            with psycopg.connect(store.address(), autocommit=True) as conn:
                return due(conn, client, repo, seen.get(repo.full_name, {}))
        except (ReloreError, StoreError, psycopg.Error) as error:
            return error

    with ExitStack() as stack:
        client = stack.enter_context(
            GitHub(
                settings.base,
                settings.tokens,
                sleep=_briefly,
                timeouts=Timeouts(connect=5.0, read=10.0, total=20.0),
                patience=PATIENCE,
            )
        )
        pool = stack.enter_context(ThreadPoolExecutor(min(LOOKS, len(known))))
        return dict(zip((repo.full_name for repo in known), pool.map(one, known), strict=True))


def _briefly(seconds: float) -> None:
    """Wait, but not long: whoever looks again in five minutes need not wait for GitHub now."""
    if seconds > PATIENCE:
        raise Unavailable("GitHub did not answer at once; the next tick asks again.")
    sleep(seconds)


def _cursor(text: str | None) -> dict[str, Heads]:
    """Read the cursor; one of another make is nothing seen."""
    try:
        value = json.loads(text or "{}")
    except ValueError:
        return {}
    entries = cast("dict[str, Any]", value if isinstance(value, dict) else {})
    return {name: from_json(heads) for name, heads in entries.items()}


def _nothing(names: list[str]) -> str:
    return "nothing moved" if names else "no repository is fetched from GitHub"


def _sentence(error: Exception) -> str:
    return str(error) if isinstance(error, ReloreError | StoreError) else type(error).__name__
