"""GitHub's own search over issues and pull requests, through the client that fetches.

GitHub cannot answer as of a date, so questions with a cutoff are not put to it, and it shows threads and no texts. A
question's words are never its operators or qualifiers: each is a bare word or stands in quotes.
https://docs.github.com/en/rest/search/search#search-issues-and-pull-requests
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from time import perf_counter
from typing import TYPE_CHECKING, Any, cast

from relore_assets.bench.systems.system import PAGE, Answered, Shown, distinct, milliseconds, telling
from relore_assets.fetch.github.errors import Rejected
from relore_serve.search import needles
from relore_serve.search.question import QuestionError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from relore_assets.bench.systems.system import Asked
    from relore_assets.fetch.github.client import GitHub

LONGEST_QUERY = 256
"""Characters of a query without its qualifiers. https://docs.github.com/en/rest/search/search#limitations-on-query-length"""
MOST_ITEMS = 100
"""A page of GitHub's holds no more."""

_BARE = re.compile(r"[\w./]+(?:-[\w./]+)*")
_OPERATORS = frozenset({"AND", "OR", "NOT"})
_PLACEHOLDER = re.compile(r"<\w+>|0x\?")
_LITERAL = 12  # characters of a message that are worth quoting


@dataclass(frozen=True)
class GitHubSearch:
    """The best matches that GitHub's search gives for a question's words in its repository."""

    client: GitHub
    name: str = "github"
    window: bool = False
    free: bool = False

    @property
    def caveats(self) -> Sequence[str]:
        """It knows neither cutoffs nor standing."""
        return (
            f"{self.name} cannot answer as of a date: questions with a cutoff are not put to it.",
            f"Where {self.name} stands in a table, all systems are shown on the questions that it was asked.",
            f"{self.name} knows no floor of trust and no filters.",
            f"{self.name}'s milliseconds include the way there and the waits for its quota.",
        )

    @property
    def configuration(self) -> Mapping[str, object]:
        """What is asked of GitHub."""
        return {"endpoint": "/search/issues", "sort": "best match", "query_characters": LONGEST_QUERY}

    def refuses(self, question: Asked) -> str | None:
        """Only what is asked of today may be put to it."""
        if question.example.before is not None:
            return "the question has a cutoff"
        if len(question.example.withheld) > MOST_ITEMS - PAGE:
            return "the question withholds too many threads"
        return None

    def answer(self, question: Asked) -> Answered:
        """Ask for as many as fill ten once the withheld are dropped.

        Raises:
            GitHubError: GitHub could not be asked at all.
        """
        withheld = set(question.example.withheld)
        params = {"q": query(question), "per_page": PAGE + len(withheld)}
        started = perf_counter()
        try:
            body = cast("dict[str, Any]", self.client.get("/search/issues", params).body)
        except Rejected:
            return Answered((), (), milliseconds(started, perf_counter), "GitHub rejected the query")
        taken = milliseconds(started, perf_counter)
        items = cast("list[dict[str, Any]]", body.get("items") or [])
        numbers = distinct([int(item["number"]) for item in items if int(item["number"]) not in withheld])
        note = "GitHub says that its results are incomplete" if body.get("incomplete_results") else None
        return Answered(numbers, tuple(map(Shown, numbers)), taken, note)


def query(question: Asked) -> str:
    """Return what GitHub is asked: the repository, and words as far as its bound on their length allows."""
    words: list[str] = []
    left = LONGEST_QUERY
    for word in dict.fromkeys(filter(None, _words(question))):
        if len(word) < left:
            words.append(word)
            left -= len(word) + 1
    return " ".join([f"repo:{question.repo}", *words])


def _words(question: Asked) -> Iterator[str]:
    """Yield the question's words, then errors, tests, symbols and the first file, each a word or a quoted phrase."""
    asked = question.example.filters
    yield from (_spelled(term.text) for term in telling(question.example.query))
    try:
        facts = needles.filters(question.question).needles
    except QuestionError:
        facts = ()
    for needle in facts:
        if needle.kind == "error":
            literal = max(_PLACEHOLDER.split(needle.value), key=len).strip()
            yield _quoted(literal if len(literal) >= _LITERAL else (needle.tail or literal))
    yield from map(_quoted, asked.tests)
    yield from map(_spelled, asked.symbols)
    yield from map(_quoted, asked.files[:1])


def _spelled(word: str) -> str:
    return word if _BARE.fullmatch(word) and word not in _OPERATORS else _quoted(word)


def _quoted(text: str) -> str:
    inner = " ".join(text.replace('"', " ").split())
    return f'"{inner}"' if inner else ""
