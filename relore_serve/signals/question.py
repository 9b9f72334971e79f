"""Exact facts of a question: a sentence, a name or a pasted failure, without the marks an author would have put."""

from __future__ import annotations

from typing import TYPE_CHECKING

from relore_serve.signals import errors, extraction, frames, signal, symbols, words
from relore_serve.signals.markdown import SPAN, split
from relore_serve.signals.signal import Signal

if TYPE_CHECKING:
    from collections.abc import Iterator

# A question is a page at most; more is a log, whose beginning and end say it.
QUESTION_LIMIT = 20_000


def signals_of_question(text: str) -> list[Signal]:
    """Return the facts to ask for, the most telling of each kind first.

    The raised error leads, then the frame that raised it (the last of a Python traceback, the first of any other).
    A bare identifier counts as a symbol here, unless it is the name of an exception or part of a path.
    """
    if len(text) > QUESTION_LIMIT:
        text = text[: QUESTION_LIMIT // 2] + "\n" + text[-QUESTION_LIMIT // 2 :]
    found: dict[tuple[str, str, str], Signal] = {}
    for one in _all(text):
        found.setdefault(one[:3], one)
    return list(found.values())


def _all(text: str) -> Iterator[Signal]:
    listed = list(errors.find_errors(text))
    if listed:
        best = errors.raised(listed)
        yield Signal("error", best.message, best.type, "code")
    for frame in _raising_first(text):
        if frame.name:
            yield signal.symbol(frame.name, "frame")
        if frame.path:
            yield signal.file(frame.path, "frame")
    markdown = split(text)
    typed = {error.type for error in listed}
    for one in extraction.extract(markdown):
        # `KeyError` on its own is what the raised error already says with its message.
        if not (one.kind == "error" and not one.value and one.tail in typed and best.message):
            yield one
    for block in markdown.fences:
        yield from words.word_signals(block)
    yield from _bare_names(markdown.prose.replace(SPAN, " "))


def _raising_first(text: str) -> list[frames.Frame]:
    listed = frames.frames(text) if frames.may_hold_frames(text) else []
    return listed[::-1] if 'File "' in text or ".py:" in text else listed


def _bare_names(prose: str) -> Iterator[Signal]:
    for word in prose.split():
        name = symbols.looks_like_name(word.strip("\"'()[]{}<>*,;:!?.“”‘’"))
        if name and not errors.is_exception_name(name):
            yield signal.symbol(name, "prose")
