"""GitHub as the fetching assets see it: one thing, a list page by page, a GraphQL query.

Everything that goes wrong on the way and can go right by itself has been dealt with when these return; what
remains is raised as one of `errors`.
"""

from __future__ import annotations

import re
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Self, cast
from urllib.parse import parse_qs, urlencode, urlsplit

import orjson

from relore_assets.fetch.github.activity import NullActivity
from relore_assets.fetch.github.addresses import Base, base, with_query
from relore_assets.fetch.github.errors import (
    Forbidden,
    GraphQLFailed,
    GraphQLProblem,
    Moved,
    NotFound,
    Transferred,
    Unavailable,
)
from relore_assets.fetch.github.exchange import PATIENCE, TRIES, Answer, Elsewhere, Exchange, Request
from relore_assets.fetch.github.protocol import backoff, links, read_graphql
from relore_assets.fetch.github.sender import Sender, Timeouts
from relore_serve.hidden_characters import strip_hidden

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from types import TracebackType

    from relore_assets.fetch.github.tokens import TokenSource

__all__ = ["Answer", "GitHub", "Page", "Timeouts"]

_HEADERS = {
    "Accept": "application/vnd.github+json",
    "X-GitHub-Api-Version": "2022-11-28",
}

SIZES = (100, 50, 25, 10)
"""Items per page that are tried in turn when GitHub cannot build a page."""

_GROW_AFTER = 3


@dataclass(frozen=True)
class Page:
    """One page of a list.

    Attributes:
        items: what is on it. number: which of the pages yielded it is, from 1. per_page: how many were asked for.
        etag: the version of this page. last: whether the list ends here. stated_pages: how many pages of this
        size GitHub says there are; None where it does not.
    """

    items: list[dict[str, Any]]
    number: int
    etag: str | None
    per_page: int
    last: bool
    stated_pages: int | None


