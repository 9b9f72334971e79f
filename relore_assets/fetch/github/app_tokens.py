"""Installation tokens of a GitHub App: an hour each, made by one thread of one process for everybody.

The newest one lies in the state folder, readable by its owner alone, so that processes share it; a lock beside it
makes sure that only one of them asks for the next.
"""

from __future__ import annotations

import json
import os
import threading
import time
from dataclasses import dataclass, field
from datetime import UTC, datetime
from hashlib import blake2b
from typing import TYPE_CHECKING, Any, cast

from relore_assets.fetch.github.activity import NullActivity
from relore_assets.fetch.github.errors import BadToken, NotFound, Unavailable
from relore_assets.fetch.github.exchange import Answer, Exchange, Request
from relore_assets.fetch.github.sender import Sender, Timeouts
from relore_assets.fetch.github.tokens import Lane

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from relore_assets.fetch.github.addresses import Base

RENEW_BEFORE = 300.0
"""Seconds of life below which a token is not used any more: a clone may take minutes."""

_PROOF_LASTS = 540  # GitHub allows ten minutes
_CLOCKS_DIFFER = 60
_BARREN = 3
"""So many new tokens in a row that were all refused mean that a newer one would be refused too."""


@dataclass(frozen=True)
class App:
    """A GitHub App as the operator has set it up.

    Attributes:
        app_id: its id or client id. installation: whose data it may read. key: its private key, in PEM.
    """

    app_id: str
    installation: int
    key: str = field(repr=False)


class AppToken:
    """The one lane of an App's installation.

    Args:
        app: which.
        base: where GitHub is.
        state: a folder of ours, made when needed.
        sleep: waits for seconds.
        now: seconds since 1970.
        timeouts: of the request for a token.
    """

    def __init__(
        self,
        app: App,
        base: Base,
        state: Path,
        *,
        sleep: Callable[[float], object] = time.sleep,
        now: Callable[[], float] = time.time,
        timeouts: Timeouts | None = None,
    ) -> None:
        self._lanes = (_InstallationLane(app, base, state, sleep, now, timeouts or Timeouts()),)

    def __repr__(self) -> str:
        return f"<AppToken {self._lanes[0].name}>"

    @property
    def lanes(self) -> Sequence[Lane]:
        """The one lane."""
        return self._lanes


@dataclass(frozen=True)
class _Minted:
    token: str = field(repr=False)
    expires_at: float


class _InstallationLane(Lane):
    def __init__(
        self,
        app: App,
        base: Base,
        state: Path,
        sleep: Callable[[float], object],
        now: Callable[[], float],
        timeouts: Timeouts,
    ) -> None:
        super().__init__(f"installation {app.installation} of the App {app.app_id}")
        self._app = app
        self._base = base
        self._now = now
        self._sleep = sleep
        self._timeouts = timeouts
        which = f"{base.url}\n{app.app_id}\n{app.installation}".encode()
        self._file = state / f"installation-{blake2b(which, digest_size=8).hexdigest()}.json"
        self._current: _Minted | None = None
        self._renewing = threading.Lock()
        self._barren = 0

    @property
    def secret(self) -> str:
        return "" if self._current is None else self._current.token

    def bearer(self) -> str:
        current = self._current
        if current is not None and self._fresh(current):
            return current.token
        with self._renewing:
            current = self._current
            if current is None or not self._fresh(current):
                current = self._shared_or_new(stale="" if current is None else current.token)
            return current.token

    def renew(self, stale: str) -> bool:
        with self._renewing:
            if self._current is not None and self._current.token != stale:
                return True
            if self._barren >= _BARREN:
                return False
            self._shared_or_new(stale)
            return True

    def served(self) -> None:
        super().served()
        self._barren = 0

    def _fresh(self, minted: _Minted) -> bool:
        return minted.expires_at - self._now() > RENEW_BEFORE

    def _shared_or_new(self, stale: str) -> _Minted:
        """Take the token that another process has left, or make one and leave it there. Only under the lock."""
        from filelock import FileLock  # noqa: PLC0415 - only Apps need it

        try:
            self._file.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            with FileLock(self._file.with_suffix(".lock"), mode=0o600):
                minted = self._left_by_another()
                if minted is None or minted.token == stale or not self._fresh(minted):
                    minted = self._mint()
                    self._leave(minted)
                    self._barren += 1
        except OSError as error:
            raise BadToken(
                f"The installation token cannot be kept in {self._file.parent}: {error.strerror}; "
                "that folder must be writable."
            ) from None
        self._current = minted
        return minted

    def _left_by_another(self) -> _Minted | None:
        try:
            told = json.loads(self._file.read_bytes())
            return _Minted(str(told["token"]), float(told["expires_at"]))
        except (OSError, ValueError, KeyError, TypeError):
            return None  # none yet, or one that was cut off: a new one takes its place

    def _leave(self, minted: _Minted) -> None:
        text = json.dumps({"token": minted.token, "expires_at": minted.expires_at})
        unfinished = self._file.with_suffix(f".{os.getpid()}")
        unfinished.unlink(missing_ok=True)
        with os.fdopen(os.open(unfinished, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as file:
            file.write(text)
        unfinished.replace(self._file)

    def _mint(self) -> _Minted:
        sender = Sender(self._timeouts, proxies=not self._base.loopback)
        path = f"/app/installations/{self._app.installation}/access_tokens"
        request = Request(
            "POST", self._base.address(path), {"Accept": "application/vnd.github+json"}, body=b"{}"
        )
        exchange = Exchange(self._base, sender, NullActivity(now=self._now), sleep=self._sleep, now=self._now)
        try:
            answer = exchange.run(request, [_Proof(self._app, self._now)])
        except NotFound:
            raise BadToken(
                f"The App {self._app.app_id} has no installation {self._app.installation}: "
                "check RELORE_GITHUB_APP_INSTALLATION."
            ) from None
        finally:
            sender.close()
        return _minted(answer if isinstance(answer, Answer) else None)


class _Proof(Lane):
    """What the App itself signs: good for asking for a token, and for nothing that we read."""

    def __init__(self, app: App, now: Callable[[], float]) -> None:
        super().__init__(
            f"the key of the App {app.app_id} (RELORE_GITHUB_APP_ID, RELORE_GITHUB_APP_KEY_FILE)"
        )
        self._app = app
        self._now = now

    def bearer(self) -> str:
        import jwt  # noqa: PLC0415 - brings cryptography along, which only Apps need

        moment = int(self._now())
        claims = {
            "iat": moment - _CLOCKS_DIFFER,
            "exp": moment + _PROOF_LASTS,
            "iss": self._app.app_id,
        }
        try:
            return jwt.encode(claims, self._app.key, algorithm="RS256")
        except (jwt.InvalidKeyError, ValueError, TypeError):
            # The cause may quote the key.
            raise BadToken("RELORE_GITHUB_APP_KEY_FILE holds no private RSA key in PEM.") from None


def _minted(answer: Answer | None) -> _Minted:
    body = answer.body if answer is not None else None
    told = cast("dict[str, Any]", body) if isinstance(body, dict) else {}
    try:
        expires = datetime.fromisoformat(str(told["expires_at"]))
        token = str(told["token"])
    except (KeyError, ValueError):
        raise Unavailable(
            "GitHub answered the request for an installation token with something else."
        ) from None
    return _Minted(token, (expires if expires.tzinfo else expires.replace(tzinfo=UTC)).timestamp())
