"""Fetches a declared part of a history: threads that changed since a floor, each whole.

The list is walked upwards from the floor and every thread on it is fetched by itself, with all its comments, however
old: filtering comments by date would leave threads half told. Where issues are disabled there is only the list of pull
requests, which is walked down to the floor. The floor is recorded before the first request, so that
a sample that was interrupted never looks like a whole history.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import islice
from typing import TYPE_CHECKING, Literal

from relore_assets import books
from relore_assets.errors import ReloreError
from relore_assets.fetch.archives import found
from relore_assets.fetch.archives.found import Raw
from relore_assets.fetch.github.errors import Gone
from relore_assets.fetch.passes import storing, walks
from relore_assets.fetch.passes.refresh import BATCH, WholeThreads
from relore_assets.fetch.passes.storing import SQL
from relore_assets.fetch.passes.window import OVERLAP
from relore_assets.fetch.staging import Stage, StageResult
from relore_assets.windows import FIRST_WINDOW

if TYPE_CHECKING:
    from collections.abc import Iterator

    from psycopg import Connection

    from relore_assets.fetch.github.client import GitHub
    from relore_assets.fetch.repos import Repo

MARKS = "sample"

Kind = Literal["issue", "pr"]


class BadSample(ReloreError):
    """A sample was asked for that cannot be."""

    exit_code = 2  # of a command line that is wrong


@dataclass(frozen=True)
class Sample:
    """What belongs to a sample: threads of a kind that changed at or after the floor."""

    kind: Kind
    floor: datetime
    merged_only: bool = False

    def __post_init__(self) -> None:
        if self.merged_only and self.kind != "pr":
            raise BadSample("Only pull requests are merged: give --kind pr with --merged.")

    @property
    def pass_name(self) -> str:
        """The name of its mark in ``sync_state``."""
        return f"{MARKS}:{self.kind}{':merged' if self.merged_only else ''}"

    @property
    def words(self) -> str:
        """What it is, for people."""
        if self.kind == "issue":
            return "issues"
        return "merged pull requests" if self.merged_only else "pull requests"

    def takes(self, head: Raw) -> bool:
        """Return whether a thread belongs to it."""
        stub = head.payload if head.kind == found.PULL else head.payload.get("pull_request")
        if (self.kind == "pr") != bool(stub):
            return False
        return not self.merged_only or bool(stub and stub.get("merged_at"))


@dataclass
class SampleResult:
    """What a sample did.

    Attributes:
        staged: what became of everything that was read. seen: threads on the list. selected: those that belong to it.
        current: of these, held whole as they are. sampled: fetched. capped: whether it ended at the limit.
        issues_disabled: GitHub serves no issues there.
    """

    staged: StageResult
    seen: int = 0
    selected: int = 0
    current: int = 0
    sampled: int = 0
    capped: bool = False
    issues_disabled: bool = False


def declare(conn: Connection, repo_id: int, sample: Sample) -> None:
    """Record a sample's floor: from now on the history counts as a part of one."""
    conn.execute(
        SQL["declare_sample"],
        {
            "repo_id": repo_id,
            "kind": sample.kind,
            "merged_only": sample.merged_only,
            "floor": sample.floor,
        },
    )


def fetch_sample(
    conn: Connection, client: GitHub, repo: Repo, sample: Sample, *, limit: int | None = None
) -> SampleResult:
    """Fetch a sample. Run again it goes on from its mark; with an older floor, from that floor.

    Args:
        conn: the owner's connection, in autocommit mode.
        client: asks GitHub, and tells its activity how far it is.
        repo: the repository.
        sample: what belongs to it.
        limit: threads to fetch at most; those held as they are do not count.

    Raises:
        Gone: issues were asked for, and are disabled there.
        GitHubError: what was committed stays.
    """
    declare(conn, repo.id, sample)
    with storing.alone(conn, repo.id):
        stage = Stage(conn, repo.id, marks=MARKS, source="api", windows=())
        run = _Sampling(conn, client, repo, sample, stage)
        try:
            run.walk(limit)
            stage.end()
        except Exception as error:
            if not conn.broken:
                stage.fail(error)
                books.add_up(conn, repo.id)
            raise
        books.add_up(conn, repo.id)
    return run.result


