"""Windows into texts."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from relore_serve.search.snippets import NO_MARKS, marks, passage, snippet, visible, words
from relore_serve.search.terms import weigh
from relore_serve.search.tokens import query


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
        ("STRASSE", "Straße"),
        ("Übergröße", "u\u0308bergro\u0308ße"),
        ("café", "cafe\u0301"),
        ("\uff57\uff49dget", "Widget"),
        ("İstanbul", "i\u0307stanbul"),
    ],
)
def test_a_word_is_seen_where_a_part_of_a_name_begins(word: str, inside: str) -> None:
    """And anywhere in writing without spaces."""
    text = "x " * 300 + inside + " y" * 300
    assert inside in snippet(text, marks([(word, 1.0)]), 100)[0]


@pytest.mark.parametrize("filler", range(40, 70))
def test_what_was_asked_for_is_not_cut_off_the_end(filler: int) -> None:
    """Wherever the window ends, the last word that it was chosen for is in it."""
    text = "word " * 60 + "alpha " + "z" * filler + " omega_" + "q" * 40 + " word" * 60
    found, _ = snippet(text, marks([("alpha", 0.5), ("omega", 0.5)]), 85)
    assert "omega" in found


@pytest.mark.parametrize("name", ["LD_LIBRARY_PATH", "add_subdirectory", "BUILD_SHARED_LIBS", "AC_PROG_CC"])
def test_a_name_is_shown_whole_rather_than_its_parts(name: str) -> None:
    """However many of them stand together elsewhere."""
    parts = " ".join(name.lower().split("_"))
    text = (
        f"{parts} and {parts} again. " + "Filler goes on here. " * 40 + f"Set {name} first. " + "More. " * 60
    )
    wanted = marks(words(weigh(query(name).terms, 1000, {})))
    assert name in snippet(text, wanted, 160)[0]


def test_a_word_in_the_address_of_a_link_is_shown_as_written() -> None:
    """A hit without what was asked for would look like a mistake."""
    body = "Please [see this](https://example.org/frobnicator.html) for more"
    assert "frobnicator" in passage(body, "", marks([("frobnicator", 1.0)]), 160)[0]
    assert passage(body, "", marks([("more", 1.0)]), 160)[0] == "Please see this for more"


def test_other_words_of_a_stem_are_seen() -> None:
    """`library` is spelled otherwise than the stem it shares with `libraries`."""
    text = "x " * 300 + "these libraries here" + " y" * 300
    wanted = marks(words(weigh(query("library").terms, 1000, {})))
    assert "libraries" in snippet(text, wanted, 100)[0]


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
