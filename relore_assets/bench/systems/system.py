"""What a system is put, and what it gives back. One question is one `Asked`, the same object for every system."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from relore_serve.search import tokens
from relore_serve.search.question import Exclusion, Question
from relore_serve.search.scope import Repo, Scope, floor
from relore_serve.search.terms import names_nothing

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from relore_assets.mine.example import Example
    from relore_serve.search.tokens import Term

PAGE = 10
"""Hits of a page, and distinct threads that an answer is judged by."""


@dataclass(frozen=True, slots=True)
class Asked:
    """One question with its bounds.

    Attributes:
        example: as it stands in the set.
        question: its words and filters, as search is asked.
        scope: whose words are admitted, up to when, without which threads: the floor of trust that its kind implies,
            its cutoff, and ids of the threads that it withholds.
        plain: its words and the values of its filters in one text, for systems that know no filters.
    """

    example: Example
    question: Question
    scope: Scope
    plain: str

    @property
    def repo(self) -> str:
        """The repository asked, as owner/name."""
        return self.question.repos[0].name

    def terms(self) -> Sequence[Term]:
        """Return what ``plain`` names."""
        return telling(self.plain)


def telling(text: str) -> Sequence[Term]:
    """Return what a text names; words that only hold a sentence together count where there are no others."""
    every = tokens.query(text).terms
    return [term for term in every if not names_nothing(term)] or every


def asked(example: Example, repo: Repo, threads: Mapping[int, int]) -> Asked:
    """Return the question that an example asks of ``repo``; ``threads`` are the ids of its threads by number."""
    filters = example.filters
    question = Question(
        text=example.query,
        repos=(repo,),
        files=filters.files,
        symbols=filters.symbols,
        errors=filters.errors,
        tests=filters.tests,
        kind=filters.kind,
        before=example.before,
        exclude=tuple(map(Exclusion, example.withheld)),
    )
    withheld = tuple(threads[number] for number in example.withheld if number in threads)
    scope = Scope((repo,), floor(filters.kind, None), before=example.before, withheld=withheld)
    values = (*filters.errors, *filters.tests, *filters.symbols, *filters.files)
    return Asked(example, question, scope, " ".join((example.query, *values)).strip())


@dataclass(frozen=True, slots=True)
class Shown:
    """One hit of a page: a text of a thread, or with ``source_type`` None the thread by its title and opening post."""

    number: int
    source_type: str | None = None
    source_id: str = ""
    chunk_index: int = 0


@dataclass(frozen=True, slots=True)
class Answered:
    """What a system answers.

    Attributes:
        threads: distinct threads, the best first, `PAGE` at most.
        page: the first page of hits.
        milliseconds: until that page was there.
        note: what kept it from answering, where something did.
    """

    threads: tuple[int, ...]
    page: tuple[Shown, ...]
    milliseconds: float
    note: str | None = None


class System(Protocol):
    """Something that answers questions with threads."""

    @property
    def name(self) -> str:
        """What tables call it."""
        ...

    @property
    def caveats(self) -> Sequence[str]:
        """What has to be known of its figures, a sentence each."""
        ...

    @property
    def window(self) -> bool:
        """Whether it answers as of a question's cutoff."""
        ...

    @property
    def free(self) -> bool:
        """Whether asking costs nothing but time."""
        ...

    @property
    def configuration(self) -> Mapping[str, object]:
        """What decides its answers beside the question and the index."""
        ...

    def refuses(self, question: Asked) -> str | None:
        """Return why a question must not be put to it, None where it may."""
        ...

    def answer(self, question: Asked) -> Answered:
        """Answer; what cannot be answered is an empty answer with a note."""
        ...


def distinct(numbers: Sequence[int]) -> tuple[int, ...]:
    """Return the first `PAGE` distinct numbers, in order."""
    return tuple(dict.fromkeys(numbers))[:PAGE]


def milliseconds(started: float, clock: Callable[[], float]) -> float:
    """Return how long ago ``started`` was, by a clock of seconds."""
    return (clock() - started) * 1000
