"""`relored import` tells what became of an archive, and what is wrong with it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
import sample_archives as sample
from click.testing import CliRunner

from relore_assets.commands.import_ import command
from relore_assets.derive.derive import derive

if TYPE_CHECKING:
    from pathlib import Path

    import psycopg


@pytest.fixture
def home(database_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An installation over the test's database."""
    monkeypatch.setenv("RELORE_DATABASE_URL", database_url)
    monkeypatch.setenv("RELORE_HOME", str(tmp_path / "home"))
    for name in ("DAGSTER_HOME", "RELORE_DAGSTER_URL"):
        monkeypatch.delenv(name, raising=False)


@pytest.mark.usefixtures("home")
def test_what_is_wrong_with_an_archive_is_said_each_time(tmp_path: Path) -> None:
    """Lines that could not be read, also when nothing is new, and files that were left alone."""
    archive = sample.rest(tmp_path / "archive", events=["nonsense", "[1, 2]"])
    (archive / "issues.jsonl").write_text("{}", encoding="utf-8")
    first, second = (CliRunner().invoke(command, ["--repo", sample.REPO, str(archive)]) for _ in range(2))
    assert (first.exit_code, second.exit_code) == (0, 0), first.output + second.output
    assert "2 lines rejected" in first.output
    assert "nothing new, 0 rows written" in second.output
    for result in (first, second):
        assert (
            "lines of the archive that could not be read: 2, the first at events.jsonl.gz:1 (not JSON"
            in result.output
        )
        assert "not read: issues.jsonl;" in result.output


@pytest.mark.usefixtures("home")
def test_an_import_of_repeated_objects_ends_well(tmp_path: Path) -> None:
    """Once and again."""
    comments = [sample.comment(1, ident) for ident in range(100, 2_200)]
    archive = sample.rest(tmp_path / "archive", issue_comments=[*comments, *comments[:10]])
    for _ in range(2):
        result = CliRunner().invoke(command, ["--repo", sample.REPO, str(archive)])
        assert result.exit_code == 0, result.output
        assert "nobody can explain" not in result.output


@pytest.mark.usefixtures("home")
def test_objects_that_nobody_can_explain_fail_an_import_that_found_nothing_new(
    database_url: str, conn: psycopg.Connection, tmp_path: Path
) -> None:
    """As they fail one that brings something."""
    archive = sample.rest(tmp_path / "archive")
    assert CliRunner().invoke(command, ["--repo", sample.REPO, str(archive)]).exit_code == 0
    derive(database_url, sample.REPO, workers=1)
    conn.execute("DELETE FROM relore.documents WHERE source_type = 'issue_comment' AND source_id = '11'")
    conn.commit()
    result = CliRunner().invoke(command, ["--repo", sample.REPO, str(archive)])
    assert result.exit_code == 1
    assert "nothing new, 0 rows written" in result.output
    assert f"objects of {sample.REPO} that nobody can explain: 1;" in result.output
