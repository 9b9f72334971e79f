"""A repository's documents in a file: those that search may show, in one order, the same bytes each time."""

from __future__ import annotations

import gzip
import json
from datetime import datetime
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any

import psycopg
import pytest
from click.testing import CliRunner
from made import days
from rows import NOW, History

from relore_assets.commands.export_corpus import command
from relore_assets.errors import UnknownRepository
from relore_assets.mine.corpus import IDENTITY, CannotWrite, export
from relore_serve.database import connect_reader
from relore_serve.search.engine import search
from relore_serve.search.question import Exclusion, Question

if TYPE_CHECKING:
    from collections.abc import Iterator

    from relore_serve.search.scope import Repo


@pytest.fixture
def harbour(history: History) -> Repo:
    """Threads of two repositories, with a machine's words, an edited and a late text, and a hostile one."""
    repo, other = history.repo(), history.repo("acme/other")
    history.thread(other, 1, "lantern elsewhere", at=days(40))
    history.thread(repo, 10, "lantern ten", "lantern in the body\r\n\u202e\x1b[31m</script>", at=days(40))
    history.thread(repo, 2, "lantern two", kind="pr", merged=True, at=days(30))
    history.comment(repo, 10, "lantern late", at=days(1))
    history.comment(repo, 10, "lantern edited", at=days(20), updated_at=days(2))
    history.comment(repo, 2, "lantern machine", trust="machine", author="ci[bot]", at=days(20))
    history.document(repo, 2, "review_comment", "lantern ", "in pieces", at=days(25), path="a.c", line=3)
    history.fold()
    history.conn.commit()
    return repo


@pytest.fixture
def reader(reader_url: str) -> Iterator[psycopg.Connection]:
    with connect_reader(reader_url) as conn:
        yield conn


def lines(path: Path) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """Return the header and the documents of a file."""
    data = gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()
    header, *rest = data.decode("ascii").splitlines()
    return json.loads(header), [json.loads(line) for line in rest]


@pytest.mark.usefixtures("harbour")
def test_the_header_says_what_the_file_holds(reader: psycopg.Connection, tmp_path: Path) -> None:
    path = tmp_path / "corpus.jsonl"
    done = export(reader, "ACME/widgets", path, before=days(10), exclude=[10, 404, 10])
    header, documents = lines(path)

    body = path.read_bytes().split(b"\n", 1)[1]
    assert header["sha256"] == done.digest == sha256(body).hexdigest()
    assert header["documents"] == done.documents == len(documents) == 3
    assert (header["version"], header["repo"], header["before"]) == (
        1,
        "acme/widgets",
        "2024-05-22T12:00:00Z",
    )
    assert (header["excluded"], header["machine"], header["identity"]) == ([10, 404], False, list(IDENTITY))
    assert header["versions"]["schema"]
    assert all(isinstance(limit, str) for limit in header["limits"])
    assert [entry.name for entry in tmp_path.iterdir()] == ["corpus.jsonl"]


@pytest.mark.usefixtures("harbour")
def test_documents_stand_in_order_and_whole(reader: psycopg.Connection, tmp_path: Path) -> None:
    path = tmp_path / "corpus.jsonl"
    export(reader, "acme/widgets", path)
    _, documents = lines(path)

    keys = [tuple(document[name] for name in IDENTITY) for document in documents]
    assert keys == sorted(keys)
    assert len(set(keys)) == len(keys) == 7
    assert {document["body"] for document in documents} >= {"lantern in the body\r\n\u202e\x1b[31m</script>"}
    piece = next(document for document in documents if document["body"] == "in pieces")
    assert (piece["chunk_index"], piece["chunk_count"], piece["path"], piece["line"]) == (1, 2, "a.c", 3)
    assert "lantern machine" not in {document["body"] for document in documents}


@pytest.mark.usefixtures("harbour")
def test_what_machines_wrote_is_there_when_asked_for(reader: psycopg.Connection, tmp_path: Path) -> None:
    path = tmp_path / "corpus.jsonl"
    assert export(reader, "acme/widgets", path, machine=True).documents == 8
    assert "lantern machine" in {document["body"] for document in lines(path)[1]}


