"""The HTTP server, and the order in which GitHub looks at a request."""

from __future__ import annotations

import gzip
import hashlib
import json
import re
import threading
from contextlib import suppress
from dataclasses import replace
from datetime import UTC, datetime
from email.utils import format_datetime
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING, Any, Self
from urllib.parse import parse_qsl, unquote, urlsplit

from fake_github import graphql_api, rest
from fake_github.access import Access, App, Token
from fake_github.answer import Answer, ApiError
from fake_github.clock import Clock
from fake_github.faults import Fault
from fake_github.limits import Limits, Quotas
from fake_github.log import Entry, Log
from fake_github.shapes import Shapes
from fake_github.world import World

if TYPE_CHECKING:
    from types import TracebackType

    from fake_github.world import Repository

_REPOSITORY = "/repos/{owner}/{repo}"
_ROUTES = [(_REPOSITORY + tail, rest.pattern(tail), resource, run) for tail, resource, run in rest.ROUTES]
_ADDRESS = re.compile(r"/(?:repos/([^/]+/[^/]+)|repositories/(\d+))(/.*)?")
_INSTALLATION_TOKENS = re.compile(r"/app/installations/(\d+)/access_tokens")
_RATE_LIMITED = "API rate limit exceeded for user ID 1."
_NO_USER_AGENT = (
    "Request forbidden by administrative rules. Please make sure your request has a User-Agent header "
    "(https://docs.github.com/en/rest/overview/resources-in-the-rest-api#user-agent-required)."
)
_DEFAULT_TOKEN = "github_pat_of_a_test"
# What gzip makes no smaller is sent as it is.
_WORTH_PACKING = 1_000


