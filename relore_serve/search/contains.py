"""`--contains`: which words of the index hold a part of a name, and that every hit carries one of them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from psycopg.rows import tuple_row

from relore_serve.prepared import Prepared
from relore_serve.search import tokens
from relore_serve.search.compounds import fits, fold, is_unspaced
from relore_serve.search.question import QuestionError
from relore_serve.search.scope import statements
from relore_serve.search.stems import stem
from relore_serve.search.terms import WeighedTerm
from relore_serve.search.tokens import Term

if TYPE_CHECKING:
    from collections.abc import Sequence

    from psycopg import Connection

    from relore_serve.search.terms import TextQuery

MOST_WORDS = 200
"""Words that parts are looked for by, shared among several parts; of more, those in the most texts."""
ENOUGH_TEXTS = 60_000
"""Texts that carry the words of a part, beyond which, asked alone, no further word is looked for."""
SHORTEST = 3
SHORTEST_UNSPACED = 2
"""Writing without spaces is indexed in pairs, so two characters of it are a word by themselves."""

_NAMED = 3
# Each word costs a look at each text that is ranked, and those in the most texts tell nearly all of them apart.
_RANKED = 20
_PARTS = Prepared(statements("relore_serve.search", "contains.sql", most=MOST_WORDS)["parts"])


@dataclass(frozen=True, slots=True)
class Met:
    """What a part was found in.

    Attributes:
        value: the part, in the form it is compared in.
        words: the words that hold it and are asked for, those in the most texts first.
        total: how many hold it; more than are asked for where there are very many.
    """

    value: str
    words: tuple[str, ...]
    total: int


def part(value: str) -> str:
    """Return the form in which a part is compared with words.

    Raises:
        QuestionError: it is too short to tell words apart, longer than any word that is found, or holds a space, which
            no word does.
    """
    folded = fold(value.strip().strip("`'\"").strip())
    shortest = SHORTEST_UNSPACED if is_unspaced(folded) else SHORTEST
    if len(folded) < shortest:
        raise QuestionError(
            "part_too_short",
            f"{value!r} is too short a part: give {shortest} characters of an identifier or more.",
            "contains",
        )
    if len(folded.split()) > 1:
        raise QuestionError(
            "bad_value",
            f"{value!r} holds a space, and no identifier does: give one part of a name, or ask for it as text.",
            "contains",
        )
    if not (fits(folded) or _in_pairs(folded)):
        raise QuestionError(
            "bad_value",
            f"A part of {len(folded):,} characters is longer than any word that is found: give a few of them that tell "
            "the name from others.",
            "contains",
        )
    return folded


def met(
    conn: Connection, repo_ids: Sequence[int], parts: Sequence[str], *, alone: bool = False
) -> tuple[Met, ...]:
    """Return what was found for each part, in one look-up for all.

    Args:
        conn: a session that may read the tables.
        repo_ids: the repositories asked.
        parts: the parts.
        alone: nothing else is asked, so words beyond those that fill every page by themselves are left out.
    """
    if not parts:
        return ()
    words: dict[str, list[str]] = {value: [] for value in parts}
    totals = dict.fromkeys(parts, 0)
    texts = dict.fromkeys(parts, 0)
    most = MOST_WORDS // len(parts)
    parameters = {"repo_ids": list(repo_ids), "patterns": [_pattern(value) for value in parts]}
    for place, word, documents, total in _PARTS.fetch(conn, parameters, tuple_row):
        value = parts[int(place) - 1]
        totals[value] = total
        if len(words[value]) < most and not (alone and texts[value] > ENOUGH_TEXTS):
            words[value].append(word)
            texts[value] += documents
    return tuple(Met(value, tuple(words[value]), totals[value]) for value in parts)


def within(found: Sequence[Met]) -> str | None:
    """Return the tsquery that every text has to match: any word that holds any of the parts; None without parts."""
    return " | ".join(_query(each.value, each.words) for each in found) or None


def narrowed(query: TextQuery, found: Sequence[Met]) -> TextQuery:
    """Return the queries of a text with that condition put to each; alone, it is the question."""
    bound = within(found)
    if bound is None:
        return query

    def both(asked: str | None) -> str | None:
        return f"({asked}) & ({bound})" if asked is not None else None

    return replace(
        query,
        every=both(query.every) or bound,
        any_text=both(query.any_text) or bound,
        any_rare=both(query.any_rare),
        any_next=tuple(f"({group}) & ({bound})" for group in query.any_next),
    )


def term(found: Sequence[Met]) -> WeighedTerm:
    """Return what a page without words is ranked by: how much of a text these words are."""
    query = " | ".join(_query(each.value, each.words[:_RANKED]) for each in found)
    words = tuple(word for each in found for word in each.words[:_RANKED])
    return WeighedTerm(Term(" ".join(each.value for each in found), query, words), 0.0, 1.0)


def held(found: Sequence[Met], text: str) -> list[str]:
    """Return, as ``contains:name``, the names of a text that hold one of the parts, three at most for each."""
    folded = fold(text) if found else ""
    return [
        f"contains:{word}"
        for each in found
        for word in [word for word in each.words if word in folded][:_NAMED]
    ]


def _pattern(value: str) -> str:
    escaped = value.replace("\\", "\\\\").replace("%", "\\%").replace("_", "\\_")
    return f"%{escaped}%"


def _query(value: str, words: Sequence[str]) -> str:
    """Return the tsquery for any of the words, and for the part as a word of its own, which is held by its stem."""
    if pairs := _in_pairs(value):
        return f"({pairs})"
    return " | ".join(map(quoted, dict.fromkeys([*words, stem(value)])))


def _in_pairs(value: str) -> str:
    """Return the tsquery for a part in writing without spaces; empty where it is none."""
    return tokens.query(value).conjunction() if is_unspaced(value) else ""


def quoted(lexeme: str) -> str:
    """Return a lexeme as an operand of a tsquery."""
    escaped = lexeme.replace("\\", "\\\\").replace("'", "''")
    return f"'{escaped}'"
