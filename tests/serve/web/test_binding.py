"""A server without tokens answers its own machine only."""

from __future__ import annotations

import pytest

from relore_serve.web.binding import UnsafeBinding, check_binding, check_request
from relore_serve.web.errors import HostRefused


@pytest.mark.parametrize("host", ["127.0.0.1", "127.9.9.9", "::1", "localhost", "LOCALHOST."])
def test_loopback_needs_no_tokens(host: str) -> None:
    check_binding(host, has_tokens=False, trust_network=False)


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "192.0.2.1", "example.org", "", "127.0.0.1.example.org"])  # noqa: S104
def test_anything_else_does(host: str) -> None:
    with pytest.raises(UnsafeBinding, match="RELORE_API_TOKENS"):
        check_binding(host, has_tokens=False, trust_network=False)

    check_binding(host, has_tokens=True, trust_network=False)
    check_binding(host, has_tokens=False, trust_network=True)


@pytest.mark.parametrize("host", ["localhost:8080", "127.0.0.1", "[::1]:8080"])
def test_a_request_from_this_machine_to_this_machine_is_let_in(host: str) -> None:
    check_request(remote="127.0.0.1", host=host)


@pytest.mark.parametrize(
    ("remote", "host"),
    [
        ("192.0.2.1", "localhost"),
        (None, "localhost"),
        ("127.0.0.1", "evil.example:8080"),
        ("127.0.0.1", ""),
        ("127.0.0.1", "localhost@evil.example"),
        ("127.0.0.1", "[::1"),
        ("not an address", "localhost"),
    ],
    ids=[
        "from elsewhere",
        "from nowhere",
        "rebound name",
        "no host",
        "user info",
        "half a bracket",
        "nonsense",
    ],
)
def test_a_request_from_or_for_elsewhere_is_not(remote: str | None, host: str) -> None:
    """A name of the outside that points at the loopback address is how a web page would read the index."""
    with pytest.raises(HostRefused):
        check_request(remote=remote, host=host)
