"""A brief in the names and the shape of its JSON: `dataclasses.asdict` is that JSON.

Every section says how many it lists of how many there are.
"""

from __future__ import annotations

from dataclasses import dataclass

from relore_serve.threads.shared import Said, ThreadRow


@dataclass(frozen=True, slots=True)
class Evidence(Said):
    """The words for which a thread is listed, cut to a window."""

    snippet: str
    truncated: bool


@dataclass(frozen=True, slots=True)
class Listed(ThreadRow):
    """A thread that a section lists.

    Attributes:
        how: for what: ``closes`` (with ``targets``), ``changed``, ``anchored`` or ``mentioned`` (with ``paths``),
            ``error``, ``similar``, or ``closed`` by the thread that the brief is of.
        targets: owner/name#number each, of what it says it closes.
        state: null where it is not known as of the cutoff.
        paths: how many of the paths it shares.
        duplicate: ``of`` where the thread that the brief is of is called a duplicate of this one, ``by`` the other way.
        evidence: the words for it; null where nobody said any.
    """

    merged_by: str | None
    how: str
    targets: tuple[str, ...] = ()
    paths: int | None = None
    duplicate: str | None = None
    evidence: Evidence | None = None


@dataclass(frozen=True, slots=True)
class BriefHead(ThreadRow):
    """The thread that the brief is of, in the fields of its own page.

    Attributes:
        state: null where it is not known as of the cutoff.
        withheld: fields that are not known as of the cutoff and were therefore left empty.
    """

    locked: bool
    merged_by: str | None
    closed_at: str | None
    merged_at: str | None
    labels: tuple[str, ...]
    requested_reviewers: tuple[str, ...]
    comments_total: int
    comments_edited_since: int
    comments_undated: int
    indexed_at: str
    withheld: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Opener:
    """What the index holds of the opener in this repository, beside this thread.

    Attributes:
        known: False for an account that is gone: everybody who left shares its name.
        first_age: of the first of these; null without any.
    """

    author: str
    trust: str
    known: bool
    prs: int
    merged: int
    issues: int
    first_age: str | None
    first_date: str | None


@dataclass(frozen=True, slots=True)
class Person:
    """Somebody who answered, in the standing of the latest words; ``comments`` is 0 for a verdict without a word."""

    author: str
    trust: str
    comments: int
    age: str
    date: str | None


@dataclass(frozen=True, slots=True)
class People:
    """Who answered, those with write access first; the opener and machines are not among them."""

    listed: tuple[Person, ...]
    returned: int
    total: int
    authoritative: int
    unresolved: int
    machine_comments: int


@dataclass(frozen=True, slots=True)
class Target:
    """What the thread says it closes; ``thread`` is null where that is not held."""

    target: str
    indexed: bool
    thread: Listed | None


@dataclass(frozen=True, slots=True)
class Closes:
    """What the thread says it closes."""

    listed: tuple[Target, ...]
    returned: int
    total: int


@dataclass(frozen=True, slots=True)
class Competing:
    """Who else claims what this thread is about, each once.

    Attributes:
        targets: of what claims are looked for: this thread, and what it says it closes.
        links_indexed: whether relationships of any kind are held; without any, an empty answer means nothing.
    """

    threads: tuple[Listed, ...]
    returned: int
    total: int
    targets: tuple[str, ...]
    links_indexed: bool


@dataclass(frozen=True, slots=True)
class FileHistory:
    """Other threads on the same files, of any date: what came later matters to whoever works there now.

    Attributes:
        basis: where the paths are from: ``changed`` (the diff), ``anchored`` (inline comments) or ``mentioned``
            (prose); null where none are known.
        paths_used: those asked with, the rarest; ``paths_total`` there are.
        total: threads that touch one, by their diff or by an inline comment on it, or that name one.
        mentioning: those of them that only name one.
        total_exact: False where both are lower bounds.
        above: how many of them are listed by a section above.
        untested: pull requests whose list of changed files is missing or cut off, so that nobody knows.
    """

    basis: str | None
    paths_used: tuple[str, ...]
    paths_total: int
    threads: tuple[Listed, ...]
    returned: int
    total: int
    mentioning: int
    total_exact: bool
    above: int
    untested: int


@dataclass(frozen=True, slots=True)
class SameError:
    """Other threads with the same error.

    Attributes:
        error: the first of the thread's errors that others have too, else the first; null where it reports none.
        errors_total: telling errors that the thread reports, as many as are looked at.
    """

    error: str | None
    errors_total: int
    threads: tuple[Listed, ...]
    returned: int
    total: int
    above: int


@dataclass(frozen=True, slots=True)
class Similar:
    """Threads most like this one that no section above lists; ``total`` were found to be like it.

    ``total_exact`` is False where that is a lower bound.
    """

    threads: tuple[Listed, ...]
    returned: int
    total: int
    total_exact: bool
    above: int


@dataclass(frozen=True, slots=True)
class BriefResult:
    """One page about one thread: what a person would look up before reading it.

    Attributes:
        rows_withheld: fields of some of the threads listed that are not known as of the cutoff.
        todays_words: what is shown in today's words although the rest is as of the cutoff.
        exclude: threads that the question itself left out, owner/name#number each.
    """

    thread: BriefHead
    opener: Opener
    people: People
    closes: Closes
    competing: Competing
    file_history: FileHistory
    same_error: SameError
    similar: Similar
    before: str | None
    judged_today: tuple[str, ...]
    rows_withheld: tuple[str, ...]
    todays_words: tuple[str, ...]
    exclude: tuple[str, ...] = ()
