"""Sees one request through to its answer: choosing a token, waiting out limits, trying again, renewing a token.

What a reply means is `protocol`'s to say, and where a list or a query goes on is `client`'s.
"""

from __future__ import annotations

import random
import time
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from http import HTTPStatus
from typing import TYPE_CHECKING, Any, assert_never

from relore_assets.fetch.github.addresses import template
from relore_assets.fetch.github.errors import BadToken, Exhausted, Unavailable
from relore_assets.fetch.github.protocol import (
    Limited,
    NotModified,
    Ok,
    Redirect,
    Refused,
    Reply,
    Retry,
    backoff,
    judge,
    quota_of,
    read_graphql,
    secondary_wait,
)
from relore_assets.fetch.github.sender import TransportFailed
from relore_assets.fetch.github.tokens import choose

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping, Sequence

    from relore_assets.fetch.github.activity import NullActivity
    from relore_assets.fetch.github.addresses import Base
    from relore_assets.fetch.github.sender import Send
    from relore_assets.fetch.github.tokens import Lane, Turn

TRIES = 6
HEAVY_TRIES = 3
"""As many attempts at what may be too much work, where the caller can ask for less instead."""

PATIENCE = 7_500.0
"""Seconds that one request waits for limits in all: two full windows of the hourly quota, and some."""

REDIRECTS = 5


@dataclass(frozen=True)
class Request:
    """One request.

    Attributes:
        method: GET or POST. url: absolute, and of our own origin. headers: beyond the usual. body: JSON.
        divisible: the caller can ask for less, so what may be too much work is given up sooner.
    """

    method: str
    url: str
    headers: Mapping[str, str] = field(default_factory=dict[str, str])
    body: bytes | None = None
    divisible: bool = False


@dataclass(frozen=True)
class Answer:
    """What a request came to: the parsed body (None with 304) and the headers, in lower case."""

    status: int
    body: Any
    headers: Mapping[str, str]

    @property
    def etag(self) -> str | None:
        """The version of the answer, to be named when asking again."""
        return self.headers.get("etag")

    @property
    def not_modified(self) -> bool:
        """Whether nothing has changed since the ETag that was named."""
        return self.status == HTTPStatus.NOT_MODIFIED


@dataclass(frozen=True)
class Elsewhere:
    """A permanent redirect, whose meaning depends on what was asked for; ``url`` is of our own origin."""

    url: str


@dataclass
class _Tries:
    """What one request has been through."""

    failed: int = 0
    heavy: int = 0
    waited: float = 0.0
    redirects: int = 0


