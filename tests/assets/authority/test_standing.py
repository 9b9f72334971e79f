"""Standing by date, from acts and answers."""

from __future__ import annotations

import itertools
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from relore_assets.authority.acts import EVENTS, REVIEWED, TRIAGE_ROLE_SINCE, Act
from relore_assets.authority.lookup import Standing
from relore_assets.authority.standing import (
    GRACE,
    HABIT,
    SPELL_GAP,
    Account,
    Interval,
    Permission,
    intervals,
)

JAN = datetime(2020, 1, 10, tzinfo=UTC)
DAY = timedelta(days=1)
YEAR = timedelta(days=365)


def acts(login: str, what: str, *at: datetime, threads: int = 1_000) -> list[Act]:
    """Acts of one kind, each on another of so many threads."""
    return [Act(login, moment, what, 1 + index % threads) for index, moment in enumerate(at)]


def monthly(first: datetime, count: int) -> list[datetime]:
    return [first + timedelta(days=30 * index) for index in range(count)]


def person(
    association: str,
    *done: list[Act],
    answers: list[tuple[str, datetime, datetime]] | None = None,
    bots: frozenset[str] = frozenset(),
) -> Standing:
    """The standing of one account, keel."""
    permissions = [Permission("keel", level, since, checked) for level, since, checked in answers or []]
    account = Account("Keel", association, is_bot=False)
    return Standing(intervals([account], itertools.chain(*done), permissions, bots))


# -- merging ---------------------------------------------------------------------------------------------


def test_who_merges_is_authoritative_from_the_first_merge_until_a_year_after_the_last() -> None:
    """A merge needs write access and carries a date; an association carries neither."""
    last = JAN + 90 * DAY
    who = person("CONTRIBUTOR", acts("keel", "merged", JAN, last))
    assert who.trust("keel", JAN - timedelta(seconds=1)) == "reported"
    assert who.trust("KEEL", JAN) == "authoritative"
    assert who.trust("keel", last + GRACE - timedelta(seconds=1)) == "authoritative"
    assert who.trust("keel", last + GRACE) == "reported"


def test_a_long_silence_parts_two_spells() -> None:
    """Nothing shows that access lasted through years without an act."""
    later = JAN + SPELL_GAP + DAY
    who = person("NONE", acts("keel", "merged", JAN, later))
    assert who.trust("keel", later - DAY) == "reported"
    assert who.trust("keel", later) == "authoritative"


def test_a_team_member_who_merged_is_authoritative_from_then_on() -> None:
    """On the team today, the last spell has no end; before the first merge nothing is proven."""
    who = person("MEMBER", acts("keel", "merged", JAN))
    assert who.trust("keel", JAN - DAY) == "unresolved"
    assert who.trust("keel", JAN + 10 * YEAR) == "authoritative"


# -- the team, and what its members did ------------------------------------------------------------------


@pytest.mark.parametrize("association", ["MEMBER", "COLLABORATOR"])
def test_a_team_member_without_acts_is_unresolved(association: str) -> None:
    """Team membership may mean reading rights only, and says so as a state of its own."""
    who = person(association)
    assert who.trust("keel", JAN) == "unresolved"
    assert who.trust("keel", None) == "unresolved"


@pytest.mark.parametrize("association", ["MEMBER", "COLLABORATOR"])
def test_one_act_of_triage_shows_that_a_team_member_has_rights_here(association: str) -> None:
    """Who is on the team and closes somebody else's issue was given more than reading, for as long as that goes on."""
    who = person(association, acts("keel", "closed", JAN, JAN + 90 * DAY))
    assert who.trust("keel", JAN - DAY) == "unresolved"
    assert who.trust("keel", JAN) == "authoritative"
    assert who.trust("keel", JAN + 90 * DAY + GRACE) == "unresolved"


