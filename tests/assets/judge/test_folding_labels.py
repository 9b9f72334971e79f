"""What becomes of each label: it stands for its question, or is counted and named by its line."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import pytest
from invented import REPO, example, row, set_of

from relore_assets.judge.fold import Folded, fold
from relore_assets.judge.judging import Judged
from relore_assets.judge.labels import NoLabels, read
from relore_assets.judge.telling import told
from relore_assets.judge.truth import is_scored, strongest, truth
from relore_assets.mine.example import Answer, from_json, to_json
from relore_assets.mine.sets import ExampleSet

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

Labels = "Callable[..., Path]"
BEFORE = datetime(2022, 3, 1, tzinfo=UTC)


def folded(
    labels: Callable[..., Path], into: ExampleSet, *rows: Any, **more: Any
) -> tuple[ExampleSet, Folded]:
    return fold(read(labels(*rows)), into, **more)


def said(held: ExampleSet, number: int = 0) -> dict[tuple[int, str | None], str]:
    """Return the verdicts of one of the examples, by thread and judge."""
    return {(one.number, one.judged_by): one.verdict for one in held.examples[number].answers}


def test_the_last_verdict_on_a_thread_stands(labels: Callable[..., Path]) -> None:
    held, done = folded(
        labels,
        set_of(example("Rising tide")),
        row("Rising tide", 7, "relevant"),
        row("Rising tide", 8, "decisive"),
        row("Rising tide", 7, "not_relevant"),
    )

    assert said(held) == {(7, "human"): "not_relevant", (8, "human"): "decisive"}
    assert (done.superseded, done.minted) == ([1], [])
    assert held.scored_by == "human"


def test_relevant_and_decisive_both_answer() -> None:
    for verdict, answers in (("relevant", True), ("decisive", True), ("not_relevant", False)):
        assert is_scored(example("x", 1, Answer(7, verdict, "human")), "human") is answers


def test_case_is_part_of_a_question(labels: Callable[..., Path]) -> None:
    """An identifier in lower case is another word to the index."""
    held, done = folded(labels, set_of(example("TideTable")), row("tidetable"), row(" TideTable\n"))

    asked = {one.query: one for one in held.examples}
    assert set(asked) == {"TideTable", "tidetable"}
    assert asked["TideTable"].answers[0].number == 7
    assert done.minted == [asked["tidetable"].id]


@pytest.mark.parametrize(
    ("asked_with", "kind", "matches"),
    [
        ({"files": ["b.c", "a.c"]}, "failure", True),
        ({"files": ["a.c"]}, "failure", False),
        ({"files": ["a.c", "b.c"], "symbols": ["f"]}, "failure", False),
        ({"files": ["a.c", "b.c"]}, None, False),
        ({"files": ["a.c", "b.c"]}, "precedent", False),
        ({"files": ["a.c", "b.c"], "expand": False, "repos": [REPO], "sort": "relevance"}, "failure", True),
        ({}, "failure", False),
    ],
)
def test_a_label_is_of_the_question_with_the_same_kind_and_filters(
    asked_with: dict[str, Any],
    kind: str | None,
    matches: bool,  # noqa: FBT001 - a column of the table above
    labels: Callable[..., Path],
) -> None:
    mined = example("x", 1, files=("a.c", "b.c"), kind="failure")

    held, done = folded(labels, set_of(mined), row("x", filters=asked_with, kind=kind))

    by_id = {one.id: one for one in held.examples}
    assert bool(by_id[mined.id].answers) is matches
    assert len(done.minted) == (not matches)


@pytest.mark.parametrize(
    ("asked_with", "named"),
    [
        ({"labels": ["bug"]}, "labels"),
        ({"authors": ["ada"]}, "authors"),
        ({"trust": "authoritative"}, "trust"),
        ({"sort": "newest"}, "sort"),
        ({"since": "2020-01-01T00:00:00Z"}, "since"),
        ({"contains": ["tid"]}, "contains"),
        ({"mentioned": True}, "mentioned"),
        ({"invented": ["x"]}, "invented"),
        ({"before": "2021-01-01T00:00:00Z"}, "before"),
        ({"before": "2022-03-01T00:00:00Z", "exclude": [f"{REPO}#99"]}, "exclude"),
    ],
)
@pytest.mark.parametrize("query", ["Rising tide", "Nobody asks this"])
def test_a_label_made_under_a_filter_that_the_question_does_not_have_is_not_folded(
    query: str, asked_with: dict[str, Any], named: str, labels: Callable[..., Path]
) -> None:
    """What is right among the newest, or among one person's words, need not be right among all."""
    mined = example("Rising tide", before=BEFORE)

    held, done = folded(labels, set_of(mined), row("Rising tide"), row(query, 8, filters=asked_with))

    bounds = named in ("before", "exclude")
    if bounds and query != "Rising tide":
        assert len(done.minted) == 1
        return
    assert done.narrowed == {named: [2]}
    assert done.counts()["narrowed"] == 1
    assert said(held) == {(7, "human"): "relevant"}


