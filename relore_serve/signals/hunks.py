"""What the diff hunk above a review comment is about: the definition it stands in, and those it changes nearby."""

from __future__ import annotations

import re
from collections.abc import Iterator

from relore_serve.signals import signal, symbols
from relore_serve.signals.definitions import definition_of
from relore_serve.signals.signal import Signal

_HEADER = re.compile(r"@@ -\d+(?:,\d+)? \+\d+(?:,\d+)? @@ ?([^\n]*)")
_CALLABLE = re.compile(r"([A-Za-z_~$][\w:.~$]{2,200})\s*(?:<[^<>\n]{0,60}>)?\(")
_LAST_NAME = re.compile(r"[A-Za-z_$][\w$.:]{2,200}")
_STATEMENT = re.compile(r"(?:return|if|else|for|while|switch|case|do|goto|throw|await|yield|try)\b")
_PLAIN_ENDINGS = (
    ".md",
    ".txt",
    ".rst",
    ".adoc",
    ".json",
    ".yml",
    ".yaml",
    ".toml",
    ".csv",
    ".html",
    ".lock",
    ".ac",
    ".m4",
    ".am",
    ".cmake",
)

# The comment is about the hunk's end; a new file's hunk is all of it above that.
_NEARBY = 12
_SEARCHED = 120


def enclosing(diff_hunk: str) -> str | None:
    """Return the name of the definition that git printed behind ``@@``, in whatever language, or None."""
    header = _HEADER.match(diff_hunk)
    if header is None:
        return None
    line = header[1].strip()
    if len(line) < 3 or line.endswith(":") and "(" not in line and " " not in line:  # noqa: PLR2004, RUF021 - a label
        return None
    if name := definition_of(line, c_like=True):
        return name
    if _STATEMENT.match(line) or line.startswith(("/", "*", "#", "-", "[", "<", "|")):
        return None
    # git cuts the line after eighty characters and takes any that begins at the margin: `int foo(const x *a,`.
    if (called := _CALLABLE.search(line)) and not line.endswith(";"):
        name = called[1]
        return name if symbols.is_identifier(name) else None
    return None


def extract_hunk(diff_hunk: str, path: str | None) -> list[Signal]:
    """Return what a review comment's anchor says: its file, the definition around it, definitions changed near it."""
    found: dict[Signal, None] = {}
    if path:
        found[signal.file(path, "anchor")] = None
    if not diff_hunk:
        return list(found)
    if not (path or "").endswith(_PLAIN_ENDINGS):
        if name := enclosing(diff_hunk):
            found[signal.symbol(name, "hunk")] = None
        for name in _changed(diff_hunk):
            found[signal.symbol(name, "definition")] = None
    return list(found)


def _changed(diff_hunk: str) -> Iterator[str]:
    for line in diff_hunk.rsplit("\n", _NEARBY)[1:]:
        if line[:1] in {"+", "-"} and (name := definition_of(line[1:], c_like=True)):
            yield name
