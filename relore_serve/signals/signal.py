"""What an exact fact is. The readers beside this module say where facts are found."""

from __future__ import annotations

from typing import Literal, NamedTuple

Kind = Literal["error", "test", "symbol", "file", "sha"]

# Where it stood. `anchor` and `hunk` belong to review comments, `frame` covers stack frames and compiler positions,
# `code` is a code span or block.
Source = Literal["prose", "code", "frame", "definition", "anchor", "hunk"]

# Longer values are pasted data, not names; an index row has to hold one.
VALUE_LIMIT = 400

# A document that names more is a log or an attack; the first ones are kept.
DOCUMENT_LIMIT = 1_000


class Signal(NamedTuple):
    """An exact fact read off a text: what it is, as written, and the part that look-ups compare."""

    kind: Kind
    value: str
    tail: str
    source: Source


def symbol(name: str, source: Source) -> Signal:
    """A symbol as written, whose tail is its last part: ``bar`` of ``Foo.bar``, ``Foo::bar`` and ``foo->bar``."""
    tail = name.replace("->", ".").replace("::", ".").replace("#", ".").rsplit(".", 1)[-1]
    return Signal("symbol", name, tail, source)


def file(path: str, source: Source) -> Signal:
    """A path, whose tail is its base name."""
    return Signal("file", path, path.rsplit("/", 1)[-1], source)


def sha(digits: str, source: Source) -> Signal:
    """A commit id, whose tail is its first seven digits."""
    return Signal("sha", digits, digits[:7], source)
