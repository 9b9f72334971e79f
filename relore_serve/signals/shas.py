"""Commit ids: hexadecimal words that cannot be numbers or words, and the addresses of commits."""

from __future__ import annotations

import re

_SHA = re.compile(r"(?=[a-f]*[0-9])(?=[0-9]*[a-f])[0-9a-f]{7,40}\Z")
_FULL = re.compile(r"[0-9a-f]{40}\Z")
# `1e10` and `25e6` are numbers; so is anything with one letter e among digits.
_NUMBER = re.compile(r"[0-9]+e[0-9]+\Z")
_URL = re.compile(r"/(?:commits?|blob|tree|blame|raw)/([0-9a-f]{7,40})(?![0-9a-zA-Z])")
_COMPARED = re.compile(r"/compare/([0-9a-f]{7,40})\.{2,3}([0-9a-f]{7,40})(?![0-9a-zA-Z])")


def is_sha(word: str) -> bool:
    """Whether ``word`` is an abbreviated or full commit id and nothing more likely.

    Seven to forty lower-case hexadecimal digits with a letter and a decimal among them, or exactly forty.
    """
    if _FULL.match(word):
        return True
    return bool(_SHA.match(word)) and not _NUMBER.match(word)


def shas_of_url(url: str) -> list[str]:
    """Return the commit ids that the address of a commit, a comparison or a file at a commit names."""
    found = [match[1] for match in _URL.finditer(url)]
    for match in _COMPARED.finditer(url):
        found += match.groups()
    return found
