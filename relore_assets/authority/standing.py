"""From recorded acts and GitHub's answers to standing by date. Pure: rows in, intervals out.

GitHub's ``author_association`` is computed when it is asked, so it speaks of today only, and calls people whose
write access comes through a team MEMBER or even CONTRIBUTOR
(https://docs.github.com/en/graphql/reference/enums#commentauthorassociation). The permission endpoint speaks of the
moment at which it is asked. What somebody did is dated, so the past is judged by acts (what each proves: ``acts``);
an association fills in what it can and is never turned into a past.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from typing import TYPE_CHECKING, Literal

from relore_assets.authority.acts import MERGED, Act

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

Tier = Literal["authoritative", "unresolved", "machine"]
Trust = Literal["authoritative", "reported", "unresolved", "machine"]

TEAM = frozenset({"OWNER", "MEMBER", "COLLABORATOR"})
#: Answers of the permission endpoint that mean write access.
WRITING = frozenset({"admin", "maintain", "write"})

#: Acts further apart than this are two spells of activity: nothing shows that access lasted in between.
SPELL_GAP = timedelta(days=730)
#: How long after their last recorded act somebody still counts.
GRACE = timedelta(days=365)
#: On how many threads somebody whom GitHub does not count to the team must have used what triage access allows. One
#: may be a slip of the record, such as a thread moved here from elsewhere with all that was done to it.
HABIT = 3

_BEGINNING = datetime.min.replace(tzinfo=UTC)
_END = datetime.max.replace(tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class Account:
    """What a repository's objects say of one account.

    Attributes:
        association: the newest one seen. texts: how many titles, comments and reviews it wrote.
        first_at: the date of the first of these, before which nothing called it anything.
    """

    login: str
    association: str
    is_bot: bool
    texts: int = 0
    first_at: datetime | None = None


@dataclass(frozen=True, slots=True)
class Permission:
    """One answer of the permission endpoint, from when it was first given until it was last repeated."""

    login: str
    permission: str
    since: datetime
    checked_at: datetime


@dataclass(frozen=True, slots=True)
class Interval:
    """One tier over ``[from_at, to_at)``; None is unbounded. ``login`` is in lower case."""

    login: str
    tier: Tier
    reason: str
    from_at: datetime | None
    to_at: datetime | None


@dataclass(frozen=True, slots=True)
class _Span:
    """A tier over a time, before spans are laid over each other. No tier: what any stranger has."""

    tier: Tier | None
    reason: str
    start: datetime
    end: datetime


@dataclass(frozen=True, slots=True)
class Person:
    """All that is known of one account: ``acts`` and ``answers`` by date. ``login`` is in lower case."""

    login: str
    account: Account
    acts: Sequence[Act]
    answers: Sequence[Permission]
    configured: bool = False


def people(
    accounts: Iterable[Account],
    acts: Iterable[Act],
    permissions: Iterable[Permission] = (),
    configured_bots: frozenset[str] = frozenset(),
) -> list[Person]:
    """Return what is known, account by account, ordered by login.

    Args:
        accounts: one entry per account that wrote something.
        acts: what people did, in any order; they need not have written anything.
        permissions: GitHub's answers, in any order.
        configured_bots: lower-case logins that the operator declares to be machines.
    """
    done: dict[str, list[Act]] = defaultdict(list)
    for act in sorted(acts, key=lambda act: act.at):
        done[act.login.lower()].append(act)
    answered: dict[str, list[Permission]] = defaultdict(list)
    for answer in sorted(permissions, key=lambda answer: answer.since):
        answered[answer.login.lower()].append(answer)
    known = {account.login.lower(): account for account in accounts}
    return [
        Person(
            login,
            known.get(login, Account(login, "NONE", is_bot=False)),
            done.get(login, []),
            answered.get(login, []),
            configured=login in configured_bots,
        )
        for login in sorted(known.keys() | done.keys() | answered.keys() | configured_bots)
    ]


def intervals(
    accounts: Iterable[Account],
    acts: Iterable[Act],
    permissions: Iterable[Permission] = (),
    configured_bots: frozenset[str] = frozenset(),
) -> list[Interval]:
    """Return every account's intervals, ordered by login and start; authors without any are ``reported``.

    The arguments are those of `people`.
    """
    return [
        interval
        for person in people(accounts, acts, permissions, configured_bots)
        for interval in of_person(person)
    ]


def of_person(person: Person) -> list[Interval]:
    """Return the intervals of one account, ordered by start."""
    login, account = person.login, person.account
    if person.configured:
        return [Interval(login, "machine", "configured", None, None)]
    if login.endswith("[bot]") or account.is_bot:
        # Whatever it may do: a bot that merges does so on somebody's behalf.
        return [Interval(login, "machine", "bot", None, None)]
    if account.association == "OWNER":
        return [Interval(login, "authoritative", "owner", None, None)]
    return _overlaid(login, _layers(account.association, person.acts, person.answers))


def _layers(association: str, acts: Sequence[Act], answers: Sequence[Permission]) -> list[list[_Span]]:
    """Return one person's spans; a layer outweighs those behind it."""
    wrote = [act.at for act in acts if act.proof == "write"]
    latest = answers[-1] if answers else None
    confirmed = latest is not None and latest.permission in WRITING
    # An answer holds until the next one, unless somebody is seen to write in between.
    denied = latest is not None and not confirmed and not any(at > latest.checked_at for at in wrote)
    team = "NONE" if denied or association not in TEAM else association
    # Asked and confirmed once, access reaches back as far as the acts before do.
    confirmations = [answer.since for answer in answers if answer.permission in WRITING]
    merges = [
        _Span("authoritative", "merged", spell[0].at, spell[-1].at + GRACE)
        for spell in spells([act for act in acts if act.what == MERGED])
    ]
    if merges and team != "NONE":
        last = merges[-1]
        merges[-1] = _Span(last.tier, last.reason, last.start, _END)
    if denied and latest is not None and latest.permission == "triage":
        # Exactly the access that the lesser acts need, so they say nothing of more.
        acts = [act for act in acts if act.proof == "write"]
    elif team == "NONE" and not confirmed:
        acts = [act for act in acts if act.proof != "review"]
    others = [_judged(spell, team, confirmed=confirmed) for spell in spells(acts)]
    layers = [
        _answered(answers, wrote),
        _reaching(merges, confirmations),
        _reaching([span for span in others if span is not None], confirmations),
    ]
    if association in TEAM:
        # A team member's time outside all of these is neither proven nor ruled out.
        layers.append([_Span("unresolved", association.lower(), _BEGINNING, _END)])
    return layers


