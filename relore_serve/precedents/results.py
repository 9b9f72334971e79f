"""The answer to a question about finished work: `dataclasses.asdict` is its JSON."""

from __future__ import annotations

from dataclasses import dataclass

from relore_serve.search.shapes import Named, Quotation


@dataclass(frozen=True, slots=True)
class Words(Quotation):
    """What somebody said, as it is held; never a text of ours.

    Attributes:
        how: merge (by who merged, about then), approval, last word (the last of somebody with standing before the
            merge), closing (by who closed it, about then), near the closing (by others, or in the weeks before or the
            days after, and so inferred), statement (where a claim was made).
        inferred: that these words are about the outcome is a guess by their time.
        truncated: ``text`` is less than the whole.
        document_id: source_type:source_id:chunk_index, stable across rebuilds.
    """

    how: str
    inferred: bool


@dataclass(frozen=True, slots=True)
class Related(Named):
    """A thread that belongs to a unit.

    Attributes:
        role: issue, attempt, revert, or instead (the merged pull request that a rejected attempt gave way to).
        how: linked (somebody claims it) or inferred. evidence: what shows it, in words.
        finished: null where it is open. age: since then, else since its opening.
        reverted: of what came instead, that it was taken back since.
        words: of an attempt, the reason given; of a revert, its opening words. None where none are held.
        words_state: given, none (nothing was said), gone (said, and no longer held), withheld (not as of then, or
            excluded); of an issue or what came instead, which have none here, not_asked.
    """

    role: str
    how: str
    evidence: str
    state: str
    merged: bool
    finished: str | None
    age: str
    words: Words | None
    words_state: str
    reverted: bool = False


@dataclass(frozen=True, slots=True)
class Bounded:
    """Some of a list, and how many there are."""

    shown: tuple[str, ...]
    total: int


@dataclass(frozen=True, slots=True)
class Unit(Named):
    """One finished pull request with what belongs to it.

    Attributes:
        outcome: merged, rejected, or reverted (merged, and taken back by another).
        kind: bug_fix, feature, refactor, deprecation, or None where nothing says so; ``kind_evidence`` says what does.
        days: from opening to finishing.
        rounds: states of the branch that others reviewed. reviewers: how many others did.
        problem: the opening post of the issue, else of the pull request.
        words: why, in the words of somebody who may say; ``words_state`` as in `Related`.
        match: the passage that carries most of the question, where it is not the title or the problem.
        terms: words of the question that the unit carries, rarest first; facts: what else of the question it carries.
        attempts_total, issues_total: how many there are of what ``related`` shows some of.
        files_stated: how many files GitHub says were changed, where that is more than are listed.
    """

    outcome: str
    kind: str | None
    kind_evidence: str | None
    opened: str
    finished: str
    age: str
    days: float
    rounds: int
    reviewers: int
    problem: Words | None
    words: Words | None
    words_state: str
    match: Words | None
    terms: tuple[str, ...]
    facts: tuple[str, ...]
    related: tuple[Related, ...]
    issues_total: int
    attempts_total: int
    reverts_total: int
    files: Bounded
    files_stated: int | None
    symbols: Bounded
    errors: Bounded
    tests: Bounded
    withheld: tuple[str, ...]
    score: float | None = None


@dataclass(frozen=True, slots=True)
class PrecedentEcho:
    """The question as it was understood.

    Attributes:
        filters: only those given; errors in the normal form they were matched in.
        widened: "" or "any-term": no text carries every word, so these carry some; "any-term-among": few texts
            carry every word, so those that carry some were added.
        unasked_terms: on a widened page the words that texts were not looked for by, because too many carry them.
        never_built: repositories of which no precedents were ever built.
        built_at: when they were last built, by repository.
    """

    text: str
    kind: str | None
    rejected: bool
    limit: int
    since: str | None
    before: str | None
    judged_today: tuple[str, ...]
    exclude: tuple[str, ...]
    repos: tuple[str, ...]
    filters: dict[str, tuple[str, ...]]
    widened: str
    unasked_terms: tuple[str, ...]
    terms: int
    dropped_terms: int
    unsearchable_terms: int
    uninformative_errors: tuple[str, ...]
    untyped_errors: tuple[str, ...]
    never_built: tuple[str, ...]
    built_at: dict[str, str]


@dataclass(frozen=True, slots=True)
class PrecedentPage:
    """A page of units.

    Attributes:
        count: units on this page. total: units that match, of which the page is a part.
        total_exact: False when there were more matches than were looked at: ``total`` is then a lower bound.
        reachable: how many of them pages lead to.
        attempts_told: rejected attempts that match too, and are told with the work that came of them instead of by
            themselves; ``total`` does not count them. 0 where rejected work is asked for.
        kind_unknown: units that match in all but the kind asked for, and whose kind nothing tells.
        files_untested: units that match in all but the file, and whose list of changed files is missing or cut off.
        units_total: units held in the scope of the question, whatever they say.
        reopened_since: pull requests that were closed unmerged at the cutoff and opened again later: they were units
            then, and of what they were nothing is told. Counted whatever they say.
        cursor: continues after this page; null at the end.
    """

    query: PrecedentEcho
    count: int
    total: int
    total_exact: bool
    reachable: int
    attempts_told: int
    kind_unknown: int
    files_untested: int
    units_total: int
    reopened_since: int
    units: tuple[Unit, ...]
    cursor: str | None
