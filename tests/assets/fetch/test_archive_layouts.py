"""Three layouts are told apart, and hold the same history."""

from __future__ import annotations

import json
import os
import tempfile
from pathlib import Path
from typing import Any

import pytest
import sample_archives as sample
from hypothesis import given
from hypothesis import strategies as st

from relore_assets.fetch.archives.found import Passed, Raw, Rejected
from relore_assets.fetch.archives.layout import UnknownLayoutError, recognise
from relore_assets.fetch.door import clean

LAYOUTS = {
    "rest_jsonl": sample.rest,
    "thread_files": sample.thread_files,
    "github_backup": sample.github_backup,
}

EVERYWHERE = {
    ("issue", "1", 1),
    ("pull", "2", 2),
    ("issue_comment", "11", 1),
    ("issue_comment", "12", 2),
    ("review", "21", 2),
    ("review_comment", "31", 2),
    ("event", "41", 1),
    ("event", "42", 2),
    ("pull_commits", "2", 2),
}


def raws(root: Path) -> list[Raw]:
    return [item for item in recognise(root).objects() if isinstance(item, Raw)]


def rejected(root: Path) -> list[Rejected]:
    return [item for item in recognise(root).objects() if isinstance(item, Rejected)]


@pytest.mark.parametrize("name", LAYOUTS)
def test_a_layout_is_recognised_by_what_it_holds(tmp_path: Path, name: str) -> None:
    """Whatever the folder is called."""
    assert recognise(LAYOUTS[name](tmp_path)).name == name


@pytest.mark.parametrize("name", LAYOUTS)
def test_every_layout_yields_the_same_objects(tmp_path: Path, name: str) -> None:
    """Kind, id and number of each object do not depend on who wrote the archive."""
    found = {(raw.kind, raw.object_id, raw.thread_number) for raw in raws(LAYOUTS[name](tmp_path))}
    extra = {("issue", "2", 2), ("pull_files", "2", 2)} if name == "rest_jsonl" else set()
    assert found == EVERYWHERE | extra
    assert rejected(tmp_path) == []


@pytest.mark.parametrize("name", LAYOUTS)
def test_parts_have_the_shape_of_their_own_endpoint(tmp_path: Path, name: str) -> None:
    """What a writer adds, or says in other words, does not reach the store."""
    found = {(raw.kind, raw.object_id): raw.payload for raw in raws(LAYOUTS[name](tmp_path))}
    assert found["issue_comment", "12"] == sample.comment(2, 12)
    assert found["review_comment", "31"] == sample.inline(2, 31)
    assert found["event", "42"] == sample.event(42, "closed")
    assert found["issue", "1"] == sample.ISSUE
    assert found["pull", "2"] == sample.PULL
    assert found["pull_commits", "2"] == {"number": 2, "items": [sample.commit(sha) for sha in sample.SHAS]}
    assert {key: found["review", "21"][key] for key in sample.review(2, 21)} == sample.review(2, 21)
    assert "event" not in found["review", "21"]


@pytest.mark.parametrize(
    ("kind", "ident", "date"),
    [
        ("review", "21", "2024-05-01"),
        ("event", "41", "2024-02-01"),
        ("pull_commits", "2", "2024-05-01"),
        ("pull_files", "2", "2024-05-01"),
    ],
)
def test_an_object_is_dated_by_itself_else_by_its_thread(
    tmp_path: Path, kind: str, ident: str, date: str
) -> None:
    """Reviews by when they were submitted, events by when they happened, lists as their pull request."""
    dates = {(raw.kind, raw.object_id): raw.updated_at for raw in raws(sample.rest(tmp_path))}
    found = dates[kind, ident]
    assert found is not None
    assert found.date().isoformat() == date


def test_lists_are_counted_by_their_members(tmp_path: Path) -> None:
    """A pull request's files are one object of two members."""
    (files,) = [raw for raw in raws(sample.rest(tmp_path)) if raw.kind == "pull_files"]
    assert files.members == 2
    assert [item["filename"] for item in files.payload["items"]] == ["tide/table.py", "tide/moon.py"]
    assert not any("patch" in item for item in files.payload["items"]), "diffs are not even held"