class _Sampling:
    def __init__(self, conn: Connection, client: GitHub, repo: Repo, sample: Sample, stage: Stage) -> None:
        self.result = SampleResult(stage.result)
        self._conn = conn
        self._client = client
        self._repo = repo
        self._sample = sample
        self._reader = WholeThreads(conn, client, repo, stage)

    def walk(self, limit: int | None) -> None:
        """Walk the list from the mark, and fetch what belongs to the sample."""
        since, name = self._since(), self._repo.full_name
        try:
            self._walk(walks.ascending(self._client, name, found.ISSUE, since=since), since, limit)
        except Gone as error:
            if not error.disabled:
                raise
            if self._sample.kind == "issue":
                raise Gone(
                    f"Issues are disabled in {name}, so there are none to sample; its pull requests are there: "
                    "give --kind pr.",
                    disabled=True,
                ) from error
            self.result.issues_disabled = True
            self._walk(walks.pulls_descending(self._client, name, since=since), since, limit)

    def _walk(self, steps: Iterator[walks.Step], since: datetime, limit: int | None) -> None:
        result = self.result
        reached = since
        for step in steps:
            heads = [item for item in step.items if isinstance(item, Raw)]
            result.seen += len(heads)
            chosen = [head for head in heads if self._sample.takes(head)]
            result.selected += len(chosen)
            stale = self._stale(chosen)
            result.current += len(chosen) - len(stale)
            for batch in _slices(stale):
                room = len(batch) if limit is None else limit - result.sampled
                self._reader.read(batch[:room])
                result.sampled += len(batch[:room])
                self._client.activity.doing(f"threads of the sample, {result.sampled:,}")
                self._client.activity.progress(result.sampled)
                if room < len(batch):
                    result.capped = True
                    # Walked downwards, what lies below the limit is still to come.
                    before = reached if result.issues_disabled else _before(batch[room], reached)
                    self._mark(before, ended=False)
                    return
            reached = step.reached or reached
            self._mark(reached, ended=step.last)

    def _since(self) -> datetime:
        """Return where to begin: at the mark, unless that belongs to a younger floor."""
        row = self._conn.execute(
            SQL["sample_mark"], {"repo_id": self._repo.id, "pass": self._sample.pass_name}
        ).fetchone()
        if row is None or row[0] is None or row[1] is None or row[1] > self._sample.floor:
            return self._sample.floor
        return max(row[0] - OVERLAP, self._sample.floor)

    def _stale(self, heads: list[Raw]) -> list[Raw]:
        """Return the threads that are not held whole as they are."""
        values = {"repo_id": self._repo.id, "numbers": [head.thread_number for head in heads]}
        held = dict(self._conn.execute(SQL["held"], values).fetchall())
        return [
            head
            for head in heads
            if head.thread_number not in held
            or head.updated_at is None
            or held[head.thread_number] < head.updated_at
        ]

    def _mark(self, cursor: datetime, *, ended: bool) -> None:
        self._conn.execute(
            SQL["move_sample_mark"],
            {
                "repo_id": self._repo.id,
                "pass": self._sample.pass_name,
                "cursor": cursor,
                "floor": self._sample.floor,
                "ended": ended,
            },
        )


def _before(head: Raw, otherwise: datetime) -> datetime:
    return head.updated_at or otherwise


def _slices(heads: list[Raw]) -> Iterator[list[Raw]]:
    entries = iter(heads)
    while batch := list(islice(entries, BATCH)):
        yield batch


def midnight_of(text: str) -> datetime:
    """Read a floor: a day, or a moment with its zone.

    Raises:
        BadSample: it is neither.
    """
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        raise BadSample(f"{text!r} is no date: give one like 2024-07-01.") from None
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=UTC)
    moment = moment.astimezone(UTC)
    if moment.year < FIRST_WINDOW.year or moment > datetime.now(UTC):
        raise BadSample(
            f"{text} is no day on which anything at GitHub can have changed: give one since 2008, up to now."
        )
    return moment
