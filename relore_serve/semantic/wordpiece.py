"""WordPiece as BERT's uncased models were trained with: text in, numbers of its vocabulary out. Standard library only.

``vocabulary.txt`` is that of bert-base-uncased (Google, Apache License 2.0), which all-MiniLM-L6-v2 shares:
https://github.com/google-research/bert#tokenization. Unlike there, what a text spells like a special token
(``[SEP]``) is ordinary text.
"""

from __future__ import annotations

import unicodedata
from functools import cache, lru_cache
from importlib.resources import files
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

# A longer word has no pieces: https://github.com/google-research/bert/blob/master/tokenization.py
_LONGEST = 100
# Signs that Unicode does not count as punctuation, and BERT does.
_SIGNS = frozenset("$+<=>^`|~")
# Written without spaces, so each is a word.
_IDEOGRAPHS = (
    (0x4E00, 0x9FFF),
    (0x3400, 0x4DBF),
    (0x20000, 0x2A6DF),
    (0x2A700, 0x2B73F),
    (0x2B740, 0x2B81F),
    (0x2B920, 0x2CEAF),
    (0xF900, 0xFAFF),
    (0x2F800, 0x2FA1F),
)
# Characters looked at for each token that is wanted: what lies beyond can hardly be reached.
_CHARACTERS_PER_TOKEN = 24


class WordPiece:
    """The tokenizer over one vocabulary, which holds ``[UNK]``, ``[CLS]`` and ``[SEP]``."""

    def __init__(self, vocabulary: Mapping[str, int]) -> None:
        self._vocabulary = vocabulary
        self._unknown = vocabulary["[UNK]"]
        self._opening, self._closing = vocabulary["[CLS]"], vocabulary["[SEP]"]

    def tokens(self, text: str, most: int) -> list[int]:
        """Return the numbers of at most ``most`` tokens, those that open and close a text included."""
        found = [self._opening]
        for word in words(text[: most * _CHARACTERS_PER_TOKEN]):
            found += self._pieces(word)
            if len(found) >= most - 1:
                break
        return [*found[: most - 1], self._closing]

    def _pieces(self, word: str) -> list[int]:
        """Return the longest pieces that a word is made of, from its beginning; one unknown where there are none."""
        if len(word) > _LONGEST:
            return [self._unknown]
        found: list[int] = []
        start = 0
        while start < len(word):
            mark = "##" if start else ""
            ends = range(len(word), start, -1)
            end = next((end for end in ends if mark + word[start:end] in self._vocabulary), None)
            if end is None:
                return [self._unknown]
            found.append(self._vocabulary[mark + word[start:end]])
            start = end
        return found


@cache
def uncased() -> WordPiece:
    """Return the tokenizer of BERT's uncased models."""
    text = files("relore_serve.semantic").joinpath("vocabulary.txt").read_text(encoding="utf-8")
    return WordPiece({token: number for number, token in enumerate(text.removesuffix("\n").split("\n"))})


def words(text: str) -> Iterator[str]:
    """Yield words and single signs, in small letters and without accents."""
    kept = unicodedata.normalize("NFD", "".join(map(_cleaned, text)))
    bare = "".join(each for each in kept if unicodedata.category(each) != "Mn").lower()
    for stretch in bare.split():
        start = 0
        for place, character in enumerate(stretch):
            if _is_sign(character):
                if start < place:
                    yield stretch[start:place]
                yield character
                start = place + 1
        if start < len(stretch):
            yield stretch[start:]


@lru_cache(maxsize=8_192)
def _cleaned(character: str) -> str:
    if character in "\t\n\r":
        return " "
    category = unicodedata.category(character)
    if character == "\ufffd" or category.startswith("C"):
        return ""
    if category == "Zs":
        return " "
    code = ord(character)
    return f" {character} " if any(first <= code <= last for first, last in _IDEOGRAPHS) else character


def _is_sign(character: str) -> bool:
    return character in _SIGNS or unicodedata.category(character).startswith("P")
