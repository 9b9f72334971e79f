"""The record of a fetching run: what it has asked for, what that cost, what it does now and what it waits for.

`NullActivity` counts in memory; `Activity` also writes it to ``fetch_activity`` and ``quotas``, at most every few
seconds and over a connection of its own, so that it shows while a transaction of the run is open.
"""

from __future__ import annotations

import logging
import threading
import time
from collections import Counter
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, Self

import psycopg
from psycopg.types.json import Jsonb

from relore_assets.errors import ReloreError
from relore_serve.database import store_errors
from relore_serve.sql import load

if TYPE_CHECKING:
    from collections.abc import Callable, Generator
    from types import TracebackType

    from relore_assets.fetch.github.protocol import Quota

SQL = load("relore_assets.fetch.github", "activity.sql")

WRITE_EVERY = 3.0
"""Seconds between two writes of what only counts; the begin of a wait and the end are written at once."""

_log = logging.getLogger(__name__)


@dataclass
class Counts:
    """What a run has cost so far."""

    #: By endpoint, every attempt counted.
    requests: Counter[str] = field(default_factory=Counter[str])
    not_modified: int = 0
    points: int = 0
    #: By reason.
    retries: Counter[str] = field(default_factory=Counter[str])
    waited_seconds: float = 0.0

    @property
    def total(self) -> int:
        """Requests, whatever for."""
        return self.requests.total()


class NullActivity:
    """Counts, and writes nothing. All methods may be called from any thread."""

    def __init__(self, *, now: Callable[[], float] = time.time) -> None:
        self.counts = Counts()
        #: GitHub's newest word on each (token's name, resource).
        self.quotas: dict[tuple[str, str], Quota] = {}
        self.current = ""
        self.done = 0
        self.total: int | None = None
        #: Seconds of work behind ``done``, waits left out.
        self.worked_seconds = 0.0
        self.waiting_for: str | None = None
        self.waiting_until: float | None = None
        self._waits = 0
        self._now = now
        self._lock = threading.RLock()
        # When it was last said how far it is, and when what is counted now began: by the clock, without waits.
        self._told = self._begun = self._working_time()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        return None

    def request(self, endpoint: str) -> None:
        """Count one request that goes out."""
        with self._lock:
            self.counts.requests[endpoint] += 1
        self._changed()

    def not_modified(self) -> None:
        """Count one answer that nothing has changed, which costs no quota."""
        with self._lock:
            self.counts.not_modified += 1
        self._changed()

    def points(self, count: int) -> None:
        """Count the points of a GraphQL query."""
        with self._lock:
            self.counts.points += count
        self._changed()

    def retried(self, reason: str) -> None:
        """Count an attempt that failed and is made again."""
        with self._lock:
            self.counts.retries[reason] += 1
        self._changed()

    def quota(self, token_name: str, quota: Quota) -> None:
        """Keep GitHub's word on a quota."""
        with self._lock:
            self.quotas[token_name, quota.resource] = quota
        self._changed()

    def doing(self, text: str) -> None:
        """Say in words what is being done: ``issues since 2024-01-01, page 7``."""
        with self._lock:
            self.current = text
        self._changed()

    def progress(self, done: int, total: int | None = None) -> None:
        """Say how far it is; ``total`` None leaves what is known of the total.

        Another total, or less done than before, means that something else is counted from now on.
        """
        with self._lock:
            if done < self.done or total not in {None, self.total}:
                self._begun = self._told
            self._told = self._working_time()
            self.worked_seconds = max(0.0, self._told - self._begun)
            self.done = done
            self.total = self.total if total is None else total
        self._changed()

    @contextmanager
    def waiting(self, reason: str, seconds: float) -> Generator[None]:
        """Show for as long as the block lasts that we wait, why, and until when."""
        began = self._now()
        with self._lock:
            self._waits += 1
            self.waiting_for = reason
            self.waiting_until = began + seconds
        self._changed(at_once=seconds >= WRITE_EVERY)
        try:
            yield
        finally:
            with self._lock:
                self.counts.waited_seconds += max(0.0, self._now() - began)
                self._waits -= 1
                # Threads that wait for the same limit begin and end together; the last one out wipes the words.
                if not self._waits:
                    self.waiting_for = self.waiting_until = None
            self._changed(at_once=seconds >= WRITE_EVERY)

    def metadata(self) -> dict[str, Any]:
        """Return the counts for an asset's metadata."""
        with self._lock:
            return {
                "requests": self.counts.total,
                "requests_by_endpoint": dict(self.counts.requests),
                "not_modified": self.counts.not_modified,
                "graphql_points": self.counts.points,
                "retries": dict(self.counts.retries),
                "waited_seconds": round(self.counts.waited_seconds, 1),
                "quota_remaining": {
                    f"{token} {resource}": quota.remaining for (token, resource), quota in self.quotas.items()
                },
            }

    def _working_time(self) -> float:
        return self._now() - self.counts.waited_seconds

    def _changed(self, *, at_once: bool = False) -> None:
        """Called after every change; the place to write from."""


