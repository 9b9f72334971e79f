"""What was known of somebody's standing at a date: by the evidence of before, whatever came to light since."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from itertools import pairwise
from random import Random
from typing import get_args

import pytest

from relore_assets.authority.acts import EVENTS, MERGED, REVIEWED, Act
from relore_assets.authority.hindsight import views
from relore_assets.authority.lookup import Standing
from relore_assets.authority.standing import Account, Permission, Trust, intervals

DAY = timedelta(days=1)
START = datetime(2018, 1, 1, tzinfo=UTC)


def day(number: int) -> datetime:
    return START + number * DAY


def act(number: int, what: str = "closed", thread: int = 1, login: str = "keel") -> Act:
    return Act(login, day(number), what, thread)


def known(
    acts: list[Act],
    association: str = "NONE",
    answers: list[Permission] | None = None,
    *,
    first: int = 0,
    bot: bool = False,
) -> Standing:
    accounts = [Account("Keel", association, is_bot=bot, first_at=day(first))]
    return Standing(intervals(accounts, acts, answers or []), views(accounts, acts, answers or []))


# The triage role came in May 2019, on day 507: an act before it takes write access.


def test_a_spell_that_a_merge_drew_back_counts_from_the_merge_on_only() -> None:
    """One label proves nothing of a stranger, until they merge in the same spell."""
    who = known([act(600, "labeled"), act(900, MERGED, 2)])
    assert who.trust("keel", day(700)) == "authoritative"
    assert who.as_of("keel", day(700), day(800)) == "reported"
    assert (
        who.as_of("keel", day(700), day(900)) == "reported"
    )  # evidence of the cutoff itself is not before it
    assert who.as_of("keel", day(700), day(900) + DAY / 24) == "authoritative"


def test_a_spell_ends_a_year_after_the_last_act_that_was_known() -> None:
    """What shows that access lasted through a pause is the next act."""
    who = known([act(10, MERGED), act(10 + 500, MERGED, 2)])
    quiet = day(10 + 400)
    assert who.trust("keel", quiet) == "authoritative"
    assert who.as_of("keel", quiet, day(10 + 450)) == "reported"
    assert who.as_of("keel", day(10 + 300), day(10 + 450)) == "authoritative"
    assert who.as_of("keel", quiet, day(10 + 501)) == "authoritative"


def test_a_habit_is_one_from_the_third_thread_on() -> None:
    """Of somebody whom GitHub does not count to the team."""
    who = known([act(600, "closed", 1), act(610, "closed", 2), act(620, "closed", 3)])
    assert who.as_of("keel", day(605), day(615)) == "reported"
    assert who.as_of("keel", day(605), day(621)) == "authoritative"


def test_an_answer_of_github_is_known_from_its_day_on() -> None:
    """It reaches back to the last spell, for those who ask after it."""
    given = Permission("keel", "write", day(2000), day(2100))
    who = known([act(600, "labeled")], answers=[given])
    assert who.trust("keel", day(1500)) == "authoritative"
    assert who.as_of("keel", day(1500), day(1999)) == "reported"
    assert who.as_of("keel", day(1500), day(2001)) == "authoritative"


def test_a_refusal_of_today_takes_nothing_from_then() -> None:
    """Today's `read` ends what a merge had opened without end; who asked before it did not know."""
    who = known([act(600, MERGED)], "MEMBER", [Permission("keel", "read", day(2000), day(2000))])
    assert who.trust("keel", day(1900)) == "unresolved"
    assert who.as_of("keel", day(1900), day(1950)) == "authoritative"


def test_what_github_calls_somebody_is_known_from_their_first_text_on() -> None:
    """An association bears no date, and the text that carries it does."""
    who = known([], "MEMBER", first=50)
    assert who.trust("keel", day(10)) == "unresolved"
    assert who.as_of("keel", day(10), day(20)) == "reported"
    assert who.as_of("keel", day(10), day(51)) == "unresolved"


def test_a_member_who_merges_again_after_years_was_thought_to_have_stayed() -> None:
    """The last spell of merges has no end, until another shows that it was not the last."""
    who = known([act(10, MERGED), act(1000, MERGED, 2)], "MEMBER")
    assert who.trust("keel", day(900)) == "unresolved"
    assert who.as_of("keel", day(900), day(950)) == "authoritative"


def test_bots_are_machines_at_any_time() -> None:
    """What kind of account it is does not change."""
    who = known([act(600, MERGED)], bot=True, first=500)
    assert who.as_of("keel", day(10), day(20)) == "machine"


def test_of_whom_nothing_new_is_learnt_nothing_is_kept() -> None:
    """A maintainer of many years has the tiers of today in every view."""
    acts = [act(10 + 30 * month, MERGED, month) for month in range(80)]
    accounts = [Account("keel", "CONTRIBUTOR", is_bot=False, first_at=day(0))]
    assert views(accounts, acts) == []


@pytest.mark.parametrize("seed", range(60))
def test_every_moment_sees_what_the_evidence_of_before_it_shows(seed: int) -> None:
    """Whatever was done and answered: the tiers of a history cut at a moment are those that were seen at it."""
    chance = Random(seed)  # noqa: S311 - the same history for the same seed
    account = Account(
        "keel",
        chance.choice(["NONE", "CONTRIBUTOR", "MEMBER", "COLLABORATOR", "OWNER"]),
        is_bot=False,
        first_at=day(chance.randrange(1500)),
    )
    spread = chance.choice([3, 40, 200, 400, 800])
    whats = chance.sample([MERGED, REVIEWED, *EVENTS], k=chance.randint(1, 4))
    at = chance.randrange(1200)
    acts: list[Act] = []
    for _ in range(chance.randrange(30)):
        acts.append(act(at, chance.choice(whats), chance.randint(1, 5)))
        at += chance.randint(0, spread)
    dates = sorted(chance.sample(range(3000), k=2 * chance.randint(0, 3)))
    answers = [
        Permission("keel", chance.choice(["write", "triage", "read", "none"]), day(since), day(last))
        for since, last in zip(dates[::2], dates[1::2], strict=True)
    ]
    whole = Standing(intervals([account], acts, answers), views([account], acts, answers))
    evidence = [item.at for item in acts] + [
        moment for one in answers for moment in (one.since, one.checked_at)
    ]
    moments = sorted({account.first_at or START, *evidence, day(4000)})
    asked = [moment + shift for moment in moments for shift in (-DAY / 24, DAY * 0, DAY / 24)]
    asked += [early + (late - early) / 2 for early, late in pairwise(moments)]
    for before in asked:
        cut = Standing(
            intervals(
                [account] if account.first_at is None or account.first_at < before else [],
                [item for item in acts if item.at < before],
                [
                    answer
                    if answer.checked_at < before
                    else Permission("keel", answer.permission, answer.since, answer.since)
                    for answer in answers
                    if answer.since < before
                ],
            )
        )
        for date in (moment for moment in asked if moment < before):
            assert whole.as_of("keel", date, before) == cut.trust("keel", date), (before, date)
    assert {whole.trust("keel", date) for date in asked} <= set(get_args(Trust))
