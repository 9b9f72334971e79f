"""The asset is a thin shell, absent where the tier is; the verb says why it cannot run."""

from __future__ import annotations

from collections.abc import Callable

import dagster as dg
import psycopg
import pytest
from fake_encoder import FakeEncoder
from rows import NOW

from relore_assets.embeddings import embed as embedding
from relore_assets.embeddings.assets import embeddings
from relore_assets.embeddings.embed import Embedded
from relore_assets.local.postgres import LocalPostgres
from relore_assets.partitions import COMMAND_TAG
from relore_assets.resources import Store
from relore_serve.search.scope import Repo
from relore_serve.semantic.tier import Semantic, Tier
from relore_serve.status import facts


def materialized(
    instance: dg.DagsterInstance, database_url: str, name: str, tags: dict[str, str] | None = None
) -> list[dict[str, object]]:
    instance.add_dynamic_partitions("repos", [name])
    result = dg.materialize(
        [embeddings],
        instance=instance,
        partition_key=name,
        resources={"store": Store(url=database_url)},
        tags=tags,
    )
    assert result.success
    return [
        {key: value.value for key, value in each.metadata.items()}
        for each in result.asset_materializations_for_node("embeddings")
    ]


def test_a_materialisation_counts_and_a_second_one_by_the_verb_records_nothing(
    repo: Repo,
    database_url: str,
    owner: psycopg.Connection,
    postgres: LocalPostgres,
    encoder: FakeEncoder,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(embedding, "installed", lambda: encoder)
    owner.execute("CREATE SCHEMA relore_semantic")
    postgres.add_vectors(owner.info.dbname)
    with dg.DagsterInstance.ephemeral() as instance:
        [first] = materialized(instance, database_url, repo.name)
        [again] = materialized(instance, database_url, repo.name)
        by_verb = materialized(instance, database_url, repo.name, {COMMAND_TAG: "embeddings"})

    assert first == {"rows_written": 3, "threads": 3, "vectors": 3, "model": "fake/1"}
    assert again["rows_written"] == 0
    assert by_verb == []


def test_without_a_model_or_pgvector_a_run_says_so_and_records_nothing(
    repo: Repo, database_url: str, encoder: FakeEncoder, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A derive that calls for vectors does not fail for the want of a tier that nobody asked for."""
    with dg.DagsterInstance.ephemeral() as instance:
        for installed in (None, encoder):
            monkeypatch.setattr(embedding, "installed", lambda found=installed: found)
            assert materialized(instance, database_url, repo.name) == []


def test_status_tells_whether_the_tier_is_on_and_what_is_stale(
    repo: Repo,
    owner: psycopg.Connection,
    made: Callable[[Repo], Embedded],
    encoder: FakeEncoder,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    from relore_assets.books import add_up  # noqa: PLC0415 - beside the only test that counts
    from relore_serve.status import counting  # noqa: PLC0415

    monkeypatch.setattr(counting.encoder, "NAME", encoder.name)
    tier = Tier(Semantic(encoder), why_off="")

    def told(tier: Tier | None) -> dict[str, object]:
        add_up(owner, repo.id)
        return facts(owner, now=NOW, semantic=tier)["semantic"]

    assert told(None) == {
        "on": False,
        "why_off": "the extra relore[semantic] is not installed",
        "model": None,
        "threads": 0,
        "vectors": 0,
        "stale": 0,
    }
    assert (
        told(tier)["why_off"] == "no thread has a vector of this model yet: `relored embeddings` makes them"
    )
    made(repo)
    assert told(tier) == {
        "on": True,
        "why_off": None,
        "model": "fake/1",
        "threads": 3,
        "vectors": 3,
        "stale": 0,
    }
    owner.execute("UPDATE relore.threads SET title = 'Boat sinks' WHERE number = 1")
    assert told(tier)["stale"] == 1


def test_status_goes_by_the_vectors_that_there_are_now(
    repo: Repo, owner: psycopg.Connection, made: Callable[[Repo], Embedded], encoder: FakeEncoder
) -> None:
    """Not by what was counted when there were more: search goes by them too."""
    from relore_assets.books import add_up  # noqa: PLC0415 - beside the tests that count

    tier = Tier(Semantic(encoder), why_off="")
    made(repo)
    add_up(owner, repo.id)

    def told() -> tuple[dict[str, object], dict[str, object] | None]:
        found = facts(owner, now=NOW, semantic=tier)
        return found["semantic"], found["repositories"][0]["semantic"]

    owner.execute(
        "DELETE FROM relore_semantic.vectors WHERE thread_id = (SELECT min(id) FROM relore.threads)"
    )
    partly, of_repo = told()
    owner.execute("DROP SCHEMA relore_semantic CASCADE")
    gone, of_repo_then = told()

    assert of_repo is not None
    assert (partly["on"], partly["vectors"], partly["threads"], of_repo["vectors"]) == (True, 2, 3, 2)
    assert (gone["on"], gone["vectors"], of_repo_then) == (False, 0, None)
    assert "no thread has a vector" in str(gone["why_off"])
