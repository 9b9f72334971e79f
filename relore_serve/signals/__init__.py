"""Text in, exact facts out: errors, tests, symbols, files, commit ids and claims about other threads.

Pure functions over text, standard library only, every pattern linear in the length of what it reads. The pipeline
calls them when rows are written and search when a question arrives, so both sides always agree; ``VERSION`` is stored
beside the rows and rises with every change of what is read.
"""

from __future__ import annotations

from relore_serve.signals.errors import ErrorPattern, normalize_error, parse_error
from relore_serve.signals.extraction import extract
from relore_serve.signals.hunks import enclosing, extract_hunk
from relore_serve.signals.links import LinkClaim, links
from relore_serve.signals.markdown import Markdown, plain, split
from relore_serve.signals.question import signals_of_question
from relore_serve.signals.signal import Signal

VERSION = 4

__all__ = [
    "VERSION",
    "ErrorPattern",
    "LinkClaim",
    "Markdown",
    "Signal",
    "enclosing",
    "extract",
    "extract_hunk",
    "links",
    "normalize_error",
    "parse_error",
    "plain",
    "signals_of_question",
    "split",
]
