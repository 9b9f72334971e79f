"""The failures as a tree, and what is written about them."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from relore_assets.fetch.github import errors

DOCS = Path(__file__).parents[4] / "docs" / "operations.md"

CLASSES = sorted(errors.GitHubError.__subclasses__(), key=lambda each: each.__name__)


def documented() -> dict[str, int]:
    """Return the exit code of each class named in the table."""
    section = DOCS.read_text(encoding="utf-8").split("### Exit codes", 1)[1]
    return {
        name: int(code)
        for code, names in re.findall(r"^\| (\d+) \|.*\| ([^|]*) \|$", section, re.MULTILINE)
        for name in re.findall(r"`(\w+)`", names)
    }


@pytest.mark.parametrize(
    "each", [each for each in CLASSES if each.__module__ == errors.__name__], ids=lambda each: each.__name__
)
def test_every_failure_has_its_exit_code_in_the_documentation(each: type[errors.GitHubError]) -> None:
    assert documented()[each.__name__] == each.exit_code
    assert each.exit_code not in {0, 1, 2, 130}


def test_a_variable_that_is_read_is_a_variable_that_is_documented() -> None:
    source = (Path(errors.__file__).parent / "settings.py").read_text(encoding="utf-8")
    names = set(re.findall(r"\b(?:RELORE_GIT|GITHUB_TOKEN)[A-Z_]*\b", source))
    assert len(names) == 9
    text = DOCS.read_text(encoding="utf-8")
    assert [name for name in sorted(names) if f"| `{name}`" not in text and f", `{name}`" not in text] == []
