"""Whether the semantic tier is on, and how much of what is held has a vector."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from relore_serve.semantic.tier import Tier

NO_VECTORS = "no thread has a vector of this model yet: `relored embeddings` makes them"


def told(tier: Tier, books: Sequence[Mapping[str, Any] | None]) -> dict[str, Any]:
    """Return the tier as JSON.

    Args:
        tier: what the asking program has.
        books: of each repository what was counted of its vectors, None where there were none.
    """
    model = None if tier.likeness is None else tier.likeness.encoder.name
    counted = [book for book in books if book is not None and book["model"] == model]
    sums = {name: sum(book[name] for book in counted) for name in ("threads", "vectors", "stale")}
    why_off = tier.why_off if model is None else None if sums["vectors"] else NO_VECTORS
    return {"on": why_off is None, "why_off": why_off, "model": model, **sums}
