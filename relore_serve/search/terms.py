"""The words of a question, and what each is worth: the rarer, the more."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from relore_serve.search.function_words import FUNCTION_WORDS
from relore_serve.search.ranking import DEFAULT

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from relore_serve.search.ranking import Ranking
    from relore_serve.search.tokens import Term

# Documents in which the parts of a name stand side by side are a small part of those that hold its rarest
# part.
_ADJACENT = 0.1


@dataclass(frozen=True, slots=True)
class WeighedTerm:
    """A term, an estimate of how many documents carry it, and its share of the question; shares make up 1.

    ``required`` is whether it names something, and so is required where anything is.
    """

    term: Term
    frequency: float
    weight: float
    required: bool = True


def weigh(
    terms: Sequence[Term], documents: int, frequencies: Mapping[str, int], ranking: Ranking = DEFAULT
) -> list[WeighedTerm]:
    """Weigh each term by its rarity among ``documents`` of which ``frequencies`` carry a lexeme."""
    estimates = [frequency(term, frequencies) for term in terms]
    required = [not (ranking.function_words and names_nothing(term)) for term in terms]
    total = max([documents, *estimates])
    rarities = [
        math.log(1 + (total - found + 0.5) / (found + 0.5)) ** ranking.rarity
        * (1 if wanted else ranking.function_word)
        for found, wanted in zip(estimates, required, strict=True)
    ]
    whole = sum(rarities) or 1.0
    return [
        WeighedTerm(term, found, rarity / whole, wanted)
        for term, found, rarity, wanted in zip(terms, estimates, rarities, required, strict=True)
    ]


def coverage_power(terms: Sequence[WeighedTerm], ranking: Ranking = DEFAULT) -> float:
    """Return how much it matters that a text carries all of the question: the more, the fewer words it has."""
    more = sum(term.required for term in terms) - ranking.few_words
    return max(0.0, ranking.coverage * (1.0 - max(more, 0) / max(ranking.coverage_ends, 1)))


def names_nothing(term: Term) -> bool:
    """Whether a term only holds a sentence together."""
    return term.text.casefold() in FUNCTION_WORDS


def frequency(term: Term, frequencies: Mapping[str, int]) -> float:
    """Estimate how many documents match the term's query: one lexeme, a phrase of some, or either."""
    first = frequencies.get(term.lexemes[0], 0)
    if len(term.lexemes) == 1:
        return first
    if term.tsquery.startswith("(") and " | " in term.tsquery:
        rarest = min(frequencies.get(lexeme, 0) for lexeme in term.lexemes[1:])
        return max(first, rarest * _ADJACENT)
    return min(frequencies.get(lexeme, 0) for lexeme in term.lexemes) * _ADJACENT


@dataclass(frozen=True, slots=True)
class TextQuery:
    """A text as Postgres is asked for it. None where there is nothing of the kind to ask.

    Attributes:
        every: all that is required.
        any_text: any of it.
        any_rare: any of its rare words, as many as the bound on candidates allows.
        partial: ``any_rare`` leaves words out.
        any_rarest: the same with a closer bound; only of questions with many words.
        rarest_partial: ``any_rarest`` leaves words out.
        any_next: what follows where too little within the bounds of a question carries ``any_rare``: the same with the
            next rarest words, then with all. Words are rare in all that is held, and may not be met in what is asked.
        left_any: the words that ``any_rare`` leaves out, as asked. left_rarest: the same of ``any_rarest``.
        left_next: of each of ``any_next``.
        least: an estimate of how many documents carry the rarest word of ``every``; no more carry every word.
    """

    every: str | None
    any_text: str | None
    any_rare: str | None
    partial: bool
    any_rarest: str | None = None
    rarest_partial: bool = False
    any_next: tuple[str, ...] = ()
    left_any: tuple[str, ...] = ()
    left_rarest: tuple[str, ...] = ()
    left_next: tuple[tuple[str, ...], ...] = ()
    least: float = 0.0


def text_query(terms: Sequence[WeighedTerm], bound: int, ranking: Ranking = DEFAULT) -> TextQuery:
    """Turn terms into queries; words that name nothing are required only where no other word is."""
    asked = [term for term in terms if term.required] or list(terms)
    if not asked:
        return TextQuery(None, None, None, partial=False)
    every = " & ".join(term.term.tsquery for term in asked)
    rare = _rarest(asked, bound)
    left = [term for term in asked if term not in rare]
    following = _rarest(left, bound)
    wider = [[*rare, *following]] if left and len(following) < len(left) else []
    rarest = _rarest(asked, ranking.below) if len(asked) >= ranking.many_words else []
    wider += [list(asked)] if left or 0 < len(rarest) < len(asked) else []
    return TextQuery(
        every,
        " | ".join(term.term.tsquery for term in asked),
        # With one word, any word is every word.
        " | ".join(term.term.tsquery for term in rare) if len(asked) > 1 else None,
        partial=len(rare) < len(asked),
        any_rarest=" | ".join(term.term.tsquery for term in rarest) if rarest else None,
        rarest_partial=len(rarest) < len(asked),
        any_next=tuple(" | ".join(term.term.tsquery for term in group) for group in wider),
        left_any=_left(asked, rare),
        left_rarest=_left(asked, rarest),
        left_next=tuple(_left(asked, group) for group in wider),
        least=min(term.frequency for term in asked),
    )


def widenings(query: TextQuery) -> Iterator[TextQuery]:
    """Yield what is to be asked, one after the other, until a page is filled: all of it, if need be."""
    yield query
    for place, (group, left) in enumerate(zip(query.any_next, query.left_next, strict=True), 1):
        partial = place < len(query.any_next)
        wider = replace(query, any_rare=group, partial=partial, left_any=left)
        if query.any_rarest is not None:
            wider = replace(wider, any_rarest=group, rarest_partial=partial, left_rarest=left)
        yield wider


def _left(asked: Sequence[WeighedTerm], group: Sequence[WeighedTerm]) -> tuple[str, ...]:
    return tuple(term.term.text for term in asked if term not in group)


def _rarest(terms: Sequence[WeighedTerm], bound: int) -> list[WeighedTerm]:
    """Return the rarest terms that together match about ``bound`` documents, one at the least."""
    chosen: list[WeighedTerm] = []
    matched = 0.0
    for term in sorted(terms, key=lambda term: term.frequency):
        if matched and matched + term.frequency > bound:
            break
        chosen.append(term)
        matched += term.frequency
    return chosen
