"""Exact facts of one text. The same function reads what is stored and, through `question`, what is asked."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

from relore_serve.signals import errors, files, frames, runner_ids, shas, signal, symbols, words
from relore_serve.signals.definitions import definition_of
from relore_serve.signals.markdown import SPAN, Markdown, split
from relore_serve.signals.signal import DOCUMENT_LIMIT, VALUE_LIMIT, Signal

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from relore_serve.signals.signal import Source


def extract(body: str | Markdown) -> list[Signal]:
    """Return the distinct facts that an author states, the strongest kind of place first.

    Quoted replies and hidden comments are not the author's words and say nothing. Code blocks give errors, tests,
    frames with their files, and definitions; paths and names they merely contain are a log's, not a statement.
    Within each kind of place the facts keep the order in which they appear.
    """
    return distinct(_all(split(body) if isinstance(body, str) else body))


def distinct(stated: Iterable[Signal]) -> list[Signal]:
    """Return each fact once, as it was first stated; an error's type alone only where no message came with it."""
    found: dict[tuple[str, str, str], Signal] = {}
    with_message: set[str] = set()
    for one in stated:
        if len(one.value) > VALUE_LIMIT:
            continue
        found.setdefault(one[:3], one)
        if one.kind == "error" and one.value:
            with_message.add(one.tail)
        if len(found) >= DOCUMENT_LIMIT:
            break
    for error_type in with_message:
        found.pop(("error", "", error_type), None)
    return list(found.values())


def _all(markdown: Markdown) -> Iterator[Signal]:
    for block in markdown.fences:
        yield from block_signals(block, "code", c_like=True)
    prose = markdown.prose
    yield from block_signals(_lines_of_logs(markdown), "prose", c_like=False)
    for span in markdown.code_spans:
        yield from span_signals(span)
    yield from words.word_signals(prose)


def _lines_of_logs(markdown: Markdown) -> str:
    """Return the prose as a log would read: with its code spans in place, but for those that are reports themselves.

    In a log pasted without a fence, "undefined reference to `a'" opens a span that the next line's backtick closes.
    """
    spans = markdown.code_spans
    if not spans or not (any(map(_is_torn, spans)) or errors.may_hold_errors(markdown.prose)):
        return markdown.prose
    parts = markdown.prose.split(SPAN)
    whole = [parts[0]]
    for span, part in zip(spans, parts[1:], strict=True):
        whole += f"`{span}`" if _is_torn(span) or not _reports(span) else SPAN, part
    return "".join(whole)


def _reports(span: str) -> bool:
    return any(one.kind == "error" for one in span_signals(span))


def _is_torn(span: str) -> bool:
    """Whether a span begins at one GNU quote (```a'``) and ends at another."""
    return "\n" in span or span.count("'") % 2 == 1


def block_signals(text: str, source: Source, *, c_like: bool) -> Iterator[Signal]:
    """Yield what the lines of a text report: errors, tests, frames, definitions."""
    yield from errors.error_signals(text, source)
    yield from runner_ids.test_signals(text, source)
    if frames.may_hold_frames(text):
        for frame in frames.frames(text):
            if frame.name:
                yield signal.symbol(frame.name, "frame")
            if frame.path:
                yield signal.file(frame.path, "frame")
    if c_like or _may_define(text):
        for line in text.split("\n"):
            if name := definition_of(line[1:] if line[:1] in {"+", "-"} else line, c_like=c_like):
                yield signal.symbol(name, "definition")


def _may_define(text: str) -> bool:
    return (
        "def " in text or "class " in text or "function " in text or "fn " in text or "func " in text
        or "struct " in text or "#define " in text or "fun " in text or ") =>" in text
    )  # fmt: skip


# Longer ones are blocks that somebody wrote with one backtick.
_SPAN_LIMIT = 1_000
# What is longer hardly occurs twice.
_MEMO_SPAN = 100


def span_signals(span: str) -> tuple[Signal, ...]:
    """Return what one code span states."""
    return _remembered(span) if len(span) <= _MEMO_SPAN else _read_span(span)


def _read_span(span: str) -> tuple[Signal, ...]:
    span = span.strip()
    if not span or len(span) > _SPAN_LIMIT:
        return ()
    found: list[Signal] = []
    if errors.may_hold_errors(span):
        found += errors.error_signals(span, "code")
        if exception := errors.bare_type(span):
            found.append(Signal("error", "", exception, "code"))
    found += runner_ids.test_signals(span, "code")
    if " " not in span:
        if path := files.path_of(span.strip("\"'<>")):
            found.append(signal.file(path, "code"))
        else:
            found += (signal.sha(digits, "code") for digits in shas.shas_of_word(span))
    elif not span.startswith("#include"):
        found += [
            one._replace(source="code") for one in words.word_signals(span) if one.kind in {"file", "sha"}
        ]
    found += [signal.symbol(name, "code") for name in symbols.names_of_span(span)]
    return tuple(found)


_remembered = lru_cache(maxsize=32_768)(_read_span)
