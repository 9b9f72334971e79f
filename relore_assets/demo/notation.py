"""Characters that a text editor hides or refuses, written out in the demo's sources.

`{{ESC}}`, `{{NUL}}` and `{{U+200B}}` are one character each, `{{tags: hello}}` spells hello in the invisible tag
characters, and `{{repeat: x 36}}` is x thirty-six times, so that nothing in the sources looks like a secret.
"""

from __future__ import annotations

import re

_NAMED = {"NUL": "\0", "ESC": "\x1b", "BEL": "\x07"}
_TAG_BLOCK = 0xE0000
_MARK = re.compile(
    r"""\{\{(?:
        (?P<name>NUL|ESC|BEL)
        | U\+(?P<code>[0-9A-F]{4,6})
        | tags:\ (?P<tags>[ -~]+?)
        | repeat:\ (?P<what>\S+)\ (?P<times>\d+)
    )\}\}""",
    re.VERBOSE,
)


def expand(text: str) -> str:
    """The text with every mark replaced by the characters it names."""
    return _MARK.sub(_characters, text)


def _characters(mark: re.Match[str]) -> str:
    if mark["name"]:
        return _NAMED[mark["name"]]
    if mark["code"]:
        return chr(int(mark["code"], 16))
    if mark["tags"]:
        return "".join(chr(_TAG_BLOCK + ord(character)) for character in mark["tags"])
    return mark["what"] * int(mark["times"])
