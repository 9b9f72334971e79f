"""The questions about one thread: each is read, bounded and refused the same way, whoever asks."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any, Protocol

from relore_serve.json_tree import tree
from relore_serve.pages import brief as brief_page
from relore_serve.pages import inflight as inflight_page
from relore_serve.pages import similar as similar_page
from relore_serve.pages import thread as thread_page
from relore_serve.search.question import MAX_HITS
from relore_serve.similar import similar as alike
from relore_serve.threads import brief as briefs
from relore_serve.threads import inflight as claims_on
from relore_serve.threads import thread as threads
from relore_serve.threads.results import ThreadView
from relore_serve.web import asking
from relore_serve.web.errors import Refused
from relore_serve.web.routes import BRIEF, INFLIGHT, SIMILAR, THREAD

if TYPE_CHECKING:
    from datetime import datetime

    from psycopg import Connection

    from relore_serve.similar.results import SimilarResult
    from relore_serve.threads.brief_results import BriefResult
    from relore_serve.threads.results import InflightResult, ThreadResult
    from relore_serve.web.asking import Numbered
    from relore_serve.web.desk import Desk, Page
    from relore_serve.web.routes import Route

    Result = BriefResult | InflightResult | SimilarResult | ThreadResult


class Reader(Protocol):
    """Reads one kind of answer."""

    def __call__(
        self, connection: Connection, about: Numbered, asked: dict[str, Any], *, compact: bool, now: datetime
    ) -> Result | None:
        """Return what is held of the thread; None where nothing may be told of it."""
        ...


@dataclass(frozen=True, slots=True)
class Question:
    """One kind of question about a thread."""

    route: Route
    read: Reader
    page: Page

    def page_for(self, asked: dict[str, Any]) -> Page:
        """Return the page that was asked for, and take out of ``asked`` what is about it alone.

        Raises:
            Refused: two things were asked that exclude each other.
        """
        if self.route is not THREAD:
            return self.page
        _check_combination(asked)
        return partial(thread_page.render, files=asked.pop("files", False))

    def answer(
        self, desk: Desk, connection: Connection, asked: dict[str, Any], number: int, *, compact: bool
    ) -> dict[str, Any]:
        """Return the answer as a tree; ``asked`` holds the repository, the bounds and what is asked besides.

        Raises:
            NotFound: the thread is not held, withheld, or was not there yet.
        """
        about = asking.numbered(desk, connection, asked, number)
        found = self.read(connection, about, asked, compact=compact, now=desk.clock())
        if found is None:
            raise about.not_there()
        told: dict[str, Any] = tree(replace(found, exclude=about.left_out))
        return {self.route.inside: told} if self.route.inside else told


def _thread(
    connection: Connection, about: Numbered, asked: dict[str, Any], *, compact: bool, now: datetime
) -> ThreadResult | None:
    if about.is_withheld:
        return None
    how = ThreadView(
        compact=compact,
        before=about.before,
        visible=tuple(repo.id for repo in about.visible),
        exclude=about.exclude,
        **asked,
    )
    return threads.read(connection, about.repo.id, about.number, how, now)


def _inflight(
    connection: Connection, about: Numbered, asked: dict[str, Any], *, compact: bool, now: datetime
) -> InflightResult | None:
    """Return who claims to close a thread, which need not be indexed itself."""
    del asked, compact
    if about.is_left_out:
        return None
    return claims_on.claims(connection, about.repo, about.number, now, **about.bounds)


def _brief(
    connection: Connection, about: Numbered, asked: dict[str, Any], *, compact: bool, now: datetime
) -> BriefResult | None:
    del asked
    return briefs.read(connection, about.repo, about.number, **about.bounds, compact=compact, now=now)


def _similar(
    connection: Connection, about: Numbered, asked: dict[str, Any], *, compact: bool, now: datetime
) -> SimilarResult | None:
    limit = asked.get("limit", MAX_HITS)
    return alike.read(
        connection, about.repo, about.number, **about.bounds, limit=limit, compact=compact, now=now
    )


def _check_combination(asked: dict[str, Any]) -> None:
    if "comment" not in asked:
        return
    other = next((name for name in ("focus", "outline", "after", "full", "files") if asked.get(name)), None)
    if other is not None:
        raise Refused(
            f"comment asks for one comment and nothing else, so it does not go with {other}.",
            code="bad_value",
            facts={"parameter": other},
        )


ABOUT_THREAD = Question(THREAD, _thread, thread_page.render)
ABOUT_CLAIMS = Question(INFLIGHT, _inflight, inflight_page.render)
ABOUT_BRIEF = Question(BRIEF, _brief, brief_page.render)
ABOUT_SIMILAR = Question(SIMILAR, _similar, similar_page.render)
QUESTIONS = (ABOUT_THREAD, ABOUT_CLAIMS, ABOUT_BRIEF, ABOUT_SIMILAR)
