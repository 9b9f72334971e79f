"""Addresses on a page: whole, or what is left to say of one that differs from another in its number alone.

GitHub leads from ``/issues/N`` to ``/pull/N`` and back, whichever of both N is, so the address of a thread with another
number in it is that number's address.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from relore_serve.pages import pieces
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


_KINDS = {"issue_comment": "issuecomment-", "review": "pullrequestreview-", "review_comment": "discussion_r"}


def kind(text: dict[str, Any], shown: str) -> str:
    """Return what kind of text it is, nothing where the address that is ``shown`` beside it says so."""
    mark = _KINDS.get(text["source_type"])
    return "" if mark and shown.partition("#")[2].startswith(mark) else text["source_type"]


@dataclass(frozen=True, slots=True)
class Short:
    """How a page that says its repository once names threads and addresses of it.

    Attributes:
        repo: the repository; nothing where the page names every thread's.
        beginning: what the addresses of its threads begin with; None to print every address whole.
    """

    repo: str = ""
    beginning: str | None = None

    @classmethod
    def of(cls, rows: Sequence[dict[str, Any]], *, compact: bool) -> Short:
        """Return that of a page with these rows: short where it is compact and they are of one repository."""
        beginning = common(rows) if compact and len(rows) > 1 else None
        return cls(rows[0]["repo"], beginning) if beginning else cls()

    def lines(self) -> list[str]:
        """Return the line that says so, if anything is short."""
        if not self.beginning:
            return []
        return [f"{said_once(self.repo, self.beginning)} (that of #N: pull/N)"]

    def of_thread(self, thread: dict[str, Any]) -> list[str]:
        """Return the line of a thread's address; none where its number makes it."""
        return [] if is_thread_of(self.beginning, thread) else [address(thread["url"])]

    def kind(self, text: dict[str, Any], shown: str) -> str:
        """Return the kind of a text as a word of a line, nothing where this page says it by the address below."""
        told = kind(text, shown) if self.beginning else text["source_type"]
        return f"{told} " if told else ""

    def reference(self, thread: dict[str, Any]) -> str:
        """Return ``#92 pr``, or ``owner/name#92 pr`` of another repository."""
        short = self.beginning and thread["repo"] == self.repo
        return f"#{thread['number']} {thread['type']}" if short else pieces.reference(thread)

    def address(self, url: str, thread: str = "") -> str:
        """Return what is left to say of an address; of a text in ``thread``, which stands above, its fragment alone."""
        if self.beginning and thread and url.startswith(f"{thread}#"):
            return fragment(url)
        return address(url.removeprefix(self.beginning or ""))
