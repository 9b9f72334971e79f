"""Fetches single threads, each whole: head, comments, inline comments, and everything that detail tells."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from relore_assets import books
from relore_assets.fetch import removals, repos
from relore_assets.fetch.archives import found
from relore_assets.fetch.archives.found import Raw, Rejected
from relore_assets.fetch.github.errors import Gone, NotFound, Transferred
from relore_assets.fetch.passes import shapes, storing
from relore_assets.fetch.passes.details import Wanted, details
from relore_assets.fetch.passes.pulls import pull, pulls
from relore_assets.fetch.passes.walks import LISTINGS
from relore_assets.fetch.staging import Stage, StageResult

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from datetime import datetime

    from psycopg import Connection

    from relore_assets.fetch.github.client import GitHub
    from relore_assets.fetch.passes.details import Totals
    from relore_assets.fetch.repos import Repo

MARKS = "refresh"

#: Threads that are read together: as many pull requests as share a query.
BATCH = 50

_COMMENTS = {found.ISSUE_COMMENT: "issues", found.REVIEW_COMMENT: "pulls"}


@dataclass
class RefreshResult:
    """What a refresh did.

    Attributes:
        staged: what became of everything that was read. read: threads read whole. gone: numbers that are not at GitHub
        (any more), with the reason in the words of `removals`. missing: pull requests that GitHub lists and does
        not give; of these, what was stored stays.
    """

    staged: StageResult
    read: list[int] = field(default_factory=list[int])
    gone: dict[int, str] = field(default_factory=dict[int, str])
    missing: list[int] = field(default_factory=list[int])


def refresh_threads(conn: Connection, client: GitHub, repo: str, numbers: Iterable[int]) -> RefreshResult:
    """Fetch some threads again, whole: what is stored of them afterwards is what GitHub has.

    Threads that are gone keep what is stored; the sweep looks into them and removes them.

    Args:
        conn: the owner's connection, in autocommit mode.
        client: asks GitHub, and tells its activity how far it is.
        repo: owner/name of a repository that is indexed.
        numbers: which threads.

    Raises:
        UnknownRepository: it is not indexed.
        GitHubError: what was committed stays.
    """
    known = repos.known(conn, repo)
    wanted = sorted(set(numbers))
    with storing.alone(conn, known.id):
        stage = Stage(conn, known.id, marks=MARKS, source="api", windows=())
        reader = WholeThreads(conn, client, known, stage)
        result = RefreshResult(stage.result)
        try:
            for start in range(0, len(wanted), BATCH):
                client.activity.doing(f"threads, {start:,} of {len(wanted):,}")
                client.activity.progress(start, len(wanted))
                heads = [_head(client, known.full_name, number) for number in wanted[start : start + BATCH]]
                for one in heads:
                    if isinstance(one, _Absent):
                        result.gone[one.number] = one.reason
                reader.read([one for one in heads if isinstance(one, Raw)])
            stage.end()
        except Exception as error:
            if not conn.broken:
                stage.fail(error)
                books.add_up(conn, known.id)
            raise
        books.add_up(conn, known.id)
    result.read, result.missing = reader.done, reader.missing
    return result


@dataclass(frozen=True)
class _Absent:
    number: int
    reason: str


def _head(client: GitHub, repo: str, number: int) -> Raw | Rejected | _Absent:
    try:
        answer = client.get(f"/repos/{repo}/issues/{number}")
    except NotFound:
        return _Absent(number, removals.DELETED)
    except Gone as error:
        if error.disabled:
            return pull(client, repo, number) or _Absent(number, "issues are disabled")
        return _Absent(number, removals.DELETED)
    except Transferred:
        return _Absent(number, removals.TRANSFERRED)
    return shapes.head(found.ISSUE, answer.body)


class WholeThreads:
    """Reads threads whole, whose heads are known, and stores them.

    Attributes:
        done: the numbers that were read. missing: pull requests that GitHub lists and does not give.
    """

    def __init__(self, conn: Connection, client: GitHub, repo: Repo, stage: Stage) -> None:
        self.done: list[int] = []
        self.missing: list[int] = []
        self._conn = conn
        self._client = client
        self._repo = repo
        self._stage = stage
        self._started = storing.clock(conn)
        #: Where issues are disabled comments have no list, and come with the details.
        self._with_comments = False

    def read(self, heads: list[Raw]) -> None:
        """Read everything that belongs to some heads.

        A thread counts as read only when all of it is stored, so what was interrupted is read again.
        """
        name = self._repo.full_name
        storing.add(self._stage, heads)
        asked = {head.thread_number for head in heads if _is_pull(head)}
        numbers = self._pulls(asked)
        wanted: list[Wanted] = []
        for head in heads:
            number = head.thread_number
            dates = [head.updated_at]
            # GitHub counts the comments of an issue, and of those that it counts none need no asking.
            if head.payload.get("comments") != 0 or self._holds_comments(number):
                self._talk(number)
            if number in numbers:
                dates += self._comments(found.REVIEW_COMMENT, number)
            as_of = max(date for date in dates if date is not None)
            wanted.append(Wanted(number, _is_pull(head), as_of))
        self._stage.flush()
        reading = details(
            self._client, name, wanted, comments=self._with_comments, on_totals=self._state_totals
        )
        for batch in reading:
            moved = storing.files_with_former_paths(self._client, name, batch)
            storing.store_details(self._conn, self._stage, self._repo.id, batch, self._started, moved)
            self.done += [detail.wanted.number for detail in batch]
            self.missing += [detail.wanted.number for detail in batch if detail.missing]

    def _state_totals(self, totals: Totals) -> None:
        if self._with_comments:
            totals = replace(totals, issues=None)
        storing.state_totals(self._conn, self._repo.id, totals)

    def _pulls(self, numbers: set[int]) -> set[int]:
        """Stage pull request objects; return the numbers under which GitHub has one."""
        there: set[int] = set()
        for batch in self._objects(numbers):
            storing.add(self._stage, batch)
            there |= {one.thread_number for one in batch if isinstance(one, Raw)}
        return there

    def _objects(self, numbers: set[int]) -> Iterator[list[Raw | Rejected]]:
        if len(numbers) > 1:
            yield from pulls(self._client, self._repo.full_name, numbers)
            return
        for number in numbers:
            one = pull(self._client, self._repo.full_name, number)
            if one is not None:
                yield [one]

    def _talk(self, number: int) -> None:
        """Read and stage the comments of a thread; or leave them to what reads it in detail."""
        if self._with_comments:
            return
        try:
            self._comments(found.ISSUE_COMMENT, number)
        except Gone as error:
            if not error.disabled:
                raise
            self._with_comments = True

    def _comments(self, kind: str, number: int) -> list[datetime | None]:
        """Read and stage one kind of comment of one thread; return their dates."""
        read = LISTINGS[kind].read
        path = f"/repos/{self._repo.full_name}/{_COMMENTS[kind]}/{number}/comments"
        items = [read(entry) for page in self._client.pages(path) for entry in page.items]
        ids = [item.object_id for item in items if isinstance(item, Raw)]
        if not any(isinstance(item, Rejected) for item in items):
            storing.drop_absent(self._conn, self._repo.id, kind, [number], ids, self._started)
        storing.add(self._stage, items)
        return [item.updated_at for item in items if isinstance(item, Raw)]

    def _holds_comments(self, number: int) -> bool:
        values = {
            "repo_id": self._repo.id,
            "kind": found.ISSUE_COMMENT,
            "numbers": [number],
            "object_ids": [],
        }
        return self._conn.execute(storing.SQL["absent"], values).fetchone() is not None


def _is_pull(head: Raw) -> bool:
    return head.kind == found.PULL or bool(head.payload.get("pull_request"))
