# ruff: noqa: RUF001 - look-alikes are what this is about
"""Characters that pass for ASCII ones, so that a forged mark is found however it is spelled."""

from __future__ import annotations

import unicodedata
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

DOUBLE_OPEN = "\x01"
"""Stands for one character that shows two opening brackets. Scrubbed text holds no control characters."""

_ANGLES = {
    "‹˂〈⟨❬❮❰ᐸᚲ𝈶⧼˱﹤＜": "<",
    "›˃〉⟩❭❯❱ᐳ𝈷⧽˲﹥＞": ">",
    "«≪⟪《⋘⪡⫷︽": DOUBLE_OPEN,
    "»≫⟫》⋙⪢⫸︾": ">",
    "｜│┃ǀ∣❘⎟": "|",
}
_LETTERS = {
    "аɑαⲁ": "a",
    "ԁⅾ": "d",
    "еєҽεⲉ": "e",
    "ⅼӏІіΙ": "l",
    "ոпη": "n",
    "оοօσⲟ": "o",
    "рρⲣ": "p",
    "гᴦⲅ": "r",
    "ѕꜱ": "s",
    "тτⲧ": "t",
    "υսцʋ": "u",
}
# Blocks whose characters Unicode itself declares compatible with ASCII, or ASCII with an accent.
_COMPATIBLE = (
    (0x00C0, 0x0250),
    (0x1D2C, 0x1D6B),
    (0x1E00, 0x1F00),
    (0x2070, 0x20A0),
    (0x2100, 0x2190),
    (0x2460, 0x2500),
    (0xFE50, 0xFE70),
    (0xFF01, 0xFF5F),
    (0x1D400, 0x1D800),
    (0x1F100, 0x1F1FF),
)


def _base(character: str) -> str | None:
    """Return the single ASCII character that this one decomposes to, if it does."""
    kept = [part for part in unicodedata.normalize("NFKD", character) if not unicodedata.combining(part)]
    plain = "".join(kept).strip("()")
    return plain if len(plain) == 1 and plain.isascii() else None


def _table() -> dict[int, str]:
    table: dict[int, str] = {}
    for first, end in _COMPATIBLE:
        for point in range(first, end):
            base = _base(chr(point))
            if base is not None:
                table[point] = base
    for group in (_LETTERS, _ANGLES):
        for characters, plain in group.items():
            table.update({ord(character): plain for character in characters})
            table.update(
                {ord(character): plain for character in characters.upper() if not character.isascii()}
            )
    return table


_FOLD = _table()


def fold(text: str) -> tuple[str, Sequence[int]]:
    """Return ``text`` with look-alikes replaced, and where each character of it, and its end, stood in ``text``.

    A mark that is drawn over or around the letter before it is left out: what is under it is read all the same.
    """
    if text.isascii():
        return text, range(len(text) + 1)
    marks = {character for character in set(text) if unicodedata.category(character)[0] == "M"}
    if not marks:
        return text.translate(_FOLD), range(len(text) + 1)
    places = [place for place, character in enumerate(text) if character not in marks]
    return "".join([text[place] for place in places]).translate(_FOLD), [*places, len(text)]
