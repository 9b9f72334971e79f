"""JSON documents are read one by one, and what cannot be read is named."""

from __future__ import annotations

import gzip
import json
import os
import shutil
import tempfile
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from relore_assets.fetch.archives import documents
from relore_assets.fetch.archives.documents import Broken, Document, read

if TYPE_CHECKING:
    from collections.abc import Generator


def values(path: Path) -> list[object]:
    return [item.value for item in read(path) if isinstance(item, Document)]


def broken(path: Path) -> list[Broken]:
    return [item for item in read(path) if isinstance(item, Broken)]


@pytest.mark.parametrize(
    "text",
    [
        '{"n": 1}\n{"n": 2}\n',
        '\n{"n": 1}\r\n\r\n{"n": 2}',
        '{"n": 1}{"n": 2}',
        '[{"n": 1}]\n[{"n": 2}]\n',
        '[{"n": 1},{"n": 2}]',
        '\ufeff{"n": 1}\n{"n": 2}\n',
    ],
    ids=["lines", "blank-lines", "run-together", "pages", "array", "byte-order-mark"],
)
@pytest.mark.parametrize("name", ["a.jsonl", "a.json"])
def test_documents_are_read_however_they_are_set_apart(tmp_path: Path, name: str, text: str) -> None:
    """Lines, pages dumped one after the other and arrays hold the same objects."""
    path = tmp_path / name
    path.write_text(text, encoding="utf-8")
    assert values(path) == [{"n": 1}, {"n": 2}]
    assert broken(path) == []


@pytest.mark.parametrize("indent", [1, 2, 4])
@pytest.mark.parametrize(
    "payload",
    [{"list": [[1], {"a": []}], "text": "a\nb"}, [{"n": [1]}, {"n": {"m": []}}]],
    ids=["object", "array"],
)
def test_a_document_may_spread_over_lines(tmp_path: Path, payload: object, indent: int) -> None:
    """Two indented documents in one file are two documents."""
    path = tmp_path / "a.json"
    text = json.dumps(payload, indent=indent)
    path.write_text(f"{text}\n{text}", encoding="utf-8")
    one = payload if isinstance(payload, list) else [payload]
    assert values(path) == [*one, *one]


def test_elements_of_an_array_may_stand_one_a_line(tmp_path: Path) -> None:
    """Brackets and commas around them are no documents."""
    path = tmp_path / "a.json"
    path.write_text('[\n{"n": 1},\n{"n": 2}\n]\n', encoding="utf-8")
    assert values(path) == [{"n": 1}, {"n": 2}]


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        (b'{"body": "secret words', "not JSON: unterminated string starting at (character 10)"),
        (b"{'body': 1}", "not JSON: expecting property name enclosed in double quotes (character 2)"),
        (b'{"n": NaN}', "not JSON: NaN is no JSON number"),
        (b'{"body": "\xff"}', "not UTF-8 at byte 11"),
        (b"[" * 100_000, "nested too deeply"),
    ],
    ids=["cut-off", "single-quotes", "nan", "latin-1", "nested"],
)
def test_a_broken_line_is_named_and_costs_nothing_else(tmp_path: Path, line: bytes, reason: str) -> None:
    """Its number and why, quoting nothing of it; its neighbours are read."""
    path = tmp_path / "a.jsonl"
    path.write_bytes(b'{"n": 1}\n' + line + b'\n{"n": 3}\n')
    assert list(read(path)) == [Document(1, {"n": 1}), Broken(2, reason), Document(3, {"n": 3})]


def test_a_broken_document_that_spreads_over_lines_costs_nothing_else(tmp_path: Path) -> None:
    """It is named by the line it begins on."""
    path = tmp_path / "a.json"
    whole = json.dumps({"n": [1, 2]}, indent=2)
    path.write_text(f"{whole}\n{whole[:-5]}\n{whole}\n", encoding="utf-8")
    assert values(path) == [{"n": [1, 2]}, {"n": [1, 2]}]
    assert [item.line for item in broken(path)] == [7]


def test_a_lone_surrogate_is_read_as_it_stands(tmp_path: Path) -> None:
    """Escaped or in the bytes that some writers make of it; what becomes of it is decided at the door."""
    path = tmp_path / "a.jsonl"
    path.write_bytes(b'{"t": "a\\ud83db"}\n{"t": "a\xed\xa0\xbdb"}\n')
    assert values(path) == [{"t": "a\ud83db"}, {"t": "a\ud83db"}]


