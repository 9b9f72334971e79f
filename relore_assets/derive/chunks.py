"""Long Markdown in pieces that fit one document each.

Pieces are slices: put together they are the body again, character for character. They end, in this order of
preference, before a heading, at a blank line, at a line end, at a space; never inside a fenced code block
that would fit a piece by itself.
"""

import re
from collections.abc import Iterable, Iterator
from typing import Final

VERSION: Final = 1

#: Characters of a piece.
LIMIT: Final = 6_000

# A piece is closed early, before a heading, only when it is at least this full: no cascade of tiny pieces.
_FULL_ENOUGH = LIMIT // 2

_LINE = re.compile(r"[^\n]*\n|[^\n]+")
_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})([^\n]*)")
_HEADING = re.compile(r" {0,3}#{1,6}(?:[ \t]|$)")


def chunk(body: str) -> list[str]:
    """The body in pieces of at most LIMIT characters, in order; none for an empty body."""
    if len(body) <= LIMIT:
        return [body] if body else []
    return _packed(_blocks(body))


def join(chunks: Iterable[str]) -> str:
    """The body that `chunk` took apart."""
    return "".join(chunks)


def _blocks(body: str) -> Iterator[tuple[str, bool]]:
    """Slices that should stay whole, and whether each starts with a heading.

    A slice is a paragraph with the blank lines after it, or a fenced code block.
    """
    block: list[str] = []
    fence = ""
    blank = False
    for line in _LINE.findall(body):
        mark = _FENCE.match(line)
        if fence:
            block.append(line)
            if mark and _closes(mark, fence):
                yield "".join(block), False
                block, fence, blank = [], "", False
            continue
        opens = mark is not None and not (mark[1][0] == "`" and "`" in mark[2])
        heading = _HEADING.match(line) is not None
        if block and (opens or heading or (blank and line.strip())):
            yield "".join(block), _HEADING.match(block[0]) is not None
            block = []
        block.append(line)
        blank = not line.strip()
        if opens and mark is not None:
            fence = mark[1]
    if block:
        yield "".join(block), not fence and _HEADING.match(block[0]) is not None


def _closes(mark: re.Match[str], fence: str) -> bool:
    """Whether a fence mark ends the block that `fence` opened."""
    return mark[1][0] == fence[0] and len(mark[1]) >= len(fence) and not mark[2].strip()


def _packed(blocks: Iterable[tuple[str, bool]]) -> list[str]:
    """Blocks put together as far as they fit."""
    pieces: list[str] = []
    piece: list[str] = []
    size = 0
    for block, heading in blocks:
        if piece and (size + len(block) > LIMIT or (heading and size >= _FULL_ENOUGH)):
            pieces.append("".join(piece))
            piece, size = [], 0
        if len(block) > LIMIT:
            *whole, block = _cut(block)  # noqa: PLW2901 - the last cut goes on collecting
            pieces.extend(whole)
        piece.append(block)
        size += len(block)
    if piece:
        pieces.append("".join(piece))
    return pieces


def _cut(block: str) -> list[str]:
    """A block over the limit in pieces, cut at line ends or spaces where there are any in the second half."""
    cuts: list[str] = []
    start = 0
    while len(block) - start > LIMIT:
        end = start + LIMIT
        for mark in ("\n", " "):
            found = block.rfind(mark, start + _FULL_ENOUGH, end)
            if found >= 0:
                end = found + 1
                break
        cuts.append(block[start:end])
        start = end
    cuts.append(block[start:])
    return cuts
