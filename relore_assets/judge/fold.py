"""Labels in, a set with their verdicts out. Pure; whatever is not folded is counted, and named by its line.

A label belongs to a question that asks the same: words with their case, kind, and every filter. The last verdict on a
thread stands, of each kind of judge. A question that no example asks becomes an example of its own.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass, field, replace
from hashlib import sha256
from typing import TYPE_CHECKING, Literal

from relore_assets.judge.labels import without_order
from relore_assets.judge.truth import is_scored, strongest
from relore_assets.mine.example import ASKED, Answer, Asked, Example, Filters, canonical, identity, instant
from relore_serve.search.question import clean

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from relore_assets.judge.labels import Label, Read
    from relore_assets.mine.sets import ExampleSet

Judge = Literal["human", "model"]
Key = tuple[str, Filters]
"""The words of a question, and its filters in one order."""
Verdicts = dict[tuple[str, int, str], "Label"]
"""By example, thread and kind of judge, the label that stands."""


@dataclass(slots=True)
class Folded:
    """What became of a file of labels. Lists are numbers of lines.

    Attributes:
        verdicts: the labels that stand.
        superseded: a later one of the same judge, question and thread stands instead.
        elsewhere: on threads of other repositories.
        of_others: by the kind of judge that was not asked for.
        narrowed: made under a filter that the question of the set does not have, by filter.
        ambiguous: several examples ask this; by line, their ids.
        withheld: on a thread that the question withholds, and so could not be answered with.
        unreadable: by line, why.
        minted: ids of examples that were made of labels.
        unscored: ids of examples for which no thread is known to answer; they are left out of figures.
        backends: how many labels each backend and set of rules was judged on.
        not_counted: how many verdicts that stand are of another kind of judge than the set is scored by, by that kind.
    """

    verdicts: Verdicts = field(default_factory=dict[tuple[str, int, str], "Label"])
    superseded: list[int] = field(default_factory=list[int])
    elsewhere: list[int] = field(default_factory=list[int])
    of_others: list[int] = field(default_factory=list[int])
    narrowed: dict[str, list[int]] = field(default_factory=lambda: defaultdict[str, list[int]](list))
    ambiguous: dict[int, tuple[str, ...]] = field(default_factory=dict[int, tuple[str, ...]])
    withheld: list[int] = field(default_factory=list[int])
    unreadable: dict[int, str] = field(default_factory=dict[int, str])
    minted: list[str] = field(default_factory=list[str])
    unscored: list[str] = field(default_factory=list[str])
    backends: Counter[str] = field(default_factory=Counter[str])
    not_counted: Counter[str] = field(default_factory=Counter[str])

    def counts(self) -> dict[str, int]:
        """Return how many of each there are."""
        judges = Counter(judge for _, _, judge in self.verdicts)
        narrowed = {line for lines in self.narrowed.values() for line in lines}
        return {
            "verdicts": len(self.verdicts),
            **{f"verdicts_by_{judge}": judges[judge] for judge in ("human", "model")},
            "superseded": len(self.superseded),
            "elsewhere": len(self.elsewhere),
            "of_others": len(self.of_others),
            "narrowed": len(narrowed),
            "ambiguous": len(self.ambiguous),
            "withheld": len(self.withheld),
            "unreadable": len(self.unreadable),
            "minted": len(self.minted),
            "unscored": len(self.unscored),
            "not_counted": sum(self.not_counted.values()),
        }


def fold(read: Read, into: ExampleSet, judged_by: Judge | None = None) -> tuple[ExampleSet, Folded]:
    """Return the set with the verdicts of a file of labels, and what became of each label.

    Args:
        read: the file.
        into: a set that is not frozen.
        judged_by: fold labels of this kind of judge only, those included that do not say who judged, and score the set
            by it. Without it all are folded, kept apart, and labels that do not say are people's.
    """
    done = Folded(unreadable=dict(read.unreadable))
    known = _by_key(into.examples)
    minted: dict[str, Example] = {}
    for label in read.labels:
        judge = label.judge or judged_by or "human"
        if label.repo != into.repo.lower():
            done.elsewhere.append(label.line)
        elif judged_by is not None and judge != judged_by:
            done.of_others.append(label.line)
        elif label.narrowed:
            _note(done.narrowed, label.narrowed, label.line)
        else:
            example = _asked_by(label, known.get((label.query, label.filters), []), into.repo, done)
            if example is not None and _take(label, judge, example, done):
                minted.setdefault(example.id, example)
    for example in into.examples:
        minted.pop(example.id, None)
    examples = _with_verdicts((*into.examples, *minted.values()), done.verdicts)
    done.minted = sorted(minted)
    scored_by = judged_by or strongest(examples)
    done.unscored = [example.id for example in examples if not is_scored(example, scored_by)]
    done.backends = Counter(label.backend for label in done.verdicts.values())
    # Of the set, and not of this file alone: what was folded before is passed over just so.
    done.not_counted = Counter(
        answer.judged_by
        for example in examples
        for answer in example.answers
        if answer.judged_by not in (None, "record", scored_by)
    )
    return replace(into, examples=examples, scored_by=scored_by), done


def _by_key(examples: Iterable[Example]) -> dict[Key, list[Example]]:
    found: dict[Key, list[Example]] = defaultdict(list)
    for example in examples:
        found[clean(example.query), without_order(example.filters)].append(example)
    return found


def _asked_by(label: Label, asking: Sequence[Example], repo: str, done: Folded) -> Example | None:
    """Return the example whose question was judged, a new one where nothing was mined that asks the same.

    None where several ask it, or one does under other bounds; ``done`` says so then.
    """
    mined = [one for one in asking if one.slice != ASKED]
    exact = [one for one in mined or asking if _has_bounds_of(one, label)]
    if not mined:
        return exact[0] if exact else _mint(label, repo)
    fitting = exact
    if not exact and label.before is None and not label.exclude:
        # Whoever judged on the whole index judged a question with bounds too: what is within them was there as well.
        # Where one of them is asked of today, that is it.
        fitting = [one for one in mined if one.before is None] or mined
    if len(fitting) == 1:
        return fitting[0]
    if fitting:
        done.ambiguous[label.line] = tuple(sorted(one.id for one in fitting))
    else:
        cutoffs = {one.before for one in mined}
        _note(done.narrowed, ["exclude" if label.before in cutoffs else "before"], label.line)
    return None


def _has_bounds_of(example: Example, label: Label) -> bool:
    return example.before == label.before and frozenset(example.withheld) == label.exclude


def _mint(label: Label, repo: str) -> Example:
    """Return the question of a label as an example, the same for every label of it."""
    withheld = tuple(sorted(label.exclude))
    bounds: dict[str, object] = {"withheld": list(withheld)} if withheld else {}
    bounds |= {"before": instant(label.before)} if label.before else {}
    plain = identity(repo, ASKED, label.query, label.filters, 0)
    bounded = sha256(canonical({**bounds, "id": plain}).encode()).hexdigest()[:16]
    return Example(
        id=f"{ASKED}-{bounded}" if bounds else plain,
        slice=ASKED,
        query=label.query,
        filters=label.filters,
        asked=Asked(0, "label", "", "", label.at),
        withheld=withheld,
        before=label.before,
        answers=(),
    )


def _take(label: Label, judge: str, example: Example, done: Folded) -> bool:
    """Let a label stand for its thread, unless the question withholds that; returns whether it does."""
    if label.number in example.withheld:
        done.withheld.append(label.line)
        return False
    key = example.id, label.number, judge
    if key in done.verdicts:
        done.superseded.append(done.verdicts[key].line)
    done.verdicts[key] = label
    return True


def _with_verdicts(examples: Iterable[Example], verdicts: Verdicts) -> tuple[Example, ...]:
    said: dict[str, dict[tuple[int, str], Answer]] = defaultdict(dict)
    for (example_id, number, judge), label in verdicts.items():
        said[example_id][number, judge] = Answer(number, label.verdict, judge, label.why)
    return tuple(
        sorted(
            (
                replace(one, answers=_merged(one.answers, said[one.id])) if one.id in said else one
                for one in examples
            ),
            key=lambda one: one.id,
        )
    )


def _merged(held: Sequence[Answer], said: dict[tuple[int, str], Answer]) -> tuple[Answer, ...]:
    """Return what is said of each thread, by each kind of judge; a thread that was judged is proposed no more."""
    judged = {number for number, _ in said}
    kept = {
        (one.number, one.judged_by or ""): one
        for one in held
        if one.judged_by is not None or one.number not in judged
    }
    merged = {**kept, **said}
    return tuple(merged[key] for key in sorted(merged))


def _note(narrowed: dict[str, list[int]], names: Iterable[str], line: int) -> None:
    for name in names:
        narrowed[name].append(line)
