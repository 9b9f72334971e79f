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
        """
        session = self._session()
        deadline = self._stopwatch() + self._timeouts.total
        try:
            with session.request(
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
        # What we built wrongly ourselves (an address, a header) is no failure of the way, and passes.
        except (requests.ConnectTimeout, requests.exceptions.ProxyError) as error:
            raise TransportFailed("no connection") from _without_secrets(error)
        except (requests.ReadTimeout, ReadTimeoutError) as error:
            raise TransportFailed("time-out", heavy=True) from _without_secrets(error)
        except requests.exceptions.SSLError as error:
            raise TransportFailed("no trusted connection (TLS)") from _without_secrets(error)
        except (requests.ConnectionError, requests.exceptions.ChunkedEncodingError) as error:
            raise TransportFailed("connection lost") from _without_secrets(error)
        except (requests.exceptions.ContentDecodingError, TransportError, OSError) as error:
            if isinstance(error, requests.RequestException):
                raise
            raise TransportFailed("connection lost") from _without_secrets(error)

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


def _without_secrets(error: BaseException) -> BaseException:
    """Return a cause that names its kind only: requests' errors hold the request, and that holds the token."""
    return RuntimeError(type(error).__name__)


def _version() -> str:
    try:
        return version("relore")
    except PackageNotFoundError:
        return "0"
