"""Tokens and what is left of them."""

from __future__ import annotations

import pytest

from relore_assets.fetch.github.errors import BadToken
from relore_assets.fetch.github.protocol import Quota
from relore_assets.fetch.github.tokens import Lane, PersonalToken, choose

NOW = 1_000.0


def test_tokens_are_divided_by_commas_and_white_space() -> None:
    source = PersonalToken.parse(" one,two\n three ", "GITHUB_TOKEN_FILE")
    assert [lane.bearer() for lane in source.lanes] == ["one", "two", "three"]
    assert [lane.name for lane in source.lanes] == [
        "GITHUB_TOKEN_FILE number 1",
        "GITHUB_TOKEN_FILE number 2",
        "GITHUB_TOKEN_FILE number 3",
    ]


def test_a_token_is_named_and_never_shown() -> None:
    source = PersonalToken("secret")
    assert repr(source) == "<PersonalToken GITHUB_TOKEN>"
    assert "secret" not in repr(source.lanes)


@pytest.mark.parametrize("text", ["", " ,\n"])
def test_no_token_is_said_with_the_variables_to_set(text: str) -> None:
    with pytest.raises(BadToken, match="set GITHUB_TOKEN, or GITHUB_TOKEN_FILE"):
        PersonalToken.parse(text, "GITHUB_TOKEN")


@pytest.mark.parametrize("token", ["secret\r\nX-Other: 1", "secr\u00e9t", "sec ret"])
def test_what_cannot_be_a_token_is_refused_without_showing_it(token: str) -> None:
    with pytest.raises(BadToken, match="characters that no GitHub token has") as caught:
        PersonalToken(token)
    assert "sec" not in str(caught.value)


def test_answers_that_overtake_each_other_do_not_raise_what_is_left() -> None:
    lane = Lane("x")
    lane.note(Quota("core", 5000, 10, NOW + 60))
    assert lane.note(Quota("core", 5000, 12, NOW + 61)).remaining == 10
    assert lane.left("core", NOW) == 10


def test_a_new_hour_is_a_new_quota() -> None:
    lane = Lane("x")
    lane.note(Quota("core", 5000, 0, NOW + 60))
    assert lane.turn("core", NOW).seconds == 61
    assert lane.turn("core", NOW + 60).seconds == 0
    lane.note(Quota("core", 5000, 4999, NOW + 3660))
    assert lane.turn("core", NOW).seconds == 0


def test_a_used_up_quota_without_a_reset_is_tried_again_in_a_minute() -> None:
    lane = Lane("x")
    lane.spent("core", NOW, None)
    assert lane.turn("core", NOW).seconds == 61
    assert lane.turn("search", NOW).seconds == 0


def test_a_lane_that_rests_rests_for_everything() -> None:
    lane = Lane("x")
    lane.rest(NOW + 60)
    assert (lane.turn("core", NOW).seconds, lane.turn("search", NOW).seconds) == (60, 60)
    assert lane.turn("core", NOW + 60).seconds == 0


def test_when_all_must_wait_the_one_that_may_first_is_waited_for() -> None:
    lanes = [Lane("a"), Lane("b")]
    lanes[0].rest(NOW + 60)
    lanes[1].rest(NOW + 30)
    lane, turn = choose(lanes, "core", NOW)
    assert (lane.name, turn.seconds) == ("b", 30)
