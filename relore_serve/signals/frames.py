"""Stack frames and positions that tools print: the function they name, and the file."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from relore_serve.signals import files, symbols

if TYPE_CHECKING:
    from collections.abc import Iterator

_PYTHON = re.compile(r'File "(?P<path>[^"\n]{1,300})", line \d+(?:, in (?P<name>[^\s<>()]{1,150}))?')
_PYTEST = re.compile(r"(?:^|\n)(?P<path>[\w./+-]{1,260}\.py):\d{1,7}: in (?P<name>\w{1,150})")
_AT_PARENTHESES = re.compile(
    r"\n?[ \t]+at (?:async |new )?(?P<name>[\w$.#<>\[\]~/]{1,200})(?: \[as \w+\])?(?:\([\w\s,.&*\[\]`]{0,200}\))? ?"
    r"(?:\((?P<path>[^()\n:]{1,260}|[^()\n]{1,260}?)(?::\d{1,7}){1,2}\)|in (?P<net>[^\n]{1,260}):line \d+)"
)
_AT_PATH = re.compile(r"\n[ \t]+at (?P<path>[\w./\\+:-]{1,260}\.\w{1,6}):\d{1,7}(?::\d{1,7})?(?=\s|\Z)")
_NUMBERED = re.compile(
    r"#\d{1,4}\s{1,4}(?:0x[0-9a-fA-F]{1,16} (?:in )?)?(?P<name>[A-Za-z_~][\w:~$]{0,200})(?:<[^()\n]{0,200}>)?[ ]?"
    r"(?:\([^\n]{0,400}?\))?(?: const)?(?: at | )(?P<path>[^\s()]{1,260}?\.[A-Za-z]\w{0,5}):\d{1,7}"
)
_NUMBERED_BARE = re.compile(r"#\d{1,4}\s{1,4}0x[0-9a-fA-F]{1,16} in (?P<name>[A-Za-z_~][\w:~$]{0,200})")
_VALGRIND = re.compile(
    r"(?:at|by) 0x[0-9A-F]{1,16}: (?P<name>[\w:~$]{1,200})[^\n(]{0,100}"
    r"\((?:in )?(?P<path>[^()\n:]{1,260})(?::\d{1,7})?\)"
)
_RUST = re.compile(
    r"\n[ ]{1,6}\d{1,4}:[ ]+(?:0x[0-9a-f]{1,16} - )?(?P<name>[\w:<>{}#$&*' ]{1,200}?)(?:::h[0-9a-f]{16})?(?=\n)"
)
_GO = re.compile(
    r"(?:^|\n)(?P<name>[\w./*()-]{1,200}\.\w{1,100})\([^()\n]{0,200}\)\n\t(?P<path>[^\s:]{1,260}\.go):\d+"
)
_RUBY = re.compile(
    r"(?P<path>[\w./+-]{1,260}\.rb):\d{1,7}:in [`'](?:block in |rescue in )?(?P<name>[\w.:#?!=]{1,150})'"
)
_GCC_FUNCTION = re.compile(
    r"(?P<path>[\w./+-]{1,260}\.\w{1,5}): In (?:static )?(?:member )?(?:function|constructor|destructor) "
    r"['`\u2018\"](?P<name>[^'\u2019\"\n]{1,300})['\u2019\"]"
)
_LINKER = re.compile(
    r"(?:undefined reference to|multiple definition of|undefined symbol:|unresolved external symbol) "
    r"['`\u2018\"]?_?(?P<name>[A-Za-z_][\w:~]{2,200})"
)
_MAC_LINKER = re.compile(r'"_(?P<name>[A-Za-z_]\w{2,200})", referenced from:')
_PANIC = re.compile(r"panicked at (?:['\"][^\n]{0,300}['\"], )?(?P<path>[\w./+-]{1,260}\.rs):\d+")
_POSITION = re.compile(
    r"(?<![^\s('\"`\[])(?P<path>(?:[A-Za-z]:)?[\w./\\+@-]{1,260}\.[A-Za-z]\w{0,15}"
    r"|[\w./-]{0,200}(?:Makefile|Dockerfile|Kconfig))"
    r"(?::\d{1,7}(?::\d{1,7})?|\(\d{1,7}(?:,\d{1,7})?\)(?= ?:))(?=[:\s,)'\"`\] ]|\Z)"
)
_DIFF = re.compile(r"(?:^|\n)(?:\+\+\+ b/|--- a/|diff --git a/)(?P<path>[^\s]{1,260})")

# Each with words without which it cannot match.
_PATTERNS = (
    (('File "',), _PYTHON),
    ((": in ",), _PYTEST),
    ((" at ", "\tat "), _AT_PARENTHESES),
    ((" at ", "\tat "), _AT_PATH),
    (("#",), _NUMBERED),
    ((" in ",), _NUMBERED_BARE),
    (("by 0x", "at 0x"), _VALGRIND),
    (("stack backtrace",), _RUST),
    ((".go:",), _GO),
    ((".rb:",), _RUBY),
    ((": In ",), _GCC_FUNCTION),
    (("undefined", "multiple def", "unresolved"), _LINKER),
    (("referenced from",), _MAC_LINKER),
    (("panicked at",), _PANIC),
    ((":", "("), _POSITION),
    (("+++ b/", "diff --git a/"), _DIFF),
)

# Frames of the machinery beneath every program.
_RUNTIME = re.compile(
    r"(?:core|std|alloc|rust_begin_unwind|__rust|backtrace|_?_libc_|__GI_|_start\b|start_thread|clone\b|runtime\.|node:|"
    r"internal/|java\.|javax\.|sun\.|jdk\.|System\.|__asan|__interceptor|__sanitizer|__ubsan|<module>|<lambda>|main\Z|BaseThreadInitThunk)"
)
_FRAME_LIMIT = 400


class Frame(NamedTuple):
    """One frame or position: the function, the file, either may be missing, and where it stood."""

    name: str | None
    path: str | None
    start: int


def frames(text: str) -> list[Frame]:
    """Return the frames and positions of a text in order of appearance."""
    found: list[Frame] = []
    for pattern in _applicable(text):
        for count, match in enumerate(pattern.finditer(text)):
            if count >= _FRAME_LIMIT:
                break
            found.append(_frame(match))
    found.sort(key=lambda frame: frame.start)
    return [frame for frame in found if frame.name or frame.path]


def may_hold_frames(text: str) -> bool:
    """A quick look that passes every text with a frame or a position in it, and few without."""
    return (
        _LINE_NUMBER.search(text) is not None or 'File "' in text or ": In " in text or "file:" in text
        or " 0x" in text or "referenced from" in text or "undefined" in text or "multiple def" in text
        or "unresolved ext" in text or "+++ b/" in text or "diff --git" in text or ":line " in text
    )  # fmt: skip


_LINE_NUMBER = re.compile(r"\.[A-Za-z]\w{0,15}[:(]\d")


def _applicable(text: str) -> Iterator[re.Pattern[str]]:
    for needles, pattern in _PATTERNS:
        for needle in needles:
            if needle in text:
                yield pattern
                break


def _frame(match: re.Match[str]) -> Frame:
    groups = match.groupdict()
    path = groups.get("path") or groups.get("net")
    name = groups.get("name")
    if name is not None:
        if _RUNTIME.match(name):
            name = path = None
        else:
            name = _clean(name)
    if path is not None:
        path = files.located_path(path)
    return Frame(name, path, match.start())


def _clean(name: str) -> str | None:
    """Return the function of a frame as code would write it."""
    name = name.split("(", 1)[0].strip()
    if " " in name:
        name = name.rsplit(" ", 1)[-1].lstrip("*&")
    if "/" in name:
        name = name.rsplit("/", 1)[-1]
    name = name.replace(".<anonymous>", "").removeprefix("Object.").removeprefix("main.").strip(".:<>")
    return name if symbols.is_identifier(name) and name != "<anonymous>" else None
