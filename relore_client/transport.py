"""One request and its reply, bounded in size and in time, whoever answers.

`requests` bounds neither: its time-outs are for the connection and for the next bytes, so whatever answers a byte a
second, or without end, would be listened to for as long as it likes. It is imported when a question is sent and not
before, so that ``--help`` does not wait for it.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, cast

from relore_client.failures import Failure, Incompatible, Refused, ServerFailed, TimedOut, Unreachable

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from threading import Event

    import requests

    from relore_client.api import Question, Server

API_VARIABLE = "RELORE_API"

_NO_HTTP = ("BadStatusLine", "LineTooLong", "UnknownProtocol")
_NO_TLS = ("WRONG_VERSION_NUMBER", "wrong version number", "RECORD_LAYER_FAILURE", "record layer failure")

_PIECE = 1 << 16
_MEGABYTE = 1 << 20


@dataclass(frozen=True)
class Limits:
    """How long and how much is listened to.

    Attributes:
        connect: seconds to wait for a connection.
        silence: seconds to wait for the next bytes.
        whole: seconds for all of it, from the question to the last byte.
        size: bytes of an answer, unpacked.
    """

    connect: float = 5.0
    silence: float = 60.0
    whole: float = 90.0
    size: int = 32 * _MEGABYTE


@dataclass(frozen=True)
class Reply:
    """What came back: names of ``headers`` in any case."""

    status: int
    headers: Mapping[str, str]
    body: bytes

    def payload(self) -> dict[str, Any]:
        """Return the JSON object of it, an empty one where it is none."""
        try:
            found: object = json.loads(self.body)
        except (ValueError, RecursionError):
            return {}
        return cast("dict[str, Any]", found) if isinstance(found, dict) else {}


def send(
    server: Server,
    question: Question,
    headers: Mapping[str, str],
    limits: Limits,
    check: Callable[[Reply], None],
) -> Reply:
    """Return the reply.

    Args:
        server: where to.
        question: what is sent.
        headers: sent with it.
        limits: what is listened to.
        check: called with the reply before its body is read; refuses by raising.

    Raises:
        Failure: there is no reply, or one beyond the limits.
    """
    from threading import Event, Thread  # noqa: PLC0415 - as requests

    left = Event()
    replies: list[Reply] = []
    raised: list[BaseException] = []

    def work() -> None:
        try:
            replies.append(_exchange(server, question, headers, limits, check, left))
        except BaseException as error:  # noqa: BLE001 - it is raised where somebody waits for it
            raised.append(error)

    # In a thread of its own, because names are looked up, and headers are read, without any limit that can be set.
    worker = Thread(target=work, daemon=True)
    worker.start()
    worker.join(limits.whole)
    left.set()
    if raised:
        raise raised[0]
    if not replies:
        raise _timed_out(server, f" within {limits.whole:g} s")
    return replies[0]


def _exchange(
    server: Server,
    question: Question,
    headers: Mapping[str, str],
    limits: Limits,
    check: Callable[[Reply], None],
    left: Event,
) -> Reply:
    import requests  # noqa: PLC0415  # costs more than everything else here, and --help does without
    from urllib3.exceptions import HTTPError  # noqa: PLC0415

    def authorize(request: requests.PreparedRequest) -> requests.PreparedRequest:
        # A callable, because requests would otherwise look for credentials in ~/.netrc and send those.
        if server.token:
            request.headers["Authorization"] = f"Bearer {server.token}"
        return request

    with requests.Session() as session:
        # A proxy that is meant for the outside has no business between us and this machine.
        session.trust_env = not server.is_loopback
        try:
            with session.request(
                "GET" if question.body is None else "POST",
                f"{server.url}{question.path}",
                params=list(question.parameters),
                json=None if question.body is None else cast("dict[str, Any]", question.body),
                headers=dict(headers),
                auth=authorize,
                timeout=(limits.connect, limits.silence),
                allow_redirects=False,  # the token is for this server and no other
                stream=True,
            ) as response:
                check(Reply(response.status_code, response.headers, b""))
                body = _read(server, response, limits.size, left)
                return Reply(response.status_code, response.headers, body)
        except (requests.RequestException, HTTPError, UnicodeError) as error:
            raise _failure(server, error) from error


def _read(server: Server, response: requests.Response, size: int, left: Event) -> bytes:
    body = bytearray()
    for piece in response.iter_content(_PIECE):
        body += piece
        if len(body) > size:
            raise ServerFailed(
                f"The answer of {server.url} is longer than {size / _MEGABYTE:g} MB, which no answer of relore "
                "is: it was left unread."
            )
        if left.is_set():
            break
    return bytes(body)


def _failure(server: Server, error: Exception) -> Failure:
    import requests  # noqa: PLC0415 - as above
    from urllib3.exceptions import ReadTimeoutError  # noqa: PLC0415

    if isinstance(error, requests.Timeout):
        return _timed_out(server)
    if isinstance(error, requests.ConnectionError):
        if any(isinstance(cause, ReadTimeoutError) for cause in error.args):
            return _timed_out(server)
        if any(name in repr(error) for name in _NO_HTTP):
            return Incompatible(f"Something answered at {server.url}, but not HTTP: check {API_VARIABLE}.")
        return Unreachable(f"{_what_happened(server, error)} {_whom_to_ask(server)}")
    if isinstance(error, requests.exceptions.InvalidURL | requests.exceptions.InvalidSchema | UnicodeError):
        return Refused(f"{server.url} is no address of a server.")
    return ServerFailed(f"{server.url} broke off its answer ({type(error).__name__}).")


def _timed_out(server: Server, how_long: str = " in time") -> TimedOut:
    return TimedOut(f"{server.url} did not answer{how_long}. {_whom_to_ask(server)}")


def _what_happened(server: Server, error: Exception) -> str:
    told = repr(error)
    if "NameResolutionError" in told or "getaddrinfo" in told:
        return f"The host of {server.url} is not known."
    if any(name in told for name in _NO_TLS):
        plain = "http" + server.url.removeprefix("https")
        return f"{server.url} does not speak TLS; if it is meant to speak plain HTTP, it is {plain}."
    if "SSLError" in told:
        return f"No secure connection to {server.url}: its certificate or protocol is not accepted."
    if "Connection refused" in told or "WinError 10061" in told:
        return f"{server.url} refuses the connection: no relore server listens there."
    return f"{server.url} cannot be reached."


def _whom_to_ask(server: Server) -> str:
    if server.is_loopback:
        return f"Start one with `relored up`, or set {API_VARIABLE} to a server that runs."
    return f"Check {API_VARIABLE} and the network; this says nothing about what the index holds."
