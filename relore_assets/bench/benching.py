"""From a repository and the name of a set to rows: what the asset and the verb do, without either."""

from __future__ import annotations

from contextlib import closing
from dataclasses import dataclass
from typing import TYPE_CHECKING

from relore_assets.bench import corpus, sets, store
from relore_assets.bench.run import Run, measure
from relore_assets.bench.systems.choosing import chosen
from relore_assets.errors import ReloreError
from relore_serve.database import connect_reader, require_schema
from relore_serve.search.scope import Repo

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from psycopg import Connection

    from relore_assets.bench.results import SystemRun
    from relore_assets.fetch import repos
    from relore_assets.settings import Settings

RUN_TAG = "relore/bench_run"
"""Tags a run of Dagster's with the run of table ``bench_runs`` that says what it found: its own, or an earlier one."""
STATEMENT_TIMEOUT_MS = 10_000
"""What a statement may take, as where somebody waits for it: what takes longer is an empty answer, and told of."""


class IndexMoved(ReloreError):
    """The index was written to while systems were measured on it."""


@dataclass(frozen=True, slots=True)
class Wanted:
    """What is to be measured.

    Attributes:
        named: the set: a file, a name, or empty for the newest frozen one.
        systems: by name; none for all that can run here.
        clone: the folder that grep searches, where there is one.
        ablate: switch the parts of the ranking off besides.
        unfrozen: take a set that may still change.
        again: keep the run though it says what the last one said.
        accept: let later runs be held against this one.
    """

    named: str = ""
    systems: tuple[str, ...] = ()
    clone: str = ""
    ablate: bool = False
    unfrozen: bool = False
    again: bool = False
    accept: bool = False


@dataclass(frozen=True, slots=True)
class Benched:
    """A run as it is kept, and how many rows that took: none where the last one said the same."""

    runs: tuple[SystemRun, ...]
    rows_written: int


def bench(
    conn: Connection,
    url: str,
    repo: repos.Repo,
    wanted: Wanted,
    run: Run,
    *,
    settings: Settings,
    say: Callable[[str], object],
) -> Benched:
    """Measure, and write the rows of the run in one transaction.

    Args:
        conn: a session of the owner, which writes.
        url: where a reader's session is had, which measures.
        repo: the repository.
        wanted: what is to be measured.
        run: its name and time.
        settings: how GitHub is reached.
        say: told how far it is.

    Raises:
        Unmeasurable, NotASet, CannotRun, NoClone: nothing was measured.
        GitHubError: GitHub gave out on the way; nothing was written.
        IndexMoved: the index was written to meanwhile; nothing was written.
    """
    held = sets.held(conn, repo, wanted.named, unfrozen=wanted.unfrozen)
    with closing(connect_reader(url, statement_timeout_ms=STATEMENT_TIMEOUT_MS)) as reader:
        require_schema(reader)
        index = corpus.read(reader, Repo(repo.id, repo.full_name))
        with chosen(
            reader,
            # The same in every run over a set, or figures would drift with the calendar.
            held.frozen_at or run.started_at,
            wanted.systems,
            clone=wanted.clone,
            settings=settings,
            from_github=repo.source_kind == "api",
        ) as systems:
            runs = measure(reader, run, held, index, systems, ablate=wanted.ablate, say=say)
        if index.moved(reader):
            raise IndexMoved(
                f"The index of {repo.full_name} was written to while it was measured, so systems were not put the "
                "same: measure again when nothing else runs."
            )
    return _kept(conn, repo.id, runs, wanted)


def _kept(conn: Connection, repo_id: int, runs: Sequence[SystemRun], wanted: Wanted) -> Benched:
    """Write what differs from the last run of these systems, and accept what shall be accepted."""
    written = 0
    if runs:
        last = store.last(conn, repo_id, runs[0].set_name, [run.system for run in runs])
        if wanted.again or not store.same(last, sorted(runs, key=lambda run: run.system)):
            written = store.write(conn, repo_id, runs)
        else:
            runs = last
        if wanted.accept:
            store.accept(conn, repo_id, runs[0].run_id)
    return Benched(tuple(runs), written)
