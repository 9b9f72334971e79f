"""Reconciles what is staged with what is still at GitHub, which tells nobody what it has removed.

What is staged is read first, then GitHub's lists are walked to their ends: whatever a poll stages meanwhile is no
part of the question, and what was stored since the start is never removed. A list that moves while it is walked can
pass over an entry, so everything that was missed is asked for by itself before it goes. A large part of a history
does not vanish in a week: that many missing entries mean a fault, of ours or GitHub's, and nothing is removed.

The way back is the same: what is at GitHub and was overlooked, or removed here earlier, is staged again, and open
pull requests are read in detail again. Reviews have no list, and cannot be deleted once they are submitted; what
becomes of them all the same shows there while the pull request is open.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import psycopg
from psycopg.rows import tuple_row

from relore_assets import books
from relore_assets.derive.derive import derive
from relore_assets.errors import ReloreError
from relore_assets.fetch import removals, repos
from relore_assets.fetch.archives import found
from relore_assets.fetch.current.removing import hold_alone, remove_objects, remove_threads
from relore_assets.fetch.door import clean
from relore_assets.fetch.github.errors import Gone, NotFound, Transferred
from relore_assets.fetch.passes.details import Totals, Wanted, details
from relore_assets.fetch.passes.pulls import pull
from relore_assets.fetch.passes.refresh import refresh_threads
from relore_assets.fetch.passes.storing import files_with_former_paths, state_totals, store_details
from relore_assets.fetch.passes.walks import WORDS, everything
from relore_assets.fetch.staging import Stage
from relore_serve.database import store_errors
from relore_serve.sql import load

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping
    from datetime import datetime

    from psycopg import Connection

    from relore_assets.fetch.archives.found import Raw
    from relore_assets.fetch.github.client import GitHub
    from relore_assets.fetch.repos import Repo

SQL = load("relore_assets.fetch.current", "sweep.sql")

SWEEP = "sweep"

#: More missing entries of a kind than this, and than this share of those staged, are taken for a fault.
FEW = 20
SHARE = 0.05

BATCH = 500

COMMENTS = (found.ISSUE_COMMENT, found.REVIEW_COMMENT)

#: Where one entry of a kind is asked for.
_ADDRESSES = {
    removals.THREAD: "/repos/{repo}/issues/{id}",
    found.ISSUE_COMMENT: "/repos/{repo}/issues/comments/{id}",
    found.REVIEW_COMMENT: "/repos/{repo}/pulls/comments/{id}",
}

#: What has a list, by the name of its tombstones, and the kind that its list holds.
_LISTED = {removals.THREAD: found.ISSUE, **{kind: kind for kind in COMMENTS}}


class MassDeletion(ReloreError):
    """So much is missing at GitHub that it is taken for a fault."""


@dataclass(frozen=True, slots=True)
class Census:
    """What is staged: by kind (`thread` for both kinds of head) and id, the number of the thread."""

    staged: Mapping[str, Mapping[str, int]]
    #: Kind and id of what was removed because it was gone.
    tombstones: Collection[tuple[str, str]]
    #: Numbers of those threads that are pull requests.
    pulls: Collection[int] = ()


@dataclass(slots=True)
class SweepResult:
    """What a sweep found: entries GitHub lists, and what was removed, brought back or fetched again here."""

    live: int = 0
    deleted: dict[str, int] = field(default_factory=dict[str, int])
    transferred: int = 0
    brought_back: int = 0
    numbers: set[int] = field(default_factory=set[int])

    @property
    def removed(self) -> int:
        """Entries removed, of all kinds."""
        return sum(self.deleted.values()) + self.transferred


def missing(staged: Mapping[str, int], live: Collection[str], but: Collection[int] = ()) -> set[str]:
    """Return the ids that are staged and not live, but for those under some thread numbers."""
    return {object_id for object_id, number in staged.items() if object_id not in live and number not in but}


def is_mass(gone: int, staged: int) -> bool:
    """Return whether ``gone`` of ``staged`` entries are more than a history loses."""
    return gone > max(FEW, SHARE * staged)


def overlooked(kind: str, object_id: str, number: int, census: Census) -> bool:
    """Return whether an entry of GitHub's is to be staged: removed here earlier, or never seen in a thread we hold."""
    if (kind, object_id) in census.tombstones:
        return True
    held = str(number) in census.staged[removals.THREAD]
    return kind != removals.THREAD and held and object_id not in census.staged[kind]


