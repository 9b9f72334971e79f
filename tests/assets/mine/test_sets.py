"""Sets of questions come back from their files as they went, and a frozen one does not change."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from made import NOW, days, example, example_set

from relore_assets.mine.example import Answer, Asked, BadExample, Filters, from_json, identity, to_json
from relore_assets.mine.sets import FrozenSet, NotASet, freeze, read, write

FULL = example(
    "Why `secp_Foo` — 为什么?",
    slice="rationale",
    filters=Filters(("a b/c.h",), ("Foo.bar",), ("ValueError: x",), ("t.py::test_a",), "rationale"),
    before=days(3),
    answers=(Answer(2, "proposed"), Answer(3, "not_relevant", "human", "no"), Answer(4, "decisive", "model")),
    leaks=True,
    leak="words of the question stand in #4, an answer",
    evidence={"cues": 7, "worth": 0.5, "shape": "here"},
)


def test_a_set_comes_back_from_its_file_as_it_went(tmp_path: Path) -> None:
    """Every field of it; and writing what is there already writes nothing."""
    path = tmp_path / "set.jsonl"
    wanted = example_set(FULL, example())

    assert write(path, wanted)
    assert read(path) == wanted
    assert not write(path, wanted)
    assert [json.loads(line)["id"] for line in path.read_text().splitlines()[1:]] == sorted(
        (FULL.id, example().id)
    )


def test_a_line_holds_nothing_that_ends_it_or_a_terminal_obeys(tmp_path: Path) -> None:
    """Texts are escaped whatever stands in them."""
    hostile = example(
        "a\nb\x1b[31m\u2028\u202e\x00 </script>", answers=(Answer(2, "relevant", "human", "\r\n"),)
    )
    path = tmp_path / "set.jsonl"
    write(path, example_set(hostile))

    data = path.read_bytes()
    assert data.count(b"\n") == 2
    assert all(32 <= byte < 127 or byte == 10 for byte in data)
    assert read(path).examples == (hostile,)


def test_relevant_are_those_that_somebody_judged_to_be() -> None:
    """A proposal is no truth."""
    assert (FULL.relevant, FULL.proposed, FULL.needs_judging) == ((4,), (2,), False)
    only_proposed = replace(FULL, answers=FULL.answers[:2])
    assert (only_proposed.relevant, only_proposed.needs_judging) == ((), True)


def test_an_id_is_made_of_what_is_asked() -> None:
    """Of the repository in any case, the slice, the words, the filters and the asking thread; of nothing else."""
    known = identity("Acme/Widgets", "failure", "Pump stalls", Filters(files=("a.c",)), 7)

    assert known == "failure-ca8b933d88670c7b"
    assert known == identity("acme/widgets", "failure", "Pump stalls", Filters(files=("a.c",)), 7)
    others = {
        identity("acme/other", "failure", "Pump stalls", Filters(files=("a.c",)), 7),
        identity("acme/widgets", "traceback", "Pump stalls", Filters(files=("a.c",)), 7),
        identity("acme/widgets", "failure", "pump stalls", Filters(files=("a.c",)), 7),
        identity("acme/widgets", "failure", "Pump stalls", Filters(symbols=("a.c",)), 7),
        identity("acme/widgets", "failure", "Pump stalls", Filters(files=("a.c",)), 8),
    }
    assert len(others | {known}) == 6


def test_a_frozen_set_is_split_at_the_median_of_what_the_record_answers() -> None:
    """Questions that somebody has to judge do not move the split."""
    asked = [
        example(f"q{number}", asked=Asked(1, "title", "1", "u", days(number))) for number in (50, 40, 30, 20)
    ]
    judged = example("old", slice="failure", asked=Asked(1, "body", "1", "u", days(900)))

    frozen = freeze(example_set(*asked, judged), NOW)

    assert (frozen.frozen_at, frozen.split) == (NOW, days(30))
    assert [frozen.part(each) for each in asked] == ["fit", "fit", "held-out", "held-out"]
    assert frozen.part(judged) == "fit"
    with pytest.raises(FrozenSet, match="has been frozen since 2024-06-01T12:00:00Z"):
        freeze(frozen, NOW)


def test_a_frozen_file_is_not_written_over(tmp_path: Path) -> None:
    """Not by another set, not by the same unfrozen; only by what it already says."""
    path = tmp_path / "set.jsonl"
    frozen = freeze(example_set(example()), NOW)
    write(path, frozen)
    before = path.read_bytes()

    assert not write(path, frozen)
    for other in (example_set(example()), example_set(example(), FULL), freeze(example_set(), NOW)):
        with pytest.raises(FrozenSet, match="name another file"):
            write(path, other)
    assert path.read_bytes() == before
    assert [each.name for each in tmp_path.iterdir()] == ["set.jsonl"]


def test_a_frozen_file_whose_lines_were_changed_is_refused(tmp_path: Path) -> None:
    """Figures of then would not be its own."""
    path = tmp_path / "set.jsonl"
    write(path, freeze(example_set(example()), NOW))
    path.write_text(path.read_text().replace("bilge", "Bilge"))

    with pytest.raises(NotASet, match="its lines are not those that were"):
        read(path)


def header(**changes: Any) -> str:
    """A header with some of its fields changed; None takes one away."""
    fields = {**example_set(example()).header(), **changes}
    return json.dumps({name: value for name, value in fields.items() if value != "-"})


LINE = json.dumps(to_json(example()))


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "line 1: no JSON"),
        ("{", "line 1: no JSON"),
        ("[]", "line 1: no JSON object"),
        ("{}", "has no version, and this program reads version 1"),
        (header(version=2), "is of version 2, and this program reads version 1"),
        (header(version="1\x1b"), r"is of version '1\\x1b'"),
        (header(name="-"), "line 1: this is no header"),
        (header(corpus=[]), "line 1: this is no header"),
        (header(corpus={"threads": True, "documents": 1, "since": None, "until": None}), "this is no header"),
        (header(split="2024-01-01"), "line 1: this is no header"),
        (header() + "\n" + LINE + "\n" + LINE, f"{example().id} is in the set twice"),
        (header() + "\n\n", "line 2: no JSON"),
        (header() + "\n" + LINE + "\n" + "[" * 100_000, "line 3: no JSON"),
        (header() + "\n" + LINE.replace('"evidence": {}', '"evidence": {"a": NaN}'), "line 2: no JSON"),
        (header() + "\n" + LINE.replace('"relevant"', '"proposed"'), "that nobody judged is proposed"),
    ],
)  # fmt: skip
def test_what_is_no_set_is_named_with_its_line(tmp_path: Path, text: str, says: str) -> None:
    path = tmp_path / "set.jsonl"
    path.write_text(text)
    with pytest.raises(NotASet, match=says):
        read(path)


@pytest.mark.parametrize("data", [b"\xff\xfe{}", None])
def test_what_cannot_be_read_is_said_to_be_so(tmp_path: Path, data: bytes | None) -> None:
    path = tmp_path / "set.jsonl"
    if data is not None:
        path.write_bytes(data)
    with pytest.raises(NotASet, match="cannot be read"):
        read(path)


def test_what_is_no_set_is_not_written_over(tmp_path: Path) -> None:
    """Somebody's own file may stand under the name."""
    path = tmp_path / "notes.txt"
    path.write_text("mine\n")
    with pytest.raises(NotASet):
        write(path, example_set(example()))
    assert path.read_text() == "mine\n"