def test_the_order_index_is_passed_over_with_a_reason(tmp_path: Path) -> None:
    """Its lines are counted all the same."""
    passed = [item for item in recognise(sample.rest(tmp_path)).objects() if isinstance(item, Passed)]
    assert {(item.counted, item.reason) for item in passed} == {
        ("timeline", "an order index, which holds no object of its own")
    }
    assert sum(item.count for item in passed) == 2


def test_a_thread_file_of_several_documents_is_read_whole(tmp_path: Path) -> None:
    """As pages dumped one after the other leave it."""
    sample.github_backup(tmp_path)
    pages = [[sample.issue(1), sample.issue(3)], [sample.issue(4)]]
    (tmp_path / "issues/1.json").write_text("".join(map(json.dumps, pages)), encoding="utf-8")
    assert {raw.thread_number for raw in raws(tmp_path) if raw.kind == "issue"} == {1, 3, 4}


def test_cross_references_of_a_backups_timeline_are_kept_and_its_repeats_are_not(tmp_path: Path) -> None:
    """An event that stands in both lists is one event; comments and commits stand elsewhere."""
    cross = {
        "event": "cross-referenced",
        "actor": sample.account("buoy"),
        "created_at": "2024-02-02T00:00:00Z",
        "source": {"type": "issue", "issue": {"html_url": f"{sample.WEB}/pull/2", "title": "as it was"}},
    }
    timeline = [sample.event(41), cross, {"event": "committed", "sha": "a" * 40}]
    later = {**cross, "source": {"type": "issue", "issue": {**cross["source"]["issue"], "title": "as it is"}}}
    sample.github_backup(tmp_path)
    idents = []
    for entries in (timeline, [later]):
        payload = {**sample.ISSUE, "event_data": [sample.event(41)], "timeline_data": entries}
        (tmp_path / "issues/1.json").write_text(json.dumps(payload), encoding="utf-8")
        idents.append(
            [raw.object_id for raw in raws(tmp_path) if raw.kind == "event" and raw.thread_number == 1]
        )
    assert [len(ids) for ids in idents] == [2, 2]
    assert idents[0] == idents[1], "a cross-reference has no id, and keeps the one that we give it"


@pytest.mark.parametrize(
    ("kind", "payload", "reason"),
    [
        ("issues", {"title": "x"}, "no number"),
        ("issues", {**sample.ISSUE, "number": 2**31}, "no number"),
        ("issues", {**sample.ISSUE, "number": True}, "no number"),
        ("issues", {"number": 5}, "no title"),
        ("pulls", {**sample.PULL, "created_at": "yesterday"}, "no created_at that is a date"),
        ("pulls", {**sample.PULL, "updated_at": "2024-01-01T00:00:00"}, "no updated_at that is a date"),
        ("issue_comments", {"id": 1, "body": "x"}, "no thread number"),
        ("reviews", {**sample.review(2, 21), "id": None}, "no id"),
        ("events", {"id": 3}, "no thread number"),
        ("files", {"filename": "a"}, "no thread number"),
        ("commits", "[1]", "not a JSON object"),
    ],
)
def test_what_cannot_be_filed_is_rejected_by_line(
    tmp_path: Path, kind: str, payload: sample.Payload | str, reason: str
) -> None:
    """Its file, its line and what it lacks."""
    sample.rest(tmp_path, **{kind: [payload]})
    (item,) = rejected(tmp_path)
    assert (item.file, item.line, item.reason) == (f"{kind}.jsonl.gz", 1, reason)


def test_a_list_torn_apart_is_not_replaced_by_its_second_half(tmp_path: Path) -> None:
    """The lines that stand apart are named instead."""
    lines = [{"_n": number, **sample.changed(name)} for number, name in ((2, "a"), (3, "b"), (2, "c"))]
    sample.rest(tmp_path, files=lines)
    found = {
        raw.thread_number: len(raw.payload["items"]) for raw in raws(tmp_path) if raw.kind == "pull_files"
    }
    assert found == {2: 1, 3: 1}
    assert [(item.line, item.reason) for item in rejected(tmp_path)] == [
        (3, "stands apart from the other lines of #2")
    ]