class Activity(NullActivity):
    """Counts, and keeps a row of ``fetch_activity`` up to date from entering the block to leaving it.

    The same run and pass entered again goes on counting where it stopped.

    Args:
        url: the database, as its owner.
        repo_id: the repository.
        run_id: the run's id, Dagster's where there is one.
        pass_name: fetch, poll, sweep, authority, sample or refresh.
        now: seconds since 1970.
    """

    def __init__(
        self, url: str, repo_id: int, *, run_id: str, pass_name: str, now: Callable[[], float] = time.time
    ) -> None:
        super().__init__(now=now)
        self._url = url
        self._key = {"repo_id": repo_id, "run_id": run_id, "pass": pass_name}
        self._open = False
        self._written = 0.0
        self._quotas_written: dict[tuple[str, str], Quota] = {}
        self._writing = threading.Lock()

    def __enter__(self) -> Self:
        with store_errors(), psycopg.connect(self._url, autocommit=True) as conn:
            row = conn.execute(SQL["begin"], {**self._key, "now": _moment(self._now())}).fetchone()
        if row is not None:
            requests, not_modified, points, retries, waited = row
            self.counts = Counts(Counter(requests), not_modified, points, Counter(retries), waited)
            self._told = self._begun = self._working_time()
        self._written = self._now()
        self._open = True
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self._open = False
        with self._lock:
            self.waiting_for = self.waiting_until = None
        self._write(ended=True, error=None if error is None else _sentence(error))

    def _changed(self, *, at_once: bool = False) -> None:
        if self._open and (at_once or self._now() - self._written >= WRITE_EVERY):
            self._write()

    def _write(self, *, ended: bool = False, error: str | None = None) -> None:
        # Who finds another thread writing leaves it at that, except for the last word.
        if not self._writing.acquire(blocking=ended):
            return
        try:
            moment = self._now()
            with self._lock:
                self._written = moment
                values = {**self._key, **self._row(), "now": _moment(moment), "ended": ended, "error": error}
                new = {
                    key: quota for key, quota in self.quotas.items() if self._quotas_written.get(key) != quota
                }
            with psycopg.connect(self._url, autocommit=True) as conn:
                conn.execute(SQL["record"], values)
                for key, quota in new.items():
                    conn.execute(SQL["record_quota"], _quota_row(key, quota, moment))
            self._quotas_written.update(new)
        except psycopg.OperationalError as failure:
            # The record is not worth a run that otherwise goes on.
            _log.warning("The activity of the run could not be recorded: %s", type(failure).__name__)
        finally:
            self._writing.release()

    def _row(self) -> dict[str, Any]:
        return {
            "doing": self.current or None,
            "waiting_for": self.waiting_for,
            "waiting_until": None if self.waiting_until is None else _moment(self.waiting_until),
            "done": self.done,
            "total": self.total,
            "requests": Jsonb(dict(self.counts.requests)),
            "not_modified": self.counts.not_modified,
            "points": self.counts.points,
            "retries": Jsonb(dict(self.counts.retries)),
            "waited_seconds": self.counts.waited_seconds,
            "worked_seconds": self.worked_seconds,
        }


def _quota_row(key: tuple[str, str], quota: Quota, seen: float) -> dict[str, Any]:
    return {
        "token_name": key[0],
        "resource": key[1],
        "allowed": quota.limit,
        "remaining": quota.remaining,
        "resets_at": _moment(quota.resets_at),
        "seen_at": _moment(seen),
    }


def _moment(seconds: float) -> datetime:
    return datetime.fromtimestamp(seconds, UTC)


def _sentence(error: BaseException) -> str:
    """Return what may be shown of a failure: our own sentences, and of anything else its kind alone."""
    return str(error) if isinstance(error, ReloreError) else type(error).__name__
