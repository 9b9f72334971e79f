"""Commit ids: hexadecimal words that cannot be numbers or words, and the addresses of commits."""

from __future__ import annotations

import re

_SHA = re.compile(r"(?=[a-f]*[0-9])(?=[0-9]*[a-f])[0-9a-f]{7,40}\Z")
_FULL = 40
# The length of an MD5 sum; nobody abbreviates a commit to it.
_MD5 = 32
# `1e10` is a number; the curve is no commit either.
_NOT_SHAS = re.compile(r"[0-9]+e[0-9]+\Z|ed25519\Z")
_HEX = re.compile(r"[0-9a-f]{40}\Z")
_URL = re.compile(r"/(?:commits?|blob|tree|blame|raw)/([0-9a-f]{7,40})(?![0-9a-zA-Z])")
_COMPARED = re.compile(r"/compare/([0-9a-f]{7,40})\.{2,3}([0-9a-f]{7,40})(?![0-9a-zA-Z])")


def is_sha(word: str) -> bool:
    """Whether ``word`` is an abbreviated or full commit id and nothing more likely.

    Seven to forty lower-case hexadecimal digits with a letter and a decimal among them, or exactly forty.
    """
    if len(word) == _FULL:
        return bool(_HEX.match(word))
    return len(word) != _MD5 and bool(_SHA.match(word)) and not _NOT_SHAS.match(word)


def shas_of_word(word: str) -> list[str]:
    """Return the commit ids of a bare word: itself, ``owner/name@id``, or the ends of a range ``id..id``."""
    if is_sha(word):
        return [word]
    if ".." in word:
        ends = word.replace("...", "..").split("..")
        return [end for end in ends if is_sha(end)]
    if "@" in word and is_sha(at := word.rsplit("@", 1)[1]):
        return [at]
    return []


def shas_of_url(url: str) -> list[str]:
    """Return the commit ids that the address of a commit, a comparison or a file at a commit names."""
    found = [match[1] for match in _URL.finditer(url)]
    for match in _COMPARED.finditer(url):
        found += match.groups()
    return [digits for digits in found if is_sha(digits)]
