"""What of a thread, and of a question, a vector is made of. Pure."""

from __future__ import annotations

from relore_serve.signals import markdown

VERSION = 1
"""Raised when the same thread or question would give another text: stored vectors are then stale."""

HEAD = 4_000
"""Characters of an opening post that are looked at; the model reads the first 128 tokens."""


def of_thread(title: str, body: str) -> str:
    """Return a thread's title and the prose of its opening post: no code blocks, quotes or hidden comments.

    Code and logs are found by their words; of a thread's subject they say little, and they would fill the little that
    the model reads. https://github.com/UKPLab/sentence-transformers trained it on short prose.
    """
    return f"{title}\n{_prose(body[:HEAD])}".strip()


def of_question(text: str) -> str:
    """Return what a question says in prose; all of it where that is nothing."""
    return _prose(text[:HEAD]) or text[:HEAD].strip()


def _prose(text: str) -> str:
    parted = markdown.split(text)
    spans = iter(parted.code_spans)
    # A name in a code span is part of its sentence.
    return "".join(
        next(spans, " ") if character == markdown.SPAN else character for character in parted.prose
    ).strip()
