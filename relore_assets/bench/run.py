"""One measurement: every system is put every question of a set, in one session that may read and nothing else."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import dataclass, replace
from importlib.metadata import version
from typing import TYPE_CHECKING, Any

from relore_assets.bench import cells, statistics
from relore_assets.bench.ablations import ABLATIONS
from relore_assets.bench.corpus import SQL
from relore_assets.bench.measures import page_recall, ranked
from relore_assets.bench.questions import choose
from relore_assets.bench.results import Result, Slot, SystemRun
from relore_assets.bench.systems.index import Index
from relore_serve.as_of import judged
from relore_serve.search import needles
from relore_serve.search.question import QuestionError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from datetime import datetime

    from psycopg import Connection

    from relore_assets.bench.corpus import Corpus
    from relore_assets.bench.questions import Chosen, Put
    from relore_assets.bench.systems.system import Answered, System
    from relore_assets.mine.sets import ExampleSet

_TOLD_EVERY = 100
_QUESTION_SHOWN = 160


@dataclass(frozen=True, slots=True)
class Run:
    """A measurement's own name and time."""

    run_id: str
    started_at: datetime


@dataclass(frozen=True, slots=True)
class _Contender:
    """A system, or one with a part of its ranking switched off; ``against`` are those that it is compared with."""

    system: System
    against: tuple[str, ...]
    ablation: Mapping[str, Any] | None = None


def measure(
    conn: Connection,
    run: Run,
    held: ExampleSet,
    corpus: Corpus,
    systems: Sequence[System],
    *,
    ablate: bool = False,
    say: Callable[[str], object] = print,
) -> list[SystemRun]:
    """Put the questions of a set to systems, and return what they answered and what that is worth, a row for each.

    A system that may be put none of the questions has no row; that is said.

    Args:
        conn: a reader's session.
        run: what rows bear.
        held: the set.
        corpus: the index, as it is now.
        systems: in the order of tables.
        ablate: switch the parts of our ranking off besides, one at a time.
        say: told how far it is.
    """
    chosen = choose(conn, held, corpus)
    contenders = _contenders(systems, ablate=ablate)
    if ablate and _ablated(systems) is None:
        say("no ranking of ours takes part, so none of its parts is switched off")
    say(f"{len(chosen.put)} questions of {held.name} to {len(contenders)} systems")
    answered: dict[str, list[Result]] = {}
    not_put: dict[str, Counter[str]] = {}
    for contender in contenders:
        system = contender.system
        not_put[system.name] = Counter(why for put in chosen.put if (why := system.refuses(put.asked)))
        results = _results(conn, system, chosen.put, say)
        if results:
            answered[system.name] = results
        else:
            reasons = ", ".join(f"{why} ({n})" for why, n in not_put[system.name].items()) or "there are none"
            say(f"{system.name}: not put any question: {reasons}")
    against = {
        each.system.name: tuple(name for name in each.against if name in answered)
        for each in contenders
        if each.system.name in answered
    }
    told = cells.cells(answered, against)
    return [
        SystemRun(
            run_id=run.run_id,
            system=each.system.name,
            set_name=held.name,
            set_digest=held.digest,
            configuration=_configuration(each, held, corpus, chosen, not_put[each.system.name]),
            started_at=run.started_at,
            cells=told[each.system.name],
            results=tuple(answered[each.system.name]),
        )
        for each in contenders
        if each.system.name in answered
    ]


def _contenders(systems: Sequence[System], *, ablate: bool) -> list[_Contender]:
    names = [system.name for system in systems]
    found = [_Contender(system, tuple(name for name in names if name != system.name)) for system in systems]
    base = _ablated(systems) if ablate else None
    if base is not None:
        found += [
            _Contender(
                replace(base, name=f"{base.name} -{each.part}", ranking=each.of(base.ranking)),
                (base.name,),
                {"part": each.part, "of": base.name, "changed": dict(each.off), "without": each.without},
            )
            for each in ABLATIONS
            if not each.does_nothing(base.ranking) and (base.semantic is not None or not each.of_likeness)
        ]
    return found


def _ablated(systems: Sequence[System]) -> Index | None:
    """Return the system whose parts are switched off: of our own that take part, the one with most parts."""
    ours = [system for system in systems if isinstance(system, Index)]
    return max(ours, key=lambda system: (system.semantic is not None, system.expand), default=None)


