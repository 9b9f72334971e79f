"""A comment that sends its reader to earlier work → that work. Proposals, for somebody to judge.

``like #12``, ``same as in #12``, ``introduced in #12``: the comment asks by the names of code in it, and by the words
of it and of its thread's title that tell most; what it names is proposed. Asked in the index as it stood before the
comment, its thread withheld.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from relore_assets.mine.example import Asked, Filters
from relore_assets.mine.references import behind, found
from relore_assets.mine.source import Mined, Source, proposed
from relore_assets.mine.texts import names, one_line, own_words, rarest, words

if TYPE_CHECKING:
    from collections.abc import Iterator

_CUES = (
    r"(?:just[ ])?like|same[ ]as|as[ ]in|similar(?:ly)?[ ]to|done[ ]in|following|follow(?:ing)?[- ]?up[ ](?:to|of|on)|"
    r"refer[ ]to|as[ ]per|port[ ]of|mirrors|introduced[ ]in|landed[ ]in|added[ ]in|cf\.?|see"
)
_SENDS = behind(_CUES, between=r"[ ]+(?:(?:also|in|e\.g\.|what[ ]we[ ]did[ ]in|the[ ]discussion[ ]in)[ ]+)?")
_MAY_SEND = (
    r"(like|same as|as in|similar|done in|following|follow-?up|refer to|as per|port of|mirrors|introduced in|landed in|"
    r"added in|cf|see).{1,60}(#[0-9]|github\.com/)"
)
#: Words that tell of an earlier case weigh more than a mere pointer.
_TELLING = re.compile(
    r"\b(like|same as|as in|similar(ly)? to|done in|port of|mirrors|introduced in|landed in|added in)\b", re.IGNORECASE
)  # fmt: skip

NAMES_MOST = 2
WORDS_MOST = 4
_WORDS_LEAST = 3
_TITLE_WORDS = 2
_SAID_ELSEWHERE = 5
_AROUND = 160  # characters


def around(body: str) -> str:
    """Return the author's own words around the first reference: what the comparison is about."""
    prose = own_words(body)
    match = _SENDS.search(prose)
    return prose if match is None else prose[max(0, match.start() - _AROUND) : match.end() + _AROUND]


def mine(source: Source) -> Iterator[Mined]:
    """Yield ``precedent``: one question per comment; names of code and cues that compare make it better."""
    rows = [
        (row, numbers)
        for row in source.rows("comparisons", pattern=_MAY_SEND)
        if (numbers := [each.number for each in found(_SENDS, row["body"], source.repo) if each.number])
    ]
    opened = source.opened(number for _, numbers in rows for number in numbers)
    frequencies = source.frequencies(
        word for row, _ in rows for word in words(f"{own_words(row['body'])} {one_line(row['title'])}")
    )
    for row, numbers in rows:
        answers = [
            number
            for number in numbers
            if number != row["number"] and number in opened and opened[number] < row["created_at"]
        ]
        known = [name for name in names(row["body"]) if name][:NAMES_MOST]
        said = [word for word in words(around(row["body"])) if word not in known]
        told = rarest(said, frequencies, WORDS_MOST - len(known), least=_SAID_ELSEWHERE)
        title = rarest(words(one_line(row["title"])), frequencies, _TITLE_WORDS, least=_SAID_ELSEWHERE)
        chosen = list(dict.fromkeys([*known, *told, *title]))
        if not answers or len(chosen) < _WORDS_LEAST:
            continue
        telling = bool(_TELLING.search(own_words(row["body"])))
        example = source.example(
            "precedent",
            " ".join(chosen),
            Asked(row["number"], row["source_type"], row["source_id"], row["url"], row["created_at"]),
            [proposed(number, "the comment sends its reader there") for number in answers],
            filters=Filters(kind="precedent"),
            withheld=[row["number"]],
            before=row["created_at"],
            evidence={"names": len(known), "compares": int(telling)},
        )
        yield Mined(len(known) + 2 * telling + (row["trust"] == "authoritative"), example)
