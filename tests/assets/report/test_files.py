"""Where reports go, and that they are written whole or not at all."""

from __future__ import annotations

from pathlib import Path

import pytest

from relore_assets.report.build import ReportNotWritten, path_of, write
from relore_assets.settings import Settings


def test_the_same_text_is_not_written_again(tmp_path: Path) -> None:
    path = path_of(tmp_path / "reports", "harbor/tide")

    assert write(path, "one")
    before = path.stat().st_mtime_ns
    assert not write(path, "one")
    assert path.stat().st_mtime_ns == before
    assert write(path, "two")
    assert path.read_text(encoding="utf-8") == "two"
    assert [each.name for each in path.parent.iterdir()] == ["tide.html"]


def test_repositories_whose_names_run_together_have_files_of_their_own(tmp_path: Path) -> None:
    assert path_of(tmp_path, "a-b/c") != path_of(tmp_path, "a/b-c")


def test_a_folder_that_cannot_be_made_is_one_sentence(tmp_path: Path) -> None:
    (tmp_path / "reports").write_text("a file", encoding="utf-8")

    with pytest.raises(ReportNotWritten, match=r"cannot be written to .*tide\.html"):
        write(path_of(tmp_path / "reports", "harbor/tide"), "one")


def test_the_environment_names_the_folder(tmp_path: Path) -> None:
    home = {"RELORE_HOME": str(tmp_path)}

    assert Settings.from_env(home).reports == tmp_path / "reports"
    named = Settings.from_env({**home, "RELORE_REPORTS": "~/of-relore"})
    assert named.reports == Path.home() / "of-relore"
