"""What every question about history has in common: where it is read, what bounds it, how it is refused."""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass
from difflib import get_close_matches
from typing import TYPE_CHECKING, Any

from flask import request

from relore_serve.search.ages import utc
from relore_serve.search.question import QuestionError
from relore_serve.web import scope
from relore_serve.web.errors import NotFound, Refused, UnsupportedMediaType
from relore_serve.web.parameters import MAX_WORD, read_body, read_query, thread_number

if TYPE_CHECKING:
    from collections.abc import Generator
    from datetime import datetime

    import psycopg

    from relore_serve.search.question import Exclusion
    from relore_serve.search.scope import Repo
    from relore_serve.web.desk import Desk
    from relore_serve.web.routes import Route


@dataclass(frozen=True, slots=True)
class Numbered:
    """One thread that is asked about, and the bounds that its answer keeps.

    Attributes:
        repo: the thread's.
        visible: everything that the caller may know of.
        before: the earlier of the caller's cutoff and the server's.
        exclude: what either withholds; each names its repository.
        left_out: what the caller withholds, as owner/name#number. What the server withholds besides is not told on a
            page, since a page on a thread would thereby point at its answer.
    """

    repo: Repo
    number: int
    visible: tuple[Repo, ...]
    before: datetime | None
    exclude: tuple[Exclusion, ...]
    left_out: tuple[str, ...]

    @property
    def bounds(self) -> dict[str, Any]:
        """What every answer about the thread keeps within."""
        return {"visible": self.visible, "before": self.before, "exclude": self.exclude}

    @property
    def is_withheld(self) -> bool:
        """Whether it is itself one of the threads withheld."""
        name = self.repo.name.lower()
        return any(one.number == self.number and (one.repo or "").lower() == name for one in self.exclude)

    @property
    def is_left_out(self) -> bool:
        """Whether the question itself withholds it."""
        return f"{self.repo.name}#{self.number}".lower() in (one.lower() for one in self.left_out)

    def not_there(self) -> NotFound:
        """Return the refusal that says so: not held, withheld, or not yet opened then."""
        if self.is_left_out:
            return NotFound(
                f"The question itself excludes {self.repo.name}#{self.number}, so there is no page of it.",
                code="no_such_thread",
                facts={"repo": self.repo.name, "number": self.number},
            )
        when = "" if self.before is None else " as of that time"
        return NotFound(
            f"There is no thread {self.repo.name}#{self.number} in the index{when}.",
            code="no_such_thread",
            facts={"repo": self.repo.name, "number": self.number},
        )


def in_address(route: Route, number: str) -> tuple[dict[str, Any], int]:
    """Read a question about a thread: its parameters, and its number."""
    return read_query(request.args, route.fields), thread_number(number)


def in_body(route: Route) -> dict[str, Any]:
    """Read a posted question. Its address holds nothing, and what is put there would change nothing."""
    if request.args:
        name = next(iter(request.args))
        near = get_close_matches(name[:MAX_WORD], route.fields, n=1)
        raise Refused(
            "This question is asked in the body; its address takes no parameters.",
            code="unknown_parameter",
            facts={"parameter": name[:MAX_WORD], "nearest": near[0] if near else None},
        )
    if not request.is_json:
        raise UnsupportedMediaType("Send the question as application/json.")
    asked = read_body(request.get_data(), route.fields)
    require(asked, route)
    return asked


def require(asked: dict[str, Any], route: Route) -> None:
    """Refuse a body in which something is missing that ``route`` cannot do without."""
    missing = next((name for name in route.required if name not in asked), None)
    if missing is not None:
        raise Refused(f"{missing} is needed.", code="bad_value", facts={"parameter": missing})


def numbered(desk: Desk, connection: psycopg.Connection, asked: dict[str, Any], number: int) -> Numbered:
    """Take repository and bounds out of ``asked``."""
    visible = scope.repositories(connection, desk.caller)
    repo = scope.one(visible, asked.pop("repo", None))
    # A bare number is one of the repository that was asked.
    named = scope.exclusions(visible, asked.pop("exclude", ()), repo.name)
    return Numbered(
        repo=repo,
        number=number,
        visible=visible,
        before=desk.pin.earlier(asked.pop("before", None)),
        exclude=desk.pin.withheld(named, visible),
        left_out=tuple(dict.fromkeys(f"{one.repo}#{one.number}" for one in named)),
    )


def bound(desk: Desk, connection: psycopg.Connection, asked: dict[str, Any]) -> dict[str, Any]:
    """Return ``asked`` with its repositories looked up, its cutoff and what it withholds narrowed by the pin."""
    visible = scope.repositories(connection, desk.caller)
    repos = scope.named(visible, asked.pop("repos", ()))
    excluded = scope.exclusions(visible, asked.pop("exclude", ()))
    since, pinned = asked.get("since"), desk.pin.before
    if since is not None and pinned is not None and since >= pinned:
        raise Refused(
            f"since is {utc(since)}, and this server answers as of {utc(pinned)}: nothing can be in this window.",
            code="empty_window",
            facts={"parameter": "since"},
        )
    return {
        **asked,
        "repos": repos,
        "before": desk.pin.earlier(asked.get("before")),
        "exclude": desk.pin.withheld(excluded, repos),
    }


@contextmanager
def refusing() -> Generator[None]:
    """Refuse what a question is refused for further down, in the one shape."""
    try:
        yield
    except QuestionError as error:
        facts = {"parameter": error.parameter} if error.parameter else None
        raise Refused(str(error), code=error.code, facts=facts) from error
