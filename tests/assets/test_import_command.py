"""`relored import` refuses what would look right and be wrong."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from relore_assets.commands.import_ import command
from relore_assets.fetch.importing import named_repository
from relore_assets.fetch.repos import BadNameError


@pytest.fixture
def archive(tmp_path: Path) -> Path:
    """An archive of harbor/tide with one issue."""
    head = {
        "number": 1,
        "title": "Late",
        "created_at": "2024-01-01T00:00:00Z",
        "updated_at": "2024-01-01T00:00:00Z",
        "html_url": "https://github.com/harbor/tide/issues/1",
    }
    with gzip.open(tmp_path / "issues.jsonl.gz", "wt", encoding="utf-8") as file:
        file.write(json.dumps(head) + "\n")
    return tmp_path


def test_an_archive_knows_whose_it_is(archive: Path) -> None:
    """The addresses of its objects say so."""
    assert named_repository(archive) == "harbor/tide"


def test_an_archive_of_another_repository_is_refused(archive: Path) -> None:
    """Indexed under a wrong name it would answer every question about the wrong project."""
    result = CliRunner().invoke(command, ["--repo", "harbor/tied", str(archive)])
    assert result.exit_code == 1
    assert "name harbor/tide, not harbor/tied" in result.output
    assert "--renamed" in result.output


def test_what_is_no_repository_name_is_called_so(archive: Path) -> None:
    """And is not held against the addresses of the archive."""
    with pytest.raises(BadNameError, match="'nonsense' is no repository name"):
        CliRunner().invoke(command, ["--repo", "nonsense", str(archive)], catch_exceptions=False)
