"""A finding on a line of a diff → the thread in which somebody with standing gives the reason. Proposals, to be judged.

Asked by up to two names of code of the finding and by words of it that name a subject, filtered by the file. Findings
without a subject, and what is said in several threads alike, ask nothing. Two shapes:

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
from relore_assets.mine.subjects import Subjects, as_said, code_names, prose, said_again
from relore_assets.mine.texts import one_line, own_words

if TYPE_CHECKING:
    from collections.abc import Iterator

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
_WORDS_LEAST = 2

_SENDS = behind(
    r"see|cf\.?|discuss(?:ed|ion)|explained|described|as[ ]in|refer[ ]to|introduced|reason(?:ing)?|rationale|done|"
    r"argued",
    between=r"[ ]+(?:(?:also|in|at|by|from|here|there|the[ ]discussion[ ]in)[ ]+){0,2}",
)

Row = dict[str, Any]


def mine(source: Source) -> Iterator[Mined]:
    """Yield ``rationale``."""
    rows = source.rows("reasons", shortest=SHORTEST, longest=LONGEST)
    again = said_again((row["number"], row["body"]) for row in _each_finding(rows))
    rows = [row for row in rows if as_said(row["body"]) not in again]
    judged = [(row, worth) for row in rows if (worth := cue_worth(own_words(row["reply"]))) >= _LEAST]
    sent = [
        (row, numbers)
        for row in rows
        if (
            numbers := [
                each.number for each in found(_SENDS, row["reply"], source.repo, listed=True) if each.number
            ]
        )
    ]
    subjects = Subjects.of(source, (prose(row["body"]) for row, _ in [*judged, *sent]))
    elsewhere = {row["reply_id"] for row, _ in sent}
    for row, worth in judged:
        if row["reply_id"] in elsewhere:
            continue
        example = _here(source, row, worth, subjects)
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
        example = _elsewhere(source, row, answers, subjects) if answers else None
        if example is not None:
            # Nothing leaks: as good as a machine's finding.
            named = bool(example.evidence["names"])
            yield Mined(BY_MACHINE + cue_worth(own_words(row["reply"])) + (0 if named else NO_NAME), example)


def replies(source: Source) -> frozenset[tuple[str, str]]:
    """Return the texts that questions are made of here, by source_type and source_id: they ask nothing else besides."""
    return frozenset(("review_comment", str(each.example.evidence["reply"])) for each in mine(source))


def cue_worth(reply: str) -> int:
    """Return what the cues of a reply are worth together."""
    return sum(worth for pattern, worth in CUES if pattern.search(reply))


def _here(source: Source, row: Row, worth: int, subjects: Subjects) -> Example | None:
    query, named = _query(row, subjects)
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


def _elsewhere(source: Source, row: Row, answers: list[int], subjects: Subjects) -> Example | None:
    query, named = _query(row, subjects)
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


def _query(row: Row, subjects: Subjects) -> tuple[str, int]:
    """Return the words of a question and how many of them are names of code; empty where nothing tells anything."""
    known = code_names(row["body"])[:_NAMES_MOST]
    rest = subjects.rarest(
        [word for word in subjects.named(prose(row["body"])) if word not in known], _WORDS_MOST - len(known)
    )
    chosen = [*known, *rest]
    least = _WORDS_LEAST if known else _WORDS_MOST
    return (one_line(" ".join(chosen)), len(known)) if len(chosen) >= least else ("", 0)


def _each_finding(rows: list[Row]) -> list[Row]:
    """Return one row of each finding: of several replies each has a row."""
    return list({row["source_id"]: row for row in rows}.values())


def _asked(row: Row) -> Asked:
    return Asked(row["number"], "review_comment", row["source_id"], row["url"], row["created_at"])
