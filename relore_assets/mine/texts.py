"""What questions are made of: an author's own words, names, the words that tell most, and pasted failures."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from relore_serve.search import tokens
from relore_serve.search.function_words import FUNCTION_WORDS
from relore_serve.search.question import clean
from relore_serve.signals import errors, symbols
from relore_serve.signals.markdown import SPAN, split
from relore_serve.signals.shas import is_sha

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

#: Characters of prose that a question of a thread's opening takes, and of how many on it takes any.
PROSE_LIMIT = 240
PROSE_LEAST = 60

#: Of a pasted failure: lines before the first and after the last error, and characters altogether.
_LINES_BEFORE = 6
_LINES_AFTER = 3
PASTE_LIMIT = 1_500

_WORD_LEAST = 3
_CONTRACTED = re.compile(r"['\u2019]")

_SPACE = re.compile(r"\s+")
_REFERENCE = re.compile(r"https?://\S+|(?<!\w)[\w.-]*/?[\w.-]*#\d+|(?<!\w)@[\w-]+")
_WORD = re.compile(r"[^\W\d_](?:[\w+-]|['\u2019](?=\w))*")


def own_words(body: str) -> str:
    """Return an author's own words in one line: no code, no quotes, nothing hidden."""
    return one_line(split(body).prose.replace(SPAN, " "))


def with_spans(body: str) -> str:
    """Return an author's own words with the code spans among them: names and commits are marked as code."""
    markdown = split(body)
    pieces = markdown.prose.split(SPAN)
    if len(pieces) != len(markdown.code_spans) + 1:
        return markdown.prose
    text = pieces[0]
    for span, piece in zip(markdown.code_spans, pieces[1:], strict=True):
        text += span + piece
    return text


def one_line(text: str) -> str:
    """Return a text in the form in which texts are held, every run of white space a space."""
    return _SPACE.sub(" ", clean(text)).strip()


def opening(title: str, body: str, *, spans: bool = True) -> str:
    """Return what a thread's opening asks: its title, and the beginning of its prose where that says something.

    The title is a line of its own, as whoever pastes an opening has it, and search makes more of a first line.

    ``spans`` is whether the names that are marked as code stand in the prose; nobody who asks leaves them out.
    """
    prose = one_line(with_spans(body)) if spans else own_words(body)
    head = one_line(title)
    return f"{head}\n{prose[:PROSE_LIMIT].strip()}".strip() if len(prose) > PROSE_LEAST else head


def names(text: str) -> list[str]:
    """Return the names of code in a text, each once: those of code spans, then words that can be nothing else."""
    markdown = split(text)
    found = [name for span in markdown.code_spans for name in symbols.names_of_span(span)]
    prose = _REFERENCE.sub(" ", markdown.prose.replace(SPAN, " "))
    found += [
        name for word in prose.split() if (name := symbols.looks_like_name(word.strip("\"'()[]{}<>*,;:!?.`")))
    ]
    return list(dict.fromkeys(one_line(name) for name in found))


def words(text: str) -> list[str]:
    """Return the words of a text that may tell something, each once, in order, as they are written.

    What is contracted (``doesn't``) and the ids of commits tell nothing.
    """
    found: dict[str, str] = {}
    for each in _WORD.findall(_REFERENCE.sub(" ", text)):
        word = each.rstrip("-+")
        said = len(word) >= _WORD_LEAST and not _CONTRACTED.search(word) and not is_sha(word)
        if said and word.lower() not in FUNCTION_WORDS:
            found.setdefault(word.lower(), word)
    return list(found.values())


def lexemes(of: Iterable[str]) -> dict[str, str]:
    """Return for each word the lexeme that documents are counted by; words that cannot be found are left out."""
    found: dict[str, str] = {}
    for word in of:
        terms = tokens.query(word).terms
        if terms:
            found[word] = terms[0].lexemes[0]
    return found


def rarest(of: list[str], frequencies: Mapping[str, int], number: int, *, least: int = 2) -> list[str]:
    """Return the words that fewest documents carry, in the order in which they were given.

    Words that fewer than ``least`` documents carry are nobody else's, misspelt as often as not, and come last.
    """
    known = lexemes(of)
    counted = {word: frequencies.get(known[word], 0) for word in of if word in known}
    ranked = sorted(counted, key=lambda word: (counted[word] < least, counted[word], word))
    chosen = set(ranked[: max(number, 0)])
    return [word for word in of if word in chosen]


def error_line(body: str, error_type: str, message: str) -> str | None:
    """Return the line of a text, as written, that reports an error of this type and message (in normal form)."""
    for found in errors.find_errors(body):
        if found.type == error_type and found.message == message:
            end = body.find("\n", found.start)
            return body[found.start : end if end >= 0 else len(body)].strip()
    return None


def pasted_failure(body: str) -> str | None:
    """Return the lines around the errors of the first code block that reports any, as somebody would paste them.

    A text without such a block pastes nothing: an error that is merely talked about is no paste.
    """
    for block in split(body).fences:
        found = list(errors.find_errors(block))
        if not found:
            continue
        lines = block.split("\n")
        first = block.count("\n", 0, found[0].start)
        last = block.count("\n", 0, found[-1].start)
        start = 0 if "Traceback (most recent call last)" in block else max(0, first - _LINES_BEFORE)
        chosen = "\n".join(line.rstrip() for line in lines[start : last + _LINES_AFTER + 1])
        return clean(_bounded(chosen)).strip() or None
    return None


def _bounded(paste: str) -> str:
    """Cut a paste at the ends of lines: what the last lines say is kept, since they name the failure."""
    if len(paste) <= PASTE_LIMIT:
        return paste
    kept = paste[-PASTE_LIMIT:]
    return kept[kept.find("\n") + 1 :] if "\n" in kept else kept
