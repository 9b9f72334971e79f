"""`read`: one thread and what stands around it, on one page: people, claims, and threads on the same ground.

Nothing here is written by a program: every line is a count, or somebody's words. The thread itself is read as its own
page reads it, so that the two cannot disagree.
"""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from typing import TYPE_CHECKING, Any

from relore_serve.as_of.judged import counted_from
from relore_serve.search import ages
from relore_serve.search.scope import Scope
from relore_serve.threads import thread as threads
from relore_serve.threads.brief_results import (
    BriefHead,
    BriefResult,
    Closes,
    Competing,
    Opener,
    People,
    Person,
    Target,
)
from relore_serve.threads.brief_rows import SQL, TARGETS, Asked, Heads, Pick, held, named, rows_of
from relore_serve.threads.brief_sections import ErrorsFound, FilesFound
from relore_serve.threads.brief_similar import AlikeFound
from relore_serve.threads.results import ThreadView

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from psycopg import Connection

    from relore_serve.search.question import Exclusion
    from relore_serve.search.scope import Repo
    from relore_serve.threads.results import ThreadResult

# No comment has this id, so the thread is read without its comments.
_NO_COMMENT = "0"
_GONE = "ghost"


@dataclass(frozen=True, slots=True)
class _PersonRow:
    author: str
    trust: str
    comments: int
    latest: datetime | None
    total: int
    authoritative: int
    unresolved: int


@dataclass(frozen=True, slots=True)
class _OpenerRow:
    prs: int
    merged: int
    issues: int
    first_at: datetime | None


@dataclass(frozen=True, slots=True)
class _ClaimRow:
    id: int
    targets: list[str]
    todays_words: bool
    total: int


def read(
    conn: Connection,
    repo: Repo,
    number: int,
    *,
    visible: tuple[Repo, ...],
    before: datetime | None,
    exclude: tuple[Exclusion, ...],
    compact: bool,
    now: datetime,
) -> BriefResult | None:
    """Return the brief of a thread, or None where it is not held, is excluded, or had not been opened at the cutoff.

    Args:
        conn: a session that may read the tables.
        repo: the repository of the thread.
        number: the thread's.
        visible: the repositories whose threads the caller may see.
        before: everything as it stood at that instant.
        exclude: threads to withhold, neither listed nor counted; without a repository they are of ``repo``.
        compact: shorter snippets.
        now: what ages are counted from; under a cutoff they are counted from that.
    """
    repos = (repo, *(other for other in visible if other.id != repo.id))
    withheld = _excluded(conn, repos, exclude) if exclude else ()
    view = ThreadView(comment=_NO_COMMENT, before=before, visible=tuple(one.id for one in repos))
    thread = threads.read(conn, repo.id, number, view, now)
    own = Scope((repo,), before=before, withheld=withheld).parameters()
    ids = held(conn, own, [f"{repo.name}#{number}"]) if thread is not None else {}
    if thread is None or not ids:
        return None
    more = {"repo_id": repo.id, "thread": ids[1]}
    return _composed(
        Asked(
            conn=conn,
            repo=repo,
            thread=thread,
            own={**own, **more},
            wide={**Scope(repos, before=before, withheld=withheld).parameters(), **more},
            visible=repos,
            before=before,
            exclude=exclude,
            compact=compact,
            now=counted_from(before, now),
        )
    )


def _composed(asked: Asked) -> BriefResult:
    """Ask section by section, each told of what the sections above list; then read the heads of all at once."""
    thread = asked.thread
    targets = _targets(asked)
    ids = held(asked.conn, asked.wide, targets[:TARGETS]) if targets else {}
    closed = {place: Pick(thread_id, "closed") for place, thread_id in ids.items()}
    claims, claims_total, posts = _competing(asked, targets)
    picked = [*closed.values(), *claims]
    files = FilesFound.of(asked, picked)
    picked += files.picks
    met = ErrorsFound.of(asked, picked)
    picked += met.picks
    alike = AlikeFound.of(asked, picked)
    picked += alike.picks
    heads = Heads(asked, [pick.thread_id for pick in picked])
    return BriefResult(
        thread=_head(thread),
        opener=_opener(asked),
        people=_people(asked),
        closes=_closes(targets, closed, heads),
        competing=Competing(
            threads=tuple(map(heads.listed, claims)),
            returned=len(claims),
            total=claims_total,
            targets=(f"{asked.repo.name}#{thread.number}", *targets),
            links_indexed=bool((asked.conn.execute(SQL["any_link"], asked.own).fetchone() or (False,))[0]),
        ),
        file_history=files.section(heads),
        same_error=met.section(heads),
        similar=alike.section(heads),
        before=thread.before,
        judged_today=thread.judged_today,
        rows_withheld=heads.withheld,
        todays_words=_todays_words(
            thread, heads, posts=posts or (bool(targets) and "body" in thread.todays_words)
        ),
    )