class Exchange:
    """Carries requests out.

    Args:
        base: where GitHub is.
        send: sends one request.
        activity: told of everything.
        sleep: waits for seconds.
        now: seconds since 1970.
        jitter: numbers between 0 and 1.
        patience: seconds that one request may wait for limits in all.
    """

    def __init__(
        self,
        base: Base,
        send: Send,
        activity: NullActivity,
        *,
        sleep: Callable[[float], object] = time.sleep,
        now: Callable[[], float] = time.time,
        jitter: Callable[[], float] = random.random,
        patience: float = PATIENCE,
    ) -> None:
        self._base = base
        self._send = send
        self._activity = activity
        self._sleep = sleep
        self._now = now
        self._jitter = jitter
        self._patience = patience

    def run(self, request: Request, lanes: Sequence[Lane]) -> Answer | Elsewhere:
        """Return the answer, or where it permanently is.

        Raises:
            Exhausted: limits would keep us waiting longer than we may.
            Unavailable: it failed every time.
            ForeignOrigin: it was redirected away from our origin.
            GitHubError: GitHub refused it; see `errors`.
        """
        tries = _Tries()
        url = request.url
        while True:
            path = self._base.path(url)
            resource = resource_of(path)
            lane = self._lane(lanes, resource, tries)
            bearer = lane.bearer()
            outcome = self._attempt(request, url, lane, bearer, lanes)
            if isinstance(outcome, Reply):
                verdict = self._verdict(outcome, path, resource)
                if isinstance(verdict, Ok | NotModified):
                    lane.served()
                    return self._answer(outcome, verdict)
            else:
                verdict = outcome
            if isinstance(verdict, Redirect):
                url = self._base.own(verdict.location)
                if verdict.permanent:
                    return Elsewhere(url)
            self._deal_with(verdict, request, path, lane, bearer, tries)

    def _answer(self, reply: Reply, verdict: Ok | NotModified) -> Answer:
        if isinstance(verdict, Ok):
            return Answer(reply.status, verdict.data, reply.headers)
        self._activity.not_modified()
        return Answer(reply.status, None, reply.headers)

    def _deal_with(
        self,
        verdict: Limited | Retry | Redirect | Refused,
        request: Request,
        path: str,
        lane: Lane,
        bearer: str,
        tries: _Tries,
    ) -> None:
        """Do what is to be done before the next attempt, or raise when there is to be none."""
        match verdict:
            case Redirect():
                tries.redirects += 1
                if tries.redirects > REDIRECTS:
                    raise Unavailable(f"GitHub sends requests for {path} in circles.")
            case Limited():
                self._rest(lane, resource_of(path), verdict)
            case Retry():
                self._back_off(request, path, verdict, tries)
            case Refused(error, stale_token):
                if not stale_token:
                    raise error
                if not lane.renew(bearer):
                    raise BadToken(
                        f"{str(error).rstrip('.')}. It was {lane.name}: make a new one, and set it."
                    )
            case _:
                assert_never(verdict)

    def _attempt(
        self, request: Request, url: str, lane: Lane, bearer: str, lanes: Sequence[Lane]
    ) -> Reply | Retry:
        self._activity.request(template(self._base.path(url)))
        try:
            reply = self._send(request.method, url, request.headers, request.body, bearer)
        except TransportFailed as failure:
            return Retry(failure.reason, heavy=failure.heavy)
        reply = without_secrets(reply, {bearer, *(each.secret for each in lanes)})
        quota = quota_of(reply.headers, self._now())
        if quota is not None:
            self._activity.quota(lane.name, lane.note(quota))
        return reply

    def _verdict(
        self, reply: Reply, path: str, resource: str
    ) -> Ok | NotModified | Limited | Retry | Redirect | Refused:
        verdict = judge(reply, path=path, now=self._now())
        if resource == "graphql" and isinstance(verdict, Ok):
            told = read_graphql(verdict.data)
            self._activity.points(told.points or 0)
            if told.limited is not None:
                return told.limited
        return verdict

    def _lane(self, lanes: Sequence[Lane], resource: str, tries: _Tries) -> Lane:
        """Return the lane to use, having waited for it."""
        lane, turn = choose(lanes, resource, self._now())
        if turn.seconds:
            self._wait_for_turn(lane, resource, turn, tries)
        return lane

    def _wait_for_turn(self, lane: Lane, resource: str, turn: Turn, tries: _Tries) -> None:
        reason, seconds = turn.reason, turn.seconds
        if tries.waited + seconds > self._patience:
            until = datetime.fromtimestamp(self._now() + seconds, UTC)
            raise Exhausted(
                f"GitHub's {reason} for {lane.name} does not let us on until {until:%Y-%m-%d %H:%M:%S} UTC; "
                "run this again then, it goes on where it stopped.",
                resource=resource,
                resets_at=until,
            )
        tries.waited += seconds
        with self._activity.waiting(reason, seconds):
            self._sleep(seconds)
        lane.waited(resource)

    def _rest(self, lane: Lane, resource: str, limited: Limited) -> None:
        """Note a limit at the lane; the next round waits for it, or takes another lane."""
        now = self._now()
        if limited.kind == "quota":
            self._activity.retried(f"{resource} quota")
            lane.spent(resource, now, limited.seconds)
            return
        times = lane.secondary()
        self._activity.retried("secondary limit")
        lane.rest(now + max(1.0, secondary_wait(times) if limited.seconds is None else limited.seconds))

    def _back_off(self, request: Request, path: str, failure: Retry, tries: _Tries) -> None:
        """Wait a little before the next attempt.

        Raises:
            Unavailable: this was the last.
        """
        tries.failed += 1
        tries.heavy += failure.heavy
        # Asking for less is the better remedy only where the size is what failed.
        too_heavy = request.divisible and tries.heavy >= HEAVY_TRIES
        if too_heavy or tries.failed >= TRIES:
            raise Unavailable(
                f"GitHub did not serve {path} in {tries.failed} attempts, the last of which failed by "
                f"{failure.reason}; what is stored stays, and running this again goes on from there.",
                heavy=too_heavy or failure.heavy,
            )
        self._activity.retried(failure.reason)
        seconds = backoff(tries.failed, self._jitter()) if failure.seconds is None else failure.seconds
        if tries.waited + seconds > self._patience:
            asks = "" if failure.seconds is None else f", and asks to be left alone for {seconds:.0f} seconds"
            raise Unavailable(f"GitHub did not serve {path} ({failure.reason}){asks}: try again later.")
        tries.waited += seconds
        with self._activity.waiting(failure.reason, seconds):
            self._sleep(seconds)


def without_secrets(reply: Reply, secrets: Collection[str]) -> Reply:
    """Return a reply in which no token of ours stands: who is in between may repeat what was sent to it."""
    body = reply.body
    for secret in secrets:
        if secret and secret.encode() in body:
            body = body.replace(secret.encode(), b"[token]")
    return reply if body is reply.body else replace(reply, body=body)


def resource_of(path: str) -> str:
    """Return the quota that a path counts against."""
    if path.startswith("/search/"):
        return "search"
    return "graphql" if path.endswith("/graphql") else "core"
