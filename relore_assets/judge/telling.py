"""What became of labels, in sentences for whoever folded them; lines are named by their numbers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from relore_serve.pages.untrusted import name as shown

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from relore_assets.judge.judging import Judged

_LISTED = 12
_JUDGES = {"human": "people", "model": "models"}


def told(judged: Judged) -> list[str]:
    """Return the outcome, most important first: what the set is now, then what was left out and why."""
    return [*_of_set(judged), *_of_labels(judged)]


def _of_set(judged: Judged) -> Iterator[str]:
    held, folded = judged.held, judged.folded
    state = "not frozen" if held.frozen_at is None else f"frozen since {held.frozen_at:%Y-%m-%d %H:%M} UTC"
    yield (
        f"set {held.name} of {held.repo}: {len(held.examples):,} questions, scored by {held.scored_by}, {state}, "
        f"digest {held.digest[:12]}"
    )
    if folded is None:
        yield f"it was frozen before: nothing was written; {len(judged.new_since):,} candidates are new since"
        return
    counts = folded.counts()
    yield (
        f"verdicts: {counts['verdicts_by_human']:,} of people, {counts['verdicts_by_model']:,} of models, on "
        f"{len({example for example, _, _ in folded.verdicts}):,} questions, {counts['minted']:,} of these new; "
        f"{counts['superseded']:,} earlier ones superseded"
    )
    for judge, number in sorted(folded.not_counted.items()):
        yield (
            f"warning: {number:,} verdicts of {_JUDGES[judge]} do not count, for the set is scored by "
            f"{held.scored_by}: --as {judge} scores it by theirs"
        )
    if folded.unscored:
        yield (
            f"{counts['unscored']:,} questions have no answer that counts: they are left out of figures, "
            "not counted as misses"
        )


def _of_labels(judged: Judged) -> Iterator[str]:
    folded = judged.folded
    if folded is None:
        return
    if folded.elsewhere:
        yield f"{len(folded.elsewhere):,} labels are of other repositories"
    if folded.of_others:
        yield f"warning: {len(folded.of_others):,} labels are of another kind of judge than --as says, and left out"
    for name, lines in sorted(folded.narrowed.items()):
        yield (
            f"{len(lines):,} labels were made under {shown(name)}, which the question here is not asked with: "
            f"{_lines(lines)}"
        )
    for line, ids in folded.ambiguous.items():
        yield f"line {line} is ambiguous: {', '.join(ids)} ask the same"
    if folded.withheld:
        yield f"{len(folded.withheld):,} labels are on threads that the question withholds: {_lines(folded.withheld)}"
    for line, why in folded.unreadable.items():
        yield f"line {line} cannot be read: {why}"
    if len(folded.backends) > 1:
        listed = "; ".join(f"{shown(name)}: {number:,}" for name, number in sorted(folded.backends.items()))
        yield f"warning: what was judged came from {len(folded.backends)} backends or sets of rules: {listed}"


def _lines(numbers: Iterable[int]) -> str:
    ordered = sorted(numbers)
    more = f" and {len(ordered) - _LISTED} more" if len(ordered) > _LISTED else ""
    return f"line{'s' if len(ordered) > 1 else ''} {', '.join(map(str, ordered[:_LISTED]))}{more}"