def test_compressed_data_that_ends_in_the_middle_keeps_what_came_before(tmp_path: Path) -> None:
    """Every whole line is read, and the end is named."""
    path = tmp_path / "a.jsonl.gz"
    lines = [json.dumps({"n": number, "noise": f"{number * 7919:x}" * 9}) for number in range(3_000)]
    whole = gzip.compress("\n".join(lines).encode())
    path.write_bytes(whole[: len(whole) // 2])
    found = values(path)
    assert 1_000 < len(found) < 2_000
    assert found == [json.loads(line) for line in lines[: len(found)]]
    assert broken(path) == [Broken(len(found) + 1, "the compressed data ends in the middle")]


def test_damaged_compressed_data_keeps_what_came_before(tmp_path: Path) -> None:
    """A flipped byte ends the file there, and no more."""
    path = tmp_path / "a.jsonl.gz"
    lines = [json.dumps({"n": number, "noise": f"{number * 7919:x}" * 9}) for number in range(30_000)]
    damaged = bytearray(gzip.compress("\n".join(lines).encode()))
    damaged[len(damaged) // 2 : len(damaged) // 2 + 40] = bytes(40)
    path.write_bytes(bytes(damaged))
    found = values(path)
    assert len(found) > 1_000
    assert found[:1_000] == [json.loads(line) for line in lines[:1_000]]
    assert len(broken(path)) >= 1


@pytest.mark.parametrize("name", ["a.jsonl", "a.json"])
def test_a_document_too_long_to_hold_is_refused(
    tmp_path: Path, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is named, and what follows is read."""
    monkeypatch.setattr(documents, "MAX_DOCUMENT", 100)
    path = tmp_path / name
    path.write_text('{"n": 1}\n{"t": "' + "x" * 5_000 + '"}\n{"n": 3}\n', encoding="utf-8")
    assert values(path) == [{"n": 1}, {"n": 3}]
    assert broken(path) == [Broken(2, "a line of more than 100 bytes")]


@pytest.mark.parametrize("name", ["a.jsonl", "a.jsonl.gz"])
def test_progress_adds_up_to_the_size_on_disk(tmp_path: Path, name: str) -> None:
    """What is told between documents sums to the file, compressed or not."""
    path = tmp_path / name
    text = "".join(f'{{"n": {number}}}\n' for number in range(50_000)).encode()
    path.write_bytes(gzip.compress(text) if name.endswith(".gz") else text)
    told: list[int] = []
    assert sum(1 for _ in read(path, told.append)) == 50_000
    assert sum(told) == path.stat().st_size
    assert len(told) > 3


@pytest.mark.parametrize("text", ["\\ud800", "plain"], ids=["half-a-pair", "plain"])
@pytest.mark.parametrize(
    ("number", "value"),
    [
        ("18446744073709551615", 2**64 - 1),
        ("-9223372036854775808", -(2**63)),
        ("1180591620717411303424", 2.0**70),
        ("-9223372036854775809", -(2.0**63)),
        ("1e-400", 0.0),
    ],
)
def test_a_number_is_the_same_whatever_stands_beside_it(
    tmp_path: Path, number: str, value: float, text: str
) -> None:
    """Also beside half a surrogate pair: whole to 64 bits, beyond that as near as a float comes."""
    path = tmp_path / "a.jsonl"
    path.write_text(f'{{"t": "{text}", "n": {number}}}\n', encoding="utf-8")
    assert list(read(path)) == [Document(1, {"t": json.loads(f'"{text}"'), "n": value})]
    (found,) = read(path)
    assert isinstance(found, Document)
    assert type(found.value["n"]) is type(value)


@pytest.mark.parametrize(
    "number", ["9" * 5_000, "-" + "9" * 400, "1e400"], ids=["digits", "below", "exponent"]
)
@pytest.mark.parametrize("end", ["}", "", ', "t": "\\ud800"}'], ids=["whole", "cut-off", "half-a-pair"])
def test_a_number_beyond_all_bounds_costs_its_line(tmp_path: Path, number: str, end: str) -> None:
    """However the line ends, and no more than the line."""
    path = tmp_path / "a.jsonl"
    path.write_text(f'{{"n": 1}}\n{{"n": {number}{end}\n{{"n": 3}}\n', encoding="utf-8")
    assert list(read(path)) == [
        Document(1, {"n": 1}),
        Broken(2, "a number too large to be kept"),
        Document(3, {"n": 3}),
    ]


def test_what_is_no_file_that_can_be_read_is_named_by_its_first_line(tmp_path: Path) -> None:
    """A folder, links that lead nowhere or to themselves, and a pipe that nobody writes to."""
    for name in ("folder", "nowhere", "loop", "pipe"):
        path = tmp_path / f"{name}.json"
        if name == "folder":
            path.mkdir()
        elif name == "pipe":
            os.mkfifo(path)
        else:
            path.symlink_to(tmp_path / f"{name}.json" if name == "loop" else "/nonexistent")
    assert {path.stem: list(read(path)) for path in tmp_path.iterdir()} == {
        "folder": [Broken(1, "could not be read: is a directory")],
        "nowhere": [Broken(1, "could not be read: no such file or directory")],
        "loop": [Broken(1, "could not be read: too many levels of symbolic links")],
        "pipe": [Broken(1, "not a regular file")],
    }


def test_a_file_that_fails_while_it_is_read_keeps_what_came_before() -> None:
    """The memory of a process can be opened, and its first page cannot be read."""
    assert list(read(Path("/proc/self/mem"))) == [Broken(1, "could not be read: input/output error")]


def test_a_file_that_may_not_be_read_is_named() -> None:
    """It stops nothing."""
    folder = Path(tempfile.mkdtemp())
    try:
        folder.chmod(0o755)
        path = folder / "a.jsonl"
        path.write_text('{"n": 1}\n', encoding="utf-8")
        path.chmod(0)
        with nobody():
            found = list(read(path))
    finally:
        shutil.rmtree(folder)
    assert found == [Broken(1, "could not be read: permission denied")]


@contextmanager
def nobody() -> Generator[None]:
    """Be somebody whom permissions hold back, should the tests run as root."""
    who = os.geteuid()
    if who == 0:
        os.seteuid(65_534)
    try:
        yield
    finally:
        os.seteuid(who)
