"""What words weigh, and which of them are asked for."""

from __future__ import annotations

from relore_serve.search import tokens
from relore_serve.search.terms import frequency, text_query, weigh


def weighed(text: str, frequencies: dict[str, int], documents: int = 1000) -> dict[str, float]:
    terms = weigh(tokens.query(text).terms, documents, frequencies)
    return {term.term.text: term.weight for term in terms}


def test_a_rarer_word_weighs_more_and_all_weigh_one_together() -> None:
    """A word that nobody used weighs most."""
    weights = weighed("the nonce frobnicator", {"the": 900, "nonc": 30})
    assert weights["the"] < weights["nonce"] < weights["frobnicator"]
    assert abs(sum(weights.values()) - 1) < 1e-9


def test_a_repository_that_was_never_counted_weighs_all_words_alike() -> None:
    """Search works before the first fold."""
    weights = weighed("nonce reuse", {}, documents=0)
    assert weights["nonce"] == weights["reuse"]


def test_a_name_is_as_rare_as_its_whole_or_as_its_parts_side_by_side() -> None:
    """Never rarer than the whole, far rarer than its rarest part."""
    (term,) = tokens.query("build_mask").terms
    assert frequency(term, {"build_mask": 40, "build": 500, "mask": 100}) == 40
    assert frequency(term, {"build": 500, "mask": 100}) == 10


def test_words_that_name_nothing_are_required_only_alone() -> None:
    """`why is the cast` requires cast."""
    several = text_query(weigh(tokens.query("why is the cast").terms, 100, {}), 10)
    alone = text_query(weigh(tokens.query("is it").terms, 100, {}), 10)
    assert several.every == "'cast'"
    assert (alone.every or "").count("&") == 1


def test_one_word_cannot_be_widened() -> None:
    """Any word of it is every word of it."""
    assert text_query(weigh(tokens.query("the cast").terms, 100, {}), 10).any_rare is None


def test_the_rarest_words_lead_to_candidates_as_far_as_the_bound_goes() -> None:
    """A common word costs what a rare one costs; what was left out is said."""
    terms = weigh(tokens.query("alpha beta gamma").terms, 10_000, {"alpha": 9000, "beta": 40, "gamma": 50})
    bounded = text_query(terms, 100)
    assert "alpha" not in (bounded.any_rare or "")
    assert bounded.partial
    assert "alpha" in (bounded.any_text or "")
    assert not text_query(terms, 10_000).partial


def test_a_common_word_is_asked_where_there_is_no_rarer_one() -> None:
    """One at the least that matches anything."""
    terms = weigh(tokens.query("alpha beta").terms, 10_000, {"alpha": 9000, "beta": 9500})
    assert text_query(terms, 100).any_rare == "'alpha'"
