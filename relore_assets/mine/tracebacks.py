"""Traceback → the thread where it was resolved: a failure as it was pasted in an issue, and what settled that issue.

What settled it is a merged pull request that claims to close it, or that a later comment names as where it was fixed.
Asked in the index as it stood just before the first of them was merged; the issue is withheld, and so is every thread
that names one of them.
"""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, Any

from relore_assets.mine.closing import closings, open_before_merge, withheld_with
from relore_assets.mine.example import Asked, Example
from relore_assets.mine.references import DONE, behind, found
from relore_assets.mine.source import MOST_WITHHELD, Source, by_record
from relore_assets.mine.texts import pasted_failure

if TYPE_CHECKING:
    from collections.abc import Iterator

_MAY_SAY = (
    r"(done|fixed|addressed|implemented|resolved|solved|handled|settled|landed|merged|clos(ed|ing)|included|picked up|"
    r"superseded|taken care of).{1,60}(#[0-9]|github\.com/)"
)
_FIXED = behind(rf"{DONE}|clos(?:ed|ing)(?:[ ](?:this|it))?")

Row = dict[str, Any]


def mine(source: Source) -> Iterator[Example]:
    """Yield ``traceback``: one question per issue, from the first text of it that pastes a failure."""
    settled = _settled(source)
    moments = {issue: open_before_merge(claims) for issue, claims in settled.items()}
    asked = [issue for issue, (_, answers) in moments.items() if answers]
    texts = source.rows("failures_in_issues", numbers=asked, moments=[moments[issue][0] for issue in asked])
    naming = source.naming(number for issue in asked for number in moments[issue][1])
    done: set[int] = set()
    for text in texts:
        issue = text["number"]
        before, answers = moments[issue]
        withheld = withheld_with(naming, issue, answers)
        if issue in done or len(withheld) > MOST_WITHHELD or not (paste := pasted_failure(text["body"])):
            continue
        done.add(issue)
        yield source.example(
            "traceback",
            paste,
            Asked(issue, text["source_type"], text["source_id"], text["url"], text["created_at"]),
            [by_record(number, f"it settled #{issue}") for number in answers],
            withheld=withheld,
            before=before,
            evidence={"said_in": ", ".join(sorted({claim["said"] for claim in settled[issue]}))},
        )


def _settled(source: Source) -> dict[int, list[Row]]:
    """Return by issue the merged pull requests that settled it, with number, dates, and what says so."""
    settled: dict[int, list[Row]] = defaultdict(list)
    for issue, claims in closings(source):
        for claim in claims:
            settled[issue["issue"]].append({**claim, "said": "claim to close"})
    said = [
        (row["issue"], reference.number)
        for row in source.rows("fixed_in", pattern=_MAY_SAY)
        for reference in found(_FIXED, row["body"], source.repo, done=True)
        if reference.number is not None
    ]
    pulls = {row["number"]: row for row in source.rows("pulls", numbers=sorted({pull for _, pull in said}))}
    for issue, number in said:
        if number in pulls and all(claim["pull"] != number for claim in settled[issue]):
            pull = pulls[number]
            settled[issue].append(
                {
                    "pull": number,
                    "pull_at": pull["created_at"],
                    "merged_at": pull["merged_at"],
                    "said": "comment",
                }
            )
    return {issue: claims for issue, claims in sorted(settled.items()) if claims}
