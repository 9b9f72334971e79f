"""The answer to what a thread is like: `dataclasses.asdict` is its JSON."""

from __future__ import annotations

from dataclasses import dataclass

from relore_serve.search.shapes import Named, Quotation


@dataclass(frozen=True, slots=True)
class Mark:
    """That one of two threads is called a duplicate of the other, and by whom.

    Attributes:
        direction: of (the thread asked about is called a duplicate of this one) or by (this one of that).
        how: linked (somebody claims it) or inferred (it was closed as a duplicate, and names the other).
    """

    direction: str
    how: str
    author: str
    trust: str
    source: str
    age: str
    date: str | None
    url: str


@dataclass(frozen=True, slots=True)
class Passage(Quotation):
    """The passage of a thread that is most like the one asked about."""


@dataclass(frozen=True, slots=True)
class Alike(Named):
    """One thread, and what it shares with the one asked about.

    Attributes:
        terms: the words of the question that its best passage carries, rarest first.
        errors, tests, symbols, files: facts that both carry, rarest first.
        duplicate: None, or the mark.
    """

    state: str
    state_reason: str | None
    merged: bool
    age: str
    date: str
    duplicate: Mark | None
    terms: tuple[str, ...]
    errors: tuple[str, ...]
    tests: tuple[str, ...]
    symbols: tuple[str, ...]
    files: tuple[str, ...]
    passage: Passage | None
    score: float | None = None


@dataclass(frozen=True, slots=True)
class SimilarResult:
    """Threads like one, the best first; those called duplicates before all others.

    Attributes:
        returned: threads on this page. candidates: threads that were looked at, of which these are the best.
        candidates_bounded: there may be more that share a word or a fact than were looked at.
        terms: the words that were looked for, rarest first; terms_left_out: how many of the thread's were not.
        facts_left_out: facts of the thread that are too common, or too many, to be looked for.
        withheld: facts not known as of ``before``. todays_words: what is shown in today's words nevertheless.
    """

    repo: str
    number: int
    type: str
    title: str
    url: str
    returned: int
    candidates: int
    candidates_bounded: bool
    duplicates_total: int
    terms: tuple[str, ...]
    terms_left_out: int
    facts: tuple[str, ...]
    facts_left_out: int
    similar: tuple[Alike, ...]
    exclude: tuple[str, ...]
    before: str | None
    judged_today: tuple[str, ...]
    withheld: tuple[str, ...]
    todays_words: tuple[str, ...]
