"""Where the marks of charts stand."""

from __future__ import annotations

import pytest

from relore_assets.report.charts import WIDTH, Point, dots, lines, shortened, signed


def test_values_stand_in_proportion() -> None:
    drawn = dots(
        "c", "title", [("one", [Point(0.0, 0.0, 0.5, "fit")]), ("two", [Point(1.0, 0.5, 1.0, "fit")])]
    )
    zero, full = drawn.marks

    assert (zero.left, zero.right) == (zero.x, pytest.approx((zero.x + full.x) / 2))
    assert (full.left, full.right) == (pytest.approx((zero.x + full.x) / 2), full.x)
    assert 0 < zero.x < full.x < WIDTH
    assert zero.y < full.y < drawn.height


def test_differences_lie_about_a_line_at_nothing() -> None:
    drawn = dots("c", "title", [("one", [Point(-0.12, -0.31, 0.04, "earns")])], symmetric=True)
    (mark,) = drawn.marks

    assert drawn.zero is not None
    assert mark.left < mark.x < drawn.zero < mark.right
    assert [tick.text for tick in drawn.ticks] == [
        "\N{MINUS SIGN}0.40",
        "\N{MINUS SIGN}0.20",
        "0.00",
        "+0.20",
        "+0.40",
    ]


def test_a_chart_says_its_values_in_words() -> None:
    drawn = dots("c", "title", [("one", [Point(0.5, 0.4, 0.6, "held-out"), Point(0.7, None, None, "fit")])])

    assert drawn.desc == "one: held-out 0.500 (from 0.400 to 0.600) and fit 0.700."


def test_a_run_without_a_value_is_passed_over_by_the_line() -> None:
    drawn = lines(
        "c", "title", [("R@10", [0.0, None, 1.0])], accepted=[True, False, False], first="a", last="b"
    )
    (line,) = drawn.lines

    assert len(line.marks) == 2
    assert line.marks[0].y > line.marks[1].y
    assert drawn.ringed == (line.marks[0],)
    assert drawn.desc == "R@10: 0.000, none, 1.000."


@pytest.mark.parametrize(
    ("value", "text"), [(0.125, "+0.12"), (-0.125, "\N{MINUS SIGN}0.12"), (-0.001, "0.00"), (0.0, "0.00")]
)
def test_differences_bear_their_sign_and_nothing_bears_none(value: float, text: str) -> None:
    assert signed(value) == text


def test_long_names_are_cut() -> None:
    assert len(shortened("index+expand -function words")) == 20
