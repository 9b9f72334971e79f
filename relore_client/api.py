"""One question over HTTP: where to, as whom, in which version, and what an answer other than 200 means."""

from __future__ import annotations

from dataclasses import dataclass
from http import HTTPStatus
from typing import TYPE_CHECKING, Any, NoReturn
from urllib.parse import urlsplit

from relore_client.failures import (
    Denied,
    Failure,
    Incompatible,
    Limited,
    NotFound,
    Refused,
    ServerFailed,
)
from relore_client.transport import API_VARIABLE, Limits, Reply, send

if TYPE_CHECKING:
    from collections.abc import Mapping

API = 1
"""The version of the API that this client speaks."""

OLDEST_SERVER_API = 1
"""The oldest server whose answers this client reads rightly."""

TOKEN_VARIABLES = ("RELORE_TOKEN", "RELORE_API_TOKEN")
REPO_VARIABLE = "RELORE_REPO"
DEFAULT_API = "http://127.0.0.1:8080"
LIMITS = Limits()
"""How long and how much is listened to."""

_LONGEST_API = 9
_LONGEST_NOTE = 600
_LONGEST_WAIT = 9

_BY_STATUS: dict[int, type[Failure]] = {
    HTTPStatus.UNAUTHORIZED: Denied,
    HTTPStatus.FORBIDDEN: Denied,
    HTTPStatus.NOT_FOUND: NotFound,
    HTTPStatus.UPGRADE_REQUIRED: Incompatible,
    HTTPStatus.TOO_MANY_REQUESTS: Limited,
}


@dataclass(frozen=True)
class Server:
    """Where to ask, and as whom.

    Attributes:
        url: without a slash at its end.
        token: what is sent as bearer, None for nothing.
        token_source: the environment variable that the token came from.
    """

    url: str
    token: str | None = None
    token_source: str | None = None

    @classmethod
    def from_env(cls, environ: Mapping[str, str], *, url: str | None = None) -> Server:
        """Read the environment; ``url`` wins over it.

        Raises:
            Refused: the address or the token is none that can be used.
        """
        source = next((name for name in TOKEN_VARIABLES if environ.get(name, "").strip()), None)
        token = environ[source].strip() if source else None
        if token and not all(" " < character < "\x7f" for character in token):
            raise Refused(f"{source} holds characters that cannot be sent: a token is printable ASCII.")
        if url == "":
            raise Refused("--api is empty: leave it out, or give the address of a server.")
        return cls(_address(url or environ.get(API_VARIABLE, "").strip() or DEFAULT_API), token, source)

    @property
    def is_loopback(self) -> bool:
        """Whether the server is on this machine."""
        from ipaddress import ip_address  # noqa: PLC0415 - asked for when a question is sent, not for --help

        host = urlsplit(self.url).hostname or ""
        try:
            return host == "localhost" or ip_address(host).is_loopback
        except ValueError:
            return False


@dataclass(frozen=True)
class Question:
    """A route, and what is asked of it: a JSON body is posted, parameters are put in the address."""

    path: str
    parameters: tuple[tuple[str, str], ...] = ()
    body: Mapping[str, object] | None = None


@dataclass(frozen=True)
class Answer:
    """What came back.

    Attributes:
        payload: the JSON of it.
        note: where the two ends fit but one is older, what that one does not know; for people.
    """

    payload: dict[str, Any]
    note: str | None = None


def ask(server: Server, question: Question, *, limits: Limits = LIMITS) -> Answer:
    """Return the answer.

    Raises:
        Failure: there is no answer; the class says why.
    """
    headers = {"accept": "application/json", "x-relore-api": str(API), "x-relore-client": client_version()}
    reply = send(server, question, headers, limits, lambda reply: _check_origin(server, reply))
    if reply.status >= HTTPStatus.BAD_REQUEST:
        _explain(server, reply)
    payload = reply.payload()
    if not payload:
        raise unreadable(server)
    return Answer(payload, _note(reply))


def client_version() -> str:
    """Return the installed version of this program."""
    from importlib.metadata import PackageNotFoundError, version  # noqa: PLC0415

    try:
        return version("relore")
    except PackageNotFoundError:  # run from a source tree
        return "unknown"


def _address(url: str) -> str:
    try:
        parts = urlsplit(url)
        usable = (
            parts.scheme in ("http", "https")
            and bool(parts.hostname)
            and (parts.port is None or parts.port > 0)
        )
    except ValueError:
        usable, parts = False, urlsplit("")
    if not usable or parts.query or parts.fragment:
        raise Refused(f"{url} is no address of a server: {API_VARIABLE} is of the form http://host:port.")
    if "@" in parts.netloc:
        raise Refused(
            f"{API_VARIABLE} carries credentials, which are not used: put a token in {TOKEN_VARIABLES[0]}."
        )
    return url.rstrip("/")


