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

_AROUND = "\"'()[]{}<>*,;:!?.`\u2018\u2019\u201c\u201d"


def signals_of_question(text: str) -> list[Signal]:
    """Return the facts to ask for, the most telling of each kind first.

    The raised error leads, then the frame that raised it (the last of a Python traceback, the first of any other).
    A bare identifier counts as a symbol here, unless it is the name of an exception or part of a path.
    """
    if len(text) > QUESTION_LIMIT:
        text = text[: QUESTION_LIMIT // 2] + "\n" + text[-QUESTION_LIMIT // 2 :]
    return extraction.distinct(_all(text))


def _all(text: str) -> Iterator[Signal]:
    if listed := list(errors.find_errors(text)):
        best = errors.raised(listed)
        yield Signal("error", best.message, best.type, "code")
    for frame in _raising_first(text):
        if frame.name:
            yield signal.symbol(frame.name, "frame")
        if frame.path:
            yield signal.file(frame.path, "frame")
    markdown = split(text)
    yield from extraction.extract(markdown)
    for block in markdown.fences:
        yield from words.word_signals(block)
    yield from _bare_names(markdown.prose.replace(SPAN, " "))


def _raising_first(text: str) -> list[frames.Frame]:
    listed = frames.frames(text) if frames.may_hold_frames(text) else []
    return listed[::-1] if 'File "' in text or ".py:" in text else listed


def _bare_names(prose: str) -> Iterator[Signal]:
    for word in prose.split():
        name = symbols.looks_like_name(word.strip(_AROUND))
        if name and not errors.bare_type(name):
            yield signal.symbol(name, "prose")
