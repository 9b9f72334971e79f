"""`relored report`, on an instance like any other."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from click.testing import CliRunner

from relore_assets.commands.report import command
from relore_assets.fetch import repos
from relore_assets.runs import verbs
from relore_assets.runs.inprocess import RunFailed

sys.path.append(str(Path(__file__).parents[1] / "report"))

from made_runs import Made

if TYPE_CHECKING:
    import psycopg

    from relore_assets.settings import Settings

REPO = "harbor/tide"
MEASURED = Made({"index+expand": {"closing-title": [1] * 20}, "fulltext": {"closing-title": [0] * 20}})


@pytest.fixture
def measured(store: psycopg.Connection) -> None:
    """A repository with one run."""
    MEASURED.write(store, repos.register(store, REPO, "archive", "-").id)


@pytest.mark.usefixtures("measured")
def test_the_page_goes_where_it_is_asked_for_and_a_second_time_nothing_is_recorded(
    settings: Settings, tmp_path: Path
) -> None:
    first = verbs.report(settings, REPO, out=tmp_path / "pages")
    page = (tmp_path / "pages/harbor/tide.html").read_bytes()
    again = verbs.report(settings, REPO, out=tmp_path / "pages")

    assert first.recorded["bench_report"]["closing-title: R@10"] == 1.0
    assert again.recorded == {}
    assert (tmp_path / "pages/harbor/tide.html").read_bytes() == page


@pytest.mark.usefixtures("measured")
def test_a_page_that_was_removed_is_made_again(settings: Settings) -> None:
    """In the state folder, where nothing else is said."""
    verbs.report(settings, REPO)
    page = settings.home / "reports/harbor/tide.html"
    page.unlink()

    assert "bench_report" in verbs.report(settings, REPO).recorded
    assert page.exists()


def test_without_a_measurement_the_remedy_is_said(settings: Settings, store: psycopg.Connection) -> None:
    repos.register(store, REPO, "archive", "-")

    with pytest.raises(RunFailed, match="relored bench --repo harbor/tide") as failure:
        verbs.report(settings, REPO)
    assert failure.value.exit_code == 2


@pytest.mark.usefixtures("measured")
def test_the_command_says_where_the_page_is(
    settings: Settings, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr("relore_assets.commands.report.Settings.from_env", lambda: settings)
    said = CliRunner().invoke(command, ["--repo", REPO, "--out", str(tmp_path / "out")])

    assert said.exit_code == 0
    assert f"{tmp_path}/out/harbor/tide.html: No run of this set has been accepted" in said.output
    assert "harbor/tide: written (run " in said.output
