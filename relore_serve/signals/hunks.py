"""What the diff hunk above a review comment is about: the definition it stands in, and those it changes nearby."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from relore_serve.signals import signal, symbols
from relore_serve.signals.definitions import definition_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from relore_serve.signals.signal import Signal

# git cuts the line it prints behind the second @@ after eighty characters.
_HEADER = re.compile(r"@@ -\d+(?:,\d+)? \+\d+(?:,\d+)? @@ ?([^\n]{0,200})")
_CALLABLE = re.compile(r"(?<![\w:.~$])([A-Za-z_~$][\w:.~$]{2,200})\s?\(")
_STATEMENT = re.compile(r"(?:return|if|else|for|while|switch|case|do|goto|throw|await|yield|try)\b")
_NO_CODE = (
    ".md", ".txt", ".rst", ".adoc", ".json", ".yml", ".yaml", ".toml", ".csv", ".html", ".lock", ".ac", ".m4", ".am",
    ".cmake",
)  # fmt: skip
# Lines at the margin that close or open nothing: preprocessor, comments, labels, lone braces.
_AT_MARGIN = re.compile(r"[#/*{)]|\w+:$|public:|private:|protected:|@")

# The comment is about the hunk's end; a new file's hunk is all of it above that.
_NEARBY = 12
_SEARCHED = 160


def enclosing(diff_hunk: str) -> str | None:
    """Return the name of the definition that the last line of a hunk, the commented one, stands in, or None.

    The nearest definition above it in the hunk with less indentation, or else the one that git printed behind ``@@``,
    unless the hunk shows that it has ended.
    """
    lines = diff_hunk.rsplit("\n", _SEARCHED)
    last = lines[-1]
    if len(lines) > 1 and (name := definition_of(last[1:], c_like=True)):
        return name
    stripped = last[1:].strip()
    if not stripped:
        depth = _SEARCHED
    else:
        # A closing bracket is still part of what it closes.
        depth = len(last[1:]) - len(last[1:].lstrip()) + stripped.startswith(("}", ")"))
        if depth == 0 and not _AT_MARGIN.match(stripped):
            return None
    return _above(
        lines[1:-1], depth or 1, gone="+" if last[:1] == "-" else "-", otherwise=_of_header(diff_hunk)
    )


def _above(lines: list[str], depth: int, *, gone: str, otherwise: str | None) -> str | None:
    """Walk up from the commented line; ``depth`` is the least indentation met so far.

    Lines that begin with ``gone`` belong to the other side. ``otherwise`` is the answer when the lines decide nothing.
    """
    for line in reversed(lines):
        if line[:1] == gone:
            continue
        stripped = line[1:].strip()
        indentation = len(line[1:]) - len(line[1:].lstrip())
        if not stripped or indentation >= depth:
            continue
        if stripped[0] == "#" and not stripped.endswith("\\"):
            continue
        if not stripped.endswith(";") and (name := definition_of(line[1:], c_like=True)):
            return name
        if indentation == 0 and stripped.startswith("/*"):
            # In the comment above the next definition.
            return None
        if not _AT_MARGIN.match(stripped):
            depth = indentation
            if depth == 0:
                # Below the end of another definition, and in none.
                return None
    return otherwise


def _of_header(diff_hunk: str) -> str | None:
    header = _HEADER.match(diff_hunk)
    if header is None:
        return None
    line = header[1].strip()
    if name := definition_of(line, c_like=True):
        return name
    if (
        _STATEMENT.match(line)
        or line[:1] in {"/", "*", "#", "-", "[", "<", "|", "{", "}"}
        or line.endswith(";")
    ):
        return None
    called = _CALLABLE.search(line)
    return called[1] if called and symbols.is_identifier(called[1]) else None


def extract_hunk(diff_hunk: str, path: str | None) -> list[Signal]:
    """Return what a review comment's anchor says: its file, the definition around it, definitions changed near it."""
    found: dict[Signal, None] = {}
    if path:
        found[signal.file(path, "anchor")] = None
    if diff_hunk and not (path or "").endswith(_NO_CODE):
        if name := enclosing(diff_hunk):
            found[signal.symbol(name, "hunk")] = None
        for name in _changed(diff_hunk):
            found[signal.symbol(name, "definition")] = None
    return list(found)


def _changed(diff_hunk: str) -> Iterator[str]:
    for line in diff_hunk.rsplit("\n", _NEARBY)[1:]:
        if line[:1] in {"+", "-"} and (name := definition_of(line[1:], c_like=True)):
            yield name
