"""What to ask instead, where a question found nothing: forms of it that differ in one thing, to be tried on the index.

Pure. What withholds threads on purpose (a cutoff, an exclusion) is never taken off, so that no form tells of what lies
behind it.
"""

from __future__ import annotations

import re
import shlex
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from relore_serve.search import contains
from relore_serve.search.question import MAX_TEXT, MAX_VALUES, QuestionError
from relore_serve.signals.errors import bare_type, parse_error

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from relore_serve.search.question import Question

MOST = 6
"""Forms that are tried."""
LONGEST_COMMAND = 300
"""Characters of a command line that is spelled out; of a longer one only the change is said."""

_FLAGS = {
    "files": "--file",
    "symbols": "--symbol",
    "errors": "--error",
    "tests": "--test",
    "contains": "--contains",
    "labels": "--label",
    "authors": "--author",
}
_BLANKS = re.compile(r"\s+")
_LAST_PART = re.compile(r"[^.:#>]+\Z")


@dataclass(frozen=True, slots=True)
class Form:
    """One thing to change, in words, and the question that is left."""

    change: str
    question: Question

    @property
    def command(self) -> str:
        """The command line that asks it; of a very long one only what to change."""
        spelled = command(self.question)
        return spelled if len(spelled) <= LONGEST_COMMAND else f"the same question {self.change}"


def forms(question: Question, untyped: Sequence[str] = ()) -> list[Form]:
    """Return the forms of a question that found nothing, the nearest to it first.

    Args:
        question: what was asked.
        untyped: values given as errors that are none; they are most likely text.
    """
    plain = replace(question, cursor=None)
    found: dict[Question, Form] = {}
    for change, other in _forms(plain, untyped):
        if other != plain and _asks(other):
            found.setdefault(other, Form(change, other))
    return list(found.values())[:MOST]


def text_of_errors(question: Question) -> str:
    """Return the text that the errors of a question are when they are asked as such."""
    return " ".join([question.text, *map(_telling_line, question.errors)]).strip()[:MAX_TEXT]


def _forms(question: Question, untyped: Sequence[str]) -> Iterator[tuple[str, Question]]:
    yield from _otherwise(question, untyped)
    if question.kind or question.trust:
        given = " ".join(
            f"--{name} {value}"
            for name, value in (("kind", question.kind), ("trust", question.trust))
            if value
        )
        yield f"without {given} (any person)", replace(question, kind=None, trust=None)
    for name, flag in _FLAGS.items():
        if getattr(question, name):
            yield f"without {flag}", replace(question, **{name: ()})
    if question.since:
        yield "without --since", replace(question, since=None)
    if question.text:
        yield "without the words", replace(question, text="")
        bare = replace(question, **dict.fromkeys(_FLAGS, ()), kind=None, trust=None, since=None)
        yield "the words alone", bare


def _otherwise(question: Question, untyped: Sequence[str]) -> Iterator[tuple[str, Question]]:
    """Yield the forms in which what was asked for is asked for in another way."""
    as_text = ("as text instead of --error", replace(question, text=text_of_errors(question), errors=()))
    if untyped:
        yield as_text
    if question.files and not question.mentioned:
        yield "with --mentioned", replace(question, mentioned=True)
    if types := tuple(dict.fromkeys(filter(None, map(_class_of, question.errors)))):
        yield "by the error's type alone", replace(question, errors=types)
    if question.errors and not untyped:
        yield as_text
    if parts := tuple(filter(None, map(_part, question.symbols))):
        holding = tuple(dict.fromkeys([*question.contains, *parts]))[:MAX_VALUES]
        yield "--contains instead of --symbol", replace(question, symbols=(), contains=holding)
    if not question.contains and (part := _part(question.text)):
        yield "--contains instead of the word", replace(question, text="", contains=(part,))


def _asks(question: Question) -> bool:
    """Whether anything is asked at all: without, every index would answer with its newest."""
    return bool(question.text.strip()) or any(getattr(question, name) for name in _FLAGS)


def _part(name: str) -> str | None:
    """Return the last part of a name as a part to look for; None for what is no single name."""
    found = _LAST_PART.search(name.strip().split("(", 1)[0])
    if found is None or name.strip() != _BLANKS.sub("", name):
        return None
    try:
        return contains.part(found[0])
    except QuestionError:
        return None


def _class_of(error: str) -> str | None:
    """Return the class of an error, None where its type is none that can be asked for by itself."""
    error_type = parse_error(error).type
    return error_type if error_type and bare_type(error_type) else None


def _telling_line(error: str) -> str:
    """Return the last line of a paste, which says what was raised."""
    return next((line.strip() for line in reversed(error.splitlines()) if line.strip()), "")


def command(question: Question) -> str:
    """Return the command line that asks a question of the same server."""
    words = ["relore", "search"]
    text = _flat(question.text)
    if text and not text.startswith("-"):
        words.append(shlex.quote(text))
    for name, flag in _FLAGS.items():
        for value in map(_flat, getattr(question, name)):
            # What begins with a dash would be read as a flag of its own.
            words += [f"{flag}={shlex.quote(value)}"] if value.startswith("-") else [flag, shlex.quote(value)]
    for repo in question.repos if question.repos_named else ():
        words += ["--repo", repo.name]
    words += ["--mentioned"] if question.mentioned else []
    for name in ("kind", "trust"):
        if value := getattr(question, name):
            words += [f"--{name}", value]
    for name in ("since", "before"):
        if (instant := getattr(question, name)) is not None:
            words += [f"--{name}", instant.isoformat().replace("+00:00", "Z")]
    for exclusion in (each for each in question.exclude if each.told):
        words += [
            "--exclude",
            f"{exclusion.repo}#{exclusion.number}" if exclusion.repo else str(exclusion.number),
        ]
    words += ["--sort", question.sort] if question.sort != "relevance" else []
    words += ["--no-expand"] if not question.expand else []
    words += ["--", shlex.quote(text)] if text.startswith("-") else []
    return " ".join(words)


def _flat(value: str) -> str:
    return _BLANKS.sub(" ", value).strip()
