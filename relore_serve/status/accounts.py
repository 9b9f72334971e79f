"""The books of a repository: every object of the source is either in the tables or has a reason why it is not.

Counts are of objects of the source (a comment, a commit, a changed file), not of the rows or pieces they become.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from psycopg.rows import namedtuple_row

from relore_serve.hidden_characters import strip_hidden
from relore_serve.sql import load

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from psycopg import Connection

SQL = load("relore_serve.status", "counting.sql")

#: Kinds in the order they are shown. Others that a source holds follow.
KINDS = ("issue", "pull", "issue_comment", "review", "review_comment", "event", "commit", "file")

# What is read for what it says of threads, people and links.
_WITHOUT_TABLE = frozenset({"event", "pull_detail", "pull_closing", "issue_detail"})

_LISTS = {"pull_commits": "commit", "pull_files": "file"}
_STATED_BY_GITHUB = {
    "issue_comment": "issue_comments",
    "review_comment": "review_comments",
    "commit": "commits",
    "file": "files",
}

EMPTY = "empty body"
ORPHAN = "no issue or pull request under its number"
WAITING = "waiting for derive"
NO_TABLE = "read into other rows, with no table of their own"

# Bodies looked at one by one, to tell texts in which nothing shows from texts that are really missing.
_LOOKED_AT = 1_000


@dataclass
class Account:
    """One kind of object.

    Attributes:
        stated: how many the source holds; None where it never said.
        github_states: of threads what GitHub counts in the repository, of what belongs to them what its counters on
            the threads add up to; None where it counts none.
        collected: how many are staged.
        derived: how many are in the tables; None for kinds that have no table of their own.
        skipped: how many are left out on purpose, by reason.
        unexplained: how many are neither in the tables nor accounted for; 0 when all is well.
        missing_from_source: by how much the source falls short of GitHub's count: of threads in sum, of what belongs
            to them thread by thread.
    """

    kind: str
    stated: int | None = None
    github_states: int | None = None
    collected: int = 0
    derived: int | None = 0
    skipped: dict[str, int] = field(default_factory=dict[str, int])
    unexplained: int = 0
    missing_from_source: int = 0


@dataclass
class _Book:
    """One kind while it is being added up. The source's reasons stand apart from those of derive."""

    account: Account
    not_staged: int = 0
    not_derived: int = 0

    def skip(self, reason: str, count: int, *, staged: bool) -> None:
        """Leave objects out for a reason."""
        if count:
            self.account.skipped[reason] = self.account.skipped.get(reason, 0) + count
        if staged:
            self.not_derived += count
        else:
            self.not_staged += count

    def closed(self) -> Account:
        """Return the account with what remains unexplained."""
        account = self.account
        unstaged = 0 if account.stated is None else account.stated - account.collected - self.not_staged
        underived = 0 if account.derived is None else account.collected - account.derived - self.not_derived
        # A source that holds less than it once did leaves more staged than it states: nothing is lost.
        account.unexplained = max(unstaged, 0) + max(underived, 0)
        return account


def accounts(conn: Connection, repo_ids: Sequence[int]) -> dict[int, list[Account]]:
    """Return the accounts of each repository, by its id."""
    books = {repo_id: {kind: _Book(Account(kind)) for kind in KINDS} for repo_id in repo_ids}
    _sources(conn, books)
    _collected(conn, books)
    _lists(conn, books)
    _missing(conn, books)
    _github(conn, books)
    return {repo_id: [book.closed() for book in kinds.values()] for repo_id, kinds in books.items()}


def _rows(conn: Connection, name: str, repo_ids: Sequence[int], **values: object) -> list[Any]:
    with conn.cursor(row_factory=namedtuple_row) as cursor:
        return cursor.execute(SQL[name], {"repo_ids": list(repo_ids), **values}).fetchall()


def _sources(conn: Connection, books: dict[int, dict[str, _Book]]) -> None:
    """Enter what sources say they hold."""
    for row in _rows(conn, "sources", list(books)):
        book = books[row.repo_id].setdefault(row.kind, _Book(Account(row.kind)))
        book.account.stated = row.stated
        for reason, count in row.skipped.items():
            book.skip(reason, count, staged=False)


def _collected(conn: Connection, books: dict[int, dict[str, _Book]]) -> None:
    """Enter what is staged. What is not missing is in the tables; that is subtracted later."""
    for row in _rows(conn, "collected", list(books)):
        book = books[row.repo_id].setdefault(row.kind, _Book(Account(row.kind)))
        book.account.collected = row.objects
        book.account.derived = row.objects
    for kinds in books.values():
        for kind in _WITHOUT_TABLE & kinds.keys():
            book = kinds[kind]
            book.account.derived = None
            book.skip(NO_TABLE, book.account.collected, staged=True)


def _lists(conn: Connection, books: dict[int, dict[str, _Book]]) -> None:
    """Enter commits and changed files, which are staged as lists."""
    for row in _rows(conn, "listed", list(books)):
        book = books[row.repo_id][_LISTS[row.kind]]
        book.account.collected = row.members
        book.skip(ORPHAN, row.orphans, staged=True)
        book.skip(WAITING, row.waiting, staged=True)
    for row in _rows(conn, "rows_of_lists", list(books)):
        books[row.repo_id][row.kind].account.derived = row.derived


def _missing(conn: Connection, books: dict[int, dict[str, _Book]]) -> None:
    """Take staged objects without rows of their own from what is derived, with their reasons."""
    reasons = {"empty": EMPTY, "orphan": ORPHAN, "waiting": WAITING, "named": _LOOKED_AT}
    for row in _rows(conn, "missing", list(books), **reasons):
        book = books[row.repo_id][row.kind]
        book.account.derived = (book.account.derived or 0) - row.objects
        if row.reason is not None:
            book.skip(row.reason, row.objects, staged=True)
        elif row.kind not in {"issue", "pull"}:
            book.skip(EMPTY, _showing_nothing(conn, row.repo_id, row.kind, row.first), staged=True)


def _showing_nothing(conn: Connection, repo_id: int, kind: str, object_ids: list[str]) -> int:
    """Return in how many bodies there are only characters that show nothing: such texts are not indexed."""
    values = {"repo_id": repo_id, "kind": kind, "object_ids": object_ids}
    bodies = conn.execute(SQL["bodies"], values).fetchall()
    return sum(not strip_hidden(body)[0].strip() for (body,) in bodies)


def _github(conn: Connection, books: dict[int, dict[str, _Book]]) -> None:
    """Enter what GitHub itself counts."""
    for row in _rows(conn, "github_states", list(books)):
        for kind, column in _STATED_BY_GITHUB.items():
            account = books[row.repo_id][kind].account
            account.github_states = getattr(row, column)
            account.missing_from_source = getattr(row, f"missing_{column}")
    for row in _rows(conn, "github_totals", list(books)):
        account = books[row.repo_id][row.kind].account
        account.github_states = row.stated
        account.missing_from_source = max(row.stated - account.collected - row.forgotten, 0)