def sweep(
    database_url: str,
    client: GitHub,
    repo: str,
    *,
    allow_mass_deletion: bool = False,
) -> SweepResult:
    """Remove what is at GitHub no more, stage what was overlooked, and derive the threads concerned.

    Killed at any point, it is simply run again.

    Args:
        database_url: the owner's address.
        client: asks GitHub, and tells its activity how far it is.
        repo: ``owner/name`` of a repository that is fetched from GitHub.
        allow_mass_deletion: remove however much is missing.

    Raises:
        UnknownRepository: the repository is not indexed.
        NotFromGitHub: it was imported from an archive.
        MassDeletion: more is missing than a history loses; nothing was removed.
        GitHubError: GitHub could not be read to the end; nothing was removed.
    """
    with store_errors(), psycopg.connect(database_url, autocommit=True) as conn:
        known = repos.from_github(conn, repo)
        _record(conn, "record_start", known)
        try:
            result = _sweep(conn, client, known, allow_mass_deletion=allow_mass_deletion)
        except Exception as error:
            if not conn.broken:
                _record(conn, "record_failure", known, error=_sentence(error))
            raise
        derive(database_url, known.full_name, numbers=result.numbers)
        _record(conn, "record_end", known, stated=result.live, done=result.removed)
        books.add_up(conn, known.id)
    return result


def _sweep(conn: Connection, client: GitHub, repo: Repo, *, allow_mass_deletion: bool) -> SweepResult:
    started = _clock(conn)
    census = _census(conn, repo.id)
    live, found_again, totals = _live(client, repo, census)
    result = SweepResult(live=sum(len(ids) for ids in live.values()))
    threads = missing(census.staged[removals.THREAD], live[removals.THREAD])
    without = frozenset(int(number) for number in threads)
    candidates = {removals.THREAD: threads} | {
        kind: missing(census.staged[kind], live[kind], without) for kind in COMMENTS
    }
    if not allow_mass_deletion:
        _refuse_mass_deletion(repo, candidates, census)
    if any(candidates.values()):
        # Where access has ended meanwhile, everything would seem gone.
        client.get(f"/repos/{repo.full_name}")
    _bring_back(conn, client, repo, found_again, result)
    _remove_threads(conn, client, repo, threads, started, result)
    for kind in COMMENTS:
        _remove_comments(conn, client, repo, (kind, candidates[kind]), started, result)
    _read_open_pulls(conn, client, repo, started, result)
    state_totals(conn, repo.id, totals)
    return result


def _census(conn: Connection, repo_id: int) -> Census:
    staged: dict[str, dict[str, int]] = {removals.THREAD: {}, **{kind: {} for kind in COMMENTS}}
    for kind, object_id, number in _rows(conn, "staged", {"repo_id": repo_id}):
        staged[kind][object_id] = number
    stones = frozenset(_rows(conn, "deleted", {"repo_id": repo_id}))
    pulls = frozenset(number for (number,) in _rows(conn, "pulls", {"repo_id": repo_id}))
    return Census(staged, stones, pulls)


def _live(client: GitHub, repo: Repo, census: Census) -> tuple[dict[str, set[str]], list[Raw], Totals]:
    """Walk GitHub's lists; return the ids on them, the entries that are to be staged, heads first, and their sums."""
    live: dict[str, set[str]] = {}
    pulls: set[str] = set()
    again: list[Raw] = []
    total = sum(len(ids) for ids in census.staged.values())
    for kind, listed in _LISTED.items():
        client.activity.doing(f"listing all {WORDS[listed]}")
        live[kind] = set()
        for raw in _entries(client, repo, listed, live[kind], census):
            live[kind].add(raw.object_id)
            if raw.kind == found.PULL or raw.payload.get("pull_request"):
                pulls.add(raw.object_id)
            if overlooked(kind, raw.object_id, raw.thread_number, census):
                again.append(raw)
            client.activity.progress(sum(len(ids) for ids in live.values()), total)
    return live, again, Totals(len(live[removals.THREAD]) - len(pulls), len(pulls))


def _entries(client: GitHub, repo: Repo, listed: str, live: set[str], census: Census) -> Iterator[Raw]:
    """Yield the entries of a list; where issues are disabled, what there is of it without them.

    What GitHub does not tell of is added to ``live``: that it is not shown does not mean that it is gone.
    """
    try:
        yield from everything(client, repo.full_name, listed)
    except Gone as error:
        if not error.disabled:
            raise
        if listed == found.ISSUE:
            live.update(census.staged[removals.THREAD].keys() - {str(number) for number in census.pulls})
            yield from everything(client, repo.full_name, found.PULL)
        else:
            live.update(census.staged[listed])


def _refuse_mass_deletion(repo: Repo, candidates: Mapping[str, set[str]], census: Census) -> None:
    for kind, gone in candidates.items():
        staged = len(census.staged[kind])
        if is_mass(len(gone), staged):
            raise MassDeletion(
                f"{len(gone):,} of {staged:,} {WORDS[_LISTED[kind]]} of {repo.full_name} are missing at GitHub, "
                "which is more than a history loses; nothing was removed. Look into it, then give "
                "--allow-mass-deletion."
            )


