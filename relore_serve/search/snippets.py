"""The window of a text that says most about a question."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from typing import TYPE_CHECKING

from relore_serve.signals import markdown

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from relore_serve.search.terms import WeighedTerm

FULL = 400
COMPACT = 160

_ALIKE = re.compile(r"[\x00-\x7f]+|[^\x00-\x7f]")
# A text that repeats a word more often than this is judged by the first of them.
_MOST_MATCHES = 400
_ELLIPSIS = "…"
# What all parts of a name, scattered, are worth of the name itself.
_PARTS = 0.5
_LONG_STEM = 4
# Sums of shares differ by this much although they are equal.
_NOTHING = 1e-9
# A cut may step back this far to fall between words.
_LONGEST_STEP = 24


@dataclass(frozen=True, slots=True)
class Marks:
    """What to look for in a text: folded words and the worth of each, the longest first."""

    worth: Mapping[str, float]


NO_MARKS = Marks({})


def marks(words: Iterable[tuple[str, float]]) -> Marks:
    """Prepare words with their worth; inside a longer word one counts where a part of a name begins."""
    worth: dict[str, float] = {}
    for word, value in words:
        folded = _folded(word)[0].strip()
        if folded and (len(folded) > 1 or not folded.isascii()):
            worth[folded] = max(worth.get(folded, 0.0), value)
    return Marks(dict(sorted(worth.items(), key=lambda entry: len(entry[0]), reverse=True)))


def words(terms: Iterable[WeighedTerm]) -> list[tuple[str, float]]:
    """Return the words of a question as `marks` takes them: as asked, and parts, together worth less than the whole."""
    found: list[tuple[str, float]] = []
    for term in terms:
        lexemes = term.term.lexemes
        found.append((term.term.text, term.weight))
        if len(lexemes) == 1:
            found.append((_stem(lexemes[0]), term.weight))
            continue
        found += [(_stem(lexeme), term.weight * _PARTS / len(lexemes)) for lexeme in lexemes]
    return found


def _stem(lexeme: str) -> str:
    """Return what the words of a stem begin with: those of ``librari`` are spelled with a y as well."""
    return lexeme[:-1] if len(lexeme) >= _LONG_STEM and lexeme.endswith("i") else lexeme


def visible(body: str, lead: str = "") -> str:
    """Return the passage ``body`` as a reader sees it, on one line.

    ``lead`` is what stands before it in the same text: a hidden comment that begins there may end here.
    """
    return " ".join(markdown.plain(_shown_part(body, lead) if lead else body).split())


def _shown_part(body: str, lead: str) -> str:
    whole = lead + body
    return markdown.split(whole).visible_part(whole, len(lead), len(whole))


def passage(body: str, lead: str, wanted: Marks, limit: int) -> tuple[str, bool]:
    """Return the window into a passage that says most, as `snippet` does.

    What was asked for may stand where a reader does not see it, in the address of a link: then the passage is shown
    as it was written.
    """
    text = visible(body, lead)
    if "](" in body or "<" in body:
        written = " ".join(_shown_part(body, lead).split())
        if len(written) > len(text) and _said(written, wanted) > _said(text, wanted) + _NOTHING:
            text = written
    return snippet(text, wanted, limit)


def _said(text: str, wanted: Marks) -> float:
    return sum(wanted.worth[word] for word in {word for _, _, word in _matches(text, wanted)})


def snippet(text: str, wanted: Marks, limit: int) -> tuple[str, bool]:
    """Return at most ``limit`` characters of a text on one line, and whether anything was left out."""
    if len(text) <= limit:
        return text, False
    start, kept = _best_start(text, wanted, limit - 2)
    end = min(len(text), start + limit - (1 if start == 0 else 2))
    if end < len(text):
        end = _step(text, end, max(start, kept - 1))
    cut = text[start:end].strip()
    return (_ELLIPSIS if start else "") + cut + (_ELLIPSIS if end < len(text) else ""), True


def _best_start(text: str, wanted: Marks, width: int) -> tuple[int, int]:
    """Return where the best window begins, and where in it the last of what was asked for ends."""
    found = _matches(text, wanted)
    if not found:
        return 0, 0
    first, last = _densest(found, wanted.worth, width)
    slack = max(0, width - (last - first))
    start = max(0, min(first - min(slack // 2, width // 3), len(text) - width))
    if start == 0:
        return 0, last
    space = text.find(" ", start, min(first, start + _LONGEST_STEP))
    return (start if space < 0 else space + 1), last


def _matches(text: str, wanted: Marks) -> list[tuple[int, int, str]]:
    """Return where words begin and end, the first of them and of several at one place the longest; none overlap."""
    if not wanted.worth:
        return []
    folded, places = _folded(text)
    found: list[tuple[int, int, str]] = []
    for word in wanted.worth:
        # One word after the other: twenty searches for a word take a tenth of the time of one for twenty words.
        found += _places(folded, word)
    found.sort(key=lambda place: (place[0], -place[1]))
    apart: list[tuple[int, int, str]] = []
    end = 0
    for place in found:
        if place[0] >= end:
            apart.append(place)
            end = place[1]
    if places is None:
        return apart[:_MOST_MATCHES]
    return [(places[start], places[stop], word) for start, stop, word in apart[:_MOST_MATCHES]]


def _folded(text: str) -> tuple[str, list[int] | None]:
    """Return a text without distinction of case or form, and where each of its characters stood, unless it still does.

    Characters are taken apart, not composed, so that each can be looked at by itself.
    """
    if text.isascii():
        return text.lower(), None
    pieces: list[str] = []
    places: list[int] = []
    for found in _ALIKE.finditer(text):
        piece = found[0]
        if piece.isascii():
            pieces.append(piece.lower())
            places.extend(range(found.start(), found.end()))
            continue
        low = unicodedata.normalize("NFKD", unicodedata.normalize("NFKD", piece).casefold())
        pieces.append(low)
        places.extend([found.start()] * len(low))
    places.append(len(text))
    return "".join(pieces), places


def _places(folded: str, word: str) -> list[tuple[int, int, str]]:
    # An underscore ends one part of a name and begins the next. Unspaced writing has no such places.
    anywhere = not (word[0].isascii() and word[0].isalnum())
    found: list[tuple[int, int, str]] = []
    at = folded.find(word)
    while at >= 0 and len(found) < _MOST_MATCHES:
        if anywhere or not at or not folded[at - 1].isalnum():
            found.append((at, at + len(word), word))
        at = folded.find(word, at + 1)
    return found


def _densest(found: list[tuple[int, int, str]], worth: Mapping[str, float], width: int) -> tuple[int, int]:
    """Return where the window begins and ends that holds the most worth, each word counted once."""
    held: dict[str, int] = {}
    value = best = 0.0
    left = 0
    window = (found[0][0], found[0][1])
    for start, end, word in found:
        held[word] = held.get(word, 0) + 1
        if held[word] == 1:
            value += worth[word]
        while end - found[left][0] > width and found[left][0] < start:
            gone = found[left][2]
            left += 1
            held[gone] -= 1
            if not held[gone]:
                value -= worth[gone]
        if value > best + _NOTHING:
            best, window = value, (found[left][0], end)
    return window


def _step(text: str, end: int, start: int) -> int:
    space = text.rfind(" ", max(start, end - _LONGEST_STEP), end + 1)
    return end if space <= start else space
