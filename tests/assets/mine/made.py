"""Questions made for tests."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

from relore_assets.mine.example import Answer, Asked, Example, Filters, Slice, identity
from relore_assets.mine.sets import Corpus, ExampleSet

NOW = datetime(2024, 6, 1, 12, 0, tzinfo=UTC)


def days(number: float) -> datetime:
    """A moment some days before `NOW`."""
    return NOW - timedelta(days=number)


def example(query: str = "The bilge pump stalls", **more: Any) -> Example:
    """A question asked by the title of #1, answered by #2 as the record says."""
    number: int = more.pop("number", 1)
    slice_: Slice = more.pop("slice", "closing-title")
    filters: Filters = more.pop("filters", Filters())
    values: dict[str, Any] = {
        "asked": Asked(
            number, "title", str(number), f"https://github.test/acme/widgets/issues/{number}", days(30)
        ),
        "withheld": (number,),
        "before": None,
        "answers": (Answer(2, "relevant", "record", "it claims to close it"),),
        **more,
    }
    return Example(
        id=identity("acme/widgets", slice_, query, filters, number),
        slice=slice_,
        query=query,
        filters=filters,
        **values,
    )


def example_set(*examples: Example, **more: Any) -> ExampleSet:
    """A set of them, not frozen."""
    values: dict[str, Any] = {
        "name": "widgets",
        "repo": "acme/widgets",
        "corpus": Corpus(9, 40, days(400), days(1)),
        "versions": {"signals": 4, "mine": 1},
        **more,
    }
    return ExampleSet(examples=tuple(sorted(examples, key=lambda each: each.id)), **values)
