"""What the figures of a run do not say by themselves, in words."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any, cast

from relore_assets.bench.results import POOLED
from relore_assets.report import words
from relore_assets.report.runs import PARTS, topics
from relore_assets.report.tables import asked_less

if TYPE_CHECKING:
    from collections.abc import Mapping

    from relore_assets.report.runs import Run

_JUDGES = {
    "record": "by the record itself (a keyword that closes, a label, a reply)",
    "human": "by people",
    "model": "by a model, whose judgement nobody has checked",
}

_INTERVALS = (
    "An interval is drawn from the questions (95 %), those of one thread together: it says how far another draw of "
    "such questions would lie, and nothing of other repositories. A dagger marks a difference that is more than "
    "chance at 5 % once all comparisons of its family are taken together; where there is none, nothing is shown to "
    "differ."
)

_TIMES = "Times are of one machine at one time, and of one caller."


def caveats(run: Run) -> list[str]:
    """Return what has to be known to read the figures, a sentence or two each; the weightiest first."""
    told = [
        _in_sample(run),
        _leaks(run),
        _windows(run),
        _asked_less(run),
        *_not_put(run),
        _judges(run),
        *_left_out(run),
        _forgotten(run),
        _few(run),
        *(
            sentence if sentence.startswith(each.system) else f"{each.system}: {sentence}"
            for each in run.systems
            if each.ablation is None
            for sentence in each.caveats
        ),
        _INTERVALS,
        _TIMES,
    ]
    return [sentence for sentence in dict.fromkeys(told) if sentence]


def _in_sample(run: Run) -> str:
    split = cast("Mapping[str, Any]", run.main.configuration.get("set") or {}).get("split")
    if not split:
        return (
            "The set has no date that splits it: the ranking may have been chosen by the same questions that it is "
            "measured with."
        )
    return (
        f"Questions asked before {str(split)[:10]} are the part that the ranking may be fitted to: figures of that "
        f"part, and of both together, flatter it. Only {words.part('held-out')} speaks of questions that nobody looked "
        "at."
    )


def _leaks(run: Run) -> str:
    leaking = Counter(each.slice for each in run.main.results if each.leaks)
    if not leaking:
        return ""
    told = ", ".join(f"{number} of {name}" for name, number in sorted(leaking.items()))
    return (
        f"Leaking questions ({told}): the answer can be had without being found, since its own thread holds the words "
        "that are asked with. They are kept apart and never added to the others."
    )


def _windows(run: Run) -> str:
    without = [each.system for each in run.systems if each.configuration.get("window_applied") is False]
    if not without:
        return ""
    return (
        f"{' and '.join(without)} cannot look at the repository as it stood when a question was asked, and may see "
        "what came later, the answer's own traces included."
    )


def _asked_less(run: Run) -> str:
    names = [each.system for each in asked_less(run)]
    if not names:
        return ""
    return (
        f"{' and '.join(names)} could not be asked every question. Such a system stands beside others only in tables "
        "of its own, where all are cut to the questions that it was asked."
    )


def _not_put(run: Run) -> list[str]:
    return [
        f"{each.system}: {number:,} questions were not put to it: {why}."
        for each in run.systems
        if each.ablation is None
        for why, number in cast("Mapping[str, int]", each.configuration.get("not_put") or {}).items()
    ]


def _judges(run: Run) -> str:
    judged = Counter(each.judged_by for each in run.main.results)
    told = (f"{number:,} {_JUDGES.get(name, name)}" for name, number in judged.most_common())
    return f"Who says what answers a question: {'; '.join(told)}." if judged else ""


def _left_out(run: Run) -> list[str]:
    told: dict[str, int] = {}
    for each in run.systems:
        for entry in cast("list[Mapping[str, Any]]", each.configuration.get("left_out") or []):
            told[str(entry.get("why"))] = int(entry.get("n", 0))
    return [f"Left out: {number:,} questions: {why}." for why, number in told.items() if number]


def _forgotten(run: Run) -> str:
    """Of what was forgotten on request the results are gone; the figures, which tell of nobody, are not."""
    measured = sum(cell.n for cell in run.main.cells if cell.part == PARTS[-1] and cell.slice != POOLED)
    gone = measured - len(run.main.results)
    if gone <= 0:
        return ""
    return (
        f"Of {measured:,} questions {gone:,} were forgotten on request since. The figures were measured with them; "
        "wherever single questions are shown or counted they are left out. Measure anew."
    )


def _few(run: Run) -> str:
    asked = {topic.label: topic.cell(run.main, "all") for topic in topics([run.main])}
    few = [
        f"{label} ({cell.n})" for label, cell in asked.items() if cell is not None and cell.n < words.FEWEST
    ]
    if not few:
        return ""
    return (
        f"Too few questions to conclude anything from: {', '.join(few)}. Figures of fewer than {words.FEWEST} "
        "questions, in a slice or in a part of it, stand without intervals and marks."
    )
