"""A server pinned to a moment, with threads it withholds: evaluation mode.

What is measured must not be told the answer, and a caller cannot be trusted with that. So the pin belongs to
the process: every question is bounded by it, and what a request says may only narrow it further.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Self

from psycopg.rows import tuple_row

from relore_serve.search.ages import utc
from relore_serve.search.question import Exclusion
from relore_serve.sql import load
from relore_serve.web.fields import BadValue, Excluded, Moment

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from datetime import datetime

    from psycopg import Connection

    from relore_serve.search.scope import Repo
    from relore_serve.web.shapes import Pinned

MAX_THREADS = 500
"""Threads that a pin may withhold."""
COUNTS_NOTE = "What is counted and dated here is the whole index of today, with what is withheld."

_SQL = load("relore_serve.web", "web.sql")
_DAY = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")


class PinError(ValueError):
    """What a server is to be pinned to cannot be read; the message says what to do."""


@dataclass(frozen=True, slots=True)
class Pin:
    """Bounds of every answer.

    Attributes:
        before: only what was there at that instant, strictly; None for no cutoff.
        exclude: threads that are withheld; each names its repository once the server runs.
    """

    before: datetime | None = None
    exclude: tuple[Exclusion, ...] = ()

    def __bool__(self) -> bool:
        return self.before is not None or bool(self.exclude)

    @classmethod
    def parse(cls, moment: str | None, threads: Sequence[str]) -> Self:
        """Read a pin as it is typed.

        Args:
            moment: an instant that names its zone.
            threads: ``N`` or ``owner/name#N`` each.

        Raises:
            PinError: one of them cannot be read.
        """
        if len(threads) > MAX_THREADS:
            raise PinError(f"{len(threads)} threads are to be excluded, and at most {MAX_THREADS} can be.")
        return cls(_moment(moment), tuple(dict.fromkeys(_exclusion(thread) for thread in threads)))

    def resolved(self, held: Sequence[Repo]) -> Pin:
        """Return the pin with every thread's repository named, as the index spells it.

        Raises:
            PinError: a bare number could be of several repositories, or a repository is not held. An exclusion
                that fits nothing would withhold nothing, without a word.
        """
        names = {repo.name.lower(): repo.name for repo in held}
        return Pin(self.before, tuple(dict.fromkeys(_resolved(one, names) for one in self.exclude)))

    def absent(self, conn: Connection) -> tuple[str, ...]:
        """Return what a resolved pin withholds and is not held, as owner/name#N: to come, or mistyped."""
        asked = {
            "repos": [one.repo for one in self.exclude],
            "numbers": [one.number for one in self.exclude],
        }
        with conn.cursor(row_factory=tuple_row) as cursor:
            found = cursor.execute(_SQL["absent"], asked).fetchall()
        return tuple(f"{repo}#{number}" for repo, number in found)

    def earlier(self, before: datetime | None) -> datetime | None:
        """Return the earlier of the pin's cutoff and a request's."""
        cutoffs = [moment for moment in (self.before, before) if moment is not None]
        return min(cutoffs, default=None)

    def withheld(self, asked: Iterable[Exclusion], repos: Iterable[Repo]) -> tuple[Exclusion, ...]:
        """Return what a request withholds together with what the pin does of ``repos``."""
        return tuple(dict.fromkeys([*asked, *(replace(one, told=False) for one in self._of(repos))]))

    def told(self, repos: Iterable[Repo]) -> Pinned | None:
        """Return the pin as `status` tells it to somebody who may see ``repos``: no thread by its number.

        What is withheld is often the answer, and a number is all that it takes to look it up.
        """
        if not self:
            return None
        return {"before": utc(self.before), "excluded": len(self._of(repos)), "note": COUNTS_NOTE}

    def _of(self, repos: Iterable[Repo]) -> list[Exclusion]:
        # The names of others are not the caller's business.
        names = {repo.name.lower() for repo in repos}
        return [one for one in self.exclude if (one.repo or "").lower() in names]


def _moment(text: str | None) -> datetime | None:
    if text is None:
        return None
    if _DAY.fullmatch(text):
        raise PinError(
            f"as-of {text} names no time zone: say when on that day, for instance {text}T00:00:00Z."
        )
    try:
        return Moment()(text)
    except BadValue as error:
        raise PinError(f"as-of {error}.") from None


def _exclusion(text: str) -> Exclusion:
    try:
        repo, number = Excluded()(text)
    except BadValue as error:
        raise PinError(f"exclude-thread {error}.") from None
    return Exclusion(number=number, repo=repo)


def _resolved(thread: Exclusion, names: dict[str, str]) -> Exclusion:
    listed = ", ".join(sorted(names.values())) or "none"
    if thread.repo is None:
        if len(names) != 1:
            raise PinError(
                f"{thread.number} could be a thread of any repository: say owner/name#{thread.number}. "
                f"Indexed: {listed}."
            )
        return Exclusion(thread.number, next(iter(names.values())))
    if thread.repo.lower() not in names:
        raise PinError(
            f"{thread.repo}#{thread.number} is of a repository that is not indexed. Indexed: {listed}."
        )
    return Exclusion(thread.number, names[thread.repo.lower()])
