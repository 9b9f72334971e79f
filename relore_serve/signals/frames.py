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
    r"(?:at|by) 0x[0-9A-F]{1,16}: (?P<name>[\w:~$]{1,200})[^\n(]{0,100}\((?:in )?(?P<path>[^()\n:]{1,260})(?::\d{1,7})?\)"
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
    r"(?P<path>[\w./+-]{1,260}\.\w{1,5}): In (?:static )?(?:member )?(?:function|constructor|destructor) ['`\u2018\"](?P<name>[^'\u2019\"\n]{1,300})['\u2019\"]"
)
_LINKER = re.compile(
    r"(?:undefined reference to|multiple definition of|undefined symbol:|unresolved external symbol) ['`\u2018\"]?_?(?P<name>[A-Za-z_][\w:~]{2,200})"
)
_MAC_LINKER = re.compile(r'"_(?P<name>[A-Za-z_]\w{2,200})", referenced from:')
_PANIC = re.compile(r"panicked at (?:['\"][^\n]{0,300}['\"], )?(?P<path>[\w./+-]{1,260}\.rs):\d+")
_POSITION = re.compile(
    r"(?<![^\s('\"`\[])(?P<path>(?:[A-Za-z]:)?[\w./\\+@-]{1,260}\.[A-Za-z]\w{0,15}|[\w./-]{0,200}(?:Makefile|Dockerfile|Kconfig))"
    r"(?::\d{1,7}(?::\d{1,7})?|\(\d{1,7}(?:,\d{1,7})?\)(?= ?:))(?=[:\s,)'\"`\] ]|\Z)"
)
_DIFF = re.compile(r"(?:^|\n)(?:\+\+\+ b/|--- a/|diff --git a/)(?P<path>[^\s]{1,260})")

# Frames of the machinery beneath every program.
_RUNTIME = re.compile(
    r"(?:core|std|alloc|rust_begin_unwind|__rust|backtrace|_?_libc_|__GI_|_start\b|start_thread|clone\b|runtime\.|node:|"
    r"internal/|java\.|javax\.|sun\.|jdk\.|System\.|__asan|__interceptor|__sanitizer|__ubsan|<module>|<lambda>|BaseThreadInitThunk)"
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
    """A quick look that passes every text with a frame or a position in it."""
    return (
        'File "' in text or "at " in text or "#0" in text or "#1" in text or "referenced from" in text
        or "undefined" in text or ": In " in text or "+++ b/" in text or "diff --git" in text or ":in " in text
        or _DIGIT_POSITION.search(text) is not None
    )  # fmt: skip


_DIGIT_POSITION = re.compile(r"[A-Za-z][:(]\d")


def _applicable(text: str) -> Iterator[re.Pattern[str]]:
    if 'File "' in text:
        yield _PYTHON
    if ": in " in text:
        yield _PYTEST
    if " at " in text or "\tat " in text:
        yield _AT_PARENTHESES
        yield _AT_PATH
    if "#" in text:
        if "0x" in text or " at " in text:
            yield _NUMBERED
        if " in " in text and "0x" in text:
            yield _NUMBERED_BARE
    if "==" in text and " 0x" in text:
        yield _VALGRIND
    if "stack backtrace" in text:
        yield _RUST
    if ".go:" in text:
        yield _GO
    if ".rb:" in text:
        yield _RUBY
    if ": In " in text:
        yield _GCC_FUNCTION
    if "undefined" in text or "multiple def" in text or "unresolved" in text:
        yield _LINKER
    if "referenced from" in text:
        yield _MAC_LINKER
    if "panicked at" in text:
        yield _PANIC
    if "+++ b/" in text or "diff --git a/" in text:
        yield _DIFF
    yield _POSITION


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
    name = name.removeprefix("Object.").removeprefix("main.").strip(".:<>")
    return name if symbols.is_identifier(name) and name != "<anonymous>" else None
