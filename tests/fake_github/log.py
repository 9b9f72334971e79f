"""What was asked, in order."""

from __future__ import annotations

import threading
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator


@dataclass(slots=True)
class Entry:
    """One request and how it was answered."""

    method: str
    #: The path as asked, without the query.
    path: str
    query: dict[str, str]
    headers: dict[str, str]
    #: The JSON sent along, if any.
    body: Any = None
    #: The path with names in place of values, ``/repos/{owner}/{repo}/issues``; ``""`` where nothing is served.
    endpoint: str = ""
    status: int = 0
    #: What the answer cost of its quota: 0 for 304.
    cost: int = 0
    answer: dict[str, str] = field(default_factory=dict[str, str])
    #: Which injected fault met this request.
    fault: str = ""


class Log:
    """The requests since the start or the last `clear`; safe to read while requests come in."""

    def __init__(self) -> None:
        self._entries: list[Entry] = []
        self._lock = threading.Lock()

    def add(self, entry: Entry) -> None:
        """Append one."""
        with self._lock:
            self._entries.append(entry)

    def clear(self) -> None:
        """Forget everything so far."""
        with self._lock:
            self._entries.clear()

    def __iter__(self) -> Iterator[Entry]:
        with self._lock:
            return iter(list(self._entries))

    def __len__(self) -> int:
        return len(self._entries)

    def __getitem__(self, index: int) -> Entry:
        return self._entries[index]

    def of(
        self, endpoint: str | None = None, *, method: str | None = None, status: int | None = None
    ) -> list[Entry]:
        """Return the requests of one endpoint (``/graphql``, ``/repos/{owner}/{repo}/pulls``), method or status."""
        return [
            entry
            for entry in self
            if endpoint in {None, entry.endpoint}
            and method in {None, entry.method}
            and status in {None, entry.status}
        ]

    def count(
        self, endpoint: str | None = None, *, method: str | None = None, status: int | None = None
    ) -> int:
        """Return how many there were."""
        return len(self.of(endpoint, method=method, status=status))

    def cost(self, endpoint: str | None = None) -> int:
        """Return what they cost of their quotas together."""
        return sum(entry.cost for entry in self.of(endpoint))
