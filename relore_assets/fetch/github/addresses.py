"""Addresses: where GitHub is, what belongs to it, and what an address of it is called in counts.

The base comes from the operator alone. Everything that an answer points to is held against it before it is used.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from ipaddress import ip_address
from urllib.parse import parse_qsl, urlencode, urljoin, urlsplit, urlunsplit

from relore_assets.fetch.github.errors import ForeignOrigin

GITHUB = "https://api.github.com"

_PORTS = {"http": 80, "https": 443}
#: Characters that parsers of addresses disagree on; none of GitHub's links has one.
_DISPUTED = re.compile(r"[\x00-\x20\x7f\\]")


class BadBase(ValueError):
    """The base address cannot be used; the message says why."""


@dataclass(frozen=True)
class Base:
    """GitHub's REST address, checked: https, or plain http where that was allowed, and no more than an address.

    Make one with `base`.
    """

    url: str
    scheme: str
    host: str
    port: int

    @property
    def loopback(self) -> bool:
        """Whether it is this machine."""
        return is_loopback(self.host)

    @property
    def graphql(self) -> str:
        """Where GraphQL is: beside REST, and on an Enterprise Server not below ``v3``."""
        return f"{self.url.removesuffix('/v3')}/graphql"

    def address(self, path: str) -> str:
        """Return the address of ``path``, which begins with a slash."""
        if not path.startswith("/"):
            raise ValueError(f"not a path: {path!r}")
        return self.url + path

    def own(self, url: str) -> str:
        """Return ``url``, which may be relative, made absolute.

        Raises:
            ForeignOrigin: it has another scheme, host or port than ours, or is not surely an address at all.
        """
        if _DISPUTED.search(url):
            raise ForeignOrigin("GitHub pointed to something that is no address; it was not followed.")
        try:
            absolute = urljoin(f"{self.url}/", url)
            parts = urlsplit(absolute)
            port = parts.port or _PORTS.get(parts.scheme)
        except ValueError:
            raise ForeignOrigin(
                "GitHub pointed to something that is no address; it was not followed."
            ) from None
        if "@" in parts.netloc or (parts.scheme, parts.hostname, port) != (self.scheme, self.host, self.port):
            raise ForeignOrigin(
                f"GitHub pointed from {self.scheme}://{self.host}:{self.port} to "
                f"{parts.scheme}://{parts.hostname}:{port}; no request was sent there."
            )
        return urlunsplit(parts._replace(fragment=""))

    def path(self, url: str) -> str:
        """Return the path of an own address below the base."""
        return urlsplit(url).path.removeprefix(urlsplit(self.url).path)


def base(url: str, *, allow_http: bool = False) -> Base:
    """Check the operator's address of GitHub.

    Raises:
        BadBase: it is not https (nor loopback, nor allowed), or carries more than scheme, host, port and path.
    """
    try:
        parts = urlsplit(url)
        host, port = parts.hostname, parts.port
    except ValueError:
        raise BadBase("is no address") from None
    if _DISPUTED.search(url) or not host or parts.scheme not in _PORTS:
        raise BadBase("must be an address like https://github.example/api/v3")
    if "@" in parts.netloc:
        raise BadBase("must not hold a user or a password; the token goes into GITHUB_TOKEN")
    if parts.query or parts.fragment:
        raise BadBase("must end with its path")
    if parts.scheme == "http" and not (allow_http or is_loopback(host)):
        raise BadBase("must begin with https://, or the token would travel in the open")
    cleaned = urlunsplit((parts.scheme, parts.netloc.lower(), parts.path.rstrip("/"), "", ""))
    return Base(cleaned, parts.scheme, host, port or _PORTS[parts.scheme])


def is_loopback(host: str) -> bool:
    """Whether a host's name is surely this machine: names other than localhost may resolve to anything."""
    if host == "localhost":
        return True
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return False


_REPOSITORY = re.compile(r"^/(?:repos/[^/]+/[^/]+|repositories/\d+)(?P<rest>/.*)?$")
#: Of a longer path only what is known to be no name.
_WORDS = frozenset(
    {"issues", "pulls", "comments", "events", "timeline", "reviews", "files", "commits", "collaborators"}
    | {"permission", "labels", "app", "installations", "access_tokens", "search", "rate_limit", "graphql"}
)


def template(path: str) -> str:
    """Return what an address is counted under: ``issues/N/comments``, ``repo``, ``graphql``."""
    found = _REPOSITORY.match(path)
    rest = (found["rest"] or "" if found else path).strip("/")
    if not rest:
        return "repo" if found else "root"
    return "/".join(part if part in _WORDS else "N" if part.isdigit() else "*" for part in rest.split("/"))


def with_query(url: str, **values: str | int) -> str:
    """Return ``url`` with those values in its query and all others as they stand."""
    parts = urlsplit(url)
    query = [
        (name, value) for name, value in parse_qsl(parts.query, keep_blank_values=True) if name not in values
    ]
    query += [(name, str(value)) for name, value in values.items()]
    return urlunsplit(parts._replace(query=urlencode(query)))
