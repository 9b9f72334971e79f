"""What single words say: paths, commit ids, test ids, exceptions and names of code that nobody writes by chance."""

from __future__ import annotations

import re

from relore_serve.signals import errors, files, runner_ids, shas, signal, symbols
from relore_serve.signals.signal import Signal

_LEFT = "\"'()[]{}<>*,;:!?|“”‘’«»…=~"
_RIGHT = _LEFT + "."
_URL = re.compile(r"https?://[^\s<>\"'`\])]{1,2000}", re.IGNORECASE)
_PIECES = re.compile(r"[()\[\]<>,;|\"'`“”‘’=]+")
_ANYTHING = re.compile(r"[/._:@]|\d[a-f]|[a-f]\d|\(\)|[a-z](?:Error|Exception|file)|^[A-Z]{6,9}$")
_LONGEST = 2_000
_MEMO_LIMIT = 200_000


class _Words(dict[str, tuple[Signal, ...]]):
    """Remembers what each distinct word says; most words of a history say nothing, again and again."""

    def __missing__(self, word: str) -> tuple[Signal, ...]:
        found = _read(word) if len(word) <= _LONGEST and _ANYTHING.search(word) else ()
        if len(self) >= _MEMO_LIMIT:
            self.clear()
        if len(word) < signal.VALUE_LIMIT:
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
            for digits in shas.shas_of_url(url):
                found[signal.sha(digits, "prose")] = None
        word = _URL.sub(" ", word)
    for piece in _PIECES.split(word) if _PIECES.search(word) else (word,):
        core = piece.lstrip(_LEFT).rstrip(_RIGHT).strip()
        if core:
            found.update(dict.fromkeys(_of_core(core, called="()" in word and f"{core}()" in word)))
    return tuple(found)


def _of_core(core: str, *, called: bool) -> list[Signal]:
    if core[0] == "@" or len(core) > signal.VALUE_LIMIT:
        return []
    if tests := list(runner_ids.id_of_word(core)):
        path = files.path_of(core.split("::", 1)[0])
        return [*tests, signal.file(path, "prose")] if path and "::" in core else tests
    if path := files.path_of(core):
        return [signal.file(path, "prose")]
    if shas.is_sha(core):
        return [signal.sha(core, "prose")]
    if "@" in core and shas.is_sha(core.rsplit("@", 1)[1]):
        return [signal.sha(core.rsplit("@", 1)[1], "prose")]
    if ".." in core:
        ends = core.split("...") if "..." in core else core.split("..")
        return [signal.sha(end, "prose") for end in ends if shas.is_sha(end)]
    if exception := errors.bare_type(core):
        return [Signal("error", "", exception, "prose")]
    if name := symbols.name_of_word(f"{core}()" if called else core):
        return [signal.symbol(name, "prose")]
    return []