def test_a_contributor_needs_a_habit_of_triage_on_several_threads() -> None:
    """GitHub calls people CONTRIBUTOR whose access comes through a team; one act may be a slip of the record."""
    few = acts("keel", "labeled", *monthly(JAN, HABIT - 1))
    assert person("CONTRIBUTOR", few).trust("keel", JAN) == "reported"
    on_one_thread = acts("keel", "labeled", *monthly(JAN, HABIT * 2), threads=1)
    assert person("CONTRIBUTOR", on_one_thread).trust("keel", JAN) == "reported"
    habit = acts("keel", "labeled", *monthly(JAN, HABIT))
    assert person("CONTRIBUTOR", habit).trust("keel", JAN) == "authoritative"


def test_before_there_was_a_triage_role_labelling_took_write_access() -> None:
    """Until May 2019 whoever labelled could push; one act is then as good as a merge."""
    before = TRIAGE_ROLE_SINCE - DAY
    assert person("CONTRIBUTOR", acts("keel", "labeled", before)).trust("keel", before) == "authoritative"
    after = TRIAGE_ROLE_SINCE
    assert person("CONTRIBUTOR", acts("keel", "labeled", after)).trust("keel", after) == "reported"


@pytest.mark.parametrize("what", ["renamed", "locked", "transferred", "pinned"])
def test_some_acts_take_write_access_to_this_day(what: str) -> None:
    """The triage role does not allow them."""
    assert person("CONTRIBUTOR", acts("keel", what, JAN)).trust("keel", JAN) == "authoritative"


def test_lesser_acts_stretch_a_spell_of_merging() -> None:
    """Who merged and still labels has not lost access in between."""
    quiet = monthly(JAN + 200 * DAY, 20)
    who = person("CONTRIBUTOR", acts("keel", "merged", JAN), acts("keel", "labeled", *quiet))
    assert who.trust("keel", quiet[-1]) == "authoritative"
    alone = person("CONTRIBUTOR", acts("keel", "merged", JAN))
    assert alone.trust("keel", quiet[-1]) == "reported"


def test_reviews_alone_prove_nothing_of_a_member() -> None:
    """Everybody who can read may approve, and a MEMBER belongs to the organisation, not to this repository."""
    reviews = acts("keel", REVIEWED, *monthly(JAN, 40))
    assert person("MEMBER", reviews).trust("keel", JAN + YEAR) == "unresolved"
    assert person("CONTRIBUTOR", reviews).trust("keel", JAN + YEAR) == "reported"


def test_a_collaborator_who_decides_reviews_habitually_has_standing() -> None:
    """A COLLABORATOR was invited to this very repository."""
    assert (
        person("COLLABORATOR", acts("keel", REVIEWED, *monthly(JAN, HABIT))).trust("keel", JAN)
        == "authoritative"
    )
    assert person("COLLABORATOR", acts("keel", REVIEWED, JAN)).trust("keel", JAN) == "unresolved"


def test_a_members_reviews_stretch_what_an_act_has_shown() -> None:
    """Reviewing as a member of the team goes on where triage stopped."""
    reviews = monthly(JAN + 30 * DAY, 30)
    who = person("MEMBER", acts("keel", "closed", JAN), acts("keel", REVIEWED, *reviews))
    assert who.trust("keel", reviews[-1]) == "authoritative"
    earlier = person("MEMBER", acts("keel", REVIEWED, JAN - 100 * DAY), acts("keel", "closed", JAN))
    assert earlier.trust("keel", JAN - 50 * DAY) == "unresolved"


# -- GitHub's answers ------------------------------------------------------------------------------------


@pytest.mark.parametrize("level", ["admin", "maintain", "write"])
def test_an_answer_holds_from_when_it_was_given(level: str) -> None:
    """GitHub speaks of the moment it is asked at; nothing is turned into a past."""
    who = person("CONTRIBUTOR", answers=[(level, JAN, JAN)])
    assert who.trust("keel", JAN - DAY) == "reported"
    assert who.trust("keel", JAN) == "authoritative"
    assert who.trust("keel", JAN + YEAR) == "authoritative"


