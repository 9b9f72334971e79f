"""When a ranking has become worse, and when it has only moved."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from made_runs import Made

from relore_assets.report import verdicts

if TYPE_CHECKING:
    from psycopg import Connection
    from rows import History

    from relore_assets.fetch.repos import Repo

SLICE = "closing-title"


def measured(conn: Connection, repo: Repo, *runs: Made) -> list[verdicts.Verdict]:
    for run in runs:
        run.write(conn, repo.id)
    conn.commit()
    return verdicts.of(conn, repo)


def one(places: list[int], *, accepted: bool = False, day: int = 0, **more: object) -> Made:
    return Made({"index": {SLICE: places}}, run_id=f"run-{day}", days=day, accepted=accepted, **more)


def failed(verdict: verdicts.Verdict) -> list[tuple[str, str, str]]:
    return [(each.system, each.slice, each.measure) for each in verdict.worse]


def test_the_same_figures_again_are_no_worse(conn: Connection, repo: Repo) -> None:
    places = [1, 2, 0, 4] * 5
    (verdict,) = measured(conn, repo, one(places, accepted=True), one(places, day=7))

    assert failed(verdict) == []
    assert verdict.said.endswith("no figure has moved.")


def test_a_fall_below_the_accepted_interval_fails(conn: Connection, repo: Repo) -> None:
    """Of 20 questions all were found; now half are."""
    (verdict,) = measured(conn, repo, one([1] * 20, accepted=True), one([1] * 10 + [0] * 10, day=7))

    assert failed(verdict) == [("index", SLICE, "R@10"), ("index", SLICE, "MRR")]
    assert (
        "R@10 1.000 \N{RIGHTWARDS ARROW} 0.500 over 20 questions, below the accepted run's interval"
        in verdict.said
    )


def test_a_fall_within_the_interval_fails_where_the_same_questions_show_that_it_is_no_chance(
    conn: Connection, repo: Repo
) -> None:
    """Of 80 questions 40 were found; now 33 are, and none that was not. The interval reaches down to 0.4."""
    before = [1] * 40 + [0] * 40
    (verdict,) = measured(conn, repo, one(before, accepted=True), one([1] * 33 + [0] * 47, day=7))

    found = next(each for each in verdict.worse if each.measure == "R@10")
    assert found.before.low < found.now < found.before.mean
    assert "more than chance" in found.why


def test_a_fall_that_may_be_chance_is_told_and_fails_nothing(conn: Connection, repo: Repo) -> None:
    """Five questions are lost and three gained, of 80."""
    before = [1] * 40 + [0] * 40
    (verdict,) = measured(
        conn, repo, one(before, accepted=True), one([1] * 35 + [0] * 5 + [1] * 3 + [0] * 37, day=7)
    )

    assert failed(verdict) == []
    assert f"index, {SLICE}: R@10 0.500 \N{RIGHTWARDS ARROW} 0.475 over 80 questions" in verdict.said


def test_a_rise_fails_nothing(conn: Connection, repo: Repo) -> None:
    (verdict,) = measured(conn, repo, one([1] * 10 + [0] * 10, accepted=True), one([1] * 20, day=7))

    assert failed(verdict) == []
    assert {each.measure for each in verdict.moved} == {"R@10", "MRR"}


def test_worse_places_within_the_ten_fail_by_mrr_alone(conn: Connection, repo: Repo) -> None:
    (verdict,) = measured(conn, repo, one([1] * 20, accepted=True), one([9] * 20, day=7))

    assert failed(verdict) == [("index", SLICE, "MRR")]


@pytest.mark.parametrize(("questions", "fails"), [(9, False), (10, True)])
def test_fewer_than_ten_questions_fail_nothing(
    conn: Connection, repo: Repo, questions: int, *, fails: bool
) -> None:
    (verdict,) = measured(conn, repo, one([1] * questions, accepted=True), one([0] * questions, day=7))

    assert bool(verdict.worse) is fails
    assert verdict.moved


def test_questions_that_leak_are_not_looked_at(conn: Connection, repo: Repo) -> None:
    leaking = frozenset(range(10))
    (verdict,) = measured(
        conn,
        repo,
        one([1] * 10 + [2] * 10, accepted=True, leaking=leaking),
        one([0] * 10 + [2] * 10, day=7, leaking=leaking),
    )

    assert (verdict.worse, verdict.moved) == ((), ())


def test_yardsticks_and_ablations_may_fall(conn: Connection, repo: Repo) -> None:
    """Only whole rankings of ours are held to what they were."""
    found, lost = {SLICE: [1] * 20}, {SLICE: [0] * 20}
    (verdict,) = measured(
        conn,
        repo,
        Made(
            {"index": found, "index -rarity": found, "fulltext": found},
            accepted=True,
            ablations={"index -rarity": "rarity"},
        ),
        Made(
            {"index": found, "index -rarity": lost, "fulltext": lost},
            run_id="run-two",
            days=7,
            ablations={"index -rarity": "rarity"},
        ),
    )

    assert verdict.worse == ()


def test_each_ranking_is_held_to_what_it_was_when_it_was_measured_last(conn: Connection, repo: Repo) -> None:
    """Who measures one ranking alone has not made another any better."""
    good, bad = {SLICE: [1] * 20}, {SLICE: [0] * 20}
    both = measured(
        conn,
        repo,
        Made({"index": good, "index+expand": good}, accepted=True),
        Made({"index": bad, "index+expand": bad}, run_id="run-two", days=7),
        Made({"index": good}, run_id="run-three", days=8),
    )

    assert sorted({each.system for verdict in both for each in verdict.worse}) == ["index+expand"]
    assert any("first (index+expand): Worse than" in verdict.said for verdict in both)
    assert any("first (index): Not worse than" in verdict.said for verdict in both)


def test_who_accepts_one_ranking_does_not_let_the_others_fall(conn: Connection, repo: Repo) -> None:
    good, bad = {SLICE: [1] * 20}, {SLICE: [0] * 20}
    verdicts_of_rankings = measured(
        conn,
        repo,
        Made({"index": good, "index+expand": good}, accepted=True),
        Made({"index": bad}, run_id="run-two", days=7, accepted=True),
        Made({"index": bad, "index+expand": bad}, run_id="run-three", days=8),
    )

    assert sorted({each.system for one in verdicts_of_rankings for each in one.worse}) == ["index+expand"]


def test_another_set_is_never_held_against_an_accepted_run(conn: Connection, repo: Repo) -> None:
    """Each set is held against its own accepted run; one that has none is told so."""
    verdicts_of_sets = measured(
        conn, repo, one([1] * 20, accepted=True), one([0] * 20, day=7, digest="e" * 64)
    )

    assert [each.worse for each in verdicts_of_sets] == [(), ()]
    assert [each.accepted for each in verdicts_of_sets] == [True, False]
    assert "No run of this set has been accepted" in verdicts_of_sets[1].said


def test_figures_of_another_way_of_scoring_are_not_compared(conn: Connection, repo: Repo) -> None:
    (verdict,) = measured(
        conn, repo, one([1] * 20, accepted=True, scoring="ts_rank_cd"), one([0] * 20, day=7)
    )

    assert not verdict.accepted


def test_the_last_accepted_run_counts_and_the_newest_run_is_judged(conn: Connection, repo: Repo) -> None:
    (verdict,) = measured(
        conn,
        repo,
        one([1] * 20, accepted=True),
        one([1] * 10 + [0] * 10, day=7, accepted=True),
        one([0] * 20, day=14),
        one([1] * 10 + [0] * 10, day=21),
    )

    assert failed(verdict) == []


def test_other_repositories_runs_are_not_looked_at(conn: Connection, repo: Repo, history: History) -> None:
    other = history.repo("harbor/moor")
    one([0] * 20, day=7).write(conn, other.id)
    (verdict,) = measured(conn, repo, one([1] * 20, accepted=True))

    assert "This run is the accepted one" in verdict.said
