"""Which versions of the API fit each other. Runs before anything is asked of the caller.

Both ends declare one integer. A server answers every version from `OLDEST_API` to `API`; it refuses a client
outside that range, and says which end is behind. Program versions travel along for people to read and are
never compared. A client that is older and still fits is answered, with a note of what it cannot ask for. A
caller that declares nothing (curl, a browser) is answered: what it expects is its own affair.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from relore_serve.web.errors import Incompatible, Refused

if TYPE_CHECKING:
    from collections.abc import Mapping

API = 1
"""The version of the API that this server speaks. Grows when a client of the one before would be misled."""

OLDEST_API = 1
"""The oldest version that is still answered."""

NEWS: Mapping[int, str] = {}
"""By version, what it brought that a client of the one before does not know to ask for; a few words each."""

API_HEADER = "x-relore-api"
NOTE_HEADER = "x-relore-note"
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
    news: Mapping[int, str] = NEWS,
) -> str | None:
    """Refuse a client that would misread the answers; return a note to one that only misses something.

    Args:
        declared: the client's version of the API, as its header has it.
        client: the client's program version.
        version: this server's program version.
        api: the newest version of the API that is answered.
        oldest: the oldest one.
        news: what each version brought.

    Raises:
        Incompatible: the declared version lies outside ``oldest`` to ``api``.
        Refused: the header is not a whole number.
    """
    if declared is None:
        return None
    if not (declared.isascii() and declared.isdigit() and len(declared) <= _LONGEST):
        raise Refused(f"{API_HEADER} is a whole number.", code="bad_value", facts={"parameter": API_HEADER})
    theirs = int(declared)
    if oldest <= theirs <= api:
        return _missed(theirs, api, news)
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


def _missed(theirs: int, api: int, news: Mapping[int, str]) -> str | None:
    """Return what a client of an older version does not know to ask for; None where that is nothing."""
    missed = [news[version] for version in range(theirs + 1, api + 1) if version in news]
    if not missed:
        return None
    return (
        f"The client is behind: it speaks API {theirs} and this server {api}. It is answered, without what came "
        f"since: {'; '.join(missed)}. Upgrade the client to ask for it."
    )