@pytest.mark.parametrize(
    "write", [sample.thread_files, sample.github_backup], ids=["thread_files", "github_backup"]
)
def test_a_broken_thread_file_costs_one_thread(tmp_path: Path, write: object) -> None:
    """Also when it is the first, by which the layout is told."""
    write(tmp_path)  # type: ignore[operator]
    (tmp_path / "issues/1.json").write_text('{"number": 1, "ti', encoding="utf-8")
    assert {raw.thread_number for raw in raws(tmp_path)} == {2}
    (item,) = rejected(tmp_path)
    assert (item.file, item.line) == ("issues/1.json", 1)


def test_an_account_that_is_gone_stops_nothing(tmp_path: Path) -> None:
    """GitHub sends null for it."""
    sample.rest(tmp_path, issue_comments=[sample.comment(1, 11, user=None)])
    assert rejected(tmp_path) == []


def test_a_path_that_holds_no_archive_is_refused_with_what_was_looked_for(tmp_path: Path) -> None:
    """A folder of something else, a file, nothing at all, a backup of several repositories."""
    (tmp_path / "notes.txt").write_text("x", encoding="utf-8")
    sample.github_backup(tmp_path / "all/repositories/tide")
    (tmp_path / "other/issues").mkdir(parents=True)
    (tmp_path / "other/issues/1.json").write_text('{"some": "thing"}', encoding="utf-8")
    for path, words in (
        (tmp_path, "neither REST objects"),
        (tmp_path / "notes.txt", "not a folder"),
        (tmp_path / "gone", "no such folder"),
        (tmp_path / "other", "neither github-metadata-backup's"),
        (tmp_path / "all", "name one of them, such as repositories/tide"),
    ):
        with pytest.raises(UnknownLayoutError, match=words):
            recognise(path)


SCALARS = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.sampled_from(
        [2**31, 2**63, 2**64, -1, 0, 1.5, "", "\ud800", "\x00", "2024-02-01T00:00:00Z", "issues/1"]
    ),
)
ODD = st.recursive(
    SCALARS,
    lambda inner: st.one_of(
        st.lists(inner, max_size=2),
        st.dictionaries(st.sampled_from(["a", "login", "issue"]), inner, max_size=2),
    ),
    max_leaves=4,
)


