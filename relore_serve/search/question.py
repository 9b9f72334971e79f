"""What may be asked: one frozen question, and the refusals that name what is wrong with it.

Nothing here knows SQL. What a question's filters are worth is said in `needles`, which of it is asked of the
tables in `legs`, and who may be answered with what in `scope`.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from relore_serve.hidden_characters import replace_unstorable, strip_hidden

if TYPE_CHECKING:
    from datetime import datetime

    from relore_serve.search.scope import Repo

MAX_HITS = 10
MAX_TEXT = 16_000
"""Characters of a question; more is refused, not cut, for what was cut off would be missed without a word."""
MAX_VALUES = 20
"""Values of one filter."""
MAX_EXCLUSIONS = 520
"""Threads to withhold: those of a request, and those that the server withholds from everybody."""
MAX_VALUE = 4_000
"""Characters of one filter's value; a pasted traceback fits."""

KINDS = ("failure", "precedent", "rationale")
MAX_NUMBER = 2_147_483_647
"""No thread's number is greater."""

FILTERS = ("files", "symbols", "errors", "tests", "contains", "labels", "authors")
TRUSTS = ("reported", "authoritative", "machine")
SORTS = ("relevance", "newest")


class QuestionError(ValueError):
    """A question that cannot be asked. ``code`` is stable; the message is a sentence that says what to do.

    ``parameter`` is the part that is wrong, where it is one.
    """

    def __init__(self, code: str, message: str, parameter: str | None = None) -> None:
        super().__init__(message)
        self.code = code
        self.parameter = parameter


@dataclass(frozen=True, slots=True)
class Exclusion:
    """One thread to withhold. Without ``repo`` (owner/name) it speaks of the only repository asked.

    ``told`` is whether an answer may name it; what the server withholds on its own account is not named.
    """

    number: int
    repo: str | None = None
    told: bool = True


@dataclass(frozen=True, slots=True)
class Question:
    """One search. Values of one filter are alternatives; different filters and the text must all hold.

    Attributes:
        repos: what is asked, already cut to what the caller may see; without any the answer is empty.
        repos_named: the caller named them, so that a near question has to name them too.
        errors: error lines or whole pasted tracebacks.
        contains: parts of identifiers, wherever in them they stand.
        mentioned: a file filter also matches paths that were merely named in prose.
        kind: failure, precedent or rationale; chooses the floor of trust.
        trust: reported, authoritative or machine; may only raise that floor.
        before: only what was there at that instant, strictly.
        expand: also ask what can be read off the text (its errors, tests, symbols and files).
        compact: shorter snippets.
        explain: say of each hit what its score is made of, on a compact page too.
        cursor: continues the page that gave it out.
    """

    text: str = ""
    repos: tuple[Repo, ...] = ()
    files: tuple[str, ...] = ()
    symbols: tuple[str, ...] = ()
    errors: tuple[str, ...] = ()
    tests: tuple[str, ...] = ()
    contains: tuple[str, ...] = ()
    labels: tuple[str, ...] = ()
    authors: tuple[str, ...] = ()
    mentioned: bool = False
    kind: str | None = None
    trust: str | None = None
    since: datetime | None = None
    before: datetime | None = None
    exclude: tuple[Exclusion, ...] = ()
    sort: str = "relevance"
    limit: int = MAX_HITS
    expand: bool = True
    compact: bool = False
    explain: bool = False
    cursor: str | None = None
    repos_named: bool = False

    @property
    def page_size(self) -> int:
        """The number of hits on a page: what was asked for, within 1 and `MAX_HITS`."""
        return min(max(self.limit, 1), MAX_HITS)


def clean(text: str) -> str:
    """Return a text without what shows nothing and what cannot be stored: the form in which all texts are held."""
    return replace_unstorable(strip_hidden(text)[0])[0].strip()


def cleaned(question: Question) -> Question:
    """Return the question with every text of it in the form in which texts are held."""
    values = {name: tuple(clean(value) for value in getattr(question, name)) for name in FILTERS}
    return replace(question, text=clean(question.text), **values)


def check(question: Question) -> None:
    """Refuse what cannot be answered.

    Raises:
        QuestionError: naming the part and its remedy.
    """
    _check_choice("kind", question.kind, KINDS)
    _check_choice("trust", question.trust, TRUSTS)
    _check_choice("sort", question.sort, SORTS)
    _check_sizes(question)
    _check_window(question)
    _check_exclusions(question)


def _check_choice(name: str, value: str | None, choices: tuple[str, ...]) -> None:
    if value is not None and value not in choices:
        raise QuestionError(f"unknown_{name}", f"{name} must be one of {', '.join(choices)}, not {value!r}.")


def _check_sizes(question: Question) -> None:
    if len(question.text) > MAX_TEXT:
        raise QuestionError(
            "text_too_long",
            f"The question has {len(question.text):,} characters and at most {MAX_TEXT:,} are read: "
            "ask with the lines around the raised error, or with a few distinctive words.",
        )
    for name in (*FILTERS, "exclude"):
        values = getattr(question, name)
        most = MAX_EXCLUSIONS if name == "exclude" else MAX_VALUES
        if len(values) > most:
            raise QuestionError(
                "too_many_values", f"{name} holds {len(values)} values and at most {most} are read."
            )
        if any(isinstance(value, str) and len(value) > MAX_VALUE for value in values):
            raise QuestionError(
                "value_too_long", f"A value of {name} is longer than {MAX_VALUE:,} characters."
            )


def _check_window(question: Question) -> None:
    for name, instant in (("since", question.since), ("before", question.before)):
        if instant is not None and instant.tzinfo is None:
            raise QuestionError("naive_time", f"{name} needs a time zone, for instance a trailing Z.")
    if question.since is not None and question.before is not None and question.since >= question.before:
        raise QuestionError(
            "empty_window", "since is not earlier than before: nothing can be in this window."
        )


def _check_exclusions(question: Question) -> None:
    if any(not 0 < exclusion.number <= MAX_NUMBER for exclusion in question.exclude):
        raise QuestionError(
            "bad_exclude", "exclude names threads by number, and one of these is no number of one."
        )
    if len(question.repos) > 1 and any(exclusion.repo is None for exclusion in question.exclude):
        raise QuestionError(
            "ambiguous_exclude",
            "Several repositories are asked, so a thread to exclude needs its repository: owner/name#number.",
        )
