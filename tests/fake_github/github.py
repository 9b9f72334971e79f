"""A GitHub as a test holds it: what the test says to it, and how a request is answered and written down."""

from __future__ import annotations

import threading
from dataclasses import replace
from email.utils import format_datetime
from typing import TYPE_CHECKING, Any, Self

from fake_github.access import Access, App, Token
from fake_github.answer import Answer, ApiError
from fake_github.clock import Clock
from fake_github.faults import Fault
from fake_github.gateway import Gateway
from fake_github.limits import Limits, Quotas
from fake_github.log import Entry, Log
from fake_github.server import Server
from fake_github.world import World

if TYPE_CHECKING:
    from types import TracebackType

_DEFAULT_TOKEN = "github_pat_of_a_test"


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
        self._faults: list[Fault] = []
        self._access = Access(self.clock)
        self._quotas = Quotas(self.limits, self.clock)
        prefix, graphql_path = ("/api/v3", "/api/graphql") if enterprise else ("", "/graphql")
        self._gateway = Gateway(self.world, self.limits, self._quotas, self._access, prefix, graphql_path)
        self._lock = threading.RLock()
        self._stopping = threading.Event()
        self._server: Server | None = None
        self._bugs: list[Exception] = []
        self.add_token(self.token)

    def __enter__(self) -> Self:
        self._server = Server(self)
        self.url = f"http://127.0.0.1:{self._server.server_port}{self._gateway.prefix}"
        self._gateway.url = self.url
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
            entry.endpoint = self._gateway.endpoint(entry.path)
            fault = self._fault(entry)
            answer = self._answer(entry, fault)
            if fault is not None:
                answer = _spoilt(answer, fault)
            answer.headers = {
                "Date": format_datetime(self.clock.now(), usegmt=True),
                "X-GitHub-Media-Type": "github.v3; format=json",
                "X-GitHub-Request-Id": f"FAKE:{len(self.log) + 1:06X}",
            } | answer.headers
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

    def _answer(self, entry: Entry, fault: Fault | None) -> Answer:
        if fault is not None and (replacement := fault.replacement()) is not None:
            return Answer(*replacement)
        try:
            return self._gateway.answer(entry)
        except ApiError as error:
            return error.answer
        except Exception as bug:  # noqa: BLE001 - a mistake of the fake or in its world, told when it ends
            self._bugs.append(bug)
            return Answer(501, {"message": f"the fake failed: {bug!r}"})


def _spoilt(answer: Answer, fault: Fault) -> Answer:
    """Apply what a fault does to an answer."""
    if fault.alter is not None and answer.body is not None and fault.replacement() is None:
        answer = replace(answer, body=fault.alter(answer.body))
    return replace(answer, headers=answer.headers | fault.headers)
