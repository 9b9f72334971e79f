"""From recorded acts to standing by date. Pure: rows in, intervals out.

GitHub's ``author_association`` is computed when it is asked, so it speaks of today only, and calls people whose
write access comes through a team MEMBER or even CONTRIBUTOR
(https://docs.github.com/en/graphql/reference/enums#commentauthorassociation). A merge is dated and needs write
access, so it is the evidence used here; association fills in what it can and is never turned into a past.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import defaultdict
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

Tier = Literal["authoritative", "unresolved", "machine"]
Trust = Literal["authoritative", "reported", "unresolved", "machine"]

TEAM = frozenset({"OWNER", "MEMBER", "COLLABORATOR"})

#: Merges further apart than this are two spells of activity: nothing shows that access lasted in between.
SPELL_GAP = timedelta(days=730)
#: How long after their last recorded merge somebody who is no longer on the team still counts.
GRACE = timedelta(days=365)


@dataclass(frozen=True, slots=True)
class Account:
    """What a repository's objects say of one account: the newest association seen, and whether it is a bot."""

    login: str
    association: str
    is_bot: bool


@dataclass(frozen=True, slots=True)
class Interval:
    """One tier over ``[from_at, to_at)``; None is unbounded. ``login`` is in lower case."""

    login: str
    tier: Tier
    reason: str
    from_at: datetime | None
    to_at: datetime | None


def intervals(
    accounts: Iterable[Account],
    merges: Iterable[tuple[str, datetime]],
    configured_bots: frozenset[str] = frozenset(),
) -> list[Interval]:
    """Return every account's intervals, ordered by login and start; authors without any are ``reported``.

    Args:
        accounts: one entry per account that wrote something.
        merges: login and time of each recorded merge; the account need not have written anything.
        configured_bots: lower-case logins that the operator declares to be machines.
    """
    merged_at: dict[str, list[datetime]] = defaultdict(list)
    for login, at in merges:
        merged_at[login.lower()].append(at)
    known = {account.login.lower(): account for account in accounts}
    found: list[Interval] = []
    for login in sorted(known.keys() | merged_at.keys() | configured_bots):
        found.extend(_of_one(login, known.get(login), sorted(merged_at.get(login, [])), configured_bots))
    return found


def _of_one(
    login: str, account: Account | None, merges: list[datetime], configured_bots: frozenset[str]
) -> list[Interval]:
    if login in configured_bots:
        return [Interval(login, "machine", "configured", None, None)]
    if login.endswith("[bot]") or (account is not None and account.is_bot):
        return [Interval(login, "machine", "bot", None, None)]
    association = account.association if account else "NONE"
    if association == "OWNER":
        return [Interval(login, "authoritative", "owner", None, None)]
    on_team = association in TEAM
    spells = _spells(merges, open_ended=on_team)
    if not on_team:
        return [Interval(login, "authoritative", "merged", start, end) for start, end in spells]
    # A team member's time outside recorded merges is neither proven nor ruled out.
    found: list[Interval] = []
    covered: datetime | None = None
    for start, end in spells:
        found.append(Interval(login, "unresolved", association.lower(), covered, start))
        found.append(Interval(login, "authoritative", "merged", start, end))
        covered = end
    if not spells or covered is not None:
        found.append(Interval(login, "unresolved", association.lower(), covered, None))
    return found


def _spells(merges: list[datetime], *, open_ended: bool) -> list[tuple[datetime, datetime | None]]:
    """Join merges into spells; the last one stays open for somebody who is on the team today."""
    spells: list[tuple[datetime, datetime | None]] = []
    start = previous = None
    for at in merges:
        if start is None or previous is None:
            start = at
        elif at - previous > SPELL_GAP:
            spells.append((start, previous + GRACE))
            start = at
        previous = at
    if start is not None and previous is not None:
        spells.append((start, None if open_ended else previous + GRACE))
    return spells


class Standing:
    """Answers what somebody's tier was at a date."""

    def __init__(self, found: Iterable[Interval]) -> None:
        self._by_login: dict[str, list[Interval]] = defaultdict(list)
        for interval in found:
            self._by_login[interval.login].append(interval)
        # An unbounded start sorts before every date.
        self._starts: Mapping[str, list[float]] = {}
        starts: dict[str, list[float]] = {}
        for login, spans in self._by_login.items():
            spans.sort(key=_start)
            starts[login] = [_start(span) for span in spans]
        self._starts = starts

    def trust(self, login: str, at: datetime | None) -> Trust:
        """Return the tier of ``login`` at ``at``. An unknown date is covered by unbounded intervals only."""
        key = login.lower()
        spans = self._by_login.get(key)
        if not spans:
            return "reported"
        if at is None:
            whole = [span for span in spans if span.from_at is None and span.to_at is None]
            return whole[0].tier if whole else "reported"
        index = bisect_right(self._starts[key], at.timestamp()) - 1
        if index < 0:
            return "reported"
        span = spans[index]
        return span.tier if span.to_at is None or at < span.to_at else "reported"


def _start(interval: Interval) -> float:
    return float("-inf") if interval.from_at is None else interval.from_at.timestamp()
