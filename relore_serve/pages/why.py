"""Why a hit is on the page, in one line: what it carries and lacks, what let it in, what its score is made of."""

from __future__ import annotations

from typing import Any

from relore_serve.pages import pieces
from relore_serve.search.ranking import DEFAULT

# Less than this is what rounding left.
_NOTHING = 0.0005
_FACTS = ("error", "test", "symbol", "file")


def line(hit: dict[str, Any]) -> str:
    """Return the line of one hit."""
    why = hit["why"]
    elsewhere = [fact for fact in why["filters"] if fact not in why["said"]]
    said = [
        _listed("words", why["terms"]),
        _listed("missing", why["missing"]),
        _listed("says", why["said"]),
        _listed("carries", elsewhere),
        _listed("found by", why["legs"], quoted=False),
        _score(hit),
    ]
    return f"why: {'; '.join(filter(None, said))}"


def _listed(what: str, values: list[str], *, quoted: bool = True) -> str:
    if not values:
        return ""
    return f"{what} {', '.join(map(pieces.caller_words, values) if quoted else values)}"


def _score(hit: dict[str, Any]) -> str:
    if hit["score"] is None:
        return "in the order of dates"
    parts: dict[str, float] = hit["breakdown"] or {}
    shares = [
        *((f"{fact} in the thread", parts.get(fact, 0) * DEFAULT.thread_share) for fact in _FACTS),
        ("facts in this text", parts.get("said_here", 0) * (1 - DEFAULT.thread_share)),
        ("likeness of the thread", parts.get("likeness", 0)),
        ("substance", parts.get("substance", 0)),
    ]
    covered = f" ({parts['coverage']:.0%} of the question)" if parts.get("coverage") else ""
    factor = parts.get("age_factor", 1)
    words = hit["score"] / factor - sum(share for _, share in shares)
    shares.insert(0, (f"words{covered}", words if words > _NOTHING else 0))
    made = " + ".join(f"{share:.3f} {words}" for words, share in shares if share)
    score = f"score {hit['score']:.3f}: {f'{factor:.3f} for its age x ({made})' if factor < 1 else made}"
    repeat = parts.get("repeat_factor")
    return f"{score}; put lower, x {repeat:.2f}, as a further text of its thread" if repeat else score
