"""Standing by date, from acts."""

from __future__ import annotations

import itertools
from datetime import UTC, datetime, timedelta

import pytest

from relore_assets.authority.standing import GRACE, SPELL_GAP, Account, Standing, intervals

JAN = datetime(2020, 1, 10, tzinfo=UTC)


def standing(
    *accounts: Account, merges: tuple[tuple[str, datetime], ...] = (), bots: frozenset[str] = frozenset()
):
    return Standing(intervals(accounts, merges, bots))


def test_who_merges_is_authoritative_from_the_first_merge_until_a_year_after_the_last() -> None:
    """A merge needs write access and carries a date; an association carries neither."""
    who = standing(
        Account("Keel", "CONTRIBUTOR", False), merges=(("keel", JAN), ("keel", JAN + timedelta(days=90)))
    )
    last = JAN + timedelta(days=90)
    assert who.trust("keel", JAN - timedelta(seconds=1)) == "reported"
    assert who.trust("KEEL", JAN) == "authoritative"
    assert who.trust("keel", last + GRACE - timedelta(seconds=1)) == "authoritative"
    assert who.trust("keel", last + GRACE) == "reported"


def test_a_long_silence_parts_two_spells() -> None:
    """Nothing shows that access lasted through years without a merge."""
    later = JAN + SPELL_GAP + timedelta(days=1)
    who = standing(Account("keel", "NONE", False), merges=(("keel", JAN), ("keel", later)))
    assert who.trust("keel", later - timedelta(days=1)) == "reported"
    assert who.trust("keel", later) == "authoritative"


@pytest.mark.parametrize("association", ["MEMBER", "COLLABORATOR"])
def test_a_team_member_without_merges_is_unresolved(association: str) -> None:
    """Team membership may mean reading rights only, and says so as a state of its own."""
    who = standing(Account("mate", association, False))
    assert who.trust("mate", JAN) == "unresolved"
    assert who.trust("mate", None) == "unresolved"


def test_a_team_member_who_merged_is_authoritative_from_then_on() -> None:
    """On the team today, the last spell has no end; before the first merge nothing is proven."""
    who = standing(Account("mate", "MEMBER", False), merges=(("mate", JAN),))
    assert who.trust("mate", JAN - timedelta(days=1)) == "unresolved"
    assert who.trust("mate", JAN + timedelta(days=3650)) == "authoritative"


def test_intervals_of_one_person_never_overlap() -> None:
    """Two tiers at one date would make the answer depend on the order of rows."""
    merges = (("mate", JAN), ("mate", JAN + SPELL_GAP * 2), ("mate", JAN + SPELL_GAP * 4))
    found = intervals([Account("mate", "MEMBER", False)], merges)
    assert [span.tier for span in found] == [
        "unresolved", "authoritative", "unresolved", "authoritative", "unresolved", "authoritative",
    ]  # fmt: skip
    for earlier, later in itertools.pairwise(found):
        assert earlier.to_at == later.from_at


@pytest.mark.parametrize(
    ("account", "bots"),
    [
        (Account("helper[bot]", "NONE", False), frozenset[str]()),
        (Account("helper", "NONE", True), frozenset[str]()),
        (Account("Helper", "MEMBER", False), frozenset({"helper"})),
    ],
    ids=["suffix", "type", "configured"],
)
def test_a_machine_is_never_a_maintainer_even_when_it_merges(account: Account, bots: frozenset[str]) -> None:
    """A bot that merges does so on somebody's behalf."""
    who = standing(account, merges=((account.login, JAN),), bots=bots)
    assert who.trust(account.login, JAN) == "machine"


def test_owners_always_have_standing_and_strangers_never() -> None:
    """An owner's access has no beginning; an unknown login has no interval at all."""
    who = standing(Account("boss", "OWNER", False), Account("passer", "NONE", False))
    assert who.trust("boss", None) == "authoritative"
    assert who.trust("passer", JAN) == "reported"
    assert who.trust("nobody", JAN) == "reported"


def test_an_unknown_date_is_not_covered_by_a_dated_act() -> None:
    """A comment without a date cannot be shown to fall into a spell."""
    who = standing(Account("keel", "CONTRIBUTOR", False), merges=(("keel", JAN),))
    assert who.trust("keel", None) == "reported"
