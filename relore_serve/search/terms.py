"""The words of a question, and what each is worth: the rarer, the more."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from relore_serve.search import tokens
from relore_serve.search.function_words import FUNCTION_WORDS
from relore_serve.search.ranking import DEFAULT

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping, Sequence

    from relore_serve.search.ranking import Ranking
    from relore_serve.search.tokens import Term

# Documents in which the parts of a name stand side by side are a small part of those that hold its rarest
# part.
_ADJACENT = 0.1
# Of the documents that carry a word, so many are titles and opening posts.
_HEADS = 1 / 7


@dataclass(frozen=True, slots=True)
class WeighedTerm:
    """A term, an estimate of how many documents carry it, and its share of the question; shares make up 1.

    ``required`` is whether it names something, and so is required where anything is.
    """

    term: Term
    frequency: float
    weight: float
    required: bool = True


def head(text: str) -> frozenset[str]:
    """Return the queries of the words of a text's first line, if more follows: what it is about, as its author put it.

    A line that ends in a colon announces what follows (`Traceback (most recent call last):`) and is none.
    """
    first, _, rest = text.strip().partition("\n")
    if not rest.strip() or first.rstrip().endswith((":", "\N{FULLWIDTH COLON}")):
        return frozenset()
    return frozenset(term.tsquery for term in tokens.query(first).terms)


def weigh(
    terms: Sequence[Term],
    documents: int,
    frequencies: Mapping[str, int],
    ranking: Ranking = DEFAULT,
    *,
    head: Collection[str] = (),
) -> list[WeighedTerm]:
    """Weigh each term by its rarity among ``documents`` of which ``frequencies`` carry a lexeme.

    Those whose queries stand in ``head`` weigh more, where there are others beside them.
    """
    estimates = [frequency(term, frequencies) for term in terms]
    required = [not (ranking.function_words and names_nothing(term)) for term in terms]
    total = max([documents, *estimates])
    rarities = [
        math.log(1 + (total - found + 0.5) / (found + 0.5)) ** ranking.rarity
        * (1 if wanted else ranking.function_word)
        * (ranking.head if term.tsquery in head else 1)
        for term, found, wanted in zip(terms, estimates, required, strict=True)
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


def share(terms: Sequence[WeighedTerm], text: str) -> float:
    """Return how much of a question its words make up that also stand in a text, between 0 and 1."""
    told = {lexeme for term in tokens.query(text).terms for lexeme in term.lexemes}
    return min(1.0, sum(term.weight for term in terms if term.term.lexemes[0] in told))


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
        rare: the words of ``any_rare``, each of which is looked up by itself.
        in_heads: the next rarest, which titles and opening posts are looked up by, as many as the same bound allows.
        tops_up: there are enough words that what carries some of them says something.
        any_next: what follows where too little within the bounds of a question carries ``any_rare``: the same with the
            next rarest words, then with all. Words are rare in all that is held, and may not be met in what is asked.
        next_rare: the words of each of ``any_next``.
        left_any: the words that ``any_rare`` leaves out, as asked. left_next: of each of ``any_next``.
        least: an estimate of how many documents carry the rarest word of ``every``; no more carry every word.
    """

    every: str | None
    any_text: str | None
    any_rare: str | None
    partial: bool
    rare: tuple[WeighedTerm, ...] = ()
    in_heads: tuple[WeighedTerm, ...] = ()
    tops_up: bool = False
    any_next: tuple[str, ...] = ()
    next_rare: tuple[tuple[WeighedTerm, ...], ...] = ()
    left_any: tuple[str, ...] = ()
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
    wider = [(*rare, *following)] if left and len(following) < len(left) else []
    wider += [tuple(asked)] if left else []
    return TextQuery(
        every,
        " | ".join(term.term.tsquery for term in asked),
        # With one word, any word is every word.
        " | ".join(term.term.tsquery for term in rare) if len(asked) > 1 else None,
        partial=len(rare) < len(asked),
        rare=tuple(rare) if len(asked) > 1 else (),
        in_heads=tuple(_rarest(left, bound / _HEADS) if left else ()),
        tops_up=len(asked) >= ranking.many_words,
        any_next=tuple(" | ".join(term.term.tsquery for term in group) for group in wider),
        next_rare=tuple(wider),
        left_any=_left(asked, rare),
        left_next=tuple(_left(asked, group) for group in wider),
        least=min(term.frequency for term in asked),
    )


def widenings(query: TextQuery) -> Iterator[TextQuery]:
    """Yield what is to be asked, one after the other, until a page is filled: all of it, if need be."""
    yield query
    following = zip(query.any_next, query.next_rare, query.left_next, strict=True)
    for place, (asked, rare, left) in enumerate(following, 1):
        partial = place < len(query.any_next)
        yield replace(query, any_rare=asked, rare=rare, in_heads=(), partial=partial, left_any=left)


def _left(asked: Sequence[WeighedTerm], group: Sequence[WeighedTerm]) -> tuple[str, ...]:
    return tuple(term.term.text for term in asked if term not in group)


def _rarest(terms: Sequence[WeighedTerm], bound: float) -> list[WeighedTerm]:
    """Return the rarest terms that together match about ``bound`` documents, one at the least."""
    chosen: list[WeighedTerm] = []
    matched = 0.0
    for term in sorted(terms, key=lambda term: term.frequency):
        if matched and matched + term.frequency > bound:
            break
        chosen.append(term)
        matched += term.frequency
    return chosen