def test_bounds_that_the_question_has_choose_among_its_examples(labels: Callable[..., Path]) -> None:
    """And without any, a question that two ask is ambiguous: both are named, and neither is judged."""
    then = example("x", 1, before=BEFORE)
    later = example("x", 2, slice_="duplicate", before=datetime(2023, 1, 1, tzinfo=UTC), withheld=(2, 5))
    bounds = {"before": "2022-03-01T01:00:00+01:00", "exclude": [f"{REPO}#1", "other/repo#4"]}

    held, done = folded(
        labels,
        set_of(then, later),
        row("x", 7, filters=bounds),
        row("x", 8, filters={"before": "2023-01-01T00:00:00Z", "exclude": [f"{REPO}#5", f"{REPO}#2"]}),
        row("x", 9),
    )

    by_id = {one.id: [answer.number for answer in one.answers] for one in held.examples}
    assert by_id == {then.id: [7], later.id: [8]}
    assert done.ambiguous == {3: tuple(sorted((then.id, later.id)))}


def test_a_label_of_today_is_of_the_question_that_is_asked_of_today(labels: Callable[..., Path]) -> None:
    """One title is often asked twice, today and as of when the issue was opened."""
    then, today = example("x", 1, before=BEFORE, slice_="closing"), example("x", 1, withheld=(1, 5))

    held, done = folded(labels, set_of(then, today), row("x", 7))

    assert {one.id for one in held.examples if one.answers} == {today.id}
    assert done.ambiguous == {}


def test_a_question_that_no_example_asks_becomes_one(labels: Callable[..., Path]) -> None:
    """With an id of its content, its case kept; of all labels of it in whatever order of filters."""
    first = row("Why SlackWater?", 7, kind="rationale", filters={"files": ["b.c", "a.c"]})
    second = row(
        "Why SlackWater?",
        8,
        "not_relevant",
        kind="rationale",
        filters={"files": ["a.c", "b.c"]},
        labelled_at="2024-07-01T00:00:00Z",
    )

    held, done = folded(labels, set_of(), first, second)
    again, _ = folded(labels, set_of(), second, first)

    (one,) = held.examples
    assert one.id == again.examples[0].id == done.minted[0]
    assert one.id.startswith("asked-")
    assert (one.slice, one.query, one.asked.number, one.withheld) == ("asked", "Why SlackWater?", 0, ())
    assert (one.filters.kind, one.filters.files) == ("rationale", ("a.c", "b.c"))
    assert one.asked.at == datetime(2024, 6, 1, 12, tzinfo=UTC)
    assert said(held) == {(7, "human"): "relevant", (8, "human"): "not_relevant"}
    assert from_json(to_json(one)) == one


def test_the_bounds_of_a_new_question_are_part_of_it(labels: Callable[..., Path]) -> None:
    bounds = {"before": "2022-03-01T00:00:00Z", "exclude": [f"{REPO}#3"]}

    held, _ = folded(labels, set_of(), row("x", 7), row("x", 8, filters=bounds))

    plain, bounded = sorted(held.examples, key=lambda one: one.before is not None)
    assert plain.id != bounded.id
    assert (bounded.before, bounded.withheld) == (BEFORE, (3,))
    assert ([one.number for one in plain.answers], [one.number for one in bounded.answers]) == ([7], [8])