@pytest.mark.parametrize("before", [None, days(10), days(20), days(30), days(45)])
@pytest.mark.parametrize("exclude", [(), (10,)])
def test_a_file_holds_what_a_search_finds(
    reader: psycopg.Connection,
    harbour: Repo,
    tmp_path: Path,
    before: datetime | None,
    exclude: tuple[int, ...],
) -> None:
    """Every text has the word: what a search of the same bounds reaches is what the file holds."""
    path = tmp_path / "corpus.jsonl"
    export(reader, "acme/widgets", path, before=before, exclude=exclude)

    asked = Question(
        "lantern", repos=(harbour,), before=before, exclude=tuple(Exclusion(each) for each in exclude)
    )
    hits = search(reader, asked, NOW).hits

    held = {(each["number"], each["source_type"], each["source_id"]) for each in lines(path)[1]}
    assert {(hit.number, hit.source_type, hit.source_id) for hit in hits} <= held
    assert {hit.number for hit in hits} == {number for number, _, _ in held}


@pytest.mark.usefixtures("harbour")
def test_the_same_index_gives_the_same_bytes(
    reader: psycopg.Connection, conn: psycopg.Connection, tmp_path: Path
) -> None:
    """However the rows came to stand where they do; compressed, too."""
    for name in ("one.jsonl", "one.jsonl.gz"):
        export(reader, "acme/widgets", tmp_path / name)
    conn.execute("UPDATE relore.documents SET trust = trust WHERE source_type = 'title'")
    conn.commit()
    (tmp_path / "other").mkdir()
    for name in ("one.jsonl", "one.jsonl.gz"):
        export(reader, "acme/widgets", tmp_path / "other" / name)
        assert (tmp_path / name).read_bytes() == (tmp_path / "other" / name).read_bytes()
    # A compressed file bears neither the time nor the name: bytes 4 to 7, and the flags.
    assert (tmp_path / "one.jsonl.gz").read_bytes()[3:8] == bytes(5)
    assert gzip.decompress((tmp_path / "one.jsonl.gz").read_bytes()) == (tmp_path / "one.jsonl").read_bytes()


@pytest.mark.usefixtures("harbour")
def test_what_stood_there_stays_when_nothing_can_be_written(
    reader: psycopg.Connection, tmp_path: Path
) -> None:
    path = tmp_path / "corpus.jsonl"
    path.write_text("before")
    with pytest.raises(UnknownRepository):
        export(reader, "acme/none", path)
    with pytest.raises(CannotWrite, match="cannot be written: No such file or directory"):
        export(reader, "acme/widgets", tmp_path / "missing" / "corpus.jsonl")
    assert path.read_text() == "before"
    assert [entry.name for entry in tmp_path.iterdir()] == ["corpus.jsonl"]


@pytest.mark.usefixtures("harbour")
def test_the_verb_writes_to_standard_output(
    database_url: str, reader_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nothing but the file goes there."""
    monkeypatch.setenv("RELORE_HOME", str(tmp_path))
    monkeypatch.setenv("RELORE_DATABASE_URL", database_url)
    monkeypatch.setenv("RELORE_READER_URL", reader_url)
    arguments = ["--repo", "acme/widgets", "--out", "-", "--before", "2024-05-22", "--exclude", "10"]

    result = CliRunner().invoke(command, arguments, catch_exceptions=False)

    header, *rest = result.stdout.splitlines()
    assert json.loads(header)["before"] == "2024-05-22T00:00:00Z"
    assert len(rest) == json.loads(header)["documents"] == 3
    assert result.stderr.startswith("-: 3 documents, sha256 ")


@pytest.mark.parametrize("moment", ["yesterday", "2024-05-22T10:00:00", "2024-13-01"])
def test_a_cutoff_that_is_no_moment_is_refused(moment: str) -> None:
    result = CliRunner().invoke(command, ["--repo", "a/b", "--out", "-", "--before", moment])
    assert result.exit_code == 2
    assert "--before" in result.stderr
