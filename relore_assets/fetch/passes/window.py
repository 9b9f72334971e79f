"""Fetches windows of a repository: lists first, then in detail every thread that the windows touch.

Lists are walked once for neighbouring windows, and every page is stored together with the mark of how far the walk
has come. What is left to read in detail is asked of the store, not remembered. So a run that was stopped at any point
goes on from what is committed, and one that finds nothing new costs a request a list.

A window is complete in a list when something later than its end has been seen there. No clock is asked: what changes
in a repository changes now, so nothing is ever added to a window that GitHub has left behind.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from datetime import UTC, date, datetime, time, timedelta
from itertools import pairwise
from typing import TYPE_CHECKING

from psycopg.rows import class_row

from relore_assets import books
from relore_assets.fetch.archives import found
from relore_assets.fetch.github.errors import Gone
from relore_assets.fetch.passes import details as detailed
from relore_assets.fetch.passes import storing, walks
from relore_assets.fetch.passes.pulls import pulls
from relore_assets.fetch.passes.storing import SQL
from relore_assets.fetch.staging import Stage, StageResult
from relore_assets.windows import FIRST_WINDOW, end_of, window_of

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from psycopg import Connection

    from relore_assets.fetch.github.client import GitHub
    from relore_assets.fetch.passes.details import Detail, Totals
    from relore_assets.fetch.repos import Repo

MARKS = "fetch"

#: The lists, in the order in which they are walked: heads before what belongs to them.
KINDS = (found.ISSUE, found.ISSUE_COMMENT, found.REVIEW_COMMENT)

#: What has marks: the lists, and the list of pull requests, which stands in where there are no issues.
MARKED = (*KINDS, found.PULL)

#: A walk is taken up this long before its mark: GitHub's lists need not show a change in the second it is made.
OVERLAP = timedelta(seconds=60)

_EVER = datetime(1900, 1, 1, tzinfo=UTC)
_NEVER = datetime(9000, 1, 1, tzinfo=UTC)


@dataclass(frozen=True)
class Span:
    """Neighbouring windows that one walk covers, and where it begins; None: at the beginning of everything."""

    windows: tuple[date, ...]
    since: datetime | None

    @property
    def until(self) -> datetime:
        """The moment at which the last window ends."""
        return midnight(end_of(self.windows[-1]))


@dataclass(frozen=True)
class Unread:
    """A thread that has changed since it was read in detail."""

    number: int
    as_of: datetime
    is_pull: bool
    listed: bool


@dataclass
class FetchResult:
    """What a fetch did.

    Attributes:
        staged: what became of everything that was read. detailed: threads read in detail. missing: numbers that GitHub
        lists and does not give. issues_disabled: GitHub serves no issues, and pull requests were read without them.
        comments_stated, comments_collected: over the whole repository.
    """

    staged: StageResult
    detailed: int = 0
    missing: list[int] = field(default_factory=list[int])
    issues_disabled: bool = False
    comments_stated: int = 0
    comments_collected: int = 0


def midnight(day: date) -> datetime:
    """Return the moment at which a day begins."""
    return datetime.combine(day, time(), UTC)


def spans(windows: Collection[date], walked: dict[date, datetime]) -> list[Span]:
    """Return the walks that are left to do over one list.

    Args:
        windows: the windows asked for.
        walked: how far a walk has come in each window that one has reached.
    """
    left = [
        window
        for window in sorted(windows)
        if window not in walked or walked[window] < midnight(end_of(window))
    ]
    groups: list[list[date]] = []
    for window in left:
        if groups and end_of(groups[-1][-1]) == window:
            groups[-1].append(window)
        else:
            groups.append([window])
    return [Span(tuple(group), _beginning(group[0], walked.get(group[0]))) for group in groups]


def _beginning(window: date, walked: datetime | None) -> datetime | None:
    start = None if window <= FIRST_WINDOW else midnight(window)
    if walked is None:
        return start
    return walked - OVERLAP if start is None else max(start, walked - OVERLAP)


def fetch_windows(
    conn: Connection, client: GitHub, repo: Repo, windows: Collection[date], *, again: bool = False
) -> FetchResult:
    """Bring some windows of a repository up to date; waits for another fetch of the same repository.

    Args:
        conn: the owner's connection, in autocommit mode.
        client: asks GitHub, and tells its activity how far it is.
        repo: the repository, by the name that GitHub has for it.
        windows: first days of quarters.
        again: walk the lists from the beginning of each window, also where that was done.

    Raises:
        GitHubError: what was committed stays; fetching again goes on from there.
    """
    with storing.alone(conn, repo.id):
        stage = Stage(conn, repo.id, marks=MARKS, source="api", windows=windows)
        fetch = _Fetch(conn, client, repo, stage)
        try:
            for kind in KINDS:
                fetch.list(kind, windows, again=again)
            fetch.read(windows)
            if _everything(windows):
                conn.execute(SQL["end_samples"], {"repo_id": repo.id})
            stage.end()
        except Exception as error:
            if not conn.broken:
                stage.fail(error)
                books.add_up(conn, repo.id)
            raise
        books.add_up(conn, repo.id)
        row = conn.execute(SQL["comment_gap"], {"repo_id": repo.id}).fetchone()
        if row is not None:
            fetch.result.comments_stated, fetch.result.comments_collected = int(row[0]), int(row[1])
    return fetch.result


def _everything(windows: Collection[date]) -> bool:
    """Whether windows have no gap from the first there is to the one that is open."""
    ordered = sorted(windows)
    gapless = all(end_of(one) == other for one, other in pairwise(ordered))
    return gapless and ordered[0] <= FIRST_WINDOW and _is_open(ordered[-1])


def _is_open(window: date) -> bool:
    """Whether a window is not over. What is dated still later, by a clock that ran ahead, belongs to it too."""
    return midnight(end_of(window)) > datetime.now(UTC)


def walked(conn: Connection, repo_id: int, kind: str) -> dict[date, datetime]:
    """Return how far walks over a list have come, by window."""
    rows = conn.execute(SQL["walked"], {"repo_id": repo_id, "pass": f"{MARKS}:{kind}"}).fetchall()
    return dict(rows)


def mark(conn: Connection, repo_id: int, kind: str) -> datetime | None:
    """Return the date of the newest change that walks over a list have met; None before the first."""
    row = conn.execute(SQL["mark"], {"repo_id": repo_id, "pass": f"{MARKS}:{kind}"}).fetchone()
    return row[0] if row else None


def unread(
    conn: Connection, repo_id: int, windows: Sequence[date], *, to_the_end: bool = False
) -> list[Unread]:
    """Return the threads that the windows touch and that have changed since they were read in detail.

    ``to_the_end`` counts everything after the windows to them.
    """
    with conn.cursor(row_factory=class_row(Unread)) as cursor:
        return cursor.execute(
            SQL["unread"],
            {
                "repo_id": repo_id,
                "starts": [_EVER if window <= FIRST_WINDOW else midnight(window) for window in windows],
                "ends": [
                    _NEVER if to_the_end or _is_open(window) else midnight(end_of(window))
                    for window in windows
                ],
            },
        ).fetchall()


class _Fetch:
    """One fetch: walks lists, reads details, stores both."""

    def __init__(self, conn: Connection, client: GitHub, repo: Repo, stage: Stage) -> None:
        self.result = FetchResult(stage.result)
        self._conn = conn
        self._client = client
        self._repo = repo
        self._stage = stage
        self._started = storing.clock(conn)
        self._with_comments = False

    def list(self, kind: str, windows: Collection[date], *, again: bool) -> None:
        """Walk a list over what is left of some windows.

        Where issues are disabled GitHub still serves the pull requests, and what was said in them over GraphQL.
        """
        marks = {} if again else walked(self._conn, self._repo.id, kind)
        try:
            for span in spans(windows, marks):
                self._walk(kind, span)
        except Gone as error:
            if not error.disabled or kind == found.PULL:
                raise
            self.result.issues_disabled = True
            if kind == found.ISSUE:
                self.list(found.PULL, windows, again=again)
            else:
                self._with_comments = True

    def _walk(self, kind: str, span: Span) -> None:
        """Walk a list over some windows, storing page by page."""
        words = walks.WORDS[kind]
        since = span.windows[0]
        name, bounds = self._repo.full_name, {"since": span.since, "until": span.until}
        if kind == found.PULL:
            steps = walks.pulls_descending(self._client, name, **bounds)
        else:
            steps = walks.ascending(self._client, name, kind, **bounds)
        for pages, step in enumerate(steps, 1):
            storing.add(self._stage, step.items)
            if step.reached is not None:
                self._note(kind, span, step.reached)
            self._stage.flush()
            reached = f", up to {step.reached:%Y-%m-%d}" if step.reached else ""
            self._client.activity.doing(f"{words} since {since}, page {pages}{reached}")
            self._client.activity.progress(self._stage.result.read)

    def _note(self, kind: str, span: Span, reached: datetime) -> None:
        """Say how far the walk has come: windows that lie behind it are complete."""
        for window in span.windows:
            end = midnight(end_of(window))
            if reached >= end:
                self._stage.walked(kind, window, end)
            elif reached >= midnight(window) or window <= FIRST_WINDOW:
                self._stage.walked(kind, window, reached)

    def read(self, windows: Collection[date]) -> None:
        """Read in detail what has changed since it was last read."""
        left = unread(self._conn, self._repo.id, sorted(windows))
        to_list = [one.number for one in left if one.is_pull and not one.listed]
        if to_list:
            self._list_pulls(to_list)
            # A pull request that moved meanwhile is newer now than its thread was.
            left = unread(self._conn, self._repo.id, sorted(windows))
        wanted = [detailed.Wanted(one.number, one.is_pull, one.as_of) for one in left]
        reading = detailed.details(
            self._client,
            self._repo.full_name,
            wanted,
            comments=self._with_comments,
            on_totals=self._state_totals,
        )
        for batch in reading:
            self._store(batch)
            self._client.activity.doing(f"threads in detail, {self.result.detailed:,} of {len(wanted):,}")
            self._client.activity.progress(self.result.detailed, len(wanted))

    def _state_totals(self, totals: Totals) -> None:
        if self.result.issues_disabled:
            totals = replace(totals, issues=None)  # what was fetched before stays, and nobody counts it now
        storing.state_totals(self._conn, self._repo.id, totals)

    def _list_pulls(self, numbers: list[int]) -> None:
        for batch in pulls(self._client, self._repo.full_name, numbers):
            storing.add(self._stage, batch)
            self._stage.flush()
            self._client.activity.doing("pull requests")
            self._client.activity.progress(self._stage.result.read)

    def _store(self, batch: list[Detail]) -> None:
        moved = storing.files_with_former_paths(self._client, self._repo.full_name, batch)
        storing.store_details(self._conn, self._stage, self._repo.id, batch, self._started, moved)
        self.result.detailed += len(batch)
        self.result.missing += [detail.wanted.number for detail in batch if detail.missing]


def first_incomplete(conn: Connection, repo_id: int) -> date:
    """Return the first window that some list has not been walked to the end of, or that has threads left to read.

    Lists that hold nothing leave no marks; once a fetch has come to its end, they hold up nothing.
    """
    ever, settled = _ended(conn, repo_id)
    if not ever:
        return FIRST_WINDOW
    firsts: list[date] = []
    for kind in MARKED:
        marks = walked(conn, repo_id, kind)
        window = FIRST_WINDOW
        while window in marks and marks[window] >= midnight(end_of(window)):
            window = end_of(window)
        firsts += [window] if marks else []
    if not settled:
        firsts += _left_behind(conn, repo_id)
    return min(firsts, default=FIRST_WINDOW)


def windows_since_mark(conn: Connection, repo_id: int, now: datetime) -> list[date]:
    """Return the windows in which news may have arrived since the last fetch: from the oldest mark to ``now``.

    Where the last fetch did not come to its end, they begin with the oldest thread that it left unread. Empty when
    the repository was never fetched to the end: then all windows are to be.
    """
    ever, settled = _ended(conn, repo_id)
    if not ever:
        return []
    marks = [moment for kind in MARKED if (moment := mark(conn, repo_id, kind)) is not None]
    firsts = [window_of(min(marks) - OVERLAP if marks else now)]
    if not settled:
        firsts += _left_behind(conn, repo_id)
    since = [min(firsts)]
    while end_of(since[-1]) <= now.astimezone(UTC).date():
        since.append(end_of(since[-1]))
    return since


def _ended(conn: Connection, repo_id: int) -> tuple[bool, bool]:
    """Return whether a fetch ever came to its end, and whether the last one did."""
    row = conn.execute(SQL["ended"], {"repo_id": repo_id, "pass": MARKS}).fetchone()
    return (row[0] is not None, bool(row[1])) if row else (False, False)


def _left_behind(conn: Connection, repo_id: int) -> list[date]:
    """Return the windows of threads that have changed since they were read in detail."""
    left = unread(conn, repo_id, [FIRST_WINDOW], to_the_end=True)
    return sorted({max(window_of(one.as_of), FIRST_WINDOW) for one in left})
