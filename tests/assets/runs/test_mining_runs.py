"""`relored mine` is a run of the asset like the UI's, and a set's file."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import dagster as dg
import psycopg
import pytest

from relore_assets.mine.mining import MINED
from relore_assets.mine.sets import FrozenSet, freeze, read, write
from relore_assets.runs.mining import mine

sys.path.append(str(Path(__file__).parents[2] / "serve"))

from rows import NOW, History

if TYPE_CHECKING:
    from relore_assets.settings import Settings


@pytest.fixture
def name(store: psycopg.Connection) -> str:
    """A history of one issue and what closed it."""
    history = History(store)
    repo = history.repo()
    history.thread(repo, 1, "Pump stalls", "The bilge fills " * 10)
    history.thread(repo, 2, "Restart it", "Fixes #1", kind="pr", merged=True)
    history.link(repo, 2, "closes", 1)
    history.fold()
    return repo.name


def test_mining_is_a_run_and_writes_a_set(settings: Settings, name: str, tmp_path: Path) -> None:
    """A second time nothing is written, neither rows nor file, and nothing is recorded."""
    path = tmp_path / "widgets.jsonl"

    first = mine(settings, name.upper(), MINED, out=path)
    written = path.read_bytes()
    again = mine(settings, name, MINED, out=path)

    assert (first.repo, first.rows_written, first.file_changed) == (name, 3, True)
    assert (again.rows_written, again.file_changed, again.counts) == (0, False, first.counts)
    assert path.read_bytes() == written
    found = read(path)
    assert (found.name, found.repo, found.corpus.threads, found.frozen_at) == ("widgets", name, 2, None)
    assert [each.slice for each in found.examples] == ["closing", "closing-text", "closing-title"]
    with dg.DagsterInstance.get() as instance:
        events = instance.fetch_materializations(dg.AssetKey("candidates"), limit=9).records
    assert len(events) == 1


def test_a_file_that_was_frozen_meanwhile_stays(settings: Settings, name: str, tmp_path: Path) -> None:
    path = tmp_path / "widgets.jsonl"
    mine(settings, name, MINED, out=path)
    frozen = freeze(read(path), NOW)
    write(path, frozen)
    with pytest.raises(FrozenSet):
        mine(settings, name, ("closing",), out=path)
    assert read(path) == frozen
