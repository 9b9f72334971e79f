"""The invented people of the sample history: one line each in `history/people.txt`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from relore_assets.demo.errors import SourceError

if TYPE_CHECKING:
    from pathlib import Path

GHOST = "ghost"


@dataclass(frozen=True)
class Person:
    """An account as GitHub would show it when the history is fetched."""

    login: str
    id: int
    kind: str
    association: str

    @property
    def email(self) -> str:
        """The address in commits, at a domain that can never exist."""
        return f"{self.login.removesuffix('[bot]')}@example.invalid"


def read_people(path: Path) -> dict[str, Person]:
    """Every person of the file by login. Lines that start with # say nothing."""
    people: dict[str, Person] = {}
    for line in path.read_text(encoding="utf-8").splitlines():
        if not line.strip() or line.startswith("#"):
            continue
        fields = line.split()
        if len(fields) != 4:  # noqa: PLR2004 - the columns of the file
            raise SourceError(f"{path.name}: not four columns: {line}")
        login, number, kind, association = fields
        people[login] = Person(login, int(number), kind, association)
    return people
