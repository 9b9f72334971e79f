"""What the answers to several kinds of questions tell in one shape: which thread it is, and a quotation."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Named:
    """A thread, by what it is called and where it stands."""

    repo: str
    number: int
    type: str
    title: str
    url: str
    author: str


@dataclass(frozen=True, slots=True)
class Quotation:
    """A passage in the window that is shown of it.

    Attributes:
        document_id: source_type:source_id:chunk_index, stable across rebuilds.
        truncated: ``text`` is less than the whole.
    """

    source_type: str
    source_id: str
    document_id: str
    author: str
    trust: str
    age: str
    date: str | None
    url: str
    text: str
    truncated: bool