def _results(
    conn: Connection, system: System, questions: Sequence[Put], say: Callable[[str], object]
) -> list[Result]:
    asked = [put for put in questions if system.refuses(put.asked) is None]
    answers: list[Answered] = []
    if asked and system.free:
        # Plans are made and files read: what is timed is what every later question takes.
        system.answer(asked[0].asked)
    for done, put in enumerate(asked, 1):
        answers.append(system.answer(put.asked))
        if done % _TOLD_EVERY == 0 or done == len(asked):
            say(f"{system.name}: {done} of {len(asked)} questions")
    worth = ranked(
        {put.asked.example.id: put.grades for put in asked},
        {put.asked.example.id: answer.threads for put, answer in zip(asked, answers, strict=True)},
    )
    return [
        _result(put, answer, worth[put.asked.example.id], _wasted(conn, put, answer))
        for put, answer in zip(asked, answers, strict=True)
    ]


def _result(put: Put, answer: Answered, worth: Mapping[str, float], wasted: Sequence[bool]) -> Result:
    example = put.asked.example
    measures = {**worth, "page_R": page_recall(put.relevant, [shown.number for shown in answer.page])}
    if wasted:
        measures["wasted"] = sum(wasted) / len(wasted)
    return Result(
        id=example.id,
        slice=example.slice,
        part=put.part,
        leaks=bool(put.leak),
        judged_by=put.judged_by,
        asked=example.asked.number,
        question=put.asked.plain[:_QUESTION_SHOWN],
        relevant=put.relevant,
        threads=answer.threads,
        slots=tuple(
            Slot(shown.number, shown.source_id, each) for shown, each in zip(answer.page, wasted, strict=True)
        ),
        milliseconds=answer.milliseconds,
        measures=measures,
        note=answer.note,
    )


def _wasted(conn: Connection, put: Put, answer: Answered) -> list[bool]:
    """Return which slots of a page are wasted: whose text is noise, or carries nothing of the question.

    A text carries something where one of the question's words stands in it that names something, a word of a filter's
    value, or where an exact fact was read off it that a filter asks for. That another text of its thread does, or that
    the thread changed a file, fills no slot. A system that shows threads shows titles and opening posts.
    """
    if not answer.page:
        return []
    try:
        facts = [each for each in needles.filters(put.asked.question).needles if each.tail is not None]
    except QuestionError:
        facts = []
    values = {
        "repo_id": put.asked.question.repos[0].id,
        "words": " | ".join(term.tsquery for term in put.asked.terms()),
        "fact_kinds": [each.kind for each in facts],
        "fact_tails": [each.tail for each in facts],
        "numbers": [shown.number for shown in answer.page],
        "source_types": [shown.source_type for shown in answer.page],
        "source_ids": [shown.source_id for shown in answer.page],
        "chunks": [shown.chunk_index for shown in answer.page],
    }
    return [row[0] for row in conn.execute(SQL["wasted"], values).fetchall()]


def _configuration(
    contender: _Contender, held: ExampleSet, corpus: Corpus, chosen: Chosen, not_put: Mapping[str, int]
) -> dict[str, Any]:
    system, engine = contender.system, corpus.engine
    header = held.header()
    caveats = list(system.caveats)
    if engine.drift:
        caveats.append(f"Rows were written by other versions of {', '.join(engine.drift)}: derive anew.")
    told = {
        **system.configuration,
        "ablation": contender.ablation,
        "engine": engine.as_json(),
        "code": version("relore"),
        "versions": {**engine.rules, **{name: n for name, n in held.versions.items() if name == "mine"}},
        "set": {
            name: header[name] for name in ("name", "digest", "split", "frozen_at", "scored_by", "versions")
        },
        "corpus": corpus.counts,
        "as_of": {
            "cutoff": "each question's own, by the rules of search",
            "withheld": "each question's own threads",
            "floor": "of the question's kind",
            "judged_today": list(judged.TODAY),
        },
        "window_applied": system.window,
        "caveats": caveats,
        "left_out": [{"why": why, "n": len(ids), "ids": ids} for why, ids in chosen.left_out.items()],
        "not_put": dict(not_put),
        "leaks": [
            {"id": put.asked.example.id, "why": put.leak, "marked": put.asked.example.leaks}
            for put in chosen.put
            if put.leak
        ],
        "by_number": [
            put.asked.example.id for put in chosen.put if put.asked.example.evidence.get("by_number")
        ],
        "seed": statistics.SEED,
        "resamples": statistics.RESAMPLES,
    }
    # As it is read back: nothing but what JSON can say.
    plain: dict[str, Any] = json.loads(json.dumps(told))
    return plain
