"""Mining writes what differs, and gives the same history the same questions wherever it runs."""

from __future__ import annotations

import os
import subprocess
import sys
from typing import TYPE_CHECKING

import dagster as dg
import psycopg
import pytest
from made import days
from psycopg.types.json import Jsonb
from rows import History

from relore_assets.fetch.repos import known, rename
from relore_assets.mine.assets import candidates as candidates_asset
from relore_assets.mine.mining import (
    MINED,
    UnknownSlice,
    candidate_set,
    candidates,
    checked_slices,
    find,
    mine,
)
from relore_assets.mine.source import Source
from relore_assets.resources import Store

if TYPE_CHECKING:
    from relore_serve.search.scope import Repo


def harbour(history: History, issues: int = 4) -> Repo:
    """Issues from 1 on, each closed by the pull request a hundred further."""
    repo = history.repo()
    for number in range(1, issues + 1):
        closed(history, repo, number)
    history.fold()
    history.conn.commit()
    return repo


def closed(history: History, repo: Repo, number: int) -> None:
    history.thread(repo, number, f"Pump {number} stalls", f"{number} " * 50, at=days(90 - number))
    history.thread(
        repo, number + 100, f"Restart {number}", "Closes it", kind="pr", merged=True, at=days(60 - number)
    )
    history.link(repo, number + 100, "closes", number)


def held(conn: psycopg.Connection) -> dict[str, str]:
    """Return the candidates by id, each with where its row stands: a row that was written again stands elsewhere."""
    return dict(conn.execute("SELECT id, ctid::text FROM relore.candidates ORDER BY id").fetchall())


def test_mining_again_writes_nothing(conn: psycopg.Connection, history: History) -> None:
    repo = known(conn, harbour(history).name)
    first = mine(conn, repo)
    before = held(conn)

    again = mine(conn, repo)

    assert (first.written, again.written) == (12, 0)
    assert first.counts == again.counts
    assert {name: count for name, count in first.counts.items() if count} == {
        "closing-title": 4,
        "closing-text": 4,
        "closing": 4,
    }
    assert held(conn) == before
    assert [each.id for each in candidates(conn, repo)] == sorted(before)


def test_new_history_adds_and_removes_what_it_changes(conn: psycopg.Connection, history: History) -> None:
    """Every other row stays where it is."""
    made = harbour(history)
    repo = known(conn, made.name)
    mine(conn, repo)
    before = held(conn)
    closed(history, made, 9)
    conn.execute("DELETE FROM relore.threads WHERE number = 2")

    done = mine(conn, repo)

    after = held(conn)
    assert done.written == 6
    assert len(after.keys() - before.keys()) == len(before.keys() - after.keys()) == 3
    assert all(after[each] == before[each] for each in after.keys() & before.keys())


def test_slices_that_are_not_mined_stay_and_a_limit_cuts_always_alike(
    conn: psycopg.Connection, history: History
) -> None:
    repo = known(conn, harbour(history).name)
    mine(conn, repo)

    done = mine(conn, repo, ["closing-title"], limit=2)
    after = held(conn)

    assert (done.counts, done.written) == ({"closing-title": 2}, 2)
    assert len(after) == 10
    assert mine(conn, repo, ["closing-title"], limit=2).written == 0
    assert held(conn) == after
    assert [each.slice for each in candidate_set(conn, repo, "x", ["closing-title"]).examples] == [
        "closing-title",
        "closing-title",
    ]


def test_ids_and_questions_do_not_depend_on_the_process(history: History, database_url: str) -> None:
    """Python salts the hashes of texts anew in every process."""
    repo = harbour(history)
    program = (
        "import sys, psycopg\n"
        "from relore_assets.mine.example import canonical, to_json\n"
        "from relore_assets.mine.mining import find\n"
        "from relore_assets.mine.source import Source\n"
        "with psycopg.connect(sys.argv[1]) as conn:\n"
        "    for each in find(Source(conn, int(sys.argv[2]), sys.argv[3])):\n"
        "        print(canonical(to_json(each)))\n"
    )
    said = {
        subprocess.run(
            [sys.executable, "-c", program, database_url, str(repo.id), repo.name],
            env={**os.environ, "PYTHONHASHSEED": seed},
            check=True,
            capture_output=True,
        ).stdout
        for seed in ("1", "2")
    }
    assert len(said) == 1
    assert said.pop().count(b"\n") == 12


def test_questions_do_not_depend_on_the_order_in_which_rows_were_written(history: History) -> None:
    """The same history written backwards asks the same."""
    one = harbour(history)
    other = history.repo("acme/backwards")
    for number in range(4, 0, -1):
        closed(history, other, number)
    history.fold()

    def asked(repo: Repo) -> list[tuple[str, str, tuple[int, ...]]]:
        # Under one name, which is a part of every id.
        found = find(Source(history.conn, repo.id, "acme/widgets"))
        return [(each.id, each.query, each.relevant) for each in found]

    assert len(asked(one)) == 12
    assert asked(other) == asked(one)


def test_a_slice_that_nothing_mines_is_refused() -> None:
    with pytest.raises(UnknownSlice, match="'asked' is no slice: name some of failure, precedent"):
        checked_slices(["closing", "asked"])
    assert checked_slices([]) == MINED
    assert checked_slices(["closing", "failure"]) == ("failure", "closing")


def test_the_asset_records_counts_by_slice(database_url: str, history: History) -> None:
    """Of its own repository; and a second materialisation writes nothing."""
    repo = harbour(history)
    with dg.DagsterInstance.ephemeral() as instance:
        instance.add_dynamic_partitions("repos", [repo.name])
        numbers = []
        for _ in range(2):
            result = dg.materialize(
                [candidates_asset],
                instance=instance,
                partition_key=repo.name,
                resources={"store": Store(url=database_url)},
                run_config={"ops": {"candidates": {"config": {"limit": 4, "limits": {"closing": 1}}}}},
            )
            [done] = result.asset_materializations_for_node("candidates")
            numbers.append({name: entry.value for name, entry in done.metadata.items()})
    assert [each["rows_written"] for each in numbers] == [9, 0]
    assert {name: numbers[1][name] for name in ("questions", "questions_closing", "questions_failure", "leaking")} == {
        "questions": 9,
        "questions_closing": 1,
        "questions_failure": 0,
        "leaking": 0,
    }  # fmt: skip


def test_a_renamed_repository_keeps_its_sets(conn: psycopg.Connection, history: History) -> None:
    """Under its new name, with the digest and the questions that were frozen; what is mined has new ids."""
    repo = known(conn, harbour(history).name)
    mine(conn, repo)
    before = held(conn)
    conn.execute(
        "INSERT INTO relore.bench_sets VALUES (%s, 'set', now(), NULL, 'd', %s)",
        (repo.id, Jsonb({"repo": "acme/widgets", "name": "set"})),
    )

    rename(conn, repo, "Acme/Gadgets")
    conn.execute("UPDATE relore.links SET target_repo = 'acme/gadgets'")  # as the next derive does
    done = mine(conn, known(conn, "acme/gadgets"))

    assert conn.execute("SELECT digest, header FROM relore.bench_sets").fetchall() == [
        ("d", {"repo": "Acme/Gadgets", "name": "set"})
    ]
    assert (done.written, sum(done.counts.values())) == (24, 12)
    assert not held(conn).keys() & before.keys()