def _answered(answers: Sequence[Permission], wrote: Sequence[datetime]) -> list[_Span]:
    """Return what GitHub's answers say of the time from each to the next."""
    spans: list[_Span] = []
    ends = [*(answer.since for answer in answers[1:]), _END]
    for answer, end in zip(answers, ends, strict=False):
        if answer.permission in WRITING:
            spans.append(_Span("authoritative", "permission", answer.since, end))
        else:
            regained = next((at for at in wrote if at > answer.checked_at), end)
            spans.append(_Span(None, "permission", answer.since, min(end, regained)))
    return spans


def spells(acts: Iterable[Act]) -> list[list[Act]]:
    """Part acts, which are in order, where too long a time passed between them."""
    parts: list[list[Act]] = []
    for act in acts:
        if parts and act.at - parts[-1][-1].at <= SPELL_GAP:
            parts[-1].append(act)
        else:
            parts.append([act])
    return parts


def _judged(spell: Sequence[Act], team: str, *, confirmed: bool) -> _Span | None:
    """Return what a spell of acts of all kinds proves, None where it proves nothing.

    An act that takes write access proves it. Lesser ones do of the team, and of somebody who has write access now;
    of anybody else as a habit. Reviews alone prove nothing of a MEMBER, who belongs to the organisation and not to
    this repository, nor of a maintainer's time before they became one; of a COLLABORATOR, who was invited to this
    repository, a habit does.
    """
    acted = [act for act in spell if act.proof != "review"]
    end = spell[-1].at + GRACE
    trusted = confirmed or team != "NONE"
    if acted and (trusted or _is_habit(acted) or any(act.proof == "write" for act in acted)):
        return _Span("authoritative", "acted", acted[0].at, end)
    if team == "COLLABORATOR" and _is_habit(spell):
        return _Span("authoritative", "reviewed", spell[0].at, end)
    return None


def _is_habit(acts: Iterable[Act]) -> bool:
    return len({act.thread for act in acts}) >= HABIT


def _reaching(spans: Sequence[_Span], moments: Iterable[datetime]) -> list[_Span]:
    """Stretch to each moment the last span that begins before it."""
    stretched = list(spans)
    for moment in moments:
        before = [index for index, span in enumerate(stretched) if span.start <= moment]
        if before:
            span = stretched[before[-1]]
            stretched[before[-1]] = _Span(span.tier, span.reason, span.start, max(span.end, moment))
    return stretched


def _overlaid(login: str, layers: Sequence[Sequence[_Span]]) -> list[Interval]:
    """Return the intervals that show when the layers lie one upon the other, neighbours of one kind joined."""
    edges = sorted({edge for layer in layers for span in layer for edge in (span.start, span.end)})
    shown: list[_Span] = []
    for start, end in pairwise(edges):
        top = next(
            (span for layer in layers for span in layer if span.start <= start and end <= span.end), None
        )
        if top is None or top.tier is None:
            continue
        last = shown[-1] if shown else None
        if last is not None and (last.tier, last.reason, last.end) == (top.tier, top.reason, start):
            shown[-1] = _Span(last.tier, last.reason, last.start, end)
        else:
            shown.append(_Span(top.tier, top.reason, start, end))
    return [
        Interval(
            login,
            span.tier,
            span.reason,
            None if span.start == _BEGINNING else span.start,
            None if span.end == _END else span.end,
        )
        for span in shown
        if span.tier is not None
    ]
