"""WordPiece gives the numbers that the model was trained with, whatever the text."""

from __future__ import annotations

import pytest

from relore_serve.semantic.wordpiece import uncased, words


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        # As the tokenizer that is published with the model numbers them.
        ("hello world", [101, 7592, 2088, 102]),
        ("unaffable", [101, 14477, 20961, 3468, 102]),
        ("Café naïve", [101, 7668, 15743, 102]),
        ("\u6c34 x", [101, 1893, 1060, 102]),
        ("", [101, 102]),
    ],
    ids=["words", "pieces", "accents", "an ideograph", "nothing"],
)
def test_tokens_have_the_numbers_of_the_vocabulary(text: str, tokens: list[int]) -> None:
    assert uncased().tokens(text, 16) == tokens


def test_what_a_text_spells_like_a_special_token_is_text() -> None:
    """Nobody's words open or close a text."""
    tokens = uncased().tokens("[SEP] [CLS] [PAD]", 32)

    assert tokens[0] == 101
    assert tokens[-1] == 102
    assert not {0, 101, 102} & set(tokens[1:-1])


@pytest.mark.parametrize(
    "text", ["a" * 500, "\u0378", "x" * 101], ids=["long", "unassigned", "just too long"]
)
def test_a_word_without_pieces_is_one_unknown_or_none(text: str) -> None:
    assert set(uncased().tokens(text, 16)) <= {100, 101, 102}


def test_no_more_tokens_come_than_are_wanted_and_the_last_one_closes() -> None:
    tokens = uncased().tokens("tide " * 10_000, 128)

    assert len(tokens) == 128
    assert tokens[-1] == 102


def test_words_are_cut_at_signs_and_nothing_that_does_not_show_is_kept() -> None:
    assert list(words("Foo_bar(x)->y\u200b\x00 A\u00a0B")) == [
        "foo", "_", "bar", "(", "x", ")", "-", ">", "y", "a", "b",
    ]  # fmt: skip
