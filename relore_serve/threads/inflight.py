"""`claims`: is somebody fixing this already?"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from psycopg.rows import class_row

from relore_serve.as_of.heads import heads
from relore_serve.as_of.judged import counted_from, judged_today
from relore_serve.search import ages
from relore_serve.search.question import MAX_NUMBER
from relore_serve.search.scope import Scope, statements
from relore_serve.threads.decision import Decision, VerdictRow, decide
from relore_serve.threads.results import Claim, InflightResult
from relore_serve.threads.shared import Constant, row_of
from relore_serve.threads.thread import latest_verdicts

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from psycopg import Connection

    from relore_serve.as_of.heads import Head
    from relore_serve.search.question import Exclusion
    from relore_serve.search.scope import Repo

CLAIMS = 10
LINKS_COUNTED = 1_000

_SQL = statements("relore_serve.threads", "inflight.sql", claims=CLAIMS, links_counted=LINKS_COUNTED)


@dataclass(frozen=True, slots=True)
class _Row(Constant):
    claims_total: int
    mentions_total: int
    links_indexed: int
    indexed: bool
    id: int | None
    updated_at: datetime
    source: str
    todays_words: bool | None


def claims(
    conn: Connection,
    repo: Repo,
    number: int,
    now: datetime,
    *,
    visible: Sequence[Repo] = (),
    before: datetime | None = None,
    exclude: Sequence[Exclusion] = (),
) -> InflightResult:
    """Return the threads that say they close a thread, which need not be held itself.

    Args:
        conn: a session that may read the tables.
        repo: the repository of the thread asked about.
        number: that thread's.
        now: what ages are counted from; under a cutoff they are counted from that.
        visible: the other repositories whose threads the caller may see.
        before: as far as it stood at that instant.
        exclude: threads to withhold, neither listed nor counted; without a repository they are of ``repo``.
    """
    repos = (repo, *(other for other in visible if other.id != repo.id))
    if not 0 < number <= MAX_NUMBER:
        return _nobody(repo, number, before)
    scope = Scope(repos, before=before, withheld=_excluded(conn, repos, exclude) if exclude else ())
    # Of a thread that is withheld there is what there is of a number that no thread has.
    withheld = any(
        one.number == number and (one.repo or repo.name).lower() == repo.name.lower() for one in exclude
    )
    asked = {
        **scope.parameters(),
        "repo": repo.name,
        "repo_id": repo.id,
        "number": 0 if withheld else number,
    }
    with conn.cursor(row_factory=class_row(_Row)) as cursor:
        rows = cursor.execute(_SQL["claims"], asked).fetchall()
    found = [row for row in rows if row.id is not None]
    then = heads(conn, [row.id for row in found if row.id], before)
    verdicts = latest_verdicts(conn, [row.id for row in found if row.id and row.type == "pr"], before)
    first = rows[0]
    listed = tuple(
        _claim(row, then[row.id], verdicts, before, counted_from(before, now)) for row in found if row.id
    )
    titles = any(head.todays_words for head in then.values())
    posts = any(row.todays_words for row in found)
    return InflightResult(
        repo=repo.name,
        number=number,
        indexed=first.indexed,
        claims=listed,
        claims_returned=len(found),
        claims_total=first.claims_total,
        mentions_total=first.mentions_total,
        links_indexed=first.links_indexed,
        before=ages.utc(before),
        judged_today=judged_today(before),
        withheld=tuple(dict.fromkeys(name for claim in listed for name in claim.withheld)),
        todays_words=("titles",) * titles + ("opening_posts",) * posts,
    )


def _excluded(conn: Connection, repos: Sequence[Repo], exclude: Sequence[Exclusion]) -> tuple[int, ...]:
    ids = {repo.name.lower(): repo.id for repo in repos}
    pairs = [
        (repos[0].id if one.repo is None else ids.get(one.repo.lower(), 0), one.number) for one in exclude
    ]
    parameters = {"repo_ids": [repo for repo, _ in pairs], "numbers": [number for _, number in pairs]}
    row = conn.execute(_SQL["excluded"], parameters).fetchone()
    return tuple(row[0]) if row else ()


def _nobody(repo: Repo, number: int, before: datetime | None) -> InflightResult:
    """Return what there is on a number that no thread can have."""
    return InflightResult(
        repo=repo.name,
        number=number,
        indexed=False,
        claims=(),
        claims_returned=0,
        claims_total=0,
        mentions_total=0,
        links_indexed=0,
        before=ages.utc(before),
        judged_today=judged_today(before),
        withheld=(),
        todays_words=(),
    )


def _claim(
    row: _Row, head: Head, verdicts: Sequence[VerdictRow], before: datetime | None, now: datetime
) -> Claim:
    own = [verdict for verdict in verdicts if verdict.thread_id == row.id]
    decided = not any(verdict.undated for verdict in own)
    decision = decide(own, row.author) if decided else Decision()
    current = before is None or row.updated_at < before
    # Of the fields of a head a claim has these.
    withheld = [name for name in head.withheld if name in {"state", "state_reason", "closed_by", "draft"}]
    return Claim(
        **row_of(row, head, decision, now),
        updated_at=ages.utc(row.updated_at) if current else None,
        relationship="closes",
        source=row.source,
        withheld=(
            *withheld,
            *(() if current else ("updated_at",)),
            *(() if decided else ("review_decision",)),
        ),
    )