def test_folding_again_changes_nothing(labels: Callable[..., Path]) -> None:
    file = labels(row("x", 7), row("x", 8, filters={"exclude": [f"{REPO}#3"]}), row("y", 9, judge="model"))

    once, _ = fold(read(file), set_of(example("y")))
    twice, done = fold(read(file), once)

    assert twice == once
    assert done.minted == []


def test_labels_of_other_repositories_are_counted_and_left(labels: Callable[..., Path]) -> None:
    held, done = folded(
        labels, set_of(example("x")), row("x", repo="harbor/moor"), row("x", repo="Harbor/TIDE")
    )

    assert done.elsewhere == [1]
    assert len(held.examples[0].answers) == 1


def test_a_label_on_a_thread_that_the_question_withholds_is_not_truth(labels: Callable[..., Path]) -> None:
    """No system can find it, so it would count against all of them."""
    held, done = folded(labels, set_of(example("x", 7)), row("x", 7))

    assert done.withheld == [1]
    assert held.examples[0].answers == ()


UNREADABLE = [
    (b"{", "no JSON"),
    (b"[]", "no JSON object"),
    (b"\xff", "no JSON"),
    (b"[" * 100_000, "no JSON"),
    (row("x", verdict="perhaps"), "verdict"),
    (row("x", judge="record"), "judge"),
    (row("x", number="7"), "number"),
    (row("x", number=True), "number"),
    (row("x", labelled_at="2024-06-01T12:00:00"), "labelled_at"),
    (row("x", labelled_at="9999-12-31T23:59:59-14:00"), "labelled_at"),
    (row("x", labelled_at="0001-01-01T00:00:00+14:00"), "labelled_at"),
    (row("x", labelled_at=7), "labelled_at"),
    (row("x", filters={"before": "9999-12-31T23:59:59-14:00"}), "before"),
    (row("x", filters=[]), "filters"),
    (row("x", backend="x"), "backend"),
    (row("x", versions=["x"]), "versions"),
    (row("x", verdict=["relevant"]), "verdict"),
    (row("x", number=10**30), "number"),
    (row("x", filters={"files": "a.c"}), "files"),
    (row("x", filters={"exclude": ["7"]}), "exclude"),
    (row("x", kind="bug"), "kind"),
    (row(" "), "asks nothing"),
    ({"query": "x"}, "repo"),
]


def test_lines_that_cannot_be_read_are_named_and_take_no_other_with_them(labels: Callable[..., Path]) -> None:
    rows = [row("x", 7), *(line for line, _ in UNREADABLE), b"", row("x", 8)]

    held, done = folded(labels, set_of(example("x")), *rows)

    assert list(done.unreadable) == list(range(2, 2 + len(UNREADABLE)))
    for reason, (_, why) in zip(done.unreadable.values(), UNREADABLE, strict=True):
        assert why in reason
    assert said(held) == {(7, "human"): "relevant", (8, "human"): "relevant"}


def test_a_file_that_is_not_there_is_refused(tmp_path: Path) -> None:
    with pytest.raises(NoLabels, match="No such file") as refused:
        read(tmp_path / "none.jsonl")
    assert refused.value.exit_code == 2


def test_people_models_and_the_record_are_kept_apart(labels: Callable[..., Path]) -> None:
    mined = example("x", 1, Answer(6, "relevant", "record", "it closes it"), Answer(7, "decisive", "record"))

    held, _ = folded(
        labels,
        set_of(mined),
        row("x", 7, "not_relevant"),
        row("x", 7, "relevant", judge="model"),
        row("x", 8, "relevant", judge="model"),
    )

    (one,) = held.examples
    assert [(a.number, a.judged_by, a.verdict) for a in one.answers] == [
        (6, "record", "relevant"),
        (7, "human", "not_relevant"),
        (7, "model", "relevant"),
        (7, "record", "decisive"),
        (8, "model", "relevant"),
    ]
    by = {
        judge: {number: (a.verdict, a.judged_by) for number, a in truth(one, judge).items()}
        for judge in ("human", "model", "record")
    }
    assert by["human"] == {6: ("relevant", "record"), 7: ("not_relevant", "human")}
    assert by["model"] == {6: ("relevant", "record"), 7: ("relevant", "model"), 8: ("relevant", "model")}
    assert by["record"] == {6: ("relevant", "record"), 7: ("decisive", "record")}


