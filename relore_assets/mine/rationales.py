"""A finding on a line of a diff → the thread in which somebody with standing gives the reason. Proposals, to be judged.

Asked by up to two names of code, of the finding before those of the reply, filtered by the file. Two shapes:

- ``here``: the reason stands beside the finding, in the thread that is the answer. A person's finding is itself in the
  index, so any search by its words finds the answer without looking: such a question leaks. A machine's finding is
  shown to nobody.
- ``elsewhere``: the reply sends the reader to an earlier thread; the asking one is withheld, and nothing leaks.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from relore_assets.mine.example import Asked, Example, Filters
from relore_assets.mine.references import behind, found
from relore_assets.mine.source import Mined, Source, proposed
from relore_assets.mine.texts import names, one_line, own_words, rarest, words

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

#: Characters of a reply that gives a reason.
SHORTEST = 60
LONGEST = 2_000

#: What a reply says that gives a reason, and what that is worth.
CUES = tuple(
    (re.compile(rf"\b(?:{words_})", re.IGNORECASE), worth)
    for words_, worth in (
        (r"on purpose|purposely", 4),
        (r"intention(?:al(?:ly)?)?\b|intended\b", 4),
        (r"by design\b", 4),
        (r"deliberate(?:ly)?\b", 4),
        (r"(?:is|are|was|were) expected\b|expected (?:here|since|because)", 3),
        (r"we (?:don['\u2019]?t|never|always)\b", 3),
        (r"belongs? (?:in|to|here)\b", 3),
        (r"not (?:needed|necessary|required)\b|no need\b|unnecessary\b", 2),
        (r"backwards?[- ]compat", 2),
        (r"legacy\b|historical(?:ly)?\b", 2),
        (r"for now\b|at the moment\b", 1),
        (r"because\b|the reason\b|since (?:we|it|this|the)\b", 1),
    )
)
BY_MACHINE = 5
NO_NAME = -3

#: A reply worth less gives no reason.
_LEAST = 2
_NAMES_MOST = 2
_WORDS_MOST = 3
_SAID_ELSEWHERE = 5

_SENDS = behind(
    r"see|cf\.?|discuss(?:ed|ion)|explained|described|as[ ]in|refer[ ]to|introduced|reason(?:ing)?|rationale|done|"
    r"argued",
    between=r"[ ]+(?:(?:also|in|at|by|from|here|there|the[ ]discussion[ ]in)[ ]+){0,2}",
)

Row = dict[str, Any]


def mine(source: Source) -> Iterator[Mined]:
    """Yield ``rationale``."""
    rows = source.rows("reasons", shortest=SHORTEST, longest=LONGEST)
    judged = [(row, worth) for row in rows if (worth := cue_worth(own_words(row["reply"]))) >= _LEAST]
    sent = [
        (row, numbers)
        for row in rows
        if (numbers := [each.number for each in found(_SENDS, row["reply"], source.repo) if each.number])
    ]
    frequencies = source.frequencies(word for row, _ in [*judged, *sent] for word in _finding_words(row))
    elsewhere = {row["reply_id"] for row, _ in sent}
    for row, worth in judged:
        if row["reply_id"] in elsewhere:
            continue
        example = _here(source, row, worth, frequencies)
        if example is not None:
            named = bool(example.evidence["names"])
            yield Mined(worth + BY_MACHINE * row["by_machine"] + (0 if named else NO_NAME), example)
    opened = source.opened(number for _, numbers in sent for number in numbers)
    for row, numbers in sent:
        answers = [
            number
            for number in numbers
            if number != row["number"] and number in opened and opened[number] < row["replied_at"]
        ]
        example = _elsewhere(source, row, answers, frequencies) if answers else None
        if example is not None:
            # Nothing leaks: as good as a machine's finding.
            named = bool(example.evidence["names"])
            yield Mined(BY_MACHINE + cue_worth(own_words(row["reply"])) + (0 if named else NO_NAME), example)


def cue_worth(reply: str) -> int:
    """Return what the cues of a reply are worth together."""
    return sum(worth for pattern, worth in CUES if pattern.search(reply))


def _here(source: Source, row: Row, worth: int, frequencies: Mapping[str, int]) -> Example | None:
    query, named = _query(row, frequencies)
    if not query:
        return None
    return source.example(
        "rationale",
        query,
        _asked(row),
        [proposed(row["number"], "the reply to the finding gives a reason there")],
        filters=Filters(files=(row["path"],) if row["path"] else (), kind="rationale"),
        evidence={
            "shape": "here",
            "cues": worth,
            "names": named,
            "machine": int(row["by_machine"]),
            "reply": row["reply_id"],
        },
    )


def _elsewhere(
    source: Source, row: Row, answers: list[int], frequencies: Mapping[str, int]
) -> Example | None:
    query, named = _query(row, frequencies)
    if not query:
        return None
    return source.example(
        "rationale",
        query,
        _asked(row),
        [proposed(number, "the reply to the finding sends its reader there") for number in answers],
        filters=Filters(kind="rationale"),
        withheld=[row["number"]],
        before=row["replied_at"],
        evidence={
            "shape": "elsewhere",
            "names": named,
            "machine": int(row["by_machine"]),
            "reply": row["reply_id"],
        },
    )


def _query(row: Row, frequencies: Mapping[str, int]) -> tuple[str, int]:
    """Return the words of a question and how many of them are names of code; empty where nothing tells anything."""
    known = names(row["body"])[:_NAMES_MOST]
    rest = rarest(
        [word for word in _finding_words(row) if word not in known],
        frequencies,
        _WORDS_MOST - len(known),
        least=_SAID_ELSEWHERE,
    )
    chosen = [*known, *rest]
    return (one_line(" ".join(chosen)), len(known)) if len(chosen) > 1 else ("", 0)


def _finding_words(row: Row) -> list[str]:
    return words(own_words(row["body"]))


def _asked(row: Row) -> Asked:
    return Asked(row["number"], "review_comment", row["source_id"], row["url"], row["created_at"])
