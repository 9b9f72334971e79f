"""A comment that sends its reader to earlier work → that work. Proposals, for somebody to judge.

``like #12``, ``same as in #12``, ``introduced in #12``: the comment asks by the names of code there, and by the words
there and of its thread's title that name a subject; what it names is proposed. Asked in the index as it stood before
the comment, its thread withheld. A comment that names no subject asks nothing, nor does a note that stands under
several threads, nor one that a rationale is made of.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from relore_assets.mine import rationales
from relore_assets.mine.example import Asked, Filters
from relore_assets.mine.references import behind, found
from relore_assets.mine.source import Mined, Source, proposed
from relore_assets.mine.subjects import Subjects, as_said, code_names, prose, said_again, without_emoji
from relore_assets.mine.texts import one_line, with_spans

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
#: Of the comment itself, where it names code and where it does not; and with the title of its thread.
_OWN_LEAST = 2
_OWN_LEAST_UNNAMED = 3
_WORDS_LEAST = 3
_TITLE_WORDS = 2
_AROUND = 160  # characters


def around(body: str) -> str:
    """Return the author's own words and names around the first reference: what the comparison is about."""
    said = without_emoji(one_line(with_spans(body)))
    match = _SENDS.search(said)
    return said if match is None else said[max(0, match.start() - _AROUND) : match.end() + _AROUND]


def mine(source: Source) -> Iterator[Mined]:
    """Yield ``precedent``: one question per comment; names of code and cues that compare make it better."""
    rows = source.rows("comparisons", pattern=_MAY_SEND)
    notes = said_again((row["number"], row["body"]) for row in rows)
    taken = rationales.replies(source)
    sent = [
        (row, numbers)
        for row in rows
        if as_said(row["body"]) not in notes
        and (row["source_type"], row["source_id"]) not in taken
        and (
            numbers := [
                each.number for each in found(_SENDS, row["body"], source.repo, listed=True) if each.number
            ]
        )
    ]
    opened = source.opened(number for _, numbers in sent for number in numbers)
    subjects = Subjects.of(source, (f"{around(row['body'])} {one_line(row['title'])}" for row, _ in sent))
    for row, numbers in sent:
        answers = [
            number
            for number in numbers
            if number != row["number"] and number in opened and opened[number] < row["created_at"]
        ]
        near = around(row["body"])
        every = code_names(row["body"])
        known = ([name for name in every if name in near] or every)[:NAMES_MOST]
        said = [word for word in subjects.named(near) if word not in known]
        told = subjects.rarest(said, WORDS_MOST - len(known))
        title = subjects.rarest(subjects.named(one_line(row["title"])), _TITLE_WORDS)
        least = _OWN_LEAST if known else _OWN_LEAST_UNNAMED
        chosen = _each_once([*known, *told, *title])
        if not answers or len(known) + len(told) < least or len(chosen) < _WORDS_LEAST:
            continue
        telling = bool(_TELLING.search(prose(row["body"])))
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


def _each_once(listed: list[str]) -> list[str]:
    """Return words each once, whatever their case; the first stands."""
    kept: dict[str, str] = {}
    for word in listed:
        kept.setdefault(word.lower(), word)
    return list(kept.values())
