"""Small pieces that GitHub's objects have in common: accounts, dates, ids, labels."""

from __future__ import annotations

import base64
import zlib
from collections import Counter
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from relore_assets.demo.errors import SourceError
from relore_assets.demo.people import GHOST

if TYPE_CHECKING:
    from collections.abc import Mapping

    from relore_assets.demo.people import Person

OWNER = "acme-harbor"
NAME = "ebbsync"
REPOSITORY = f"{OWNER}/{NAME}"
URL = f"https://github.com/{REPOSITORY}"
API = f"https://api.github.com/repos/{REPOSITORY}"
REPOSITORY_ID = 900_100_001

Json = dict[str, Any]

_EPOCH = datetime(2023, 1, 1, tzinfo=UTC)
_PER_MINUTE = 10
_COLORS = {"bug": "d73a4a", "enhancement": "a2eeef", "question": "d876e3", "documentation": "0075ca"}


class Ids:
    """Ids of one thread's objects: they grow with the date, and no date is asked of the clock."""

    def __init__(self, number: int) -> None:
        self._number = number
        self._used: Counter[tuple[str, datetime]] = Counter()

    def take(self, kind: str, at: datetime) -> int:
        """The next id for an object of this kind.

        Raises:
            SourceError: more objects of one kind share a minute than there are ids.
        """
        order = self._used[kind, at]
        self._used[kind, at] += 1
        if order >= _PER_MINUTE:
            raise SourceError(f"thread {self._number}: more than {_PER_MINUTE} of {kind} at {at}")
        minutes = int((at - _EPOCH).total_seconds()) // 60
        return (minutes * 1000 + self._number) * _PER_MINUTE + order


class Accounts:
    """Shows people as GitHub shows accounts; the ghost has none."""

    def __init__(self, people: Mapping[str, Person]) -> None:
        self._people = people

    def account(self, login: str) -> Json | None:
        """The account object, or None for an account that is gone."""
        if login == GHOST:
            return None
        person = self.person(login)
        return {
            "login": person.login,
            "id": person.id,
            "node_id": node_id("User", person.id),
            "type": person.kind,
            "site_admin": False,
        }

    def association(self, login: str) -> str:
        """What ties the account to the repository today."""
        return "NONE" if login == GHOST else self.person(login).association

    def person(self, login: str) -> Person:
        """The person of that login.

        Raises:
            SourceError: people.txt has no such person.
        """
        if login not in self._people:
            raise SourceError(f"people.txt has no {login}")
        return self._people[login]


def stamp(at: datetime) -> str:
    """The date as GitHub writes it."""
    return at.strftime("%Y-%m-%dT%H:%M:%SZ")


def node_id(kind: str, number: int | str) -> str:
    """An opaque id of the older form, which is a kind and a number in base64."""
    return base64.b64encode(f"{len(kind):03}:{kind}{number}".encode()).decode()


def label(name: str) -> Json:
    """A label object. Its id is a checksum of its name, so that it is the same on every thread."""
    number = zlib.crc32(name.encode("utf-8", "surrogatepass"))
    return {
        "id": number,
        "node_id": node_id("Label", number),
        "name": name,
        "description": "",
        "color": _COLORS.get(name, "ededed"),
        "default": name in _COLORS,
    }
