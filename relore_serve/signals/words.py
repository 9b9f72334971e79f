"""What single words say: paths, commit ids, test ids, exceptions and names of code that nobody writes by chance."""

from __future__ import annotations

import re

from relore_serve.signals import errors, files, runner_ids, shas, signal, symbols
from relore_serve.signals.signal import Signal

_LEFT = "\"'()[]{}<>*,;:!?|=~\u2018\u2019\u201c\u201d\u00ab\u00bb\u2026"
_RIGHT = _LEFT + "."
_URL = re.compile(r"https?://[^\s<>\"'`\])]{1,2000}", re.IGNORECASE)
_PIECES = re.compile(r"[()\[\]<>,;|\"'`=\u2018\u2019\u201c\u201d]+")
_ANYTHING = re.compile(r"[/._:@]|\d[a-f]|[a-f]\d|\(\)|[a-z](?:Error|Exception|file)|\A\W*[A-Z]{6,9}\W*\Z")
_LONGEST = 2_000
# Bounds what is remembered to some 20 MB; what is longer hardly occurs twice.
_MEMO_LIMIT = 100_000
_MEMO_WORD = 64


class _Words(dict[str, tuple[Signal, ...]]):
    """Remembers what each distinct word says; most words of a history say nothing, again and again."""

    def __missing__(self, word: str) -> tuple[Signal, ...]:
        found = _read(word) if len(word) <= _LONGEST and _ANYTHING.search(word) else ()
        if len(self) >= _MEMO_LIMIT:
            self.clear()
        if len(word) <= _MEMO_WORD:
            self[word] = found
        return found


_SAID = _Words()


def word_signals(prose: str) -> list[Signal]:
    """Return what the words of ``prose`` say, in order; a word that says nothing costs a look-up."""
    return [found for said in filter(None, map(_SAID.__getitem__, prose.split())) for found in said]


def _read(word: str) -> tuple[Signal, ...]:
    found: dict[Signal, None] = {}
    if "://" in word:
        for url in _URL.findall(word):
            found.update(dict.fromkeys(signal.sha(digits, "prose") for digits in shas.shas_of_url(url)))
        word = _URL.sub(" ", word)
    for piece in _PIECES.split(word):
        core = piece.lstrip(_LEFT).rstrip(_RIGHT).strip()
        if core and not _is_decoration(piece, core):
            called = "()" in word and f"{core}()" in word
            found.update(dict.fromkeys(_of_core(core, called=called)))
    return tuple(found)


def _is_decoration(piece: str, core: str) -> bool:
    """Whether a word is an emoji (``:smile_cat:``), somebody's name (``@a_b``) or a pattern (``*_impl.h``)."""
    if core[0] == "@" or len(core) > signal.VALUE_LIMIT:
        return True
    if ":" in piece and f":{core}:" in piece:
        return True
    return piece[0] == "*" and not piece.rstrip(_RIGHT.replace("*", "")).endswith("*")


def _of_core(core: str, *, called: bool) -> list[Signal]:
    """Return what one bare word is; what a word of that shape most likely is comes first."""
    if tests := list(runner_ids.id_of_word(core)):
        path = files.path_of(core.split("::", 1)[0]) if "::" in core else None
        return [*tests, signal.file(path, "prose")] if path else tests
    if path := files.path_of(core):
        return [signal.file(path, "prose")]
    if digits := shas.shas_of_word(core):
        return [signal.sha(one, "prose") for one in digits]
    if exception := errors.bare_type(core):
        return [Signal("error", "", exception, "prose")]
    name = symbols.name_of_word(core, called=called)
    return [signal.symbol(name, "prose")] if name else []