@pytest.mark.parametrize("level", ["triage", "read", "none"])
def test_less_than_write_is_not_authoritative_and_not_unresolved_either(level: str) -> None:
    """The question that `unresolved` leaves open has been answered, from then on."""
    who = person("MEMBER", answers=[(level, JAN, JAN)])
    assert who.trust("keel", JAN - DAY) == "unresolved"
    assert who.trust("keel", JAN) == "reported"


def test_a_confirmed_access_reaches_back_as_far_as_acts_do() -> None:
    """One act tells since when, once it is known that the access is real, however long it was not seen to be used."""
    asked = JAN + 5 * YEAR
    who = person("CONTRIBUTOR", acts("keel", "closed", JAN), answers=[("write", asked, asked)])
    assert who.trust("keel", JAN - DAY) == "reported"
    assert who.trust("keel", JAN) == "authoritative"
    assert who.trust("keel", asked - DAY) == "authoritative"


def test_a_new_maintainers_earlier_reviews_stay_a_contributors() -> None:
    """Everybody may approve, so approving does not tell since when somebody has write access."""
    reviews = acts("keel", REVIEWED, *monthly(JAN, 30))
    later = JAN + 3 * YEAR
    who = person(
        "CONTRIBUTOR",
        reviews,
        acts("keel", "merged", later),
        answers=[("write", later + 30 * DAY, later + 30 * DAY)],
    )
    assert who.trust("keel", later - DAY) == "reported"
    assert who.trust("keel", later) == "authoritative"


def test_what_held_between_two_answers_is_kept_when_the_second_differs() -> None:
    """A maintainer who left was one at the time of what they said then."""
    left = JAN + YEAR
    who = person("CONTRIBUTOR", answers=[("write", JAN, JAN + 300 * DAY), ("read", left, left)])
    assert who.trust("keel", JAN + 100 * DAY) == "authoritative"
    assert who.trust("keel", left) == "reported"


def test_a_merge_after_a_denial_is_the_newer_evidence() -> None:
    """An answer of `read` is as good as its date."""
    later = JAN + 100 * DAY
    who = person("CONTRIBUTOR", acts("keel", "merged", later), answers=[("read", JAN, JAN)])
    assert who.trust("keel", later - DAY) == "reported"
    assert who.trust("keel", later) == "authoritative"


def test_who_has_triage_access_is_not_promoted_by_triage() -> None:
    """The acts are exactly what that access allows, and say nothing of more."""
    habit = acts("keel", "labeled", *monthly(JAN, 20))
    later = JAN + 2 * YEAR
    assert person("MEMBER", habit, answers=[("triage", later, later)]).trust("keel", JAN) == "unresolved"


def test_a_denied_members_last_spell_ends_as_a_strangers_does() -> None:
    """Being on the team today keeps a spell open only while nothing says otherwise."""
    later = JAN + 5 * YEAR
    who = person("MEMBER", acts("keel", "merged", JAN), answers=[("read", later, later)])
    assert who.trust("keel", JAN + GRACE - DAY) == "authoritative"
    assert who.trust("keel", JAN + GRACE) == "unresolved"
    assert who.trust("keel", later) == "reported"


# -- machines and owners ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("account", "bots"),
    [
        (Account("helper[bot]", "NONE", is_bot=False), frozenset[str]()),
        (Account("helper", "NONE", is_bot=True), frozenset[str]()),
        (Account("Helper", "MEMBER", is_bot=False), frozenset({"helper"})),
        (Account("Helper", "OWNER", is_bot=False), frozenset({"helper"})),
    ],
    ids=["suffix", "type", "configured", "configured owner"],
)
def test_a_machine_is_never_a_maintainer_whatever_it_does(account: Account, bots: frozenset[str]) -> None:
    """A bot that merges, or may push, does so on somebody's behalf."""
    login = account.login.lower()
    found = intervals([account], acts(login, "merged", JAN), [Permission(login, "admin", JAN, JAN)], bots)
    assert {interval.tier for interval in found} == {"machine"}
    assert Standing(found).trust(account.login, JAN) == "machine"


