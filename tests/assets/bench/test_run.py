"""A run: the same twice, worse where the ranking is worse, and with all that decides its figures beside them."""

from __future__ import annotations

from dataclasses import fields, replace
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

import pytest
from benched import REPO, THEN, example, example_set, harbor

from relore_assets.bench import corpus, store
from relore_assets.bench.ablations import ABLATIONS
from relore_assets.bench.questions import choose
from relore_assets.bench.results import without_times
from relore_assets.bench.run import Run, _wasted, measure
from relore_assets.bench.systems.fulltext import FullText
from relore_assets.bench.systems.index import Index
from relore_assets.bench.systems.system import Answered, Shown
from relore_assets.bench.table import markdown, notes, text
from relore_assets.mine.example import Filters
from relore_serve.search.ranking import DEFAULT, Ranking

if TYPE_CHECKING:
    from collections.abc import Sequence

    from psycopg import Connection
    from rows import History

    from relore_assets.bench.results import SystemRun
    from relore_assets.bench.systems.system import System
    from relore_assets.mine.sets import ExampleSet
    from relore_serve.search.alike import Alike
    from relore_serve.search.scope import Repo, Scope

RUN = Run("run-1", datetime(2024, 6, 2, tzinfo=UTC))


def measured(
    reader: Connection, repo: Repo, held: ExampleSet, *systems: System, ablate: bool = False
) -> list[SystemRun]:
    said: list[str] = []
    return measure(reader, RUN, held, corpus.read(reader, repo), systems, ablate=ablate, say=said.append)


def index(reader: Connection, name: str = "index", ranking: Ranking = DEFAULT) -> Index:
    return Index(reader, RUN.started_at, name, ranking=ranking)


def mean(runs: Sequence[SystemRun], system: str, measure_name: str) -> float:
    [run] = [run for run in runs if run.system == system]
    cell = run.cell("closing-title", "all")
    assert cell is not None
    return cell.measures[measure_name].mean


def test_two_runs_on_one_index_say_the_same(reader: Connection, history: History) -> None:
    """In everything but how long it took."""
    repo, held = harbor(history)
    first, second = (measured(reader, repo, held, index(reader), FullText(reader)) for _ in range(2))

    assert [[without_times(each) for each in run.results] for run in first] == [
        [without_times(each) for each in run.results] for run in second
    ]
    assert [run.configuration for run in first] == [run.configuration for run in second]
    assert store.same(first, second)


def test_a_worse_ranking_measures_worse(reader: Connection, history: History) -> None:
    """A title that counts against its thread; more than chance would have it."""
    repo, held = harbor(history)
    worse = index(reader, "worse", replace(DEFAULT, title=-1.35, body=-1.15))
    runs = measured(reader, repo, held, index(reader), worse)
    versus = runs[0].cell("closing-title", "all").versus["worse"]["MRR"]

    assert mean(runs, "worse", "MRR") < mean(runs, "index", "MRR")
    assert versus.low > 0
    assert versus.p < 0.05


def test_parts_are_switched_off_one_at_a_time(reader: Connection, history: History) -> None:
    """Each against the whole, in whose configuration it stands what was changed."""
    repo, held = harbor(history)
    runs = measured(reader, repo, held, index(reader), FullText(reader), ablate=True)
    off = [run for run in runs if run.ablation]

    assert [run.ablation["part"] for run in off] == [
        each.part for each in ABLATIONS if not each.does_nothing(DEFAULT) and not each.of_likeness
    ]
    assert {run.ablation["of"] for run in off} == {"index"}
    [titles] = [run for run in off if run.system == "index -titles"]
    assert titles.configuration["ranking"]["title"] == 1.0
    assert set(titles.cells[0].versus) == {"index"}
    assert "What is lost without a part" in text(runs)


class NothingAlike:
    """Says of every question that no thread is like it."""

    def threads(self, conn: Connection, text: str, scope: Scope, most: int) -> list[Alike]:
        """Return none."""
        del conn, text, scope, most
        return []


def test_of_our_rankings_the_one_with_most_parts_is_taken_apart(reader: Connection, history: History) -> None:
    """With likeness, that is a part as well."""
    repo, held = harbor(history)
    plain, served = index(reader), replace(index(reader, "index+expand"), expand=True)
    semantic = replace(served, name="index+semantic", semantic=NothingAlike())

    for systems, of in (
        ([plain], "index"),
        ([plain, served], "index+expand"),
        ([served, semantic], "index+semantic"),
    ):
        off = [run.ablation for run in measured(reader, repo, held, *systems, ablate=True) if run.ablation]
        assert {each["of"] for each in off} == {of}
        assert ("likeness" in {each["part"] for each in off}) == (of == "index+semantic")


def test_where_no_ranking_of_ours_takes_part_that_is_said(reader: Connection, history: History) -> None:
    repo, held = harbor(history)
    said: list[str] = []
    measure(reader, RUN, held, corpus.read(reader, repo), [FullText(reader)], ablate=True, say=said.append)

    assert "no ranking of ours takes part, so none of its parts is switched off" in said


