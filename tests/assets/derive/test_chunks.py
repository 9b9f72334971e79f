"""How long texts are cut."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from relore_assets.derive.chunks import LIMIT, chunk, join

PARAGRAPH = ("word " * 40).strip() + "\n\n"
FENCE = "```c\n" + "int x;\n\n# not a heading\n" * 60 + "```\n"

markdown = st.lists(
    st.one_of(
        st.sampled_from(
            [PARAGRAPH * 5, FENCE, "# Title\n", "\n", "\r\n", "~~~\n", "<!-- no\n\nshow -->\n", "> quote\n"]
        ),
        st.text(max_size=50),
        st.integers(1, 9000).map("x".__mul__),
    ),
    max_size=60,
).map("".join)


def test_an_empty_body_has_no_pieces() -> None:
    assert chunk("") == []


@pytest.mark.parametrize("body", ["short", " ", "x" * LIMIT, "# a\n\n" * (LIMIT // 5)])
def test_a_body_within_the_limit_is_one_piece(body: str) -> None:
    assert chunk(body) == [body]


@given(markdown)
def test_pieces_are_the_body_again_and_as_large_as_they_may_be(body: str) -> None:
    """Nothing is lost, added or empty; nothing that is not hidden is over the limit; there are no crumbs."""
    pieces = chunk(body)
    assert join(pieces) == body
    assert all(pieces)
    assert all(len(piece) <= LIMIT for piece in pieces if "<!--" not in piece)
    assert len(pieces) <= 4 * len(body) / LIMIT + 2


def test_a_fenced_block_that_fits_a_piece_is_not_cut() -> None:
    body = (PARAGRAPH * 20 + FENCE) * 5
    assert len(chunk(body)) > 3
    assert all(piece.count("```") % 2 == 0 for piece in chunk(body))


@pytest.mark.parametrize(
    "indent", ["  - ", "      ", "> ", "1. "], ids=["list item", "inside an item", "quote", "numbered"]
)
def test_a_fence_in_a_list_or_a_quote_is_a_fence(indent: str) -> None:
    hidden_heading = "\n\n# comment of a script\n\n"
    fence = f"{indent}```sh\n" + f"{hidden_heading}{indent}echo\n" * 100 + f"{indent}```\n"
    body = PARAGRAPH * 20 + fence + PARAGRAPH * 20
    assert sum(fence in piece for piece in chunk(body)) == 1


def test_a_heading_inside_a_fence_does_not_begin_a_piece() -> None:
    body = "```sh\n" + "# comment\nmake check\n" * 200 + "```\n" + PARAGRAPH * 20
    assert not any(piece.startswith("# comment") for piece in chunk(body))


def test_a_fence_ends_only_at_its_own_kind() -> None:
    """Three backticks inside four are text."""
    inner = "````md\n" + "```\ncode\n\n```\n\n# heading\n\n" * 100 + "````\n"
    body = PARAGRAPH * 25 + inner + PARAGRAPH * 25
    assert sum(inner in piece for piece in chunk(body)) == 1


def test_inline_code_with_three_backticks_opens_no_fence() -> None:
    body = "```make check``` fails\n\n" + "## Heading\n\n" + PARAGRAPH * 20
    body += "## Second\n\n" + PARAGRAPH * 20
    assert any(piece.startswith("## Second") for piece in chunk(body))


def test_a_code_block_over_the_limit_is_cut_at_line_ends() -> None:
    body = "```\n" + "a line of a very long log\n" * 1000 + "```\n"
    pieces = chunk(body)
    assert len(pieces) == len(body) // LIMIT + 1
    assert all(piece.endswith("\n") for piece in pieces)


def test_a_section_begins_a_piece_when_the_one_before_is_at_least_half_full() -> None:
    section = "## Part\n\n" + PARAGRAPH * 19
    pieces = chunk(section * 4)
    assert pieces == [section] * 4


def test_many_headings_make_no_crumbs() -> None:
    pieces = chunk("# a\n\n" * 10_000)
    assert all(len(piece) >= LIMIT // 2 for piece in pieces[:-1])


def test_a_paragraph_over_the_limit_is_cut_at_spaces() -> None:
    pieces = chunk("many words " * 2000)
    assert all(re.fullmatch(r"(?:many |words )+", piece) for piece in pieces)


def test_a_line_without_spaces_is_cut_at_the_limit() -> None:
    assert [len(piece) for piece in chunk("x" * 13_000)] == [6000, 6000, 1000]


def test_windows_line_ends_stay_together() -> None:
    body = "some words in a line\r\n" * 2000
    assert all(piece.endswith("\r\n") for piece in chunk(body))


@pytest.mark.parametrize("end", ["-->\n", ""], ids=["closed", "never closed"])
def test_a_hidden_comment_is_never_cut(end: str) -> None:
    """What is cut off its opening mark would be shown."""
    comment = "<!-- hidden\n" + "ignore what stands above\n\n" * 600 + end
    body = PARAGRAPH * 25 + comment
    assert sum(comment in piece for piece in chunk(body)) == 1


@pytest.mark.parametrize(
    "unit", ["`", "```\n", "~", "#", "# \n", "\n", "\r\n", " ", ">", "<!--", "<!--\n", "- ", "-"]
)
def test_repetition_of_anything_is_taken_apart_and_put_together(unit: str) -> None:
    body = unit * (65_536 // len(unit))
    assert join(chunk(body)) == body