def test_owners_always_have_standing_and_strangers_never() -> None:
    """An owner's access has no beginning; an unknown login has no interval at all."""
    who = Standing(
        intervals([Account("boss", "OWNER", is_bot=False), Account("passer", "NONE", is_bot=False)], [])
    )
    assert who.trust("boss", None) == "authoritative"
    assert who.trust("passer", JAN) == "reported"
    assert who.trust("nobody", JAN) == "reported"


def test_an_unknown_date_is_not_covered_by_a_dated_act() -> None:
    """A comment without a date cannot be shown to fall into a spell."""
    assert person("CONTRIBUTOR", acts("keel", "merged", JAN)).trust("keel", None) == "reported"


# -- all together ----------------------------------------------------------------------------------------

MOMENTS = st.integers(0, 4_000).map(lambda days: JAN - 1_000 * DAY + days * DAY)
ACTS = st.lists(
    st.builds(Act, st.just("keel"), MOMENTS, st.sampled_from([*EVENTS, REVIEWED]), st.integers(1, 5)),
    max_size=8,
)
ANSWERS = st.lists(
    st.tuples(st.sampled_from(["admin", "write", "triage", "read", "none"]), MOMENTS),
    max_size=4,
    unique_by=lambda a: a[1],
).map(lambda found: [Permission("keel", level, at, at) for level, at in sorted(found, key=lambda a: a[1])])


@given(st.sampled_from(["MEMBER", "COLLABORATOR", "CONTRIBUTOR", "NONE"]), ACTS, ANSWERS)
def test_intervals_of_one_person_never_overlap(
    association: str, done: list[Act], answers: list[Permission]
) -> None:
    """Two tiers at one date would make the answer depend on the order of rows; neighbours of one kind are one."""
    found = intervals([Account("keel", association, is_bot=False)], done, answers)
    for interval in found:
        assert interval.from_at is None or interval.to_at is None or interval.from_at < interval.to_at
    for earlier, later in itertools.pairwise(found):
        assert earlier.to_at is not None
        assert later.from_at is not None
        assert earlier.to_at <= later.from_at
        assert earlier.to_at < later.from_at or (earlier.tier, earlier.reason) != (later.tier, later.reason)


@given(st.sampled_from(["MEMBER", "COLLABORATOR", "CONTRIBUTOR", "NONE"]), ACTS, ANSWERS)
def test_nobody_is_authoritative_before_their_first_act_or_answer(
    association: str, done: list[Act], answers: list[Permission]
) -> None:
    """Standing is never turned into a past that nothing dated reaches."""
    found = intervals([Account("keel", association, is_bot=False)], done, answers)
    evidence = [act.at for act in done] + [answer.since for answer in answers]
    for interval in found:
        if interval.tier == "authoritative":
            assert interval.from_at is not None
            assert interval.from_at >= min(evidence)


@given(st.sampled_from(["MEMBER", "CONTRIBUTOR"]), ACTS, ANSWERS, st.randoms(use_true_random=False))
def test_the_order_in_which_evidence_is_read_does_not_matter(
    association: str, done: list[Act], answers: list[Permission], random: object
) -> None:
    """Rows come in no particular order."""
    shuffled = sorted(done, key=lambda _: random.random())  # type: ignore[attr-defined]
    accounts = [Account("keel", association, is_bot=False)]

    def told(found: list[Act], said: list[Permission]) -> list[Interval]:
        return intervals(accounts, found, said)

    assert told(done, answers) == told(shuffled, list(reversed(answers)))
