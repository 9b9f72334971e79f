"""The forms in which the sample history is written down."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from relore_assets.demo.diffs import anchor
from relore_assets.demo.errors import SourceError
from relore_assets.demo.notation import expand
from relore_assets.demo.series import parse_series
from relore_assets.demo.threads import parse_thread

HEAD = """\
---
number: 7
type: pull request
title: A title: with a colon
author: anchor-dev
opened: 2024-01-02 03:04
---
"""


def parse(rest: str, head: str = HEAD):
    """Parse a source called 7.md."""
    return parse_thread("7.md", head + rest)


def test_a_source_is_a_head_a_post_and_entries() -> None:
    """What stands between the head and the first entry is the opening post."""
    thread = parse("\nHello.\n\n=== comment | keel-maintainer | 2024-01-03 00:00\n\nHi.\n")
    assert (thread.number, thread.is_pull, thread.title, thread.body) == (
        7,
        True,
        "A title: with a colon",
        "Hello.",
    )
    assert [(entry.kind, entry.author, entry.text) for entry in thread.entries] == [
        ("comment", "keel-maintainer", "Hi.")
    ]
    assert thread.updated == datetime(2024, 1, 3, tzinfo=UTC)


def test_an_inline_comment_belongs_to_the_review_above_it_by_the_same_person() -> None:
    """Somebody else's inline comment stands alone; a reply answers the inline comment above it."""
    thread = parse(
        "=== review | a | 2024-01-03 00:00 | approved\n"
        "=== inline | a | 2024-01-03 00:01 | x.py | a | b\nWhy?\n"
        "=== reply | b | 2024-01-05 00:00\nSo.\n"
        "=== inline | b | 2024-01-04 00:00 | x.py | c\nOh.\n"
    )
    by_place = sorted(thread.entries, key=lambda entry: entry.place)
    assert [entry.parent for entry in by_place] == [None, 0, 1, None]
    assert by_place[1].detail == ("x.py", "a | b")
    assert [entry.place for entry in thread.entries] == [0, 1, 3, 2]


def test_a_line_of_text_may_begin_with_the_mark_of_an_entry() -> None:
    """The backslash goes, the text stays."""
    assert parse("\\=== comment | nobody\n").body == "=== comment | nobody"


@pytest.mark.parametrize(
    ("rest", "complaint"),
    [
        ("=== remark | a | 2024-01-03 00:00\n", "not an entry"),
        ("=== comment | a\n", "not an entry"),
        ("=== comment | a | yesterday\n", "not a date"),
        ("=== comment | a | 2024-01-03 00:00 | loudly\n", "wrong number of fields"),
        ("=== reply | a | 2024-01-03 00:00\n", "below no inline comment"),
    ],
    ids=["kind", "short", "date", "long", "reply"],
)
def test_a_wrong_entry_is_named_with_its_file(rest: str, complaint: str) -> None:
    """The person who edits a source is told where to look."""
    with pytest.raises(SourceError, match=rf"7\.md: .*{complaint}"):
        parse(rest)


@pytest.mark.parametrize(
    ("line", "complaint"),
    [
        ("colour: red", "no such line"),
        ("closed: soon", "not a way to be closed"),
        ("merged: 2024-01-03 00:00 by a", "not a way to be merged"),
    ],
    ids=["key", "closed", "merged"],
)
def test_a_wrong_head_is_named_with_its_file(line: str, complaint: str) -> None:
    """Likewise for the head."""
    with pytest.raises(SourceError, match=rf"7\.md: {complaint}"):
        parse("", HEAD.replace("opened:", f"{line}\nopened:"))


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("{{ESC}}[2J", "\x1b[2J"),
        ("{{U+200B}}{{U+D83D}}", "\u200b\ud83d"),
        ("{{tags: hi}}", "\U000e0068\U000e0069"),
        ("ghp_{{repeat: x 3}}", "ghp_xxx"),
        ("{{ matrix.os }} {{U+1}}", "{{ matrix.os }} {{U+1}}"),
    ],
    ids=["escape", "code", "tags", "repeat", "none"],
)
def test_marks_stand_for_characters(written: str, meant: str) -> None:
    """Everything that is not a mark stays as it is."""
    assert expand(written) == meant


def test_a_series_is_heads_messages_and_diffs() -> None:
    """A message ends where the diff begins."""
    first, second = parse_series(
        "1.patch",
        "From: a\nDate: 2024-01-01 00:00\n\nOne\n\nMore.\n\ndiff --git a/x b/x\n--- a/x\n\n"
        "From: b\nDate: 2024-01-02 00:00\nGenerate: s-%03d 2\n\nTwo\n",
    )
    assert (first.author, first.message, first.subject) == ("a", "One\n\nMore.", "One")
    assert first.diff == "diff --git a/x b/x\n--- a/x\n"
    assert second.diff.split("\n")[::6] == ["diff --git a/s-000 b/s-000", "diff --git a/s-001 b/s-001", ""]


def test_a_series_begins_with_a_commit() -> None:
    """Anything in front of the first head is a mistake."""
    with pytest.raises(SourceError, match=r"1\.patch"):
        parse_series("1.patch", "diff --git a/x b/x\n")


PATCH = "@@ -1,3 +1,3 @@ def f():\n a\n-b\n+c\n d\n@@ -10,2 +10,3 @@\n d2\n+e"


@pytest.mark.parametrize(
    ("quoted", "line", "side", "position"),
    [("c", 2, "RIGHT", 3), ("-b", 2, "LEFT", 2), (" d", 3, "RIGHT", 4), ("e", 11, "RIGHT", 7)],
    ids=["added", "removed", "context", "second-hunk"],
)
def test_a_quoted_line_is_found_in_the_diff(quoted: str, line: int, side: str, position: int) -> None:
    """Lines count in the file, positions in the diff; the hunk ends with the line."""
    found = anchor(PATCH, quoted)
    assert found is not None
    assert (found.line, found.side, found.position) == (line, side, position)
    assert found.hunk.startswith("@@ ")
    assert found.hunk.split("\n")[-1][1:] == quoted.removeprefix("-").strip()


def test_a_line_that_is_not_there_has_no_place_and_an_ambiguous_one_is_refused() -> None:
    """Guessing would put a comment on a line that nobody commented on."""
    assert anchor(PATCH, "nothing") is None
    with pytest.raises(SourceError, match="2 lines"):
        anchor("@@ -1 +1,2 @@\n+x\n+x", "x")
