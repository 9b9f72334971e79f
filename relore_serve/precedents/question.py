"""What may be asked of finished work, as the question that a search would ask of the same words and facts."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from relore_serve.search.question import MAX_HITS, Question, QuestionError
from relore_serve.search.question import check as check_search

if TYPE_CHECKING:
    from datetime import datetime

    from relore_serve.search.question import Exclusion
    from relore_serve.search.scope import Repo

KINDS = ("bug_fix", "feature", "refactor", "deprecation")


@dataclass(frozen=True, slots=True)
class PrecedentQuestion:
    """One question about finished work. Values of one filter are alternatives; different filters must all hold.

    Attributes:
        text: words of the work: of its issue, its pull request, and the attempts that came to nothing.
        repos: what is asked, already cut to what the caller may see; without any the answer is empty.
        files: changed by the pull request, or named where an inline comment was made.
        symbols: named in the work. errors: error lines or whole pasted tracebacks.
        kind: bug_fix, feature, refactor or deprecation; work of unknown kind is then left out, and counted.
        rejected: only what was turned down: pull requests closed unmerged, and merged ones that were reverted.
        since: only what was finished at that instant or later.
        before: only what was finished then, strictly, with what could be known of it.
        exclude: threads that are neither shown nor searched.
        compact: shorter quotations.
        cursor: continues the page that gave it out.
    """

    text: str = ""
    repos: tuple[Repo, ...] = ()
    files: tuple[str, ...] = ()
    symbols: tuple[str, ...] = ()
    errors: tuple[str, ...] = ()
    kind: str | None = None
    rejected: bool = False
    since: datetime | None = None
    before: datetime | None = None
    exclude: tuple[Exclusion, ...] = ()
    limit: int = MAX_HITS
    cursor: str | None = None
    compact: bool = False

    @property
    def page_size(self) -> int:
        """The number of units on a page: what was asked for, within 1 and `MAX_HITS`."""
        return min(max(self.limit, 1), MAX_HITS)

    def as_search(self) -> Question:
        """Return the search of the same words, facts and bounds, whose checks and normal forms hold here too."""
        return Question(
            text=self.text,
            repos=self.repos,
            files=self.files,
            symbols=self.symbols,
            errors=self.errors,
            since=self.since,
            before=self.before,
            exclude=self.exclude,
            limit=self.limit,
            compact=self.compact,
            cursor=self.cursor,
        )


def check(question: PrecedentQuestion) -> None:
    """Refuse what cannot be answered.

    Raises:
        QuestionError: naming the part and its remedy.
    """
    if question.kind is not None and question.kind not in KINDS:
        raise QuestionError(
            "unknown_kind", f"kind must be one of {', '.join(KINDS)}, not {question.kind!r}.", "kind"
        )
    check_search(question.as_search())
