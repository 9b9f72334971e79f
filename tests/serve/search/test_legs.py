"""Which questions one question becomes."""

from __future__ import annotations

from relore_serve.search.legs import MAX_LEGS, plan
from relore_serve.search.needles import Needle, read_off


def needle(kind: str, value: str, *, asked: bool = False) -> Needle:
    return Needle(kind, value, value, asked=asked)


def names(**more: object) -> list[str]:
    given = {
        "text": "words",
        "searchable": True,
        "asked": (),
        "derived": (),
        "filtered": False,
        "expand": True,
    }
    return [leg.name for leg in plan(**{**given, **more})]


DERIVED = [needle(kind, f"{kind}{place}") for kind in ("error", "test", "symbol", "file") for place in (1, 2)]


def test_the_callers_own_question_is_always_a_leg() -> None:
    """And the only one where nothing can be read off it, or nothing may be."""
    assert names() == ["text"]
    assert names(derived=DERIVED, expand=False) == ["text"]


def test_six_legs_at_most_every_kind_before_the_second_of_any() -> None:
    """The caller's filters alone are the last."""
    assert names(derived=DERIVED) == ["text", "error", "test", "symbol", "file", "error"]
    asked = (needle("file", "x", asked=True),)
    legs = names(derived=DERIVED, asked=asked, filtered=True)
    assert legs == ["text", "error", "test", "symbol", "error", "filters"]
    assert len(legs) == MAX_LEGS


def test_a_kind_that_is_filtered_by_is_not_derived() -> None:
    """It would widen the filter."""
    asked = (needle("symbol", "x", asked=True),)
    assert "symbol" not in names(derived=DERIVED, asked=asked, filtered=True)


def test_without_words_the_filters_are_the_question() -> None:
    """And without filters, what is newest."""
    assert names(text="", searchable=False, filtered=True) == ["filters"]
    assert names(text="", searchable=False) == ["newest"]


def test_text_that_cannot_be_looked_for_asks_nothing() -> None:
    """Not everything."""
    assert names(text="()", searchable=False) == []


def test_the_raising_frame_is_read_off_a_traceback_first() -> None:
    """Not the alphabetically first one."""
    pasted = (
        "Traceback (most recent call last):\n"
        '  File "pkg/aaa.py", line 1, in alpha\n    beta()\n'
        '  File "pkg/mmm.py", line 2, in middle\n    omega()\n'
        '  File "pkg/zzz.py", line 3, in omega\n    raise ValueError("no")\n'
        "ValueError: the mask has no entries\n"
    )
    found = read_off(pasted, (), 2)
    assert [needle.value for needle in found if needle.kind == "symbol"] == ["omega", "middle"]
    assert [str(needle) for needle in found if needle.kind == "error"] == [
        "ValueError: the mask has no entries"
    ]


def test_what_is_asked_anyway_is_not_asked_again() -> None:
    """The same leg twice would count twice."""
    asked = (Needle("symbol", "build_mask", "build_mask", asked=True),)
    assert [needle.value for needle in read_off("why build_mask", asked, 2) if needle.kind == "symbol"] == []