def drop(name: str) -> Callable[[dict[str, Any]], object]:
    return lambda entry: entry.pop(name)


@pytest.mark.parametrize(
    "spoil",
    [
        *(
            drop(name)
            for name in ("id", "slice", "query", "filters", "asked", "withheld", "answers", "leaks")
        ),
        lambda entry: entry.update(slice="other"),
        lambda entry: entry.update(id="closing-title-\x1b[2J"),
        lambda entry: entry.update(id="\ud800"),
        lambda entry: entry.update(query=""),
        lambda entry: entry.update(withheld=[7]),
        lambda entry: entry.update(withheld=["1"]),
        lambda entry: entry.update(before="2024-01-01T00:00:00"),
        lambda entry: entry["asked"].update(at="yesterday"),
        lambda entry: entry["asked"].update(at="9999-12-31T23:59:59-14:00"),
        lambda entry: entry.update(before="0001-01-01T00:00:00+14:00"),
        lambda entry: entry["asked"].update(number=True),
        lambda entry: entry["filters"].update(kind="other"),
        lambda entry: entry["filters"].update(files="a.c"),
        lambda entry: entry["answers"].append({"number": 3, "verdict": "maybe", "judged_by": "human"}),
        lambda entry: entry["answers"].append({"number": 3, "verdict": "relevant", "judged_by": "oracle"}),
        lambda entry: entry.update(evidence={"a": []}),
    ],
)
def test_an_example_that_contradicts_itself_is_refused(spoil: Callable[[dict[str, Any]], object]) -> None:
    entry = to_json(example())
    assert from_json(json.loads(json.dumps(entry))) == example()
    spoil(entry)
    with pytest.raises(BadExample):
        from_json(entry)
