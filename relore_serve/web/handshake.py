"""Which versions of the API fit each other. Runs before anything is asked of the caller.

Both ends declare one integer. A server answers every version from `OLDEST_API` to `API`; it refuses a client
outside that range, and says which end is behind. Program versions travel along for people to read and are
never compared. A caller that declares nothing (curl, a browser) is answered: what it expects is its own
affair.
"""

from __future__ import annotations

from relore_serve.web.errors import Incompatible, Refused

API = 1
"""The version of the API that this server speaks. Grows when a client of the one before would be misled."""

OLDEST_API = 1
"""The oldest version that is still answered."""

API_HEADER = "x-relore-api"
VERSION_HEADER = "x-relore-version"
CLIENT_HEADER = "x-relore-client"

_LONGEST = 9
_LONGEST_NAME = 40


def check(
    declared: str | None,
    *,
    client: str | None,
    version: str,
    api: int = API,
    oldest: int = OLDEST_API,
) -> None:
    """Refuse a client that would misread the answers.

    Args:
        declared: the client's version of the API, as its header has it.
        client: the client's program version.
        version: this server's program version.
        api: the newest version of the API that is answered.
        oldest: the oldest one.

    Raises:
        Incompatible: the declared version lies outside ``oldest`` to ``api``.
        Refused: the header is not a whole number.
    """
    if declared is None:
        return
    if not (declared.isascii() and declared.isdigit() and len(declared) <= _LONGEST):
        raise Refused(f"{API_HEADER} is a whole number.", code="bad_value", facts={"parameter": API_HEADER})
    theirs = int(declared)
    if oldest <= theirs <= api:
        return
    client = (client or "of an unknown version")[:_LONGEST_NAME]
    if theirs < oldest:
        behind = "client"
        remedy = (
            f"The client is behind: relore {client} speaks API {theirs}, and this server ({version}) answers "
            f"{oldest} to {api}. Upgrade the client."
        )
    else:
        behind = "server"
        remedy = (
            f"The server is behind: relore {client} speaks API {theirs}, and this server ({version}) answers "
            f"up to {api}. The client is fine; the server needs to be upgraded."
        )
    raise Incompatible(remedy, facts={"behind": behind, "api": api, "oldest_api": oldest, "version": version})
