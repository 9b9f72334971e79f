"""Inline comment → the pull request or commit that answered it, where a reply says so: ``done in #12``.

The thread in which it was asked is withheld, so the answer is another one. Asked in the index as it stood before the
reply.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from relore_assets.mine.example import Asked, Example, Filters
from relore_assets.mine.references import DONE, Reference, behind, found
from relore_assets.mine.source import Source, by_record
from relore_assets.mine.subjects import as_said, said_again
from relore_assets.mine.texts import one_line, own_words, with_spans, words

if TYPE_CHECKING:
    from collections.abc import Iterator

#: A question has at least this many words that may tell something, and takes no more characters than that.
_WORDS_LEAST = 5
_LONGEST = 400

#: Admits every reply that may say so; `found` decides.
_MAY_SAY = r"#[0-9]|github\.com/|(^|[^0-9a-f])[0-9a-f]{7,40}($|[^0-9a-f])"

_ANSWERED = behind(rf"{DONE}|(?:opened|created|filed|submitted|made)(?:[ ]a(?:nother|[ ]separate|[ ]new)?)?")

#: A reply that is nothing but a pointer says so too, if the pull request was opened between the comment and the reply.
_POINTER = behind(
    r"\A\W*(?:(?:yes|ok|okay|sure|good[ ]point|please|also|now|see|there['\u2019]s|proposed[ ]in)\W+){0,3}",
    between="",
)
_POINTER_WORDS = 4


def mine(source: Source) -> Iterator[Example]:
    """Yield ``answered``: one question per asking comment, the first reply decides; repeated comments ask nothing."""
    rows = source.rows("answers_to_comments", pattern=_MAY_SAY)
    again = said_again((row["number"], row["asked_body"]) for row in rows)
    replies = [
        (row, found(_ANSWERED, row["body"], source.repo, done=True), _pointed(row["body"], source.repo))
        for row in rows
        if row["asked_trust"] != "machine" and as_said(row["asked_body"]) not in again
    ]
    where = _threads(source, [each for _, said, pointed in replies for each in (*said, *pointed)])
    opened = source.opened(number for listed in where.values() for number in listed)
    seen: set[str] = set()
    for row, said, pointed in replies:
        answers = {number for each in said for number in where[each]}
        answers |= {
            number
            for each in pointed
            for number in where[each]
            if row["asked_at"] < opened[number] < row["created_at"]
        }
        answers -= {row["number"]}
        query = one_line(with_spans(row["asked_body"]))[:_LONGEST]
        if not answers or row["asked_id"] in seen or len(words(query)) < _WORDS_LEAST or _edited(row):
            continue
        seen.add(row["asked_id"])
        yield source.example(
            "answered",
            query,
            Asked(row["number"], "review_comment", row["asked_id"], row["asked_url"], row["asked_at"]),
            [by_record(number, "a reply to the comment says that it was done there") for number in answers],
            filters=Filters(),
            withheld=[row["number"]],
            before=row["created_at"],
            evidence={"reply": row["source_id"]},
        )


def _pointed(reply: str, repo: str) -> list[Reference]:
    """Return what a reply points to that says hardly anything else."""
    return found(_POINTER, reply, repo) if len(words(own_words(reply))) <= _POINTER_WORDS else []


def _threads(source: Source, references: list[Reference]) -> dict[Reference, list[int]]:
    """Return the pull requests that references lead to."""
    numbers = sorted({each.number for each in references if each.number is not None})
    shas = sorted({each.sha for each in references if each.sha is not None})
    pulls = {row["number"] for row in source.rows("pulls_of", numbers=numbers)}
    commits = {row["prefix"]: row["numbers"] for row in source.rows("threads_of_commits", prefixes=shas)}
    found_in = {Reference(number, None): [number] if number in pulls else [] for number in numbers}
    return found_in | {Reference(None, sha): commits.get(sha, []) for sha in shas}


def _edited(row: dict[str, Any]) -> bool:
    """Whether the comment may have been changed with the reply in view."""
    return row["asked_changed_at"] is not None and row["asked_changed_at"] >= row["created_at"]