class FakeGitHub:
    """A server for the time of a ``with`` block, at ``url``.

    Args:
        world: what exists; an empty one unless given.
        enterprise: serve as GitHub Enterprise Server does, REST below /api/v3 and GraphQL at /api/graphql.
    """

    def __init__(self, world: World | None = None, *, enterprise: bool = False) -> None:
        self.world = world or World()
        self.clock = Clock()
        self.limits = Limits()
        self.log = Log()
        #: The token that is let in from the start and may read everything.
        self.token = _DEFAULT_TOKEN
        self.url = ""
        self._prefix = "/api/v3" if enterprise else ""
        self._graphql_path = "/api/graphql" if enterprise else "/graphql"
        self._faults: list[Fault] = []
        self._access = Access(self.clock)
        self._quotas = Quotas(self.limits, self.clock)
        self._lock = threading.RLock()
        self._stopping = threading.Event()
        self._server: _Server | None = None
        self._bugs: list[Exception] = []
        self.add_token(self.token)

    def __enter__(self) -> Self:
        self._server = _Server(self)
        self.url = f"http://127.0.0.1:{self._server.server_port}{self._prefix}"
        threading.Thread(
            target=self._server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True
        ).start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._stopping.set()
        if self._server is not None:
            self._server.shutdown()
            self._server.server_close()
        if self._bugs and error is None:
            raise self._bugs[0]

    # -- what a test says ----------------------------------------------------------------------------

    def fault(self, match: str = "", **fault: Any) -> Fault:
        """Let something go wrong from now on; see `Fault` for what and for whom. The oldest that strikes, counts."""
        self._faults.append(made := Fault(match=match, **fault))
        return made

    def clear_faults(self) -> None:
        """Let everything go well again."""
        self._faults.clear()

    def add_token(self, secret: str, *, permissions: set[str] | None = None, **rights: Any) -> Token:
        """Let another token in; ``rights`` are the fields of `Token`."""
        allowed = None if permissions is None else frozenset(permissions)
        return self._access.add_token(Token(secret, allowed, **({"owner": secret} | rights)))

    def add_app(self, app_id: int = 7, installation: int = 70, **rights: Any) -> App:
        """Register a GitHub App whose private key the test hands to the client."""
        return self._access.add_app(app_id, installation, **rights)

    def used(self, resource: str = "core", token: str | None = None) -> int:
        """Return how much of its quota ("core", "graphql") a token has used."""
        return self._quotas.used(self.token if token is None else token, resource)

    # -- what a client gets --------------------------------------------------------------------------

    def answer(self, entry: Entry) -> tuple[Answer, Fault | None]:
        """Answer a request and write it down."""
        with self._lock:
            fault = self._fault(entry)
            try:
                answer = self._judge(entry, fault)
            except ApiError as error:
                answer = error.answer
            except Exception as bug:  # noqa: BLE001 - a mistake of the fake or in its world, told when it ends
                self._bugs.append(bug)
                answer = Answer(501, {"message": f"the fake failed: {bug!r}"})
            if fault is not None:
                answer = _spoilt(answer, fault)
            answer.headers = self._common_headers() | answer.headers
            entry.status, entry.answer = answer.status, answer.headers
            self.log.add(entry)
            return answer, fault

    def wait(self, seconds: float | None) -> None:
        """Let time pass, but not beyond the end of the server."""
        self._stopping.wait(seconds)

    def _fault(self, entry: Entry) -> Fault | None:
        text = f"{entry.method} {entry.path}"
        text += "?" + "&".join(f"{key}={value}" for key, value in entry.query.items()) if entry.query else ""
        if isinstance(entry.body, dict):
            text += "\n" + "\n".join(str(value) for value in entry.body.values())
        fault = next((one for one in self._faults if one.strikes(text, entry)), None)
        entry.fault = str(fault) if fault is not None else ""
        return fault

    def _judge(self, entry: Entry, fault: Fault | None) -> Answer:
        """Go through what GitHub looks at, in its order."""
        entry.endpoint = self._endpoint(entry.path)
        if fault is not None and (replacement := fault.replacement()) is not None:
            return Answer(*replacement)
        # https://docs.github.com/en/rest/using-the-rest-api/getting-started-with-the-rest-api#user-agent
        if not entry.headers.get("user-agent"):
            raise ApiError(403, _NO_USER_AGENT)
        if entry.endpoint == "/graphql":
            return self._graphql(entry)
        if not entry.path.startswith(self._prefix):
            raise ApiError(404, "Not Found")
        path = unquote(entry.path.removeprefix(self._prefix))
        if entry.method == "POST":
            return self._post(entry, path)
        token = self._access.identify(entry.headers.get("authorization"))
        if path == "/rate_limit":
            return Answer(body=self._rate_limit(token))
        return self._charged(entry, path, token)

    def _charged(self, entry: Entry, path: str, token: Token | None) -> Answer:
        """Answer a GET that counts against a quota."""
        holder = token.owner if token else ""
        if not self._quotas.take(holder, "core", 1):
            # "If you exceed your primary rate limit, you will receive a 403 or 429 response, and the
            # x-ratelimit-remaining header will be 0."
            # https://docs.github.com/en/rest/using-the-rest-api/rate-limits-for-the-rest-api
            raise ApiError(403, _RATE_LIMITED, headers=self._quotas.headers(holder, "core", exhausted=True))
        entry.cost = 1
        try:
            answer = self._get(entry, path, token)
        except ApiError as error:
            answer = error.answer
        answer = self._conditional(entry, answer, holder)
        if answer.status == 304 and token is not None:
            # "Making a conditional request does not count against your primary rate limit if a 304 response is
            # returned and the request was made while correctly authorized with an Authorization header."
            # https://docs.github.com/en/rest/using-the-rest-api/best-practices-for-using-the-rest-api
            self._quotas.take(holder, "core", -1)
            entry.cost = 0
        answer.headers = self._quotas.headers(holder, "core") | answer.headers
        return answer

    def _endpoint(self, path: str) -> str:
        """Return the template of a path, "" when nothing is served there."""
        if path == self._graphql_path:
            return "/graphql"
        path = unquote(path.removeprefix(self._prefix))
        if path == "/rate_limit":
            return path
        if _INSTALLATION_TOKENS.fullmatch(path):
            return "/app/installations/{installation_id}/access_tokens"
        if match := _ADDRESS.fullmatch(path):
            tail = (match[3] or "").rstrip("/")
            return next((template for template, pattern, _, _ in _ROUTES if pattern.fullmatch(tail)), "")
        return ""

    def _get(self, entry: Entry, path: str, token: Token | None) -> Answer:
        repository, tail = self._repository(entry, path)
        for _, pattern, resource, run in _ROUTES:
            if (match := pattern.fullmatch(tail)) is None:
                continue
            _allow(repository, token, resource)
            if repository.issues_disabled and tail.startswith("/issues"):
                raise ApiError(410, "Issues has been disabled in this repository.")
            url = f"{self.url}/repositories/{repository.id}{tail}"
            shapes = Shapes(self.url)
            return run(rest.Call(repository, match.groupdict(), entry.query, token, self.limits, shapes, url))
        raise ApiError(404, "Not Found")

    def _repository(self, entry: Entry, path: str) -> tuple[Repository, str]:
        """Return the repository of a path and what comes after it."""
        if (match := _ADDRESS.fullmatch(path)) is None:
            raise ApiError(404, "Not Found")
        name, number, tail = match[1], match[2], (match[3] or "").rstrip("/")
        repository = self.world.find(name) if name else self.world.by_id(int(number))
        if repository is None and name and (moved := self.world.renamed.get(name.lower())):
            # https://docs.github.com/en/rest/using-the-rest-api/best-practices-for-using-the-rest-api#follow-redirects
            url = f"{self.url}/repositories/{moved.id}{tail}"
            url += (
                f"?{'&'.join(f'{key}={value}' for key, value in entry.query.items())}" if entry.query else ""
            )
            raise ApiError(301, "Moved Permanently", headers={"Location": url}, url=url)
        if repository is None:
            raise ApiError(404, "Not Found")
        if repository.blocked:
            block = {
                "reason": "dmca",
                "created_at": "2024-01-01T00:00:00Z",
                "html_url": "https://github.com/github/dmca",
            }
            raise ApiError(451, "Repository access blocked", block=block)
        return repository, tail

    def _post(self, entry: Entry, path: str) -> Answer:
        """Mint an installation token: the only thing there is to post beside GraphQL."""
        match = _INSTALLATION_TOKENS.fullmatch(path)
        if match is None:
            raise ApiError(404, "Not Found")
        app, token = self._access.mint(int(match[1]), entry.headers.get("authorization"))
        allowed = app.permissions or {"issues", "pull_requests", "metadata"}
        expires = datetime.fromtimestamp(token.expires_at or 0, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
        body = {
            "token": token.secret,
            "expires_at": expires,
            "permissions": dict.fromkeys(sorted(allowed), "read"),
            "repository_selection": "all",
        }
        return Answer(201, body)

    def _graphql(self, entry: Entry) -> Answer:
        token = self._access.identify(entry.headers.get("authorization"))
        if token is None:
            raise ApiError(401, "This endpoint requires you to be authenticated.")
        session = graphql_api.Session(self.world, self.limits, self._quotas, token)
        answer = session.answer(entry.body)
        entry.cost = session.cost
        exhausted = session.refused
        answer.headers = self._quotas.headers(token.owner, "graphql", exhausted=exhausted) | answer.headers
        return answer

    def _rate_limit(self, token: Token | None) -> dict[str, Any]:
        holder = token.owner if token else ""
        core, points = (self._quotas.state(holder, resource) for resource in ("core", "graphql"))
        return {"resources": {"core": core, "search": core | {"limit": 30}, "graphql": points}, "rate": core}

    def _conditional(self, entry: Entry, answer: Answer, holder: str) -> Answer:
        """Give an answer its ETag, or 304 to who has it already."""
        if answer.status != 200 or answer.body is None or isinstance(answer.body, bytes):
            return answer
        seen = _json(answer.body) + answer.headers.get("Link", "").encode() + holder.encode()
        tag = f'W/"{hashlib.sha256(seen).hexdigest()}"'
        answer.headers |= {"ETag": tag, "Cache-Control": "private, max-age=60, s-maxage=60"}
        if answer.last_modified is not None:
            moment = datetime.fromisoformat(answer.last_modified)
            answer.headers["Last-Modified"] = format_datetime(moment, usegmt=True)
        known = entry.headers.get("if-none-match")
        since = entry.headers.get("if-modified-since")
        if known is not None:
            fresh = tag in (one.strip() for one in known.split(","))
        else:
            fresh = since is not None and since == answer.headers.get("Last-Modified")
        return replace(answer, status=304, body=None) if fresh else answer

    def _common_headers(self) -> dict[str, str]:
        return {
            "Date": format_datetime(self.clock.now(), usegmt=True),
            "X-GitHub-Media-Type": "github.v3; format=json",
            "X-GitHub-Request-Id": f"FAKE:{len(self.log) + 1:06X}",
        }


def _allow(repository: Repository, token: Token | None, resource: str) -> None:
    """Refuse who may not read a resource.

    https://docs.github.com/en/rest/using-the-rest-api/troubleshooting-the-rest-api#resource-not-accessible
    """
    if token is None:
        if repository.fields.get("private"):
            raise ApiError(404, "Not Found")
        return
    alternatives = resource.split("; ")
    if not any(token.may_read(one) for one in alternatives):
        kind = "integration" if token.is_installation else "personal access token"
        needed = "; ".join(f"{one}=read" for one in alternatives)
        headers = {"X-Accepted-GitHub-Permissions": needed}
        raise ApiError(403, f"Resource not accessible by {kind}", headers=headers)


def _spoilt(answer: Answer, fault: Fault) -> Answer:
    """Apply what a fault does to an answer."""
    if fault.alter is not None and answer.body is not None and fault.replacement() is None:
        answer = replace(answer, body=fault.alter(answer.body))
    return replace(answer, headers=answer.headers | fault.headers)


def _json(body: Any) -> bytes:
    """Write a value as GitHub does, halves of surrogate pairs as escapes."""
    return json.dumps(body, separators=(",", ":")).encode()


class _Handler(BaseHTTPRequestHandler):
    """Reads a request, writes the answer."""

    protocol_version = "HTTP/1.1"
    server: _Server

    def do_GET(self) -> None:
        """Answer a GET."""
        self._serve()

    def do_POST(self) -> None:
        """Answer a POST."""
        self._serve()

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - the name is the base class's
        """Stay silent: the log is for the test."""

    def send_response(self, code: int, message: str | None = None) -> None:
        """Send the status line alone: Date is among our own headers."""
        self.send_response_only(code, message)

    def _serve(self) -> None:
        url = urlsplit(self.path)
        length = int(self.headers.get("Content-Length") or 0)
        sent = self.rfile.read(length)
        headers = {name.lower(): value for name, value in self.headers.items()}
        entry = Entry(self.command, url.path, dict(parse_qsl(url.query, keep_blank_values=True)), headers)
        with suppress(ValueError):
            entry.body = json.loads(sent) if sent else None
        github = self.server.github
        answer, fault = github.answer(entry)
        if fault is not None and (fault.delay or fault.hang):
            github.wait(None if fault.hang else fault.delay)
        if fault is not None and fault.hang:
            self.close_connection = True
            return
        self._send(answer, cut=fault is not None and fault.drop)

    def _send(self, answer: Answer, *, cut: bool) -> None:
        headers = answer.headers
        body = (
            b""
            if answer.body is None
            else answer.body
            if isinstance(answer.body, bytes)
            else _json(answer.body)
        )
        if len(body) >= _WORTH_PACKING and "gzip" in self.headers.get("Accept-Encoding", ""):
            body = gzip.compress(body, 1)
            headers = headers | {"Content-Encoding": "gzip"}
        self.send_response(answer.status)
        if answer.status != 304:
            headers = (
                {"Content-Type": "application/json; charset=utf-8"}
                | headers
                | {"Content-Length": str(len(body))}
            )
        for name, value in headers.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body[: len(body) // 2] if cut else body)
        if cut:
            self.wfile.flush()
            self.close_connection = True


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    # Do not wait for clients that keep their connections.
    block_on_close = False
    request_queue_size = 128

    def __init__(self, github: FakeGitHub) -> None:
        self.github = github
        super().__init__(("127.0.0.1", 0), _Handler)

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Stay silent: what fails outside of `FakeGitHub.answer` is a client that went away."""
