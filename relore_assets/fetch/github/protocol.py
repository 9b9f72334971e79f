"""What GitHub meant: functions over status, headers and bytes that do no I/O and know no clock but the given one.

A reply becomes one of a few verdicts, which say what is to be done and not what was sent. How often to try, and
the waiting itself, is the business of `exchange`.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from http import HTTPStatus
from typing import TYPE_CHECKING, Any, Literal, cast

import orjson

from relore_assets.fetch import lenient
from relore_assets.fetch.github.addresses import template
from relore_assets.fetch.github.errors import (
    BadToken,
    Blocked,
    CapReached,
    Forbidden,
    GitHubError,
    Gone,
    GraphQLProblem,
    NotFound,
    Rejected,
)
from relore_serve.hidden_characters import strip_hidden

if TYPE_CHECKING:
    from collections.abc import Mapping

    from relore_assets.fetch.github.addresses import Base

SECONDARY_WAIT = 60.0
"""Seconds to stay away when GitHub names a secondary limit and no time; doubled each time in a row."""

LONGEST_WAIT = 900.0
BACKOFF_CEILING = 60.0
_LONGEST_MESSAGE = 300
#: No limit of GitHub's lasts a year; more is a mistake, and no date that a calendar has.
_LONGEST_WAIT_ASKED = 366 * 86_400.0


@dataclass(frozen=True)
class Reply:
    """What came over the wire. Header names are in lower case."""

    status: int
    headers: Mapping[str, str]
    body: bytes


@dataclass(frozen=True)
class Quota:
    """GitHub's word on one quota of a token; ``resets_at`` is by our clock, whatever GitHub's says."""

    resource: str
    limit: int
    remaining: int
    resets_at: float


@dataclass(frozen=True)
class Ok:
    """The data that was asked for."""

    data: Any


@dataclass(frozen=True)
class NotModified:
    """It is as it was at the given ETag."""


@dataclass(frozen=True)
class Limited:
    """Refused for asking too much; nothing is wrong with the request or the token.

    Attributes:
        kind: the hourly quota, or a secondary limit. seconds: how long GitHub wants us to stay away; None when
        it did not say.
    """

    kind: Literal["quota", "secondary"]
    seconds: float | None


@dataclass(frozen=True)
class Retry:
    """GitHub, or the way to it, failed.

    Attributes:
        reason: a few words for counts and messages. seconds: a wait that GitHub asked for. heavy: it may have
        been too much work, so asking for less may help.
    """

    reason: str
    seconds: float | None = None
    heavy: bool = False


@dataclass(frozen=True)
class Redirect:
    """It is elsewhere.

    Attributes:
        location: as GitHub wrote it, unchecked. permanent: the old address is not to be used any more.
    """

    location: str
    permanent: bool


@dataclass(frozen=True)
class Refused:
    """Trying again cannot help.

    Attributes:
        stale_token: GitHub does not know the token, which may have run out in this moment.
    """

    error: GitHubError
    stale_token: bool = False


Verdict = Ok | NotModified | Limited | Retry | Redirect | Refused

_HEAVY = frozenset({HTTPStatus.BAD_GATEWAY, HTTPStatus.GATEWAY_TIMEOUT})
_GOOD = frozenset({HTTPStatus.OK, HTTPStatus.CREATED, HTTPStatus.NO_CONTENT, HTTPStatus.NOT_MODIFIED})
_REDIRECTS = frozenset({301, 302, 303, 307, 308})
_PERMANENT = frozenset({301, 308})

_SECONDARY = re.compile(
    r"secondary rate limit|secondary-rate-limit|abuse (?:detection|rate)|abuse-rate-limit", re.IGNORECASE
)
_PRIMARY = re.compile(r"\bAPI rate limit exceeded", re.IGNORECASE)
_NO_RIGHT = re.compile(
    r"not accessible by|\bmust have\b|\bmust be\b|\bSAML\b|\bIP allow list\b|forbids access|scopes?\b",
    re.IGNORECASE,
)
_CAP = re.compile(
    r"pagination is limited|cursor[- ]based pagination|pagination with the page parameter|"
    r"only the first \d+ search results",
    re.IGNORECASE,
)
_DISABLED = re.compile(r"\bdisabled\b", re.IGNORECASE)


def judge(reply: Reply, *, path: str, now: float) -> Verdict:
    """Say what a reply means.

    Args:
        reply: what came.
        path: what was asked for below the base, for messages.
        now: seconds since 1970 by our clock.
    """
    status = reply.status
    if status in _GOOD:
        return _read(reply)
    if status in _REDIRECTS:
        return _redirect(reply)
    if status >= HTTPStatus.INTERNAL_SERVER_ERROR:
        return Retry(str(status), _retry_after(reply.headers, now), heavy=status in _HEAVY)
    limited = _limited(reply, now)
    return limited if limited is not None else _refused(reply, path)


def backoff(attempt: int, jitter: float) -> float:
    """Return the seconds to wait before trying again: doubling with each attempt (from 1), never above a minute.

    ``jitter`` between 0 and 1 takes off up to half, so that those who failed together do not come back together.
    """
    return min(BACKOFF_CEILING, 2.0**attempt) * (1 - jitter / 2)


def secondary_wait(times: int) -> float:
    """Return the seconds to stay away at the ``times``-th secondary limit in a row that names no time."""
    return min(LONGEST_WAIT, SECONDARY_WAIT * 2 ** (times - 1))


def quota_of(headers: Mapping[str, str], now: float) -> Quota | None:
    """Return the quota that a reply tells of, None when it tells of none."""
    try:
        limit = int(headers["x-ratelimit-limit"])
        remaining = int(headers["x-ratelimit-remaining"])
        resets_at = float(headers["x-ratelimit-reset"])
    except (KeyError, ValueError):
        return None
    if not math.isfinite(resets_at) or resets_at - now > _LONGEST_WAIT_ASKED:
        return None
    # The distance counts: GitHub's clock and ours need not agree.
    github_now = _date(headers)
    return Quota(
        headers.get("x-ratelimit-resource", "core"),
        limit,
        remaining,
        resets_at if github_now is None else now + (resets_at - github_now),
    )


_LINK = re.compile(r"<([^>]*)>([^<]*)")
_REL = re.compile(r""";\s*rel\s*=\s*(?:"([^"]*)"|([^\s;,"]+))""", re.IGNORECASE)


def links(headers: Mapping[str, str], origin: Base) -> dict[str, str]:
    """Return the addresses of the Link header by relation.

    Raises:
        ForeignOrigin: the next page would be elsewhere.
    """
    found: dict[str, str] = {}
    for url, parameters in _LINK.findall(headers.get("link", "")):
        for quoted, bare in _REL.findall(parameters):
            for relation in (quoted or bare).lower().split():
                found.setdefault(relation, url)
    return {relation: origin.own(url) for relation, url in found.items() if relation in {"next", "last"}}


def next_link(headers: Mapping[str, str], origin: Base) -> str | None:
    """Return the address of the next page, None on the last.

    Raises:
        ForeignOrigin: it would be elsewhere.
    """
    return links(headers, origin).get("next")


@dataclass(frozen=True)
class GraphQLReply:
    """A GraphQL answer taken apart.

    Attributes:
        data: None when there is none. problems: its errors. points: what it cost, None when the query did not ask.
        quota: whether and how it was refused for asking too much.
    """

    data: dict[str, Any] | None
    problems: tuple[GraphQLProblem, ...]
    points: int | None
    limited: Limited | None
    heavy: bool


_TOO_MUCH_WORK = re.compile(
    r"something went wrong while executing your query|timedout|timeout|timed out|"
    r"couldn't respond to your request in time|resource limits",
    re.IGNORECASE,
)


def read_graphql(body: Any) -> GraphQLReply:
    """Take the parsed body of a GraphQL reply with status 200 apart; one that is none counts as heavy failure."""
    if not isinstance(body, dict):
        return GraphQLReply(None, (GraphQLProblem("the answer is no object"),), None, None, heavy=True)
    answer = cast("dict[str, Any]", body)
    data = answer.get("data")
    errors = answer.get("errors")
    if errors is not None and not isinstance(errors, list):
        errors = ["errors that are no list"]
    problems = tuple(_problem(entry) for entry in cast("list[object]", errors or ()))
    if not isinstance(data, dict):
        data = None
        problems = problems or (GraphQLProblem("the answer has no data"),)
    told = cast("dict[str, Any]", data or {}).get("rateLimit")
    cost = cast("dict[str, Any]", told).get("cost") if isinstance(told, dict) else None
    limited: Limited | None = None
    if any(problem.type == "RATE_LIMITED" or _PRIMARY.search(problem.message) for problem in problems):
        limited = Limited("quota", None)
    elif any(_SECONDARY.search(problem.message) for problem in problems):
        limited = Limited("secondary", None)
    return GraphQLReply(
        cast("dict[str, Any] | None", data),
        problems,
        cost if isinstance(cost, int) else None,
        limited,
        heavy=any(
            problem.type == "RESOURCE_LIMITS_EXCEEDED" or _TOO_MUCH_WORK.search(problem.message)
            for problem in problems
        ),
    )


def _problem(entry: object) -> GraphQLProblem:
    if not isinstance(entry, dict):
        return GraphQLProblem("an error without words")
    said = cast("dict[str, Any]", entry)
    path = said.get("path")
    return GraphQLProblem(
        _shown(" ".join(str(said.get("message") or "an error without words").split())),
        str(said.get("type") or ""),
        tuple(cast("list[str | int]", path)) if isinstance(path, list) else (),
    )


def parse(body: bytes) -> Any:
    """Return the value of a JSON text.

    Raises:
        ValueError: it is none.
    """
    try:
        return orjson.loads(body)
    except orjson.JSONDecodeError:
        # GitHub has stored halves of surrogate pairs.
        return lenient.loads(body)


def _read(reply: Reply) -> Ok | NotModified | Retry:
    if reply.status == HTTPStatus.NOT_MODIFIED:
        return NotModified()
    if reply.status == HTTPStatus.NO_CONTENT:
        return Ok(None)
    try:
        return Ok(parse(reply.body))
    except ValueError:
        # A body that was cut where nobody noticed.
        return Retry("unreadable body")


def _redirect(reply: Reply) -> Redirect | Retry:
    location = reply.headers.get("location")
    if location is None:
        return Retry(f"{reply.status} without an address")
    return Redirect(location, permanent=reply.status in _PERMANENT)


def _limited(reply: Reply, now: float) -> Limited | None:
    """Return how a 403 or 429 is a limit, None when it is something else."""
    if reply.status not in {HTTPStatus.FORBIDDEN, HTTPStatus.TOO_MANY_REQUESTS}:
        return None
    message, documentation = _words(reply.body)
    after = _retry_after(reply.headers, now)
    if _SECONDARY.search(f"{message} {documentation}"):
        # Its reset header is about the hourly quota, and says nothing here.
        return Limited("secondary", after)
    quota = quota_of(reply.headers, now)
    spent = quota is not None and quota.remaining == 0
    if reply.status == HTTPStatus.FORBIDDEN and not _PRIMARY.search(message):
        if _NO_RIGHT.search(message):
            return None  # also when it was asked with the last request of the hour
        if after is None and not spent:
            return None
    if spent or _PRIMARY.search(message):
        return Limited("quota", after if quota is None else max(1.0, quota.resets_at - now))
    return Limited("secondary", after)


def _refused(reply: Reply, path: str) -> Refused:
    message, _ = _words(reply.body)
    if reply.status == HTTPStatus.UNAUTHORIZED:
        return Refused(BadToken(f"GitHub does not accept the token{_said(message)}"), stale_token=True)
    return Refused(_error(reply, path, message))


def _error(reply: Reply, path: str, message: str) -> GitHubError:
    error: GitHubError
    match reply.status:
        case HTTPStatus.FORBIDDEN:
            right = _right(reply.headers, path)
            error = Forbidden(
                f"The token may not read {path}: it lacks {right}; grant that, or use another token "
                f"(GitHub says{_said(message)})",
                right,
            )
        case HTTPStatus.NOT_FOUND:
            error = NotFound(
                f"{path.removeprefix('/repos/')} is not on GitHub, or the token may not see it: check the name "
                "and what the token was made for."
            )
        case HTTPStatus.GONE:
            disabled = _DISABLED.search(message) is not None
            what = (
                "issues are disabled there, and only its pull requests can be fetched (relored backfill)"
                if disabled
                else "it has been deleted"
            )
            error = Gone(f"GitHub no longer serves {path}: {what}.", disabled=disabled)
        case HTTPStatus.UNAVAILABLE_FOR_LEGAL_REASONS:
            error = Blocked(
                f"GitHub withholds {path} for legal reasons: nothing can be fetched, and what is stored stays."
            )
        case HTTPStatus.UNPROCESSABLE_ENTITY if _CAP.search(message):
            error = CapReached(f"GitHub does not page further into {path}.")
        case status:
            error = Rejected(f"GitHub rejects the request for {path} with {status}{_said(message)}", status)
    return error


def _said(message: str) -> str:
    return f": {message}" if message else "."


#: Which right of a fine-grained token or an App covers a path, where GitHub's answer does not say.
_RIGHTS = (
    ("pulls", "pull_requests=read"),
    ("issues", "issues=read"),
    ("collaborators", "metadata=read and push access"),
    ("commits", "contents=read"),
)


def right_for(path: str) -> str:
    """Return the right that reading a path takes, in GitHub's words."""
    words = template(path).split("/")
    return next((right for word, right in _RIGHTS if word in words), "metadata=read")


