"""Cells: nothing pooled that is not alike, every number of questions stated."""

from __future__ import annotations

from benched import result

from relore_assets.bench import cells
from relore_assets.bench.results import Cell


def told(*results: object, **more: list[object]) -> dict[str, tuple[Cell, ...]]:
    answered = {"one": list(results), **more}
    return cells.cells(answered, {name: [other for other in answered if other != name] for name in answered})


def by_key(own: tuple[Cell, ...]) -> dict[tuple[str, str, bool], Cell]:
    return {cell.key: cell for cell in own}


def test_parts_stand_apart_and_together() -> None:
    """Fit, held-out, and both."""
    own = by_key(told(result("a", 9, R_at_10=1.0), result("b", asked=2, part="held-out", R_at_10=0.0))["one"])

    assert {key[1]: (cell.n, cell.measures["R@10"].mean) for key, cell in own.items()} == {
        "fit": (1, 1.0),
        "held-out": (1, 0.0),
        "all": (2, 0.5),
    }


def test_what_leaks_is_in_no_other_cell() -> None:
    """Neither in its slice's nor in the sum of all slices."""
    own = by_key(
        told(
            result("a", 9, R_at_10=0.0),
            result("b", 9, leaks=True, R_at_10=1.0),
            result("c", 9, slice_="closing", R_at_10=0.0),
        )["one"]
    )

    assert own["closing-title", "all", True].measures["R@10"].mean == 0.0
    assert own["closing-title", "all", False].n == 1
    assert (own["all", "all", True].n, own["all", "all", True].measures["R@10"].mean) == (2, 0.0)
    assert ("all", "all", False) not in own


def test_an_empty_answer_wastes_no_slot_and_is_counted() -> None:
    """The share of wasted slots is of pages that have some."""
    own = by_key(told(result("a", R_at_10=0.0), result("b", 9, asked=2, R_at_10=1.0, wasted=0.5))["one"])
    cell = own["closing-title", "all", True]

    assert (cell.measures["empty"].mean, cell.measures["wasted"].mean, cell.measures["wasted"].n) == (
        0.5,
        0.5,
        1,
    )


def test_each_pair_is_tested_once_and_told_from_both_sides() -> None:
    """The other side's difference is the same with the opposite sign, and its p the same."""
    one = [result(str(place), 9, asked=place, R_at_10=1.0) for place in range(1, 9)]
    other = [result(str(place), 9, asked=place, R_at_10=0.0) for place in range(1, 9)]
    both = told(*one, other=other)
    from_one = by_key(both["one"])["closing-title", "all", True].versus["other"]["R@10"]
    from_other = by_key(both["other"])["closing-title", "all", True].versus["one"]["R@10"]

    assert (from_one.difference, from_one.low, from_one.p) == (1.0, 1.0, 2 / 256)
    assert (from_other.difference, from_other.high, from_other.p) == (-1.0, -1.0, 2 / 256)
    # One slice and one pair, so the only comparison of its measure and part.
    assert from_one.p_holm == from_one.p


def test_only_questions_of_all_systems_are_shared() -> None:
    """Whatever one system was not asked goes from every one."""
    shared = cells.shared({"one": [result("a"), result("b")], "two": [result("b"), result("c")]})

    assert {name: [each.id for each in results] for name, results in shared.items()} == {
        "one": ["b"],
        "two": ["b"],
    }
