"""Invented questions, and lines of labels as the server writes them."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from relore_assets.mine.example import Answer, Asked, Example, Filters, identity
from relore_assets.mine.sets import Corpus, ExampleSet

REPO = "harbor/tide"


def example(
    query: str,
    number: int = 1,
    *answers: Answer,
    slice_: str = "closing-title",
    before: datetime | None = None,
    withheld: tuple[int, ...] = (),
    **filters: Any,
) -> Example:
    """Return a question that a thread asks, dated by its number."""
    of = Filters(**filters)
    return Example(
        id=identity(REPO, slice_, query, of, number),
        slice=slice_,
        query=query,
        filters=of,
        asked=Asked(
            number,
            "title",
            str(number),
            "https://github.test/x",
            datetime(2020, 1, number % 28 + 1, tzinfo=UTC),
        ),
        withheld=withheld or (number,),
        before=before,
        answers=answers,
    )


def set_of(*examples: Example, name: str = "tides") -> ExampleSet:
    """Return a set that is not frozen."""
    ordered = tuple(sorted(examples, key=lambda each: each.id))
    return ExampleSet(name, REPO, Corpus(10, 40), {"signals": 4}, ordered)


def row(query: str, number: int = 7, verdict: str = "relevant", **more: Any) -> dict[str, Any]:
    """Return a line of a label as the server writes it."""
    return {
        "labelled_at": "2024-06-01T12:00:00Z",
        "judge": "human",
        "caller": "token-1",
        "verdict": verdict,
        "repo": REPO,
        "number": number,
        "source_type": "title",
        "source_id": str(number),
        "query": query,
        "kind": None,
        "filters": {},
        "note": "",
        "backend": {"name": "postgresql", "ranking": "bm25"},
        "versions": {"relore": "0.1.0", "signals": 4, "tokens": 1},
        **more,
    }