def _bring_back(
    conn: Connection, client: GitHub, repo: Repo, entries: list[Raw], result: SweepResult
) -> None:
    """Stage what was overlooked or is back, and fetch threads whole of which the head is back."""
    if not entries:
        return
    stage = Stage(conn, repo.id, marks=f"{SWEEP}:back", source="api", windows=())
    for raw in entries:
        stage.add(clean(raw))
        result.numbers.add(raw.thread_number)
    staged = stage.end()
    result.brought_back = staged.written
    if staged.back:
        refresh_threads(conn, client, repo.full_name, staged.back)


def _read_open_pulls(
    conn: Connection, client: GitHub, repo: Repo, started: datetime, result: SweepResult
) -> None:
    """Read open pull requests in detail: not every push or review need move the date that polls go by."""
    wanted = [
        Wanted(number, is_pull=True, as_of=as_of)
        for number, as_of in _rows(conn, "open_pulls", {"repo_id": repo.id})
    ]
    if not wanted:
        return
    stage = Stage(conn, repo.id, marks=f"{SWEEP}:open", source="api", windows=())
    done = 0
    for batch in details(client, repo.full_name, wanted):
        done += len(batch)
        client.activity.doing(f"open pull requests in detail, {done:,} of {len(wanted):,}")
        store_details(
            conn, stage, repo.id, batch, started, files_with_former_paths(client, repo.full_name, batch)
        )
    stage.end()
    result.numbers |= {one.number for one in wanted}


def _remove_threads(
    conn: Connection,
    client: GitHub,
    repo: Repo,
    numbers: Iterable[str],
    started: datetime,
    result: SweepResult,
) -> None:
    fates: dict[str, list[int]] = {removals.DELETED: [], removals.TRANSFERRED: []}
    for number in sorted(numbers, key=int):
        fate = _fate(client, repo, removals.THREAD, number)
        if fate is not None:
            fates[fate].append(int(number))
    for fate, gone in fates.items():
        for batch in _slices(gone):
            with conn.transaction():
                hold_alone(conn, repo.id)
                removed = remove_threads(conn, repo.id, batch, reason=fate, unless_stored_since=started)
            result.numbers |= removed
            if fate == removals.DELETED:
                result.deleted[removals.THREAD] = result.deleted.get(removals.THREAD, 0) + len(removed)
            else:
                result.transferred += len(removed)


def _remove_comments(
    conn: Connection,
    client: GitHub,
    repo: Repo,
    candidates: tuple[str, Iterable[str]],
    started: datetime,
    result: SweepResult,
) -> None:
    kind, ids = candidates
    gone = [object_id for object_id in sorted(ids, key=int) if _fate(client, repo, kind, object_id)]
    for batch in _slices(gone):
        with conn.transaction():
            hold_alone(conn, repo.id)
            removed = remove_objects(
                conn,
                repo.id,
                [(kind, object_id) for object_id in batch],
                reason=removals.DELETED,
                unless_stored_since=started,
            )
        result.numbers |= set(removed)
        result.deleted[kind] = result.deleted.get(kind, 0) + len(removed)


def _fate(client: GitHub, repo: Repo, kind: str, object_id: str) -> str | None:
    """Ask for one entry: return the reason for its tombstone, None when it is there after all."""
    try:
        client.get(_ADDRESSES[kind].format(repo=repo.full_name, id=object_id))
    except NotFound:
        return removals.DELETED
    except Gone as error:
        if not error.disabled:
            return removals.DELETED
        # Only of pull requests there is anything to be told then.
        return None if pull(client, repo.full_name, int(object_id)) else removals.DELETED
    except Transferred:
        return removals.TRANSFERRED
    return None


def _record(conn: Connection, name: str, repo: Repo, **values: object) -> None:
    conn.execute(SQL[name], {"repo_id": repo.id, "pass": SWEEP, **values})


def _sentence(error: Exception) -> str:
    """Return what may be kept of a failure: our own sentences, and of anything else its kind alone."""
    return str(error) if isinstance(error, ReloreError) else type(error).__name__


def _clock(conn: Connection) -> datetime:
    return _rows(conn, "clock", {})[0][0]


def _rows(conn: Connection, name: str, values: dict[str, Any]) -> list[Any]:
    with conn.cursor(row_factory=tuple_row) as cursor:
        return cursor.execute(SQL[name], values).fetchall()


def _slices(entries: list[Any]) -> Iterator[list[Any]]:
    for start in range(0, len(entries), BATCH):
        yield entries[start : start + BATCH]
