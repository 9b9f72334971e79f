"""Which part of a Markdown text a character belongs to."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from relore_serve.signals import plain, split
from relore_serve.signals.markdown import SPAN

MARKDOWN = st.text(alphabet="ab `~<!->\n\r\t#*[]():?'\\|1.\ufffc&", max_size=200)


def test_unmarked_text_is_all_prose() -> None:
    parted = split("Just words.\r\nTwo lines.")

    assert parted.prose == "Just words.\nTwo lines."
    assert parted.visible == "Just words.\r\nTwo lines."
    assert not parted.code_spans
    assert not parted.hidden


@pytest.mark.parametrize(
    ("body", "block"),
    [
        ("a\n```c\nint x;\n```\nb", "int x;"),
        ("a\n~~~\nint x;\n~~~\nb", "int x;"),
        ("- item\n  ```\n  int x;\n  ```\nb", "  int x;"),
        ("1. ```\n   int x;\n   ```\nb", "   int x;"),
        ("````\n```\nint x;\n```\n````\nb", "```\nint x;\n```"),
        ("a\n\n    int x;\n\nb", "    int x;"),
        ("a\n\n\tint x;\n\nb", "\tint x;"),
        ("<pre>int x;</pre>\nb", "int x;"),
        ("a\r\n```\r\nint x;\r\n```\r\nb", "int x;"),
    ],
    ids=["fence", "tildes", "in a list", "behind a number", "longer fence", "indented", "tab", "pre", "crlf"],
)
def test_code_blocks_are_not_prose(body: str, block: str) -> None:
    parted = split(body)

    assert parted.fences == (block,)
    assert "int" not in parted.prose
    assert "b" in parted.prose


def test_a_fence_that_never_closes_reaches_the_end() -> None:
    assert split("a\n```\nx\n\ny").fences == ("x\n\ny",)


def test_indented_lines_of_a_list_item_or_paragraph_are_prose() -> None:
    assert split("- item\n\n    goes on\n").fences == ()
    assert split("words\n    go on\n").fences == ()


@pytest.mark.parametrize(
    ("body", "spans", "prose"),
    [
        ("use `x` here", ("x",), f"use {SPAN} here"),
        ("use ``a ` b`` here", ("a ` b",), f"use {SPAN} here"),
        (r"a \`b` c", (), r"a \`b` c"),
        ("one ` alone", (), "one ` alone"),
        ("`a\n\nb`", (), "`a\n\nb`"),
        ("`a\nb`", ("a\nb",), SPAN),
        ("<code>x</code> y", ("x",), f"{SPAN} y"),
    ],
    ids=["one", "two", "escaped", "alone", "not across paragraphs", "across lines", "element"],
)
def test_code_spans_leave_a_mark(body: str, spans: tuple[str, ...], prose: str) -> None:
    parted = split(body)

    assert parted.code_spans == spans
    assert parted.prose == prose


@pytest.mark.parametrize(
    ("body", "hidden", "visible"),
    [
        ("a <!-- x --> b", ("<!-- x -->",), "a  b"),
        ("a\n<!-- x\n\ny --> b", ("<!-- x\n\ny -->",), "a\n b"),
        ("a\n<!-- never ends", ("<!-- never ends",), "a\n"),
        ("<!--> a", ("<!-->",), " a"),
        ("a\n\n[//]: # (say nothing)\nb", ("[//]: # (say nothing)",), "a\n\n\nb"),
        ("a <!-- inline, never ends", (), "a <!-- inline, never ends"),
        ("`<!--` x -->", (), "`<!--` x -->"),
        ("```\n<!-- x -->\n```", (), "```\n<!-- x -->\n```"),
        ("<!-- ` --> `c`", ("<!-- ` -->",), " `c`"),
        ('a\n\n[ref]: http://x "say nothing"\nb', ('[ref]: http://x "say nothing"',), "a\n\n\nb"),
        ("[obey me]: http://x", ("[obey me]: http://x",), ""),
        ("[a]:<b> 'c'\n[d]: e\n(f\ng)", ("[a]:<b> 'c'", "[d]: e\n(f\ng)"), "\n"),
        ("a\n[ref]: http://x", (), "a\n[ref]: http://x"),
        ("[note]: see what follows", (), "[note]: see what follows"),
        ("[^1]: http://x", (), "[^1]: http://x"),
        ("a\n\n<?php echo 1 ?> b", ("<?php echo 1 ?>",), "a\n\n b"),
        ("a <?x y?> b", ("<?x y?>",), "a  b"),
        ("<!DOCTYPE html>\nb", ("<!DOCTYPE html>",), "\nb"),
        ("a <![CDATA[x > y]]> b", ("<![CDATA[x > y]]>",), "a  b"),
        ("a <? b", (), "a <? b"),
        ("x <!important", (), "x <!important"),
        ("`<?x?>` <!=", (), "`<?x?>` <!="),
    ],
    ids=[
        "inline",
        "block",
        "block without end",
        "empty",
        "link definition",
        "inline without end",
        "in a span",
        "in a fence",
        "with a backtick",
        "definition with a title",
        "definition alone",
        "definitions in a row",
        "no definition inside of a paragraph",
        "no definition that says more",
        "a footnote",
        "instruction",
        "inline instruction",
        "declaration",
        "character data",
        "instruction without end",
        "declaration without end",
        "in a span or no declaration",
    ],
)
def test_hidden_comments_are_taken_out_of_what_is_visible(
    body: str, hidden: tuple[str, ...], visible: str
) -> None:
    parted = split(body)

    assert parted.hidden == hidden
    assert parted.visible == visible


def test_where_a_link_by_label_goes_is_still_read() -> None:
    """So that what it points to counts as mentioned, if the label is used."""
    assert "https://x.org/1" in split("See [that][1].\n\n[1]: https://x.org/1").prose
    assert "https://x.org/1" not in split("See that.\n\n[1]: https://x.org/1").prose


def test_a_hidden_comment_stays_hidden_when_a_cut_crosses_it() -> None:
    body = "before <!-- secret words --> after"
    parted = split(body)

    cut = body.index("words")
    assert parted.visible_part(body, 0, cut) == "before "
    assert parted.visible_part(body, cut, len(body)) == " after"


def test_quotes_are_somebody_elses_words() -> None:
    parted = split("> they said `x`\n> more\n\nI say y\n<blockquote>z</blockquote>")

    assert parted.quoted == ("they said `x`\nmore", "z")
    assert parted.prose.strip() == "I say y"
    assert parted.code_spans == ()


@given(MARKDOWN)
def test_every_text_is_parted_and_nothing_hidden_stays_visible(body: str) -> None:
    parted = split(body)

    assert sum(map(len, parted.hidden)) + len(parted.visible) == len(body)
    assert parted.visible_part(body, 0, len(body)) == parted.visible
    middle = len(body) // 2
    both = parted.visible_part(body, 0, middle) + parted.visible_part(body, middle, len(body))
    assert both == parted.visible


@given(st.text(max_size=300))
def test_no_text_breaks_the_walk(body: str) -> None:
    assert len(split(body).prose) <= 2 * len(body) + 2
    assert plain(body) == plain(body).strip()


@pytest.mark.parametrize(
    ("body", "shown"),
    [
        ("see [the docs](https://x.org/a) now", "see the docs now"),
        ("![a chart](x.png) and ![](y.png)", "a chart and"),
        ("[](https://x.org)", "https://x.org"),
        ("[![badge](a.svg)](https://x.org)", "badge"),
        ("a<!-- no -->b", "ab"),
        ("a  \r\n\r\n\r\n\r\nb", "a\n\nb"),
        ("<details><summary>log</summary>List<String></details>", "logList<String>"),
    ],
    ids=["link", "image", "bare link", "badge", "comment", "blank lines", "elements"],
)
def test_plain_text_is_what_a_reader_sees(body: str, shown: str) -> None:
    assert plain(body) == shown