def test_every_number_of_a_score_can_be_switched_off() -> None:
    """Whoever adds one says how; bounds on what is read aside."""
    names = [field.name for field in fields(Ranking)]
    bounds = names[names.index("candidates") :]
    shapes = {
        "alike_half",
        "few_words",
        "coverage_ends",
        "substance_title",
        "substance_body",
        "substance_ends",
        "per_thread",
        "substance_length",
        "few_answers",
    }
    off = {name for each in ABLATIONS for name in each.off}

    assert set(names) - set(bounds) - shapes <= off
    assert all(isinstance(each.of(DEFAULT), Ranking) for each in ABLATIONS)
    assert len({each.part for each in ABLATIONS}) == len(ABLATIONS)
    changes = [each.off for each in ABLATIONS]
    assert all(changes.count(change) == 1 for change in changes)


def test_what_leaks_is_measured_apart(reader: Connection, history: History) -> None:
    """In no figure of the others, and named."""
    repo = history.repo(REPO)
    long = "the mooring line parts whenever the ferry passes close by the pier at low tide and turns it"
    history.thread(repo, 1, "Asks", f"Here {long}.", at=THEN)
    history.thread(repo, 2, "Answers", f"Since {long}.", kind="pr", merged=True, at=THEN)
    history.thread(repo, 3, "The knot slips", at=THEN)
    history.thread(repo, 4, "Of pitch", "Nothing of the sort.", kind="pr", merged=True, at=THEN)
    history.fold()
    history.conn.commit()
    planted = example(1, f"Here {long}", 2, source_type="body")
    held = example_set(planted, example(3, "The knot slips", 4))
    [run] = measured(reader, repo, held, index(reader))

    assert run.cell("closing-title", "all").measures["R@10"].mean == 0.0
    assert run.cell("closing-title", "all", leak_free=False).measures["R@10"].mean == 1.0
    assert [entry["id"] for entry in run.configuration["leaks"]] == [planted.id]
    assert any(planted.id in note for note in notes([run]))
    assert "closing-title (leaks)" in text([run])


def test_slots_are_wasted_by_noise_and_by_what_carries_nothing(reader: Connection, history: History) -> None:
    """A word of the question, or a fact that it filters by, in that very text; a thread is known by title and post."""
    repo = history.repo(REPO)
    history.thread(repo, 1, "Asks", at=THEN)
    history.thread(repo, 2, "The winch", "Turn it.", kind="pr", merged=True, files=("src/winch.c",), at=THEN)
    history.thread(repo, 3, "Rain", "And wind.", at=THEN)
    nod = history.comment(repo, 2, "LGTM the winch", at=THEN, noise=True)
    rain = history.comment(repo, 2, "Rain again, and no end of it in sight.", at=THEN)
    word = history.comment(repo, 2, "A winch is a thing of iron.", at=THEN)
    line = history.comment(
        repo, 2, "The pawl stays up.", source_type="review_comment", path="src/winch.c", at=THEN
    )
    history.fold()
    history.conn.commit()
    [put] = choose(
        reader,
        example_set(example(1, "the winch", 2, filters=Filters(files=("src/winch.c",)))),
        corpus.read(reader, repo),
    ).put
    page = [
        Shown(2, "issue_comment", nod),
        Shown(2, "issue_comment", rain),
        Shown(2, "issue_comment", word),
        Shown(2, "review_comment", line),
        Shown(2, "title", "2"),
        Shown(2),
        Shown(3),
    ]

    assert _wasted(reader, put, Answered((2, 3), tuple(page), 1.0)) == [
        True, True, False, False, False, False, True,
    ]  # fmt: skip
    assert _wasted(reader, put, Answered((), (), 1.0)) == []


def test_all_that_decides_a_figure_is_kept_with_it(reader: Connection, history: History) -> None:
    """The ranking whole, the engine, the versions of rules, the set, the corpus, what was left out and why."""
    repo, held = harbor(history)
    gone = example(10, "something else", 999, at=THEN)
    [run] = measured(reader, repo, example_set(*held.examples, gone), index(reader))
    told = run.configuration

    assert told["ranking"].keys() == {field.name for field in fields(Ranking)}
    assert told["engine"]["server"].startswith("postgresql ")
    assert set(told["engine"]["code"]) == {"signals", "tokens"}
    assert (told["corpus"]["threads"], told["window_applied"]) == (17, True)
    assert told["set"]["digest"] == run.set_digest
    assert told["left_out"] == [{"why": "no thread that answers it is indexed", "n": 1, "ids": [gone.id]}]
    assert any(gone.id in note for note in notes([run]))


def test_a_reader_measures(reader: Connection, history: History) -> None:
    """Nothing is written on the way: the session cannot."""
    repo, held = harbor(history)

    assert measured(reader, repo, held, index(reader))[0].results
    assert reader.execute("SELECT current_user, current_setting('transaction_read_only')").fetchone() == (
        "relore_reader",
        "on",
    )


