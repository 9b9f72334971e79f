"""`relored judge --repo` as a run of the asset, on a Postgres-backed instance."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING

import pytest
from psycopg.types.json import Jsonb

from relore_assets.judge.frozen import load
from relore_assets.judge.judging import NothingToJudge
from relore_assets.mine.example import Answer, Asked, Example, Filters, identity, to_json
from relore_assets.runs.judging import judge

if TYPE_CHECKING:
    import psycopg

    from relore_assets.settings import Settings

REPO = "harbor/tide"


def test_a_set_is_frozen_once_and_a_second_call_has_nothing_to_do(
    settings: Settings, store: psycopg.Connection, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("RELORE_LABELS_PATH", raising=False)
    store.execute(
        "INSERT INTO relore.repos (full_name, source_kind, source_location) VALUES (%s, 'archive', '-')",
        [REPO],
    )
    asked = Asked(1, "title", "1", "https://github.test/1", datetime(2020, 1, 1, tzinfo=UTC))
    known = Filters()
    one = Example(
        identity(REPO, "closing-title", "Rising tide", known, 1),
        "closing-title",
        "Rising tide",
        known,
        asked,
        (1,),
        None,
        (Answer(7, "relevant", "record"),),
    )
    store.execute(
        "INSERT INTO relore.candidates (repo_id, id, slice, question, asked_at, body, mined_with)"
        " VALUES (1, %s, %s, '{}', %s, %s, 'mine 1')",
        [one.id, one.slice, asked.at, Jsonb(to_json(one))],
    )
    said: list[str] = []

    finished = judge(settings, "Harbor/Tide", "record", freeze=True, say=said.append)

    assert finished.rows_written() == 3
    assert said[0].startswith("set record of harbor/tide: 1 questions, scored by record, frozen since ")
    held = load(store, 1, "record")
    with pytest.raises(NothingToJudge, match="is frozen") as refused:
        judge(settings, REPO, "record", freeze=True, say=said.append)
    assert refused.value.exit_code == 2
    assert said[-1] == "nothing had changed: 0 rows written, nothing to record"
    assert load(store, 1, "record") == held