def paths(payload: object, at: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """Return where each value of a payload stands."""
    if isinstance(payload, dict):
        members: list[tuple[Any, Any]] = list(payload.items())
    elif isinstance(payload, list):
        members = list(enumerate(payload))
    else:
        members = []
    return [place for key, value in members for place in ((*at, key), *paths(value, (*at, key)))]


def replaced(payload: Any, place: tuple[Any, ...], value: object) -> Any:
    """Return a copy of a payload in which something else stands in one place."""
    if not place:
        return value
    copy = dict(payload) if isinstance(payload, dict) else list(payload)
    copy[place[0]] = replaced(payload[place[0]], place[1:], value)
    return copy


@pytest.mark.parametrize("name", LAYOUTS)
@given(data=st.data())
def test_no_value_in_any_place_stops_what_stands_beside_it(name: str, data: st.DataObject) -> None:
    """Whatever an archive holds instead of what GitHub sends: it is kept or named, and the others are there."""
    with tempfile.TemporaryDirectory() as folder:
        root = LAYOUTS[name](Path(folder))
        if name == "rest_jsonl":
            kind = data.draw(
                st.sampled_from(["issues", "issue_comments", "reviews", "events", "commits", "files"])
            )
            payloads = {"issues": sample.ISSUE, "issue_comments": sample.comment(1, 11)}
            payload = payloads.get(kind, {"_n": 2, **sample.event(41), **sample.commit("a" * 40)})
            broken = replaced(payload, data.draw(st.sampled_from(paths(payload))), data.draw(ODD))
            sample.rest(root, **{kind: [payload, broken]})
        else:
            file = root / "pulls/2.json"
            payload = json.loads(file.read_text(encoding="utf-8"))
            broken = replaced(payload, data.draw(st.sampled_from(paths(payload))), data.draw(ODD))
            file.write_text(json.dumps(broken), encoding="utf-8")
        found = [clean(raw) for raw in raws(root)]
        assert ("issue", "1") in {(item.kind, item.object_id) for item in found}


def test_what_cannot_be_opened_is_rejected_and_the_rest_is_read(tmp_path: Path) -> None:
    """In the place of a thread's file: a folder, links that lead nowhere, a pipe that nobody writes to."""
    sample.thread_files(tmp_path)
    (tmp_path / "issues/7.json").mkdir()
    (tmp_path / "issues/8.json").symlink_to("/nonexistent")
    (tmp_path / "issues/9.json").symlink_to(tmp_path / "issues/9.json")
    os.mkfifo(tmp_path / "issues/0.json")
    assert recognise(tmp_path).size() > 1_000
    assert {(raw.kind, raw.object_id, raw.thread_number) for raw in raws(tmp_path)} == EVERYWHERE
    assert [(item.file, item.line, item.counted) for item in rejected(tmp_path)] == [
        (f"issues/{number}.json", 1, "issue") for number in (0, 7, 8, 9)
    ]


def test_what_only_looks_like_a_file_of_objects_is_rejected_by_name(tmp_path: Path) -> None:
    """A link that leads nowhere, where nothing else holds that kind."""
    sample.rest(tmp_path)
    (tmp_path / "reviews.jsonl.gz").unlink()
    (tmp_path / "reviews.jsonl").symlink_to("/nonexistent")
    (tmp_path / "events.jsonl").symlink_to("/nonexistent")
    assert [(item.file, item.reason) for item in rejected(tmp_path)] == [
        ("reviews.jsonl", "could not be read: no such file or directory")
    ]
    assert ("event", "41") in {(raw.kind, raw.object_id) for raw in raws(tmp_path)}


def test_what_is_left_alone_is_said(tmp_path: Path) -> None:
    """A second spelling of a file, and files of threads beside those of objects."""
    assert recognise(sample.rest(tmp_path)).not_read() == []
    (tmp_path / "issues.jsonl").write_text("{}", encoding="utf-8")
    sample.thread_files(tmp_path)
    layout = recognise(tmp_path)
    assert (layout.name, layout.not_read()) == ("rest_jsonl", ["issues.jsonl", "issues/", "pulls/"])


@pytest.mark.parametrize("name", ["thread_files", "github_backup"])
def test_an_event_that_is_not_named_by_a_word_is_kept_as_one(tmp_path: Path, name: str) -> None:
    """The list that stands there is data like any other."""
    LAYOUTS[name](tmp_path)
    odd = [{**sample.event(90), "event": ["labeled"]}, {**sample.event(91), "id": ["x"]}]
    file = tmp_path / "issues/1.json"
    thread = json.loads(file.read_text(encoding="utf-8"))
    thread["events" if name == "thread_files" else "timeline_data"] = odd
    if name == "github_backup":
        thread["event_data"] = [{**sample.event(92), "id": {}}]
    file.write_text(json.dumps(thread), encoding="utf-8")
    found = [raw for raw in raws(tmp_path) if (raw.kind, raw.thread_number) == ("event", 1)]
    assert found[0 if name == "thread_files" else 1].payload["event"] == ["labeled"]
    assert len(found) == (2 if name == "thread_files" else 3)


def test_why_a_folder_cannot_be_looked_into_is_said(tmp_path: Path) -> None:
    """A link to itself, a name that is no text, files of threads of which none can be read."""
    loop = tmp_path / "loop"
    loop.symlink_to(loop)
    with pytest.raises(UnknownLayoutError, match="too many levels of symbolic links"):
        recognise(loop)
    nameless = Path(os.fsdecode(os.fsencode(tmp_path) + b"/bad\xff"))
    nameless.mkdir()
    with pytest.raises(UnknownLayoutError, match=r"bad\\xff: the name is not UTF-8"):
        recognise(nameless)
    (tmp_path / "spoiled/issues/1.json").mkdir(parents=True)
    with pytest.raises(UnknownLayoutError, match=r"issues/1.json: could not be read: is a directory"):
        recognise(tmp_path / "spoiled")
