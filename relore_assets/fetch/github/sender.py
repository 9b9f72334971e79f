"""Sends one request and brings the whole answer, or says that it did not come. The only place that touches sockets.

Redirects are not followed here, nothing is tried twice, and no status is judged: see `protocol` and `exchange`.
"""

from __future__ import annotations

import threading
import time
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from typing import TYPE_CHECKING, Protocol

import requests
from requests.auth import AuthBase
from urllib3.exceptions import HTTPError as TransportError
from urllib3.exceptions import ReadTimeoutError

from relore_assets.fetch.github.protocol import Reply

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

_CHUNK = 1 << 16
_LARGEST = 256 << 20


@dataclass(frozen=True)
class Timeouts:
    """Seconds: to connect, between two pieces of an answer, and for the whole of it."""

    connect: float = 10.0
    read: float = 30.0
    total: float = 120.0


class TransportFailed(Exception):
    """No whole answer came.

    Attributes:
        reason: a few words that name no address and no header. heavy: GitHub took the request and was too slow.
    """

    def __init__(self, reason: str, *, heavy: bool = False) -> None:
        super().__init__(reason)
        self.reason = reason
        self.heavy = heavy


class Send(Protocol):
    """What `exchange` needs of a sender."""

    def __call__(
        self, method: str, url: str, headers: Mapping[str, str], body: bytes | None, bearer: str
    ) -> Reply:
        """Return the reply, whatever its status; raise TransportFailed when none came whole."""
        ...


class _Bearer(AuthBase):
    """Sets the header itself: with an ``auth`` of ours, requests does not look for one in ~/.netrc."""

    def __init__(self, token: str) -> None:
        self._token = token

    def __call__(self, r: requests.PreparedRequest) -> requests.PreparedRequest:
        if self._token:
            r.headers["Authorization"] = f"Bearer {self._token}"
        return r


class Sender:
    """Sends over HTTP with connections that are kept; one session per thread.

    Args:
        timeouts: how long to wait for what.
        proxies: whether the environment's proxies count; they must not for this machine's own addresses.
        stopwatch: a clock that never jumps.
    """

    def __init__(
        self,
        timeouts: Timeouts,
        *,
        proxies: bool = True,
        stopwatch: Callable[[], float] = time.monotonic,
    ) -> None:
        self._timeouts = timeouts
        self._proxies = proxies
        self._stopwatch = stopwatch
        self._local = threading.local()
        self._lock = threading.Lock()
        self._sessions: list[requests.Session] = []

    def __call__(
        self, method: str, url: str, headers: Mapping[str, str], body: bytes | None, bearer: str
    ) -> Reply:
        """Send and read to the end.

        Raises:
            TransportFailed: no connection, a connection that broke, a body that was cut, or too slow.
            requests.RequestException: the request cannot be sent at all, by whatever way.
        """
        try:
            return self._sent(method, url, headers, body, bearer)
        except (requests.RequestException, TransportError, OSError) as error:
            failure = _meaning(error)
            if failure is None:
                raise
        # Out here it has no context: the library's errors hold the request, and that holds the token.
        raise failure

    def _sent(
        self, method: str, url: str, headers: Mapping[str, str], body: bytes | None, bearer: str
    ) -> Reply:
        deadline = self._stopwatch() + self._timeouts.total
        with self._session().request(
            method,
            url,
            headers=dict(headers),
            data=body,
            auth=_Bearer(bearer),
            timeout=(self._timeouts.connect, self._timeouts.read),
            allow_redirects=False,
            stream=True,
        ) as response:
            return Reply(
                response.status_code,
                {name.lower(): value for name, value in response.headers.items()},
                self._body(response, deadline),
            )

    def close(self) -> None:
        """Close the connections of every thread."""
        with self._lock:
            sessions, self._sessions = self._sessions, []
        for session in sessions:
            session.close()
        self._local = threading.local()

    def _body(self, response: requests.Response, deadline: float) -> bytes:
        pieces: list[bytes] = []
        size = 0
        # read1 gives what is there: a body that trickles cannot hold us beyond the deadline, as waiting for whole
        # pieces would.
        while piece := response.raw.read1(_CHUNK, decode_content=True):
            pieces.append(piece)
            size += len(piece)
            if self._stopwatch() > deadline:
                raise TransportFailed("time-out", heavy=True)
            if size > _LARGEST:
                raise TransportFailed("an answer beyond all measure", heavy=True)
        return b"".join(pieces)

    def _session(self) -> requests.Session:
        session: requests.Session | None = getattr(self._local, "session", None)
        if session is None:
            session = requests.Session()
            session.trust_env = self._proxies
            session.headers["User-Agent"] = f"relore/{_version()}"
            self._local.session = session
            with self._lock:
                self._sessions.append(session)
        return session


def _meaning(error: Exception) -> TransportFailed | None:
    """Return what went wrong on the way, None when it was the request: that passes, being a fault of ours."""
    match error:
        case requests.ConnectTimeout() | requests.exceptions.ProxyError():
            return TransportFailed("no connection")
        case requests.ReadTimeout() | ReadTimeoutError():
            return TransportFailed("time-out", heavy=True)
        case requests.exceptions.SSLError():
            return TransportFailed("no trusted connection (TLS)")
        case requests.ConnectionError():
            return TransportFailed("connection lost")
        case requests.RequestException():
            return None
        case _:
            return TransportFailed("connection lost")


def _version() -> str:
    try:
        return version("relore")
    except PackageNotFoundError:
        return "0"