def test_a_set_is_scored_by_people_before_models_before_the_record(labels: Callable[..., Path]) -> None:
    mined = set_of(example("x", 1, Answer(6, "relevant", "record")))
    model, human = row("x", judge="model"), row("x", 8)

    assert folded(labels, mined)[0].scored_by == "record"
    assert folded(labels, mined, model)[0].scored_by == "model"
    assert folded(labels, mined, model, human)[0].scored_by == "human"
    assert folded(labels, mined, model, human, judged_by="model")[0].scored_by == "model"
    assert strongest([]) == "record"


def test_one_kind_of_judge_may_be_asked_for(labels: Callable[..., Path]) -> None:
    """Labels that do not say who judged are then of that kind; else they are people's."""
    unsaid = {name: value for name, value in row("x", 9).items() if name != "judge"}
    rows = [row("x", 7), row("x", 8, judge="model"), unsaid]

    held, done = folded(labels, set_of(example("x")), *rows, judged_by="model")
    assert said(held) == {(8, "model"): "relevant", (9, "model"): "relevant"}
    assert done.of_others == [1]

    held, _ = folded(labels, set_of(example("x")), *rows)
    assert said(held) == {(7, "human"): "relevant", (8, "model"): "relevant", (9, "human"): "relevant"}


@pytest.mark.parametrize("scored_by", ["human", "model"])
def test_verdicts_of_the_kind_that_does_not_count_are_counted_and_warned_about(
    labels: Callable[..., Path], scored_by: Any
) -> None:
    """They are kept; nobody shall think that they are in a figure."""
    rows = [row("x", 7), row("x", 8, judge="model"), row("x", 9, judge="model")]
    both, done = folded(labels, set_of(example("x", 1, Answer(2, "relevant", "record"))), *rows)
    assert done.not_counted == {"model": 2}

    held, done = folded(labels, both, *rows, judged_by=scored_by)
    other, number, whose = {"human": ("model", 2, "models"), "model": ("human", 1, "people")}[scored_by]
    assert done.not_counted == {other: number}
    page = told(Judged(held, done))
    assert (
        f"warning: {number} verdicts of {whose} do not count, for the set is scored by {scored_by}: "
        f"--as {other} scores it by theirs"
    ) in page
    assert f"warning: {number} labels are of another kind of judge than --as says, and left out" in page


def test_what_was_proposed_is_replaced_by_a_verdict_and_else_left(labels: Callable[..., Path]) -> None:
    mined = example("x", 1, Answer(7, "proposed"), Answer(8, "proposed"))

    held, done = folded(labels, set_of(mined), row("x", 7, "not_relevant"))

    assert said(held) == {(7, "human"): "not_relevant", (8, None): "proposed"}
    assert done.unscored == [mined.id]


def test_a_question_without_an_answer_is_counted_and_not_a_miss(labels: Callable[..., Path]) -> None:
    """A model's verdict does not make it one where people's count."""
    answered, model_only, nothing = example("x", 1), example("y", 2), example("z", 3)

    _, done = folded(
        labels,
        set_of(answered, model_only, nothing),
        row("x", 7),
        row("y", 7, judge="model"),
        row("z", 7, "not_relevant"),
    )

    assert sorted(done.unscored) == sorted((model_only.id, nothing.id))


def test_labels_of_several_backends_are_told_apart(labels: Callable[..., Path]) -> None:
    older = {"relore": "0.1.0", "signals": 3, "tokens": 1}

    _, done = folded(labels, set_of(example("x")), row("x", 7), row("x", 8), row("x", 9, versions=older))

    assert sorted(done.backends.values()) == [1, 2]
    assert any("signals 3" in name for name in done.backends)


def test_no_word_of_whoever_judged_gets_into_the_set(labels: Callable[..., Path]) -> None:
    """Sets are for publishing, notes are not; rows keep them."""
    held, done = folded(
        labels, set_of(example("x")), row("x", note="SECRETIVE", source_type="body", source_id="7")
    )

    (answer,) = held.examples[0].answers
    assert answer.why == "label of 2024-06-01 on body 7"
    assert "SECRETIVE" not in str(to_json(replace(held.examples[0])))
    assert [label.body["note"] for label in done.verdicts.values()] == ["SECRETIVE"]
