"""The verb `mine`: a run of the asset, and a set's file."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner
from made import NOW, example, example_set

from relore_assets.cli import cli
from relore_assets.mine.sets import FrozenSet, NotASet, freeze, write


def test_a_frozen_file_is_refused_before_anything_is_mined(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """No database is looked for; the verb leaves with 2."""
    monkeypatch.setenv("RELORE_DATABASE_URL", "postgresql://nobody@127.0.0.1:1/none")
    path = tmp_path / "set.jsonl"
    write(path, freeze(example_set(example()), NOW))
    before = path.read_bytes()

    result = CliRunner().invoke(cli, ["mine", "--repo", "acme/widgets", "--out", str(path)])

    assert isinstance(result.exception, FrozenSet)
    assert result.exception.exit_code == 2
    assert "has been frozen since 2024-06-01T12:00:00Z: name another file." in str(result.exception)
    assert path.read_bytes() == before


def test_a_file_that_is_no_set_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "notes.md"
    path.write_text("# Notes\n")
    result = CliRunner().invoke(cli, ["mine", "--repo", "acme/widgets", "--out", str(path)])
    assert isinstance(result.exception, NotASet)
    assert path.read_text() == "# Notes\n"


def test_a_slice_that_there_is_not_is_refused() -> None:
    result = CliRunner().invoke(cli, ["mine", "--repo", "acme/widgets", "--slice", "nope"])
    assert "'nope' is no slice" in str(result.exception)
