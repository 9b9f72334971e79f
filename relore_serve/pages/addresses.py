"""Addresses on a page: whole, or what is left to say of one that differs from another in its number alone.

GitHub leads from ``/issues/N`` to ``/pull/N`` and back, whichever of both N is, so the address of a thread with another
number in it is that number's address.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from relore_serve.pages.untrusted import address, name

if TYPE_CHECKING:
    from collections.abc import Sequence

_REPOSITORY = re.compile(r"https://[a-z0-9.:-]+/([A-Za-z0-9-]+/[A-Za-z0-9._-]+)/")
_PLACE = re.compile(r"(https://[^\s?#]+/)(?:issues|pull)/([1-9][0-9]*)")
of = address


def place(thread: dict[str, Any]) -> str | None:
    """Return what the addresses of a repository's threads begin with, by that of one; None where it looks otherwise.

    >>> place({"url": "https://github.test/acme/widgets/pull/8", "number": 8})
    'https://github.test/acme/widgets/'
    """
    found = _PLACE.fullmatch(thread["url"])
    return found[1] if found and found[2] == str(thread["number"]) and address(found[1]) == found[1] else None


def with_number(thread: dict[str, Any]) -> str:
    """Return how the address of a row's thread is made of that of the page: ``…/pull/N``."""
    return f"…/{thread['url'].split('/')[-2]}/N"


def is_thread_of(beginning: str | None, row: dict[str, Any]) -> bool:
    """Whether a row's address is ``beginning``, its kind and its number, and so need not be printed."""
    return beginning is not None and place(row) == beginning


def common(rows: Sequence[dict[str, Any]]) -> str | None:
    """Return what the addresses of all rows begin with, up to their repository; None where they are not of one."""
    beginnings = {_beginning(row) for row in rows}
    return beginnings.pop() if len(beginnings) == 1 else None


def _beginning(row: dict[str, Any]) -> str | None:
    found = _REPOSITORY.match(row["url"])
    return found[0] if found and found[1] == row["repo"] else None


def said_once(repo: str, beginning: str) -> str:
    """Return the line that says of which repository all rows are, and what their addresses begin with."""
    return f"all of {name(repo)}; addresses begin with {beginning}"


def fragment(url: str) -> str:
    """Return what tells a text's address from its thread's: ``#issuecomment-1``, nothing for an opening post."""
    thread, mark, comment = url.partition("#")
    if not _PLACE.fullmatch(thread):
        return address(url)
    return f"#{address(comment)}" if mark else ""
