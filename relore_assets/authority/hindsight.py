"""What was known of people's standing at a moment, where that differs from what is known today. Pure.

Evidence counts from the moment after its date on. Later evidence tells of the past, too: somebody who closes three
threads turns out to have had standing since the first, and who acts again after eighteen months had it in between. So
a date's tier depends on when it is asked for, and a question as of a date is answered by the evidence of before.

Two things bear no date and hold at any: that an account is a bot, and what GitHub calls it today (its association),
which is known from its first text on.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import pairwise
from typing import TYPE_CHECKING

from relore_assets.authority.acts import MERGED
from relore_assets.authority.standing import (
    GRACE,
    HABIT,
    Permission,
    Person,
    of_person,
    people,
    spells,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from datetime import datetime

    from relore_assets.authority.acts import Act
    from relore_assets.authority.standing import Account, Interval, Trust


@dataclass(frozen=True, slots=True)
class View:
    """One account's tiers as seen up to and at ``seen_until``, since the view before it; of dates before that moment.

    ``tiers`` has one entry more than ``starts``: the tier before the first start, then the one from each start on.
    """

    login: str
    seen_until: datetime
    starts: tuple[datetime, ...]
    tiers: tuple[Trust, ...]


def views(
    accounts: Iterable[Account],
    acts: Iterable[Act],
    permissions: Iterable[Permission] = (),
    configured_bots: frozenset[str] = frozenset(),
) -> list[View]:
    """Return what was seen otherwise than it is today, ordered by login and moment; the arguments are of `people`.

    After an account's last view, and where it has none, its intervals of today are what was seen.
    """
    return [
        view for person in people(accounts, acts, permissions, configured_bots) for view in _of_person(person)
    ]


def _of_person(person: Person) -> list[View]:
    found: list[View] = []
    later = _steps(of_person(person))
    for moment in sorted(_moments(person), reverse=True):
        then = _until(_steps(of_person(_known_before(person, moment))), moment)
        if then != _until(later, moment):
            found.append(View(person.login, moment, *then))
            later = then
    return found[::-1]


def _known_before(person: Person, moment: datetime) -> Person:
    """Return the person by the evidence dated before ``moment``."""
    account = person.account
    if account.first_at is not None and account.first_at >= moment:
        account = replace(account, association="NONE")
    return replace(
        person,
        account=account,
        acts=[act for act in person.acts if act.at < moment],
        answers=[
            # Of an answer that was repeated, the first time and the last are kept.
            answer if answer.checked_at < moment else replace(answer, checked_at=answer.since)
            for answer in person.answers
            if answer.since < moment
        ],
    )


def _moments(person: Person) -> set[datetime]:
    """Return the dates of all evidence that may change what is seen of the time before it.

    Most acts change nothing: they prolong what is known to last. To look closely at each of thousands would take long.
    """
    answered = {moment for answer in person.answers for moment in (answer.since, answer.checked_at)}
    moments = set(answered)
    if person.account.first_at is not None:
        moments.add(person.account.first_at)
    for some in (
        person.acts,
        [act for act in person.acts if act.proof != "review"],
        [act for act in person.acts if act.proof == "write"],
        [act for act in person.acts if act.what == MERGED],
    ):
        moments.update(_turns(some))
        for asked in answered:
            following = next((act for act in some if act.at > asked), None)
            if following is not None:
                moments.add(following.at)
    return moments


def _turns(acts: Sequence[Act]) -> Iterator[datetime]:
    """Yield the dates of acts that begin a spell, bridge a gap in it, or may make a habit of it."""
    for spell in spells(acts):
        yield spell[0].at
        threads = {spell[0].thread}
        for before, act in pairwise(spell):
            if act.at - before.at > GRACE or (len(threads) < HABIT and act.thread not in threads):
                yield act.at
            threads.add(act.thread)


_Steps = tuple[tuple["datetime", ...], tuple["Trust", ...]]


def _steps(found: Iterable[Interval]) -> _Steps:
    """Return intervals, which are in order, as the tiers from date to date, each unlike the one before."""
    starts: list[datetime] = []
    tiers: list[Trust] = ["reported"]
    for interval in found:
        if interval.from_at is None:
            tiers = [interval.tier]
        elif starts and starts[-1] == interval.from_at:
            tiers[-1] = interval.tier
        else:
            starts.append(interval.from_at)
            tiers.append(interval.tier)
        if interval.to_at is not None:
            starts.append(interval.to_at)
            tiers.append("reported")
    turns = [at for at in range(len(starts)) if tiers[at] != tiers[at + 1]]
    return tuple(starts[at] for at in turns), (tiers[0], *(tiers[at + 1] for at in turns))


def _until(steps: _Steps, moment: datetime) -> _Steps:
    """Return them as far as they begin before ``moment``."""
    starts, tiers = steps
    kept = sum(start < moment for start in starts)
    return starts[:kept], tiers[: kept + 1]
