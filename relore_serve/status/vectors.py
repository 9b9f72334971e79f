"""Whether the semantic tier is on, and how much of what is held has a vector."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from relore_serve.semantic.tier import Tier

NO_VECTORS = "no thread has a vector of this model yet: `relored embeddings` makes them"


def of_repo(books: Mapping[str, Any], model: str, held: int) -> dict[str, Any] | None:
    """Return of one repository how many threads have a vector of a model; None where none has.

    Args:
        books: what was counted of the repository, at the date that stands beside it.
        model: the model asked by.
        held: how many vectors there are now: a run may have been broken off, and vectors may be gone, since then.
    """
    counted: Mapping[str, Any] = books.get("semantic") or {}
    if not held:
        return None
    known = counted if counted.get("model") == model else {}
    threads = max(known.get("threads") or books.get("threads") or 0, held)
    return {"model": model, "threads": threads, "vectors": held, "stale": min(known.get("stale", 0), held)}


def told(tier: Tier, books: Sequence[Mapping[str, Any] | None]) -> dict[str, Any]:
    """Return the tier as JSON.

    Args:
        tier: what the asking program has.
        books: of each repository what is held of vectors, None where there are none.
    """
    model = None if tier.likeness is None else tier.likeness.encoder.name
    counted = [book for book in books if book is not None and book["model"] == model]
    sums = {name: sum(book[name] for book in counted) for name in ("threads", "vectors", "stale")}
    why_off = tier.why_off if model is None else None if sums["vectors"] else NO_VECTORS
    return {"on": why_off is None, "why_off": why_off, "model": model, **sums}