def _todays_words(thread: ThreadResult, heads: Heads, *, posts: bool) -> tuple[str, ...]:
    titles = ("titles",) if "title" in thread.todays_words else ()
    return tuple(dict.fromkeys([*titles, *heads.todays_words, *(("opening_posts",) if posts else ())]))


def _head(thread: ThreadResult) -> BriefHead:
    names = {one.name for one in fields(BriefHead)}
    head = BriefHead(**{name: getattr(thread, name) for name in names})
    return replace(head, withheld=tuple(field for field in thread.withheld if field in names))


def _excluded(conn: Connection, repos: Sequence[Repo], exclude: Sequence[Exclusion]) -> tuple[int, ...]:
    ids = {repo.name.lower(): repo.id for repo in repos}
    pairs = [
        (repos[0].id if one.repo is None else ids.get(one.repo.lower(), 0), one.number) for one in exclude
    ]
    parameters = {"repos": [repo for repo, _ in pairs], "numbers": [number for _, number in pairs]}
    row = conn.execute(SQL["excluded"], parameters).fetchone()
    return tuple(row[0]) if row else ()


def _targets(asked: Asked) -> list[str]:
    """Return what the thread says it closes; what is excluded is not spoken of."""
    out = {f"{one.repo or asked.repo.name}#{one.number}".lower() for one in asked.exclude}
    said = [link.target for link in asked.thread.links if link.relationship == "closes"]
    return [target for target in said if target.lower() not in out]


def _closes(targets: Sequence[str], closed: dict[int, Pick], heads: Heads) -> Closes:
    listed = tuple(
        Target(target, place in closed, heads.listed(closed[place]) if place in closed else None)
        for place, target in enumerate(targets[:TARGETS], start=1)
    )
    return Closes(listed, returned=len(listed), total=len(targets))


def _competing(asked: Asked, targets: Sequence[str]) -> tuple[list[Pick], int, bool]:
    """Return who else claims to close this thread or what it says it closes, and how many there are of these.

    The last is whether one of them does so in an opening post of which it is not known when it was edited.
    """
    names = {target.lower(): target for target in (f"{asked.repo.name}#{asked.thread.number}", *targets)}
    rows = rows_of(asked.conn, "competing", {**asked.wide, **named(list(names))}, _ClaimRow)
    picks = [
        Pick(row.id, "closes", targets=tuple(names.get(target, target) for target in row.targets))
        for row in rows
    ]
    return picks, rows[0].total if rows else 0, any(row.todays_words for row in rows)


def _opener(asked: Asked) -> Opener:
    thread = asked.thread
    known = thread.author.lower() != _GONE
    rows = rows_of(asked.conn, "opener", {**asked.own, "opener": thread.author}, _OpenerRow) if known else []
    record = rows[0] if rows else _OpenerRow(0, 0, 0, None)
    return Opener(
        author=thread.author,
        trust=thread.trust,
        known=known,
        prs=record.prs,
        merged=record.merged,
        issues=record.issues,
        first_age=ages.age(record.first_at, asked.now) if record.first_at else None,
        first_date=ages.utc(record.first_at),
    )


def _people(asked: Asked) -> People:
    thread = asked.thread
    parameters = {**asked.own, "opener": thread.author, **_verdicts(thread)}
    rows = rows_of(asked.conn, "people", parameters, _PersonRow)
    first = rows[0] if rows else None
    return People(
        listed=tuple(
            Person(row.author, row.trust, row.comments, ages.age(row.latest, asked.now), ages.utc(row.latest))
            for row in rows
        ),
        returned=len(rows),
        total=first.total if first else 0,
        authoritative=first.authoritative if first else 0,
        unresolved=first.unresolved if first else 0,
        machine_comments=thread.comments_machine_suppressed,
    )


def _verdicts(thread: ThreadResult) -> dict[str, Any]:
    return {
        "authors": [one.author for one in thread.verdicts],
        "verdict_trusts": [one.trust for one in thread.verdicts],
        "dates": [one.date for one in thread.verdicts],
    }
