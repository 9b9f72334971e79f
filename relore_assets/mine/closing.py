"""Issue → the pull request that closed it: three slices whose truth nobody has to judge.

``closing-title`` and ``closing-text`` ask in today's index, the issue alone withheld, for the merged pull requests
whose body claims to close it. ``closing`` asks in the index as it stood just before the first of them was merged, when
nobody could know that it would be, and it was already open: every thread that names one of them is withheld too, since
it would only be a signpost.
"""

from __future__ import annotations

import re
from itertools import groupby
from typing import TYPE_CHECKING, Any

from relore_assets.mine.example import Asked, Example
from relore_assets.mine.source import MOST_WITHHELD, Source, by_record
from relore_assets.mine.texts import PROSE_LEAST, one_line, opening, own_words
from relore_serve.signals.markdown import split

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from datetime import datetime

_PLAIN = re.compile(r"\b(?:close[sd]?|fix(?:e[sd])?|resolve[sd]?):?\s+#(\d{1,9})\b", re.IGNORECASE)

Row = dict[str, Any]


def closings(source: Source) -> list[tuple[Row, list[Row]]]:
    """Return issues with the merged pull requests that claim to close them: the first row speaks for the issue."""
    rows = source.rows("closings")
    grouped = groupby(rows, key=lambda row: row["issue"])
    return [(claims[0], claims) for _, group in grouped if (claims := _own(list(group)))]


def _own(claims: list[Row]) -> list[Row]:
    """Leave out who repeats a claim: a commit also stands in pull requests that are built upon its own."""
    stated = [claim for claim in claims if claim["said_in"] != ["commit"]]
    return stated or claims


def of_today(source: Source) -> Iterator[Example]:
    """Yield ``closing-title`` and ``closing-text``."""
    for issue, claims in closings(source):
        answers = [
            by_record(claim["pull"], f"its body says that it closes #{issue['issue']}")
            for claim in claims
            if "body" in claim["said_in"]
        ]
        title = one_line(issue["title"])
        if not answers or not title:
            continue
        withheld = [issue["issue"]]
        evidence = {"by_number": int(any(_by_number(claim) for claim in claims))}
        yield source.example(
            "closing-title", title, _asked(issue, "title"), answers, withheld=withheld, evidence=evidence
        )
        if len(own_words(issue["body"])) > PROSE_LEAST:
            text = opening(issue["title"], issue["body"], spans=False)
            yield source.example(
                "closing-text", text, _asked(issue, "body"), answers, withheld=withheld, evidence=evidence
            )


def of_then(source: Source) -> Iterator[Example]:
    """Yield ``closing``."""
    found = closings(source)
    naming = source.naming(claim["pull"] for _, claims in found for claim in claims)
    for issue, claims in found:
        before, answers = open_before_merge(claims)
        if not answers or issue["issue_at"] >= before or _changed_since(issue["title_at"], before):
            continue
        body = "" if _changed_since(issue["body_at"], before) else issue["body"]
        query = opening(issue["title"], body)
        withheld = withheld_with(naming, issue["issue"], answers)
        if not query or len(withheld) > MOST_WITHHELD:
            continue
        said_in = sorted({place for claim in claims for place in claim["said_in"]})
        yield source.example(
            "closing",
            query,
            _asked(issue, "body" if query != one_line(issue["title"]) else "title"),
            [
                by_record(number, f"it claims to close #{issue['issue']}, and was merged")
                for number in answers
            ],
            withheld=withheld,
            before=before,
            evidence={"said_in": ", ".join(said_in), "named_by": len(withheld) - 1},
        )


def open_before_merge(claims: Sequence[Row]) -> tuple[datetime, list[int]]:
    """Return when the first of some merged pull requests was merged, and which of them were open by then."""
    before: datetime = min(claim["merged_at"] for claim in claims)
    return before, sorted(claim["pull"] for claim in claims if claim["pull_at"] < before)


def withheld_with(naming: dict[int, set[int]], asking: int, answers: Sequence[int]) -> list[int]:
    """Return the asking thread and every thread that names an answer, the answers themselves left in."""
    signposts = {number for answer in answers for number in naming.get(answer, set())}
    return sorted({asking, *(signposts - set(answers))})


def _by_number(claim: Row) -> bool:
    """Whether a pull request's opening claims in the plainest form, the number right behind the word.

    The evidence says it of each question, so that figures compare with those of who reads no other form.
    """
    return str(claim["issue"]) in _PLAIN.findall(split(claim["pull_body"]).prose)


def _asked(issue: Row, source_type: str) -> Asked:
    number: int = issue["issue"]
    return Asked(number, source_type, str(number), issue["url"], issue["issue_at"])


def _changed_since(changed_at: datetime | None, moment: datetime) -> bool:
    """Whether a text may have been changed with the answer in view."""
    return changed_at is not None and changed_at >= moment
