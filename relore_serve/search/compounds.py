"""What programmers write as one, taken apart: identifiers, paths, versions, flags, and plain words.

Text in, lexemes out, a stretch without spaces at a time; `tokens` makes documents and questions of them.
Time is linear in the text.
"""

import re
import unicodedata
from collections.abc import Iterator
from typing import Final, NamedTuple

from relore_serve.hidden_characters import strip_hidden
from relore_serve.search.stems import stem

#: Postgres takes lexemes of 2,046 bytes; nothing of that length was ever typed into a search box.
MAX_LEXEME_BYTES: Final = 200

# A path is also found by its last few suffixes.
_MAX_SUFFIXES = 6
# Longer words are encoded data, and so are those with an upper case letter every other place.
_MAX_CAMEL = 64
_FEW_PIECES = 3
_MEAN_PIECE = 3

# Single characters stand for up to 18; text that grows like that throughout is no text, and is left as it is.
_MAX_GROWTH = 3
_FREE_GROWTH = 20

# Dashes and apostrophes of other looks; and what shapes letters and emoji without being one.
_ALIKE = str.maketrans(
    {
        **dict.fromkeys("\u2010\u2011\u2012\u2013\u2212", "-"),
        **dict.fromkeys("\u2019\u02bc", "'"),
        **dict.fromkeys("\u200c\u200d\ufe0e\ufe0f", None),
    }
)

# Chinese, Japanese, Korean, Thai, Lao, Burmese, Khmer.
_UNSPACED = re.compile(
    "([\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u2e80-\u2fdf\u3005-\u3007\u3021-\u3029\u3031-\u3035\u3041-\u318f"
    "\u31a0-\u31bf\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\ua960-\ua97f\uac00-\ud7ff\uf900-\ufaff"
    "\U00020000-\U0003ffff]+)"
)

# Every repetition begins with a character that the one before it cannot take, so that time is linear.
_COMPOUND = re.compile(
    r"""
    (?: (?<![\w-]) --? (?=[A-Za-z]) )?                      # a flag's dashes
    \w+ (?: (?: [./-] | :: | -> ) \w+ )*                    # names and what joins them
    (?: '(?:s|t|re|ve|ll|d|m)(?!\w)                         # doesn't, what's
      | (?<=[A-Za-z]) (?: \+\+\d{0,2} | \# ) (?!\w) )?      # C++, C#
    """,
    re.VERBOSE | re.IGNORECASE,
)
_JOINED_MARKS = ("Mn", "Mc")  # an enclosing mark, as of a keycap, is no part of a word
_NAME = re.compile(r"\w+")
_WORD = re.compile(r"[^\W_]+")
_CAMEL = re.compile(r"[A-Z][A-Z0-9]*(?=[A-Z][a-z])|[A-Z]?[a-z0-9]+|[A-Z][A-Z0-9]*|[0-9]+")
_PLURAL_INITIALS = re.compile(r"[A-Z]{2,}s")
_VERSION_START = re.compile(r"[vV](?=[0-9]+$)")
_MACRO_FLAG = re.compile(r"-[DU](?=[A-Z_][A-Z0-9_]{2,}$)")


class Compound(NamedTuple):
    """One stretch of text that belongs together."""

    text: str
    whole: str | None
    """Its own lexeme; None where the parts say it all."""
    parts: tuple[str, ...]
    """One lexeme a position; empty where it is too long."""
    others: tuple[tuple[str, int], ...]
    """Further lexemes, each with the part that it begins at."""
    phrase: tuple[str, ...]
    """What a question has to meet in a row."""


def compounds(unit: str) -> Iterator[Compound]:
    """What belongs together in a text without spaces, in order."""
    unit = mask = strip_hidden(unit)[0]
    if not unit.isascii():
        normal = unicodedata.normalize("NFKC", unit)
        if len(normal) > _MAX_GROWTH * len(unit) + _FREE_GROWTH:
            normal = unit
        unit = normal.translate(_ALIKE)
        mask = "".join(map(_as_letter, unit))
    for found in _COMPOUND.finditer(mask):
        compound = _compound(unit[found.start() : found.end()], found[0])
        if compound is not None:
            yield compound


def is_lone_character(operand: str) -> bool:
    """Whether a phrase's operand is one character of unspaced text, looked for by prefix."""
    return len(operand) == 1 and _UNSPACED.match(operand) is not None


def _as_letter(char: str) -> str:
    """The character, or a letter for a combining mark, which expressions do not count as part of a word."""
    return "a" if unicodedata.category(char) in _JOINED_MARKS else char


def _compound(text: str, mask: str) -> Compound | None:
    """One compound taken apart; None where it is made of joints alone."""
    if _is_plain(text):
        return _plain(text)
    if "'" in text:
        head, _, ending = text.partition("'")
        # "don't" is a word of its own; what else follows an apostrophe adds nothing to the word before it.
        text, mask = (head + "t", mask[: len(head)] + "t") if ending in "tT" else (head, mask[: len(head)])
        if _is_plain(text):
            return _plain(text)
    start = len(text) - len(text.lstrip("-"))
    if start and (macro := _MACRO_FLAG.match(text)):
        start = macro.end()
    body = text[start:]
    taken = _TakenApart(body, mask[start:])
    if not taken.parts:
        return None
    taken.add_path_names()
    whole = _name(text) if start == 0 and len(taken.names) == 1 and _NAME.fullmatch(mask) else fold(text)
    if taken.parts == [whole] or not fits(whole) or (len(taken.names) == 1 and is_unspaced(body)):
        whole = None
    return Compound(text, whole, tuple(taken.parts), tuple(taken.others), tuple(taken.phrase))


