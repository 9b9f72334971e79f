"""A server without tokens serves its own machine only.

Checked twice: `check_binding` refuses to listen elsewhere, and `check_request` refuses what arrives from
elsewhere anyway (a server started by another program, a proxy, a web page whose name was pointed at the
loopback address). Serving an open index to a network is possible and is always somebody's typed decision, so
that a deployment that loses its secret fails closed.
"""

from __future__ import annotations

import ipaddress
from urllib.parse import urlsplit

from relore_serve.web.errors import HostRefused


class UnsafeBinding(Exception):
    """The server would answer strangers; the message says what to do."""


def is_loopback(host: str) -> bool:
    """Whether ``host``, a name or an address, can only be this machine."""
    if host.lower().rstrip(".") == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def check_binding(host: str, *, has_tokens: bool, trust_network: bool) -> None:
    """Refuse to listen beyond this machine without tokens.

    Raises:
        UnsafeBinding: ``host`` is not a loopback address and nobody said that the network may be trusted.
    """
    if has_tokens or trust_network or is_loopback(host):
        return
    raise UnsafeBinding(
        f"Without tokens this server listens to its own machine only, and {host} is more than that. "
        "Set RELORE_API_TOKENS (or RELORE_API_TOKENS_FILE), or pass --trust-network to serve everything "
        "indexed "
        "to everybody who can reach it."
    )


def check_request(*, remote: str | None, host: str) -> None:
    """Refuse a request to an open server that did not come from this machine, addressed to this machine.

    Raises:
        HostRefused: it came from elsewhere, or was meant for another host.
    """
    named = urlsplit(f"//{host}").hostname if _is_authority(host) else None
    if remote is not None and is_loopback(remote) and named is not None and is_loopback(named):
        return
    raise HostRefused(
        "This server has no tokens and answers its own machine only, addressed as localhost or a loopback "
        "address."
    )


def _is_authority(host: str) -> bool:
    try:
        urlsplit(f"//{host}")
    except ValueError:
        return False
    return not any(character in host for character in "/?#@")
