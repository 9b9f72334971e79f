"""Long Markdown in pieces that fit one document each.

Pieces are slices: put together they are the body again, character for character. They end, in this order of
preference, before a heading, at a blank line, at a line end, at a space; never inside a fenced code block that
would fit a piece by itself. A hidden comment is never cut, however long: its second half would no longer be
hidden.
"""

import re
from collections.abc import Iterable, Iterator
from typing import Final, NamedTuple

VERSION: Final = 1

#: Characters of a piece.
LIMIT: Final = 6_000

# Before a heading a piece ends only if it is at least this full, so that many headings do not make many crumbs.
_FULL_ENOUGH = LIMIT // 2

_LINE = re.compile(r"[^\n]*\n|[^\n]+")
# A fence may stand in a quote or in a list item, behind its marker.
_FENCE = re.compile(r"[ \t>]{0,40}(?:(?:[-*+]|\d{1,9}[.)])[ \t]{1,8})?(`{3,}|~{3,})([^\n]*)")
_HEADING = re.compile(r" {0,3}#{1,6}(?:\s|$)")
_COMMENT = re.compile(r" {0,3}<!--")


class _Block(NamedTuple):
    """A paragraph with the blank lines after it, a fenced code block, or a hidden comment."""

    text: str
    heading: bool = False
    whole: bool = False
    """Never cut."""


def chunk(body: str) -> list[str]:
    """The body in pieces of at most LIMIT characters, in order; none for an empty body."""
    if len(body) <= LIMIT:
        return [body] if body else []
    return list(_packed(_blocks(_LINE.findall(body))))


def join(chunks: Iterable[str]) -> str:
    """The body that `chunk` took apart."""
    return "".join(chunks)


def _blocks(lines: list[str]) -> Iterator[_Block]:
    """What should stay together."""
    start = 0
    while start < len(lines):
        if fence := _opens_fence(lines[start]):
            end = _end_of_fence(lines, start + 1, fence)
            yield _Block("".join(lines[start:end]))
        elif _COMMENT.match(lines[start]):
            end = _end_of_comment(lines, start)
            yield _Block("".join(lines[start:end]), whole=True)
        else:
            end = _end_of_paragraph(lines, start + 1)
            yield _Block("".join(lines[start:end]), heading=_HEADING.match(lines[start]) is not None)
        start = end


def _opens_fence(line: str) -> str:
    """The fence that a line opens a code block with; empty where it opens none."""
    mark = _FENCE.match(line)
    return mark[1] if mark and not (mark[1][0] == "`" and "`" in mark[2]) else ""


def _end_of_fence(lines: list[str], start: int, fence: str) -> int:
    for at in range(start, len(lines)):
        mark = _FENCE.match(lines[at])
        if mark and mark[1].startswith(fence) and not mark[2].strip():
            return at + 1
    return len(lines)


def _end_of_comment(lines: list[str], start: int) -> int:
    for at in range(start, len(lines)):
        if "-->" in lines[at]:
            return at + 1
    return len(lines)


def _end_of_paragraph(lines: list[str], start: int) -> int:
    blank = not lines[start - 1].strip()
    for at in range(start, len(lines)):
        line = lines[at]
        if not line.strip():
            blank = True
        elif blank or _HEADING.match(line) or _COMMENT.match(line) or _opens_fence(line):
            return at
    return len(lines)


def _packed(blocks: Iterable[_Block]) -> Iterator[str]:
    """Blocks put together as far as they fit."""
    piece: list[str] = []
    size = 0
    for block in blocks:
        if piece and (size + len(block.text) > LIMIT or (block.heading and size >= _FULL_ENOUGH)):
            yield "".join(piece)
            piece, size = [], 0
        text = block.text
        if len(text) > LIMIT and not block.whole:
            *cuts, text = _cut(text)
            yield from cuts
        piece.append(text)
        size += len(text)
    if piece:
        yield "".join(piece)


def _cut(text: str) -> Iterator[str]:
    """A text over the limit, cut at a line end or a space where the second half of a piece has one."""
    start = 0
    while len(text) - start > LIMIT:
        limit = start + LIMIT
        found = (text.rfind(mark, start + _FULL_ENOUGH, limit) for mark in ("\n", " "))
        end = next((at + 1 for at in found if at >= 0), limit)
        yield text[start:end]
        start = end
    yield text[start:]