def test_a_table_states_n_and_intervals_in_both_forms(reader: Connection, history: History) -> None:
    """Text for a terminal, Markdown for the UI."""
    repo, held = harbor(history)
    runs = measured(reader, repo, held, index(reader), FullText(reader))

    for told in (text(runs), markdown(runs)):
        assert "Part held-out" in told
        assert "95 %" in told
        assert "fulltext knows no filters" in told
    assert [line.split()[:4] for line in text(runs).splitlines() if line.startswith("closing-title")] == [
        ["closing-title", "4", "index", "1.000"],
        ["closing-title", "4", "index", "1.000"],
        ["closing-title", "8", "index", "1.000"],
        ["closing-title", "8", "index", "fulltext"],
    ]


def test_claims_by_number_alone_have_a_table_of_their_own(reader: Connection, history: History) -> None:
    """So that they compare with figures of who reads no other form; nothing else changes."""
    repo, held = harbor(history)
    heading = "Claims to close by number alone (#12 right behind the word), both parts"
    systems = [index(reader), index(reader, "index+expand")]
    assert heading not in text(measured(reader, repo, held, *systems))

    plain = [
        replace(each, evidence={"by_number": int(place < 4)}) for place, each in enumerate(held.examples)
    ]
    plain[3] = replace(plain[3], leaks=True, leak="it is said so")
    runs = measured(reader, repo, example_set(*plain), *systems)

    assert set(runs[0].configuration["by_number"]) == {each.id for each in plain[:4]}
    assert runs[0].cell("closing-title", "all").n == len(plain) - 1
    after = text(runs).partition(heading)[2].strip().splitlines()
    assert after[1].split()[:3] == ["closing-title", "3", "index"]
    assert after[2].split()[:2] == ["3", "index+expand"]
    assert after[3].split()[:3] == ["closing-title", "(leaks)", "1"]
    assert heading in markdown(runs)


@pytest.mark.parametrize(
    "written",
    [
        "UPDATE relore.documents SET trust = 'machine' WHERE id = (SELECT min(id) FROM relore.documents)",
        "UPDATE relore.documents SET trust_until = ARRAY[now()], trust_then = '{reported}'",
        "INSERT INTO relore.authors (repo_id, login, tier, reason) SELECT id, 'ada', 'machine', '' FROM relore.repos",
        "UPDATE relore.term_stats SET documents = documents + 1 WHERE lexeme = 'halyard'",
        "UPDATE relore.repo_stats SET lexemes = lexemes + 1",
        "UPDATE relore.threads SET indexed_at = now() WHERE number = 500",
        "DELETE FROM relore.documents WHERE source_type = 'issue_comment'",
    ],
    ids=["trust", "trust then", "standing", "words", "sizes", "threads", "documents"],
)
def test_whatever_decides_an_answer_moves_an_index_when_it_is_written(
    conn: Connection, reader: Connection, history: History, written: str
) -> None:
    """Not threads alone: an authority pass writes who has standing, and leaves threads as they are."""
    repo, _ = harbor(history)
    before = corpus.read(reader, repo)
    assert not before.moved(reader)

    changed = conn.execute(written)
    conn.commit()

    assert changed.rowcount > 0
    assert before.moved(reader)


def test_figures_of_different_engines_do_not_share_a_table(reader: Connection, history: History) -> None:
    """What differs is named, and between which two."""
    repo, held = harbor(history)
    [run] = measured(reader, repo, held, index(reader))
    engine = {**run.configuration["engine"], "server": "postgresql 12.3"}
    other = replace(run, run_id="run-0", configuration={**run.configuration, "engine": engine})

    with pytest.raises(store.MixedEngines, match=r"index of run run-1 and index of run run-0 .*12\.3"):
        text([run, other])


def test_a_system_that_no_question_may_be_put_to_has_no_row(reader: Connection, history: History) -> None:
    """And where it was put some, all are shown on these beside the whole."""
    repo, held = harbor(history)
    picky = _Picky(reader)
    dated = [replace(each, before=each.asked.at + timedelta(days=99)) for each in held.examples]
    none = measured(reader, repo, example_set(*dated), index(reader), picky)
    some = measured(reader, repo, example_set(*held.examples[:3], *dated[3:]), index(reader), picky)

    assert [run.system for run in none] == ["index"]
    assert [len(run.results) for run in some] == [8, 3]
    assert some[1].configuration["not_put"] == {"it has a cutoff": 5}
    assert "The questions that every system was put" in text(some)
    assert any("picky was not put 5 questions: it has a cutoff." in note for note in notes(some))


class _Picky(FullText):
    """Full text that cannot answer as of a date."""

    def __init__(self, conn: Connection) -> None:
        super().__init__(conn, "picky", window=False)

    def refuses(self, question: object) -> str | None:
        """Whatever has a cutoff."""
        return "it has a cutoff" if question.example.before is not None else None
