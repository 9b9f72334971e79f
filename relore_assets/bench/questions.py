"""From a set to what is put to systems: which questions count, what answers them, and which are left out and why."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from relore_assets.bench.measures import GRADES
from relore_assets.bench.systems.system import Asked, asked
from relore_assets.fetch.current.questions import forgotten_questions
from relore_assets.judge.truth import truth
from relore_assets.mine import leaks

if TYPE_CHECKING:
    from collections.abc import Mapping

    from psycopg import Connection

    from relore_assets.bench.corpus import Corpus
    from relore_assets.mine.example import Answer
    from relore_assets.mine.sets import ExampleSet


@dataclass(frozen=True, slots=True)
class Put:
    """A question that counts.

    Attributes:
        asked: as systems are put it.
        part: fit or held-out.
        grades: what each judged and indexed thread is worth as an answer, by number; one at least is worth something.
        judged_by: who judged those that answer.
        leak: why it leaks, empty where it does not.
    """

    asked: Asked
    part: str
    grades: Mapping[int, int]
    judged_by: str
    leak: str

    @property
    def relevant(self) -> tuple[int, ...]:
        """The threads that answer it, in order."""
        return tuple(sorted(number for number, grade in self.grades.items() if grade))


@dataclass(frozen=True, slots=True)
class Chosen:
    """The questions of a set that count, in order of id, and by reason those that are left out."""

    put: tuple[Put, ...]
    left_out: Mapping[str, tuple[str, ...]]


def choose(conn: Connection, held: ExampleSet, corpus: Corpus) -> Chosen:
    """Return what of a set can be measured on this index: nothing is scored zero for what nobody could find."""
    put: list[Put] = []
    left_out: dict[str, list[str]] = defaultdict(list)
    forgotten = forgotten_questions(conn, corpus.repo.id, held.examples)
    for example in held.examples:
        if example.id in forgotten:
            left_out["what it is made of was forgotten on request"].append(example.id)
            continue
        verdicts = truth(example, held.scored_by)
        answers = [answer for answer in verdicts.values() if GRADES.get(answer.verdict)]
        question = asked(example, corpus.repo, corpus.ids)
        why = _unanswerable(answers, question, corpus)
        if why:
            left_out[why].append(example.id)
            continue
        grades = {
            number: GRADES[answer.verdict]
            for number, answer in verdicts.items()
            if _findable(number, question, corpus)
        }
        relevant = [number for number, grade in grades.items() if grade]
        judges = sorted({answer.judged_by or "" for answer in answers if answer.number in relevant})
        put.append(
            Put(
                question,
                held.part(example),
                grades,
                "+".join(judges),
                _leak(conn, question, [answer for answer in answers if answer.number in relevant]),
            )
        )
    return Chosen(tuple(put), {why: tuple(ids) for why, ids in left_out.items()})


def _leak(conn: Connection, question: Asked, answers: list[Answer]) -> str:
    """Return why a question leaks: by its set, or as the index shows now, whatever its set says."""
    example = question.example
    if example.leaks:
        return example.leak or "its set says so"
    return leaks.leak(conn, question.question.repos[0].id, replace(example, answers=tuple(answers)))


def _unanswerable(answers: list[Answer], question: Asked, corpus: Corpus) -> str:
    """Return why nobody could answer a question, empty where somebody could."""
    example = question.example
    if not answers:
        return "nobody has judged a thread to answer it"
    numbers = [answer.number for answer in answers]
    held = [number for number in numbers if number in corpus.ids]
    if not held:
        return "no thread that answers it is indexed"
    if all(number in example.withheld for number in held):
        return "every thread that answers it is withheld"
    if not any(_findable(number, question, corpus) for number in held):
        return "every thread that answers it is younger than its cutoff"
    return ""


def _findable(number: int, question: Asked, corpus: Corpus) -> bool:
    """Whether a thread is within a question's bounds."""
    example = question.example
    return (
        number in corpus.ids
        and number not in example.withheld
        and (example.before is None or corpus.opened[number] < example.before)
    )