def _check_origin(server: Server, reply: Reply) -> None:
    """Refuse what is not a relore server that we understand."""
    status = reply.status
    declared = reply.headers.get("x-relore-api", "")
    if HTTPStatus.MULTIPLE_CHOICES <= status < HTTPStatus.BAD_REQUEST:
        target = reply.headers.get("location", "nowhere")
        raise Incompatible(
            f"{server.url} sends us on to {target[:200]}, and a token is not carried to another address. "
            f"If that is the server, set {API_VARIABLE} to it."
        )
    if not (declared.isascii() and declared.isdigit()):
        if status == HTTPStatus.REQUEST_ENTITY_TOO_LARGE:
            raise Refused("The question is larger than the server, or what stands before it, reads.")
        if status == HTTPStatus.TOO_MANY_REQUESTS:
            raise Limited(f"What stands before {server.url} is asked too often.{_when_again(reply, '')}")
        if status >= HTTPStatus.INTERNAL_SERVER_ERROR:
            raise ServerFailed(
                f"{server.url} answered {status}, and not as a relore server: it may be starting."
            )
        raise Incompatible(
            f"What answers at {server.url} is no relore server (status {status}): check {API_VARIABLE}."
        )
    if status != HTTPStatus.UPGRADE_REQUIRED and int(declared[:_LONGEST_API]) < OLDEST_SERVER_API:
        raise Incompatible(
            f"The server is behind: it speaks API {int(declared[:_LONGEST_API])}, and this client ({client_version()}) "
            f"reads {OLDEST_SERVER_API} to {API}. The client is fine; the server needs to be upgraded."
        )


def _note(reply: Reply) -> str | None:
    """Return what the older end misses: the server knows of the client's, the client of the server's."""
    theirs = int(reply.headers["x-relore-api"][:_LONGEST_API])
    if theirs < API:
        return (
            f"The server is behind: it speaks API {theirs} and this client ({client_version()}) {API}. What it "
            "does not know to answer is refused by name, never left out."
        )
    note = reply.headers.get("x-relore-note", "")[:_LONGEST_NOTE].strip()
    if theirs > API and not note:
        return (
            f"The client is behind: it speaks API {API} ({client_version()}) and the server {theirs}. What the "
            "client does not know cannot be asked for by it. To upgrade: pip install --upgrade relore"
        )
    return note or None


def _explain(server: Server, reply: Reply) -> NoReturn:
    error = reply.payload()
    message = str(error.get("message") or f"{server.url} answered {reply.status}.")
    code = str(error.get("error") or "")
    status = reply.status
    if status == HTTPStatus.UNAUTHORIZED:
        raise Denied(_about_token(server, message))
    if status == HTTPStatus.UPGRADE_REQUIRED:
        raise Incompatible(f"{message} To upgrade this client: pip install --upgrade relore")
    if code == "not_found":  # no such route, while threads and repositories have codes of their own
        raise Incompatible(f"The server does not know this question.{_about_versions(reply)}")
    if code == "unknown_parameter":
        raise Refused(f"{message}{_about_versions(reply)}")
    kind = _BY_STATUS.get(status, ServerFailed if status >= HTTPStatus.INTERNAL_SERVER_ERROR else Refused)
    raise kind(f"{message}{_when_again(reply, message)}")


def _when_again(reply: Reply, message: str) -> str:
    """Return when to ask again, where the server says so and its sentence does not."""
    wait = reply.headers.get("retry-after", "").strip()
    if not (wait.isascii() and wait.isdigit() and len(wait) <= _LONGEST_WAIT) or wait in message:
        return ""
    return f" Ask again in {int(wait)} s."


def _about_token(server: Server, message: str) -> str:
    if server.token_source is None:
        return f"{message} (no token is set in {' or '.join(TOKEN_VARIABLES)})"
    return f"{message} (the token came from {server.token_source})"


def _about_versions(reply: Reply) -> str:
    theirs, ours = reply.headers.get("x-relore-version", ""), client_version()
    if theirs == ours:
        return ""
    return f" The server is relore {theirs[:40]}, this client {ours}: one of them does not know it yet."


def unreadable(server: Server) -> ServerFailed:
    """Return the failure of an answer that does not hold what an answer holds."""
    return ServerFailed(f"The answer of {server.url} cannot be read.")
