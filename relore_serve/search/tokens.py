"""The one tokenizer of both sides: what a document is found by, and what a question looks for.

Plain words are folded and stemmed, none is dropped as too common. What programmers write as one is kept whole
and in parts (see `compounds`). A stem and a part share one namespace, so that `batches` finds
`verify_batches`. Text without spaces between words (Chinese, Japanese, Thai, ...) is taken in overlapping
pairs.

Whoever changes what a text is turned into changes VERSION too: rows remember the one they were written with.
"""

from itertools import islice
from typing import Final, NamedTuple

from relore_serve.search.compounds import Compound, compounds, is_lone_character

VERSION: Final = 1

#: A question's terms beyond this many are dropped, and counted.
MAX_TERMS: Final = 64

# Of a compound asked for, this many parts in a row are enough.
_MAX_PHRASE = 12
# A shorter single part says nothing: `c++` is not `c`, `-m` is not `m`.
_MIN_LONE_PART = 3

# Postgres's own bounds: a position beyond the last counts as the last, and a lexeme keeps 255 of them.
_LAST_POSITION = 16_383
_MAX_POSITIONS_TEXT = 900  # characters of ":1,2,3", fewer than 256 positions wherever they begin
# Postgres refuses a tsvector of 1,048,575 bytes; what a lexeme takes is counted a little too dear.
_MAX_VECTOR_BYTES = 900_000
_LEXEME_OVERHEAD = 8
_SAFE_LITERAL = 100_000  # characters, which cannot come near the bound

_MEMO_SIZE = 1 << 16
_MEMO_UNIT = 64


class Tokens(NamedTuple):
    """What one document is found by."""

    vector: str
    """A tsvector literal."""
    lexemes: frozenset[str]
    length: int
    """Positions taken, whether or not a lexeme stands there."""
    unsearchable: int
    """Words that are too long, or stand too far down, to be found."""


class Term(NamedTuple):
    """One thing that a question names."""

    text: str
    tsquery: str
    """Valid by itself, and as an operand."""
    lexemes: tuple[str, ...]
    """What the tsquery asks for, the most telling first."""


class Query(NamedTuple):
    """A question, term by term, each once, in order."""

    terms: tuple[Term, ...]
    dropped: int
    """Terms beyond MAX_TERMS."""
    unsearchable: int
    """Words too long to be found."""

    def conjunction(self) -> str:
        """A tsquery that asks for every term; empty where there is none."""
        return " & ".join(term.tsquery for term in self.terms)

    def disjunction(self) -> str:
        """A tsquery that asks for any term; empty where there is none."""
        return " | ".join(term.tsquery for term in self.terms)


def tokenize(text: str) -> Tokens:
    """What a document is found by; never more than Postgres can hold."""
    found: dict[str, str] = {}
    position = unsearchable = 0
    for entry in map(_entries.__getitem__, text.split()):
        if isinstance(entry, str):
            position += 1
            known = found.get(entry)
            if known is None:
                found[entry] = _FIRST[position]
            elif len(known) < _MAX_POSITIONS_TEXT:
                found[entry] = known + _NEXT[position]
            continue
        lexemes, width, lost = entry
        for lexeme, offset in lexemes:
            at = position + offset
            known = found.get(lexeme)
            if known is None:
                found[lexeme] = _FIRST[at]
            elif len(known) < _MAX_POSITIONS_TEXT:
                found[lexeme] = known + _NEXT[at]
        position += width
        unsearchable += lost
    vector = _literal(found)
    if len(vector) > _SAFE_LITERAL:
        kept = _bounded(found)
        unsearchable += len(found) - len(kept)
        found, vector = kept, _literal(kept)
    return Tokens(vector, frozenset(found), position, unsearchable)


def query(text: str) -> Query:
    """What a question looks for, in the same lexemes; valid whatever the text."""
    terms: dict[str, Term] = {}
    unsearchable = 0
    for unit in dict.fromkeys(text.split()):
        for compound in compounds(unit):
            term = _term(compound)
            if term is None:
                unsearchable += 1
            else:
                terms.setdefault(term.tsquery, term)
    kept = tuple(terms.values())[:MAX_TERMS]
    return Query(kept, len(terms) - len(kept), unsearchable)


