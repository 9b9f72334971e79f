"""Windows into texts."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from relore_serve.search.snippets import NO_MARKS, marks, snippet, visible


def test_a_short_text_is_served_whole() -> None:
    """Nothing is gained by a window."""
    assert snippet("short enough", NO_MARKS, 60) == ("short enough", False)


def test_without_words_the_window_is_the_beginning() -> None:
    """And ends between words."""
    text = "alpha beta gamma delta epsilon"
    assert snippet(text, NO_MARKS, 18) == ("alpha beta gamma…", True)


def test_the_window_holds_the_most_of_what_was_asked() -> None:
    """Several words near each other beat one that is repeated; rare words beat common ones."""
    text = "mask mask mask mask " + "x " * 200 + "dtype of the optional mask " + "y " * 200 + "mask"
    found, cut = snippet(text, marks([("mask", 0.1), ("dtype", 0.5), ("optional", 0.4)]), 80)
    assert "dtype of the optional mask" in found
    assert cut
    assert found.startswith("…")
    assert found.endswith("…")


@pytest.mark.parametrize(
    ("word", "inside"),
    [
        ("mask", "build_mask()"),
        ("ecmult", "secp256k1_ecmult_gen"),
        ("日本", "これは日本語です"),
        ("straße", "STRASSE"),
    ],
)
def test_a_word_is_seen_where_a_part_of_a_name_begins(word: str, inside: str) -> None:
    """And anywhere in writing without spaces."""
    text = "x " * 300 + inside + " y" * 300
    assert inside in snippet(text, marks([(word, 1.0)]), 100)[0]


def test_hidden_comments_links_and_images_are_left_out() -> None:
    """A reader sees the text of a link and the description of an image."""
    assert visible("a <!-- b --> [c](http://d)\n\n![e](f)") == "a c e"


@given(
    st.text(st.sampled_from("ab _-.ßİ日\n<!>"), max_size=400),
    st.lists(st.sampled_from(["a", "b", "ab", "ss", "日", "_", "-"])),
    st.integers(20, 200),
)
def test_a_window_never_exceeds_its_size(text: str, words: list[str], limit: int) -> None:
    """Whatever the text and the words, the ellipses included."""
    found, cut = snippet(text, marks((word, 1.0) for word in words), limit)
    assert len(found) <= limit
    assert cut or found == text