def _is_plain(text: str) -> bool:
    """Whether a text is one word, in no case that would part it."""
    return text.isalpha() and text.isascii() and (text[1:].islower() or text.isupper() or len(text) == 1)


def _plain(word: str) -> Compound:
    """A compound of one plain word."""
    lexeme = stem(word.lower()) if len(word) <= MAX_LEXEME_BYTES else ""
    return Compound(word, None, (lexeme,), (), (lexeme,) if lexeme else ())


class _TakenApart:
    """The parts of a compound, and what else it is found by, in the making."""

    def __init__(self, body: str, mask: str) -> None:
        self.body = body
        self.parts: list[str] = []
        self.phrase: list[str] = []
        self.others: dict[tuple[str, int], None] = {}
        #: Where each name of the compound starts in the body: the part that it begins at.
        self.names: dict[int, int] = {}
        for name in _NAME.finditer(mask):
            self._add_name(name.start(), name[0])

    def _add_name(self, start: int, mask: str) -> None:
        first = len(self.parts)
        self.names[start] = first
        words = 0
        for word in _WORD.finditer(mask):
            words += 1
            self._add_word(self.body[start + word.start() : start + word.end()], word[0])
        spelled = self.body[start : start + len(mask)]
        if (len(self.parts) > first + 1 or (words and "_" in mask)) and not is_unspaced(spelled):
            whole = _name(spelled)
            if fits(whole):
                self.others[whole, first] = None

    def _add_word(self, word: str, mask: str) -> None:
        if word.isascii():
            self._add_camel(word, mask)
            return
        for run in filter(None, _UNSPACED.split(word)):
            if _UNSPACED.match(run):
                self._add_pairs(fold(run))
            else:
                self._add_camel(run, "".join(map(_case, run)))

    def _add_pairs(self, run: str) -> None:
        pairs = [run[i : i + 2] for i in range(len(run) - 1)] or [run]
        self.parts += pairs
        self.phrase += pairs
        # With the last character by itself each begins a lexeme, and is found, alone, by prefix.
        self.others[run[-1], len(self.parts) - 1] = None

    def _add_camel(self, word: str, mask: str) -> None:
        pieces = [word]
        if _PLURAL_INITIALS.fullmatch(word):
            pieces = [word[:-1]]
        elif len(word) <= _MAX_CAMEL:
            cuts = [word[found.start() : found.end()] for found in _CAMEL.finditer(mask)]
            if len(cuts) <= _FEW_PIECES or len(word) >= _MEAN_PIECE * len(cuts):
                pieces = cuts
        for piece in pieces:
            lexeme = stem(fold(piece))
            if not fits(lexeme):
                self.parts.append("")
            elif _VERSION_START.match(piece) and len(self.body) > len(piece):
                # v1.2 and 1.2 are one version, but v2 is not 2.
                self.others[lexeme[1:], len(self.parts)] = None
                self.phrase.append(lexeme[1:])
                self.parts.append(lexeme)
            else:
                self.phrase.append(lexeme)
                self.parts.append(lexeme)

    def add_path_names(self) -> None:
        """Add what a path is also called by: its ends at each `/`, its base name without extension."""
        body = self.body
        slash = len(body)
        for _ in range(_MAX_SUFFIXES):
            slash = body.rfind("/", 0, slash)
            if slash < 0 or len(body) - slash > MAX_LEXEME_BYTES:
                break
            suffix = fold(body[slash + 1 :])
            if not suffix.isalnum() and fits(suffix):
                self.others[suffix, self.names[slash + 1]] = None
        base_at = body.rfind("/") + 1
        base = body[base_at:].rpartition(".")[0]
        if base and (base_at or "-" in base) and not base.isalnum() and fits(base):
            self.others[fold(base), self.names[base_at]] = None


def _case(char: str) -> str:
    """A for an upper case letter, 0 for a digit, a for all else."""
    return "A" if char.isupper() else "0" if char.isdigit() else "a"


def is_unspaced(name: str) -> bool:
    """Whether a name holds text that is taken in pairs, and so never stands as a whole."""
    return not name.isascii() and _UNSPACED.search(name) is not None


def _name(name: str) -> str:
    """A name's own lexeme; stemmed where it could be a word, so that the word finds it."""
    return stem(fold(name[:-1] if _PLURAL_INITIALS.fullmatch(name) else name))


def fold(text: str) -> str:
    """The text without distinction of case."""
    if text.isascii():
        return text.lower()
    return unicodedata.normalize("NFKC", text.casefold())


def fits(lexeme: str) -> bool:
    """Whether a lexeme is short enough to be one."""
    return len(lexeme) <= MAX_LEXEME_BYTES and len(lexeme.encode()) <= MAX_LEXEME_BYTES
