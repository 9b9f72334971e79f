"""English stems, the only knowledge of a language that search has."""

from threading import Lock
from typing import Protocol, cast

import snowballstemmer  # pyright: ignore[reportMissingTypeStubs]

_SHORTEST = 3
_LONGEST = 40
_MEMO_SIZE = 1 << 16


class _Stemmer(Protocol):
    def stemWord(self, word: str, /) -> str: ...  # noqa: N802 - the library's name


_stemmer = cast("_Stemmer", snowballstemmer.stemmer("english"))  # pyright: ignore[reportUnknownMemberType]
_stemming = Lock()  # the stemmer keeps the word it works on in itself
_stems: dict[str, str] = {}


def stem(word: str) -> str:
    """The stem of a word in lower case; what cannot be an English word is its own."""
    if not (_SHORTEST <= len(word) <= _LONGEST and word.isascii() and word.isalpha()):
        return word
    known = _stems.get(word)
    if known is None:
        with _stemming:
            known = _stemmer.stemWord(word)
        if len(_stems) >= _MEMO_SIZE:
            _stems.clear()
        _stems[word] = known
    return known
