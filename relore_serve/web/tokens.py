"""Who may ask, and about which repositories.

A token is written ``secret:repos[:scopes]``: ``repos`` is a comma list of owner/name or ``*``; ``scopes`` a
comma list of names for rights beyond reading. Secrets are kept as digests and never appear in a message.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
import re
import secrets
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Self

from relore_serve.web.errors import Unauthorized

if TYPE_CHECKING:
    from collections.abc import Mapping

VARIABLE = "RELORE_API_TOKENS"
FILE_VARIABLE = "RELORE_API_TOKENS_FILE"

_SECRET = re.compile(r"[!-9;-~]+")  # what a header can carry, without the colon
_REPO = re.compile(r"[A-Za-z0-9][A-Za-z0-9-]*/[A-Za-z0-9._-]+")
_SCOPE = re.compile(r"[a-z][a-z_]*")


class TokenError(Exception):
    """The configured tokens cannot be used; the message names the entry by position, never by secret."""


@dataclass(frozen=True, slots=True)
class Caller:
    """Somebody who may ask.

    Attributes:
        name: what the quota is kept under and the log shows.
        repos: lower-case names in scope; None is every indexed repository.
        scopes: rights beyond reading.
        metered: whether calls are counted.
    """

    name: str
    repos: frozenset[str] | None
    scopes: frozenset[str] = frozenset()
    metered: bool = True

    def may_read(self, full_name: str) -> bool:
        """Whether the repository of that name is in scope."""
        return self.repos is None or full_name.lower() in self.repos


ANYBODY = Caller(name="anybody", repos=None, metered=False)
"""The caller of a server without tokens, which listens to its own machine only."""


class Tokens:
    """The tokens a server knows.

    >>> tokens = Tokens.parse("s3cret:octo/kit,octo/other")
    >>> tokens.caller("Bearer s3cret").may_read("octo/kit")
    True
    """

    def __init__(self, callers: Mapping[bytes, Caller]) -> None:
        self._callers = dict(callers)
        self._nobodys = secrets.token_bytes()

    def __bool__(self) -> bool:
        return bool(self._callers)

    @classmethod
    def parse(cls, text: str, *, source: str = VARIABLE) -> Self:
        """Read entries divided by white space; in a file, ``#`` starts a comment.

        Raises:
            TokenError: an entry cannot be read, or a secret occurs twice.
        """
        callers: dict[bytes, Caller] = {}
        for position, entry in enumerate(text.split(), start=1):
            secret, caller = _entry(entry, f"entry {position} of {source}", name=f"token-{position}")
            if _digest(secret) in callers:
                raise TokenError(f"entry {position} of {source} repeats the secret of an earlier one")
            callers[_digest(secret)] = caller
        return cls(callers)

    @classmethod
    def from_env(cls, environ: Mapping[str, str]) -> Self:
        """Read the tokens that the environment names; none at all is a server for its own machine.

        Raises:
            TokenError: they cannot be read, both variables are set, or the file holds none. A file that was
                named and is empty is a lost secret, not a wish to serve without one.
        """
        text, path = environ.get(VARIABLE, ""), environ.get(FILE_VARIABLE, "")
        if text.strip() and path:
            raise TokenError(f"set {VARIABLE} or {FILE_VARIABLE}, not both")
        if not path:
            return cls.parse(text)
        try:
            lines = Path(path).read_text(encoding="utf-8").splitlines()
        except (OSError, UnicodeDecodeError) as error:
            raise TokenError(
                f"{FILE_VARIABLE} names a file that cannot be read ({type(error).__name__})"
            ) from error
        tokens = cls.parse("\n".join(line.partition("#")[0] for line in lines), source=FILE_VARIABLE)
        if not tokens:
            raise TokenError(f"the file that {FILE_VARIABLE} names holds no token")
        return tokens

    def caller(self, authorization: str | None) -> Caller:
        """Return who sent that header.

        Raises:
            Unauthorized: nobody this server knows.
        """
        if not self._callers:
            return ANYBODY
        if not authorization:
            raise Unauthorized("This server needs a token, and none was sent: set RELORE_TOKEN.")
        scheme, _, secret = authorization.partition(" ")
        if scheme.lower() != "bearer":
            raise Unauthorized("This server takes bearer tokens: Authorization: Bearer <token>.")
        return self._known(secret.strip())

    def reader(self, authorization: str | None) -> Caller:
        """Return who sent that header with a browser: as `caller`, or the token as the password of any name.

        Only for pages that change nothing, or check a mark: a browser sends a password along by itself.

        Raises:
            Unauthorized: nobody this server knows.
        """
        scheme, _, encoded = (authorization or "").partition(" ")
        if not self._callers or scheme.lower() != "basic":
            return self.caller(authorization)
        try:
            decoded = base64.b64decode(encoded.strip(), validate=True).decode()
        except ValueError:
            raise Unauthorized("The name and password that were sent cannot be read.") from None
        return self._known(decoded.partition(":")[2].strip())

    def mark(self, caller: Caller) -> str:
        """Return what a form of ours holds and a form of another site cannot: the same for a token everywhere.

        On a server without tokens it is of this process, since nothing is shared there that others do not know.
        """
        keys = (digest for digest, known in self._callers.items() if known is caller)
        return hmac.new(next(keys, self._nobodys), b"relore form", "sha256").hexdigest()

    def is_marked(self, caller: Caller, mark: str) -> bool:
        """Whether ``mark`` is the caller's."""
        return hmac.compare_digest(self.mark(caller).encode(), mark.encode("utf-8", "surrogateescape"))

    def _known(self, secret: str) -> Caller:
        sent = _digest(secret)
        # All are compared, whichever fits, so that the time taken says nothing about how close a guess was.
        known = [caller for digest, caller in self._callers.items() if hmac.compare_digest(digest, sent)]
        if not known:
            raise Unauthorized("This server does not know the token that was sent.")
        return known[0]


def _digest(secret: str) -> bytes:
    # A header can hold bytes that are no text; they arrive as Latin-1 and must fail as a wrong token does.
    return hashlib.sha256(secret.encode("utf-8", "surrogateescape")).digest()


def _entry(entry: str, where: str, *, name: str) -> tuple[str, Caller]:
    parts = entry.split(":")
    if len(parts) not in (2, 3):
        raise TokenError(f"{where} is not of the form secret:repos[:scopes]")
    secret, repos, scopes = (*parts, "")[:3]
    if not _SECRET.fullmatch(secret):
        raise TokenError(f"{where}: a secret is made of printable ASCII characters")
    names = repos.split(",")
    if repos != "*" and not all(_REPO.fullmatch(repo) for repo in names):
        raise TokenError(f"{where}: repos is * or a comma list of owner/name")
    rights = frozenset(scopes.split(",")) if scopes else frozenset[str]()
    if not all(_SCOPE.fullmatch(right) for right in rights):
        raise TokenError(f"{where}: scopes is a comma list of lower-case words")
    scope = None if repos == "*" else frozenset(repo.lower() for repo in names)
    return secret, Caller(name=name, repos=scope, scopes=rights)