def _right(headers: Mapping[str, str], path: str) -> str:
    granular = headers.get("x-accepted-github-permissions", "")
    if granular:
        return granular
    accepted = _scopes(headers.get("x-accepted-oauth-scopes", ""))
    if accepted and not accepted & _scopes(headers.get("x-oauth-scopes", "")):
        return f"the scope {' or '.join(sorted(accepted))}"
    return right_for(path)


def _scopes(header: str) -> set[str]:
    return {scope.strip() for scope in header.split(",") if scope.strip()}


def _words(body: bytes) -> tuple[str, str]:
    """Return the message and the address of documentation in a reply that says no; at most a few lines."""
    try:
        told = parse(body)
    except ValueError:
        return _shown(" ".join(body[:1200].decode("utf-8", "replace").split())), ""
    if not isinstance(told, dict):
        return "", ""
    said = cast("dict[str, Any]", told)
    message = " ".join(str(said.get("message") or "").split())
    return _shown(message), str(said.get("documentation_url") or "")


def _shown(message: str) -> str:
    """Return foreign words as they may be shown: a line, and nothing in it that a terminal would obey."""
    return strip_hidden(message)[0][:_LONGEST_MESSAGE]


def _retry_after(headers: Mapping[str, str], now: float) -> float | None:
    """Return the seconds that GitHub asks us to stay away; both forms of the header are allowed."""
    value = headers.get("retry-after", "").strip()
    if not value:
        return None
    if value.isascii() and value.isdigit():
        return min(float(value), _LONGEST_WAIT_ASKED)
    try:
        moment = parsedate_to_datetime(value)
    except ValueError:
        return None
    github_now = _date(headers)
    return min(_LONGEST_WAIT_ASKED, max(0.0, _seconds(moment) - (now if github_now is None else github_now)))


def _date(headers: Mapping[str, str]) -> float | None:
    try:
        return _seconds(parsedate_to_datetime(headers["date"]))
    except (KeyError, ValueError):
        return None


def _seconds(moment: datetime) -> float:
    return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp()
