"""From an archive to the page of status: the verbs, and books that add up."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
import sample_archives as sample
from click.testing import CliRunner, Result

from relore_assets.commands import fingerprint, status
from relore_assets.derive.derive import derive
from relore_assets.errors import UnknownRepository
from relore_assets.fetch.importing import import_archive
from relore_assets.fingerprint import TABLES

if TYPE_CHECKING:
    from pathlib import Path

    import click
    import psycopg


@pytest.fixture(autouse=True)
def environment(database_url: str, reader_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RELORE_DATABASE_URL", database_url)
    monkeypatch.setenv("RELORE_READER_URL", reader_url)
    monkeypatch.setenv("RELORE_HOME", str(tmp_path / "home"))


def run(command: click.Command, *arguments: str) -> Result:
    return CliRunner().invoke(command, arguments, catch_exceptions=False)


def test_an_archive_that_is_imported_and_derived_leaves_nothing_unexplained(
    database_url: str, tmp_path: Path
) -> None:
    """Also what the archive lacks, repeats, orphans or spoils has its place in the books."""
    sample.rest(
        tmp_path,
        reviews=[sample.review(2, 21), sample.review(2, 22, body="")],
        issue_comments=[sample.comment(1, 11), sample.comment(99, 12), sample.comment(1, 11), "{torn"],
    )
    import_archive(database_url, sample.REPO, tmp_path)
    derive(database_url, sample.REPO, workers=1)
    (repo,) = json.loads(run(status.command, "--json").stdout)["repositories"]
    accounts = {account["kind"]: account for account in repo["objects"]}
    assert repo["unexplained"] == 0
    assert repo["orphans"] == {"objects": 1, "numbers": 1}
    assert repo["rejected"]["lines"] == 1
    assert accounts["issue_comment"]["stated"] == 4
    assert (accounts["issue_comment"]["collected"], accounts["issue_comment"]["derived"]) == (2, 1)
    assert accounts["review"]["skipped"] == {"empty body": 1}
    assert accounts["timeline"]["stated"] == 2
    assert all(rule["current"] for rule in repo["rules"])


def test_status_is_a_page_for_people(database_url: str, tmp_path: Path) -> None:
    """It names the repository, the kinds, the source, and what is wrong."""
    import_archive(database_url, sample.REPO, sample.rest(tmp_path, events=["nonsense"]))
    page = run(status.command, "--repo", "HARBOR/TIDE").stdout
    for words in (sample.REPO, "review_comment", "waiting for derive", "events.jsonl.gz", str(tmp_path)):
        assert words in page, page


def test_status_of_a_repository_that_is_not_indexed_is_a_sentence() -> None:
    """Not an empty page."""
    with pytest.raises(UnknownRepository, match="is not indexed here"):
        run(status.command, "--repo", "harbor/none")


def test_fingerprints_are_printed_one_a_table(
    database_url: str, conn: psycopg.Connection, tmp_path: Path
) -> None:
    """The same on the page and as JSON, and under the role that only reads."""
    import_archive(database_url, sample.REPO, sample.rest(tmp_path))
    page = run(fingerprint.command, "--repo", sample.REPO).stdout
    data = json.loads(run(fingerprint.command, "--repo", sample.REPO, "--json").stdout)
    assert tuple(data) == TABLES
    assert [line.split() for line in page.splitlines()] == [list(item) for item in data.items()]
    conn.execute("UPDATE relore.raw_objects SET payload = '{}' WHERE kind = 'event'")
    conn.commit()
    changed = json.loads(run(fingerprint.command, "--repo", sample.REPO, "--json").stdout)
    assert {table for table in TABLES if changed[table] != data[table]} == {"raw_objects"}


def test_the_recorded_history_is_accounted_for(database_url: str, corpus: Path) -> None:
    """Every object of the real archive is in the tables or has its reason."""
    name = "bitcoin-core/secp256k1"
    import_archive(database_url, name, corpus)
    derive(database_url, name)
    (repo,) = json.loads(run(status.command, "--json").stdout)["repositories"]
    accounts = {account["kind"]: account for account in repo["objects"]}
    assert repo["unexplained"] == 0
    assert repo["threads"] == 1_827
    assert {kind: account["derived"] for kind, account in accounts.items()} == {
        "issue": 1_827,
        "pull": 1_310,
        "issue_comment": 9_464,
        "review": 1_663,
        "review_comment": 6_687,
        "event": None,
        "commit": 3_309,
        "file": 6_165,
        "timeline": 0,
    }
    assert accounts["review"]["skipped"] == {"empty body": 2_675 - 1_663}
    # The archive's own README: deleted inline comments, and the lists of 15 pull requests.
    assert accounts["review_comment"]["missing_from_source"] == 59
    assert accounts["file"]["missing_from_source"] == 165
