"""A recorded history cut at a date has the standing that the whole one has as seen from that date."""

from __future__ import annotations

import os
from collections import Counter
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from payloads import add_repo

from relore_assets.authority.authors import load_evidence, load_standing, refresh
from relore_assets.authority.lookup import Standing
from relore_assets.authority.standing import intervals
from relore_assets.fetch.importing import import_archive

if TYPE_CHECKING:
    from psycopg import Connection

NAME = "bitcoin-core/secp256k1"

# What there was of it at the time, in the state that its head had then.
CUT = """
    INSERT INTO relore.raw_objects (
        repo_id, kind, object_id, thread_number, payload, payload_hash, github_updated_at, fetched_at, source,
        redaction_version)
    SELECT
        %(cut)s, kind, object_id, thread_number,
        payload || CASE WHEN (payload ->> 'closed_at')::timestamptz >= %(at)s
                        THEN '{"closed_at": null, "closed_by": null}' ELSE '{}' END::jsonb
                || CASE WHEN (payload ->> 'merged_at')::timestamptz >= %(at)s
                        THEN '{"merged_at": null, "merged_by": null}' ELSE '{}' END::jsonb,
        payload_hash, github_updated_at, fetched_at, source, redaction_version
    FROM relore.raw_objects
    WHERE repo_id = %(whole)s
      AND kind IN ('issue', 'pull', 'issue_comment', 'review', 'review_comment', 'event')
      AND coalesce(payload ->> 'submitted_at', payload ->> 'created_at')::timestamptz < %(at)s"""

SAID = """
    SELECT payload #>> '{user,login}', coalesce(payload ->> 'submitted_at', payload ->> 'created_at')::timestamptz
    FROM relore.raw_objects
    WHERE repo_id = %s AND kind <> 'event' AND payload #>> '{user,login}' IS NOT NULL"""


@pytest.fixture
def corpus() -> Path:
    named = os.environ.get("RELORE_TEST_CORPUS")
    path = Path(named) if named else Path(__file__).parents[4] / "shared/corpora/secp256k1"
    if not (path / "meta.json").is_file():
        pytest.skip("the recorded history is absent: name its folder in RELORE_TEST_CORPUS")
    return path


def test_every_text_of_then_has_the_tier_that_it_had(
    database_url: str, conn: Connection, corpus: Path
) -> None:
    """At seven dates, over all that was written before each; and today's tiers would be others."""
    import_archive(database_url, NAME, corpus)
    row = conn.execute("SELECT id FROM relore.repos WHERE full_name = %s", [NAME]).fetchone()
    assert row is not None
    whole = row[0]
    refresh(conn, whole)
    standing = load_standing(conn, whole)
    otherwise = Counter[int]()
    for year in (2014, 2015, 2017, 2019, 2021, 2023, 2025):
        at = datetime(year, 9, 1, tzinfo=UTC)
        cut = add_repo(conn, f"harbor/cut-{year}")
        conn.execute(CUT, {"cut": cut, "whole": whole, "at": at})
        known = load_evidence(conn, cut)
        then = Standing(intervals(known.accounts, known.acts))
        said = conn.execute(SAID, [cut]).fetchall()
        differing = {
            (login, written)
            for login, written in said
            if standing.as_of(login, written, at) != then.trust(login, written)
        }
        assert differing == set()
        otherwise[year] = sum(standing.trust(*one) != then.trust(*one) for one in said)
    assert sum(otherwise.values()) > 0, otherwise