class GitHub:
    """A client; may be used from several threads, and closed once all are done.

    Args:
        base_url: the operator's address of the REST API, or one that is checked already.
        tokens: whose requests they are.
        activity: told of every request, wait and quota.
        sleep: waits for seconds.
        now: seconds since 1970.
        timeouts: of a single request.
        patience: seconds that one request may wait for limits in all before `Exhausted` is raised.

    Raises:
        BadBase: the address cannot be used.
    """

    def __init__(
        self,
        base_url: str | Base,
        tokens: TokenSource,
        activity: NullActivity | None = None,
        *,
        sleep: Callable[[float], object] = time.sleep,
        now: Callable[[], float] = time.time,
        timeouts: Timeouts | None = None,
        patience: float = PATIENCE,
    ) -> None:
        self.base = base_url if isinstance(base_url, Base) else base(base_url)
        self.activity = activity if activity is not None else NullActivity(now=now)
        self._tokens = tokens
        self._sleep = sleep
        self._sender = Sender(timeouts or Timeouts(), proxies=not self.base.loopback)
        self._exchange = Exchange(
            self.base, self._sender, self.activity, sleep=sleep, now=now, patience=patience
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Close all connections."""
        self._sender.close()

    def pause(self, reason: str, seconds: float) -> None:
        """Leave GitHub alone for a while before asking something again in another way."""
        with self.activity.waiting(reason, seconds):
            self._sleep(seconds)

    def get(
        self, path: str, params: Mapping[str, str | int] | None = None, *, etag: str | None = None
    ) -> Answer:
        """Ask for one thing; with ``etag`` the answer may be that it has not changed.

        Raises:
            Moved: the repository has another name now.
            Transferred: the thread is in another repository now.
            GitHubError: see `errors`.
        """
        return self._get(self._url(path, params), etag=etag)

    def pages(
        self,
        path: str,
        params: Mapping[str, str | int] | None = None,
        *,
        per_page: int = SIZES[0],
        etag: str | None = None,
    ) -> Iterator[Page]:
        """Walk a list to its end, following GitHub's own links.

        An empty list is one page without items. With ``etag`` there is no page at all when the first one is
        unchanged. A page that GitHub cannot build is asked for in smaller pieces; no item is given twice for that.

        Raises:
            CapReached: the list goes on, and cannot be followed further this way.
            GitHubError: see `errors`; pages already given stay good.
        """
        url = self._url(path, {**(params or {}), "per_page": per_page})
        number, good, skip, malformed = 0, 0, 0, 0
        followed = {url}
        while True:
            number += 1
            try:
                answer = self._get(url, etag=etag if number == 1 else None, divisible=per_page > SIZES[-1])
            except Unavailable as failure:
                smaller = next((size for size in SIZES if size < per_page), None)
                if not failure.heavy or smaller is None:
                    raise
                url, skip = _resized(url, per_page, smaller, skip)
                per_page, number, good = smaller, number - 1, 0
                self.activity.retried("smaller page")
                continue
            if answer.not_modified and etag is not None and number == 1:
                return
            items = _items(answer.body, path)
            following = links(answer.headers, self.base)
            if items is None or (not items and "next" in following):
                # Not how a page of GitHub's looks, and no end either: somebody on the way may have made it.
                malformed += 1
                if malformed >= TRIES:
                    raise Unavailable(
                        f"GitHub answered the list {path} with something else: try again later."
                    )
                self.activity.retried("no list")
                self.pause("no list", backoff(malformed, 0))
                number -= 1
                continue
            malformed = 0
            yield Page(
                items[skip:], number, answer.etag, per_page, "next" not in following, _stated(following)
            )
            if "next" not in following:
                return
            if following["next"] in followed:
                raise Unavailable(f"GitHub's list {path} leads in circles: try again later.")
            followed.add(following["next"])
            url, skip, good = following["next"], 0, good + 1
            larger = next((size for size in reversed(SIZES) if size > per_page), None)
            if larger is not None and good >= _GROW_AFTER and _aligned(url, per_page, larger):
                url, _ = _resized(url, per_page, larger, 0)
                per_page, good = larger, 0

    def graphql(self, query: str, variables: Mapping[str, Any] | None = None) -> dict[str, Any]:
        """Return the data of a query, whole.

        Ask for ``rateLimit { cost }`` in the query to have its points counted.

        Raises:
            GraphQLFailed: it came with errors; the caller may ask for less when ``heavy``, and use
            ``partial`` when ``only_missing``.
            Forbidden: the token lacks a right.
            NotFound: the repository is not there.
            GitHubError: see `errors`.
        """
        body = orjson.dumps({"query": query, "variables": dict(variables or {})})
        headers = {**_HEADERS, "Content-Type": "application/json"}
        request = Request("POST", self.base.graphql, headers, body, divisible=True)
        try:
            answer = self._exchange.run(request, self._tokens.lanes)
        except Unavailable as failure:
            if not failure.heavy:
                raise
            raise GraphQLFailed(None, [GraphQLProblem(str(failure))], heavy=True) from failure
        if isinstance(answer, Elsewhere):
            raise Unavailable("GitHub's GraphQL address has moved: check RELORE_GITHUB_URL.")
        told = read_graphql(answer.body)
        # Who was asked for a review may be somebody whom this token may not see.
        problems = [problem for problem in told.problems if not problem.is_spared]
        if told.data is not None and not problems:
            return told.data
        for problem in problems:
            if problem.type in {"FORBIDDEN", "INSUFFICIENT_SCOPES"}:
                raise Forbidden(
                    "The token may not read all of a GraphQL query: give it the rights issues=read and "
                    f"pull_requests=read, or use another token (GitHub says: {problem.message})"
                )
            if problem.type == "NOT_FOUND" and problem.path == ("repository",):
                raise NotFound("The repository is not on GitHub, or the token may not see it.")
        raise GraphQLFailed(told.data, problems, heavy=told.heavy)

    def _get(self, url: str, *, etag: str | None = None, divisible: bool = False) -> Answer:
        headers = {**_HEADERS, "If-None-Match": etag} if etag else _HEADERS
        answer = self._exchange.run(Request("GET", url, headers, divisible=divisible), self._tokens.lanes)
        if isinstance(answer, Elsewhere):
            raise self._moved(url, answer.url)
        return answer

    def _moved(self, url: str, to: str) -> Moved | Transferred | Unavailable:
        """Find out what a permanent redirect means: a repository's new name, or a thread's new repository."""
        asked = _NAMED.match(self.base.path(url))
        points = _REPOSITORY.match(self.base.path(to))
        if asked is None or points is None:
            return Unavailable(f"GitHub redirects {self.base.path(url)} for good, and does not say where to.")
        if self.base.path(to) == self.base.path(url):
            return Unavailable(f"GitHub redirects {self.base.path(url)} to itself: try again later.")
        new = self._name(points["repository"])
        if asked["rest"] and self._stands(asked["repository"]):
            return Transferred(self.base.path(url), new)
        return Moved(asked["repository"].removeprefix("/repos/"), new)

    def _stands(self, repository: str) -> bool:
        answer = self._exchange.run(
            Request("GET", self.base.address(repository), _HEADERS), self._tokens.lanes
        )
        return isinstance(answer, Answer)

    def _name(self, repository: str) -> str:
        answer = self._exchange.run(
            Request("GET", self.base.address(repository), _HEADERS), self._tokens.lanes
        )
        if isinstance(answer, Elsewhere) or not isinstance(answer.body, dict):
            raise Unavailable(f"GitHub does not say what {repository} is called now.")
        return strip_hidden(str(cast("dict[str, Any]", answer.body).get("full_name")))[0]

    def _url(self, path: str, params: Mapping[str, str | int] | None) -> str:
        url = self.base.address(path)
        return f"{url}?{urlencode(params)}" if params else url


_NAMED = re.compile(r"^(?P<repository>/repos/[^/]+/[^/]+)(?P<rest>/.*)?$")
_REPOSITORY = re.compile(r"^(?P<repository>/repositories/\d+|/repos/[^/]+/[^/]+)(?:/.*)?$")


def _items(body: object, path: str) -> list[dict[str, Any]] | None:
    """Return the entries of a page, None when it is none. A search, and nothing else, wraps its list."""
    if path.startswith("/search/") and isinstance(body, dict):
        body = cast("dict[str, Any]", body).get("items")
    if not isinstance(body, list):
        return None
    entries = cast("list[Any]", body)
    return entries if all(isinstance(entry, dict) for entry in entries) else None


def _query(url: str) -> dict[str, list[str]]:
    return parse_qs(urlsplit(url).query)


def _page_number(url: str) -> int:
    return int(_query(url).get("page", ["1"])[0])


def _by_cursor(url: str) -> bool:
    return "after" in _query(url)


def _resized(url: str, size: int, new_size: int, skip: int) -> tuple[str, int]:
    """Return the address of the page of ``new_size`` that holds what comes next, and how many items to pass over.

    A cursor stands wherever it stands, and takes any size. With page numbers the first item asked for is
    the one at ``(page - 1) * size + skip``, which a page of another size need not begin with.
    """
    if _by_cursor(url):
        return with_query(url, per_page=new_size), 0
    offset = (_page_number(url) - 1) * size + skip
    return with_query(url, per_page=new_size, page=offset // new_size + 1), offset % new_size


def _aligned(url: str, size: int, larger: int) -> bool:
    """Whether a larger page can begin where this one does."""
    return _by_cursor(url) or (_page_number(url) - 1) * size % larger == 0


def _stated(following: Mapping[str, str]) -> int | None:
    last = following.get("last")
    return _page_number(last) if last else None
