"""Who may ask: personal tokens, apps and their installation tokens, and what each may read."""

from __future__ import annotations

import functools
import itertools
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import jwt
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import rsa

from fake_github.answer import ApiError

if TYPE_CHECKING:
    from fake_github.clock import Clock

_HOUR = 3600.0
# https://docs.github.com/en/apps/creating-github-apps/authenticating-with-a-github-app/generating-a-json-web-token-jwt-for-a-github-app
_LONGEST_JWT = 600


@dataclass
class Token:
    """Somebody's right to ask. A test may change it while requests come in."""

    secret: str
    #: What a fine-grained or installation token may read ("issues", "pull_requests", "metadata"); None: everything.
    permissions: frozenset[str] | None = None
    #: Whether its owner may push, which reading other people's permissions takes.
    push: bool = True
    #: Good for so many more requests, then 401; None: for ever.
    requests_left: int | None = None
    #: In seconds since 1970.
    expires_at: float | None = None
    revoked: bool = False
    #: What the quota is counted by: tokens of one owner share it.
    owner: str = ""

    @property
    def is_installation(self) -> bool:
        """Whether an app minted it."""
        return self.secret.startswith("ghs_")

    def may_read(self, resource: str) -> bool:
        """Say whether a resource is open to it; metadata always is."""
        return self.permissions is None or resource in self.permissions or resource == "metadata"


@dataclass
class App:
    """A GitHub App, installed once."""

    app_id: int
    installation: int
    #: In PEM, as GitHub hands it out.
    private_key: str
    permissions: frozenset[str] | None = None
    push: bool = True
    #: Each token minted from now on is good for so many requests only.
    requests_per_token: int | None = None
    token_lifetime: float = _HOUR
    #: Secrets of the tokens minted so far, oldest first.
    minted: list[str] | None = None


class Access:
    """All tokens and apps."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._tokens: dict[str, Token] = {}
        self._apps: dict[int, App] = {}
        self._serial = itertools.count(1)

    def add_token(self, token: Token) -> Token:
        """Let a token in."""
        self._tokens[token.secret] = token
        return token

    def add_app(self, app_id: int, installation: int, **rights: Any) -> App:
        """Register an app; ``rights`` are the remaining fields of `App`."""
        app = App(app_id, installation, _private_key(), minted=[], **rights)
        self._apps[installation] = app
        return app

    def identify(self, authorization: str | None) -> Token | None:
        """Return whose request it is, None for nobody's, and count it against what the token is good for.

        Raises:
            ApiError: 401, for a token that is unknown, revoked, expired or used up.
        """
        if authorization is None:
            return None
        scheme, _, secret = authorization.partition(" ")
        token = self._tokens.get(secret.strip()) if scheme.lower() in {"bearer", "token"} else None
        if token is None or token.revoked or token.requests_left == 0:
            raise _bad_credentials()
        if token.expires_at is not None and self._clock.time() >= token.expires_at:
            raise _bad_credentials()
        if token.requests_left is not None:
            token.requests_left -= 1
        return token

    def mint(self, installation: int, authorization: str | None) -> tuple[App, Token]:
        """Return a new installation token for the app that signed the request.

        Raises:
            ApiError: 401 for a signature that does not hold, 404 for an installation that is not the app's.
        """
        issuer = self._signer(authorization)
        app = self._apps.get(installation)
        if app is None or str(app.app_id) != issuer:
            raise ApiError(404, "Not Found")
        token = Token(
            f"ghs_{next(self._serial):036d}",
            permissions=app.permissions,
            push=app.push,
            requests_left=app.requests_per_token,
            expires_at=self._clock.time() + app.token_lifetime,
            owner=f"installation {installation}",
        )
        if app.minted is not None:
            app.minted.append(token.secret)
        return app, self.add_token(token)

    def _signer(self, authorization: str | None) -> str:
        """Return who issued the JSON web token."""
        scheme, _, signed = (authorization or "").partition(" ")
        if scheme.lower() != "bearer":
            raise ApiError(401, "A JSON web token could not be decoded")
        now = self._clock.time()
        for app in self._apps.values():
            try:
                claims = jwt.decode(
                    signed,
                    _public_key(app.private_key),
                    algorithms=["RS256"],
                    options={"verify_exp": False, "verify_iat": False, "require": ["exp", "iat", "iss"]},
                )
            except jwt.InvalidTokenError:
                continue
            if claims["exp"] > now + _LONGEST_JWT:
                raise ApiError(401, "'Expiration time' claim ('exp') is too far in the future")
            if claims["exp"] <= now:
                raise ApiError(401, "'Expiration time' claim ('exp') must be a numeric value in the future")
            if claims["iat"] > now:
                raise ApiError(401, "'Issued at' claim ('iat') must be a time that has passed")
            return str(claims["iss"])
        raise ApiError(401, "A JSON web token could not be decoded")


def _bad_credentials() -> ApiError:
    return ApiError(401, "Bad credentials")


@functools.cache
def _private_key() -> str:
    """Return one key for all apps of the session: making one takes a while."""
    key = rsa.generate_private_key(public_exponent=65537, key_size=2048)
    return key.private_bytes(
        serialization.Encoding.PEM,
        serialization.PrivateFormat.TraditionalOpenSSL,
        serialization.NoEncryption(),
    ).decode()


@functools.cache
def _public_key(private_key: str) -> Any:
    return serialization.load_pem_private_key(private_key.encode(), password=None).public_key()