def whole_name(text: str) -> str | None:
    """A tsquery for a name as a whole; None for what may be a word of a language, and for what never stands as one.

    Nothing longer than `compounds.fits` does, nor anything that is taken in pairs.
    """
    found = list(islice((compound for unit in text.split() for compound in compounds(unit)), 2))
    if len(found) != 1 or found[0].whole is None or not (term := _term(found[0])) or len(term.lexemes) == 1:
        return None
    return f"'{found[0].whole}'"


def _literal(found: dict[str, str]) -> str:
    """The tsvector of lexemes and their positions; no lexeme holds a quote or a backslash."""
    return " ".join([f"'{lexeme}'{positions}" for lexeme, positions in found.items()])


def _bounded(found: dict[str, str]) -> dict[str, str]:
    """The lexemes, in order of appearance, that fit a tsvector."""
    room = _MAX_VECTOR_BYTES
    kept: dict[str, str] = {}
    for lexeme, positions in found.items():
        room -= len(lexeme.encode()) + 2 * positions.count(",") + _LEXEME_OVERHEAD
        if room < 0:
            break
        kept[lexeme] = positions
    return kept


def _term(compound: Compound) -> Term | None:
    """The question's side of a compound; None where nothing of it can be found."""
    phrase = " <-> ".join(map(_operand, compound.phrase[:_MAX_PHRASE]))
    lexemes = dict.fromkeys([*compound.phrase[:_MAX_PHRASE]])
    if compound.whole is None:
        if not phrase:
            return None
        return Term(compound.text, f"({phrase})" if len(compound.phrase) > 1 else phrase, tuple(lexemes))
    whole = f"'{compound.whole}'"
    if not phrase or (len(compound.phrase) == 1 and len(compound.phrase[0]) < _MIN_LONE_PART):
        return Term(compound.text, whole, (compound.whole,))
    return Term(compound.text, f"({whole} | {phrase})", (compound.whole, *lexemes))


def _operand(lexeme: str) -> str:
    return f"'{lexeme}':*" if is_lone_character(lexeme) else f"'{lexeme}'"


# A lexeme; or lexemes with their offsets, the positions that they take together, and the words lost.
_Entry = str | tuple[tuple[tuple[str, int], ...], int, int]


def _entry(unit: str) -> _Entry:
    """The document's side of what stands between two spaces."""
    lexemes: dict[tuple[str, int], None] = {}
    width = lost = 0
    for compound in compounds(unit):
        if compound.whole is not None:
            lexemes[compound.whole, width + 1] = None
        for offset, part in enumerate(compound.parts, width + 1):
            if part:
                lexemes[part, offset] = None
            else:
                lost += 1
        for other, offset in compound.others:
            lexemes[other, width + 1 + offset] = None
        width += len(compound.parts)
    if width == 1 and len(lexemes) == 1:
        return next(iter(lexemes))[0]
    return tuple(lexemes), width, lost


class _Entries(dict[str, _Entry]):
    """Entries by unit. Text repeats itself, so nearly every look-up ends here; kept for two generations."""

    def __init__(self) -> None:
        super().__init__()
        self._older: dict[str, _Entry] = {}

    def __missing__(self, unit: str) -> _Entry:
        entry = self._older.get(unit)
        if entry is None:
            entry = _entry(unit)
        if len(unit) <= _MEMO_UNIT:
            if len(self) >= _MEMO_SIZE:
                self._older = dict(self)
                self.clear()
            self[unit] = entry
        return entry


class _Positions(dict[int, str]):
    """Positions as a tsvector literal spells them, after a mark."""

    def __init__(self, mark: str) -> None:
        super().__init__((n, f"{mark}{n}") for n in range(_LAST_POSITION + 1))

    def __missing__(self, position: int) -> str:
        return self[_LAST_POSITION]


_entries = _Entries()
_FIRST = _Positions(":")
_NEXT = _Positions(",")
