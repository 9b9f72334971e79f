"""From candidates and labels to a frozen set: by function, by asset, by verb."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any

import dagster as dg
import psycopg
import pytest
from click.testing import CliRunner
from invented import REPO, example, row, set_of
from psycopg.types.json import Jsonb

from relore_assets.commands.judge import command
from relore_assets.fetch import repos
from relore_assets.judge.assets import judgements
from relore_assets.judge.frozen import keep, load
from relore_assets.judge.judging import NothingToJudge, judge_candidates, judge_set
from relore_assets.judge.telling import told
from relore_assets.mine import sets
from relore_assets.mine.example import Answer, Example, to_json
from relore_assets.mine.sets import FrozenSet, NotASet
from relore_assets.resources import Store

if TYPE_CHECKING:
    from collections.abc import Callable

    from rows import History

NOW = datetime(2024, 6, 1, 12, tzinfo=UTC)
ON_RECORD = [
    example("Rising tide", 1, Answer(7, "relevant", "record")),
    example("Low tide", 2, Answer(8, "relevant", "record")),
]
PROPOSED = [
    example("Slack water", 3, Answer(9, "proposed"), slice_="failure", kind="failure"),
    example("Spring tide", 4, Answer(9, "proposed"), slice_="failure", kind="failure"),
]


@pytest.fixture
def repo(history: History, conn: psycopg.Connection) -> repos.Repo:
    """A repository whose record answers two questions, and for which two more are proposed."""
    history.repo(REPO)
    found = repos.known(conn, REPO)
    add(conn, found, *ON_RECORD, *PROPOSED)
    return found


@pytest.fixture(autouse=True)
def nowhere(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever the machine's own environment says."""
    monkeypatch.delenv("RELORE_LABELS_PATH", raising=False)


def add(conn: psycopg.Connection, repo: repos.Repo, *candidates: Example) -> None:
    for one in candidates:
        conn.execute(
            "INSERT INTO relore.candidates (repo_id, id, slice, question, asked_at, body, mined_with)"
            " VALUES (%s, %s, %s, '{}', %s, %s, 'mine 1')",
            [repo.id, one.id, one.slice, one.asked.at, Jsonb(to_json(one))],
        )
    conn.commit()


def count(conn: psycopg.Connection) -> list[int]:
    tables = ("bench_sets", "bench_examples", "judgements")
    found = [conn.execute(f"SELECT count(*) FROM relore.{name}").fetchone() for name in tables]
    return [each[0] for each in found if each]


def test_a_set_is_made_of_what_is_judged_and_nothing_else(
    conn: psycopg.Connection, repo: repos.Repo, labels: Callable[..., Path]
) -> None:
    file = labels(row("Slack water", 9, kind="failure"), row("Neap", 7), row("x", repo="harbor/moor"))

    done = judge_candidates(conn, repo, labels=file, now=NOW)

    held = load(conn, repo.id, "record")
    assert done.held == held
    assert {one.query for one in held.examples} == {"Rising tide", "Low tide", "Slack water", "Neap"}
    assert (held.frozen_at, held.scored_by, held.repo) == (NOW, "human", REPO)
    assert held.split == max(one.asked.at for one in ON_RECORD)
    assert done.written == sum(count(conn)) == 1 + 4 + 4


def test_a_frozen_set_stays_and_what_is_new_since_is_counted(
    conn: psycopg.Connection, repo: repos.Repo, labels: Callable[..., Path]
) -> None:
    first = judge_candidates(conn, repo, now=NOW)
    new = example("Ebb", 5, Answer(7, "relevant", "record"))
    add(conn, repo, new, example("Flood", 6, Answer(7, "proposed"), slice_="failure"))

    later = judge_candidates(conn, repo, labels=labels(row("Rising tide", 8)), now=NOW + timedelta(days=1))

    assert later.held == first.held
    assert (later.written, later.new_since, later.folded) == (0, (new.id,), None)
    assert "1 candidates are new since" in told(later)[1]


def test_without_a_judged_candidate_nothing_is_frozen(conn: psycopg.Connection, history: History) -> None:
    """Frozen empty it would stay empty for good."""
    history.repo(REPO)
    found = repos.known(conn, REPO)
    add(conn, found, *PROPOSED)

    done = judge_candidates(conn, found, now=NOW)

    assert (done.held.examples, done.written, count(conn)) == ((), 0, [0, 0, 0])


def test_a_set_may_stay_open_until_it_is_frozen(
    conn: psycopg.Connection, repo: repos.Repo, labels: Callable[..., Path]
) -> None:
    judge_candidates(conn, repo, freeze=False, now=NOW)
    assert load(conn, repo.id, "record").frozen_at is None
    assert judge_candidates(conn, repo, freeze=False, now=NOW).written == 0

    more = judge_candidates(conn, repo, labels=labels(row("Low tide", 9)), freeze=False, now=NOW)
    assert more.written == 1 + 2 + 3
    assert judge_candidates(conn, repo, now=NOW).held.frozen_at == NOW


def test_judging_a_set_that_is_frozen_or_would_not_change_is_refused(labels: Callable[..., Path]) -> None:
    held = set_of(*ON_RECORD)
    frozen = sets.freeze(held, NOW)

    with pytest.raises(FrozenSet, match="tides has been frozen since 2024-06-01"):
        judge_set(frozen, labels(row("Low tide")), freeze=False, now=NOW)
    with pytest.raises(NothingToJudge, match="1 were left out, 1 lines cannot be read"):
        judge_set(held, labels(row("x", repo="harbor/moor"), b"{"), freeze=False, now=NOW)
    with pytest.raises(NothingToJudge, match="would measure nothing"):
        judge_set(set_of(*PROPOSED), None, freeze=True, now=NOW)


def test_whatever_was_left_out_is_told_by_line(labels: Callable[..., Path]) -> None:
    file = labels(
        row("Low tide", 8),
        row("Low tide", 9, filters={"sort": "newest"}),
        row("Low tide", 9, filters={"sort": "newest", "labels": ["x"]}),
        row("Low tide", 2),
        b"{",
        row("Rising tide", 5, backend={"name": "other\x1b[2J", "\ud800": "\udfff"}),
        row("Low tide", 9, filters={"\udc00x": "y"}),
        row("twice", 5),
    )
    twice = [example("twice", 5, slice_=name) for name in ("closing-title", "duplicate")]

    done = judge_set(set_of(*ON_RECORD, *twice), file, freeze=False, now=NOW)

    page = "\n".join(told(done))
    for sentence in (
        "verdicts: 2 of people, 0 of models, on 2 questions, 0 of these new",
        "1 labels were made under labels, which the question here is not asked with: line 3",
        "2 labels were made under sort, which the question here is not asked with: lines 2, 3",
        "1 labels are on threads that the question withholds: line 4",
        "line 5 cannot be read: no JSON",
        f"line 8 is ambiguous: {', '.join(sorted(one.id for one in twice))} ask the same",
        "warning: what was judged came from 2 backends or sets of rules",
        "2 questions have no answer that counts",
    ):
        assert sentence in page
    assert "\x1b" not in page
    page.encode()


# The asset.


def materialized(
    instance: dg.DagsterInstance, database_url: str, config: dict[str, Any] | None = None, **tags: str
) -> dg.ExecuteInProcessResult:
    instance.add_dynamic_partitions("repos", [REPO])
    return dg.materialize(
        [judgements],
        instance=instance,
        partition_key=REPO,
        resources={"store": Store(url=database_url)},
        run_config={"ops": {"judgements": {"config": config or {}}}},
        tags=tags,
    )


def numbers(result: dg.ExecuteInProcessResult) -> dict[str, Any]:
    (recorded,) = result.asset_materializations_for_node("judgements")
    return {name: entry.value for name, entry in recorded.metadata.items()}


def test_the_asset_freezes_once_and_then_writes_and_records_nothing(
    conn: psycopg.Connection,
    repo: repos.Repo,
    database_url: str,
    labels: Callable[..., Path],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("RELORE_LABELS_PATH", str(labels(row("Slack water", 9, kind="failure"))))
    with dg.DagsterInstance.ephemeral() as instance:
        first = numbers(materialized(instance, database_url))
        held = load(conn, repo.id, "record")
        conn.commit()
        add(conn, repo, example("Ebb", 5, Answer(7, "relevant", "record")))
        again = materialized(instance, database_url, **{"relore/command": "judge"})
        by_hand = numbers(materialized(instance, database_url))

    assert {name: first[name] for name in ("set", "rows_written", "questions", "questions_failure")} == {
        "set": "record",
        "rows_written": 7,
        "questions": 3,
        "questions_failure": 1,
    }
    assert first["digests"] == {REPO: held.digest}
    assert (first["verdicts_by_human"], first["new_since_frozen"]) == (1, 0)
    assert again.asset_materializations_for_node("judgements") == []
    assert (by_hand["rows_written"], by_hand["new_since_frozen"]) == (0, 1)
    assert load(conn, repo.id, "record") == held


def test_the_asset_makes_sets_of_other_names_and_judges(
    conn: psycopg.Connection, repo: repos.Repo, database_url: str, labels: Callable[..., Path]
) -> None:
    file = labels(row("Low tide", 9), row("Low tide", 5, judge="model"))
    with dg.DagsterInstance.ephemeral() as instance:
        materialized(
            instance,
            database_url,
            {"set_name": "by-models", "labels": str(file), "judged_by": "model", "freeze": False},
        )

    held = load(conn, repo.id, "by-models")
    assert (held.scored_by, held.frozen_at) == ("model", None)
    assert {answer.judged_by for one in held.examples for answer in one.answers} == {"record", "model"}


def test_a_file_of_labels_that_was_never_begun_is_no_failure(
    conn: psycopg.Connection,
    repo: repos.Repo,
    database_url: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("RELORE_LABELS_PATH", str(tmp_path / "none.jsonl"))
    with dg.DagsterInstance.ephemeral() as instance:
        assert numbers(materialized(instance, database_url))["verdicts"] == 0
    assert load(conn, repo.id, "record").scored_by == "record"


# The verb.


@pytest.fixture
def run(database_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Any]:
    """Calls the verb on the test's database."""
    monkeypatch.setenv("RELORE_DATABASE_URL", database_url)
    monkeypatch.setenv("RELORE_HOME", str(tmp_path / "home"))
    return lambda *arguments: CliRunner().invoke(command, [str(each) for each in arguments])


def test_the_verb_folds_a_file_into_a_file_and_rows(
    conn: psycopg.Connection,
    repo: repos.Repo,
    tmp_path: Path,
    labels: Callable[..., Path],
    run: Callable[..., Any],
) -> None:
    file = tmp_path / "tides.jsonl"
    sets.write(file, set_of(*ON_RECORD, *PROPOSED))

    folded = run("--set", file, "--labels", labels(row("Slack water", 9, kind="failure")))
    assert folded.exit_code == 0, folded.output
    assert "verdicts: 1 of people" in folded.output
    assert sets.read(file) == load(conn, repo.id, "tides")
    assert sets.read(file).frozen_at is None
    conn.commit()

    frozen = run("--set", file, "--freeze")
    assert frozen.exit_code == 0, frozen.output
    held = sets.read(file)
    assert held.frozen_at is not None
    assert held == load(conn, repo.id, "tides")
    assert len(held.examples) == 4

    again = run("--set", file, "--labels", labels(row("Slack water", 8, kind="failure")))
    assert isinstance(again.exception, FrozenSet)
    assert again.exception.exit_code == 2
    assert sets.read(file) == held


@pytest.mark.parametrize(
    ("line", "was", "becomes"),
    [
        (0, '"frozen_at":"2024', '"frozen_at":"2025'),
        (0, '"frozen_at":"2024-06-01T12:00:00Z"', '"frozen_at":null'),
        (0, '"split":"2020-01-03', '"split":"2020-01-02'),
        (0, '"scored_by":"record"', '"scored_by":"model"'),
        (0, '"digest":"', '"digest":"0'),
        (1, '"number":7', '"number":9'),
        (1, "Rising tide", "rising tide"),
        (2, '"relevant"', '"decisive"'),
    ],
)
def test_a_file_that_was_tampered_with_is_refused(line: int, was: str, becomes: str, tmp_path: Path) -> None:
    file = tmp_path / "tides.jsonl"
    sets.write(file, sets.freeze(set_of(*ON_RECORD), NOW))
    lines = file.read_text(encoding="utf-8").splitlines(keepends=True)
    rest = sorted(lines[1:], key=lambda text: "Rising" not in text)
    lines = [lines[0], *rest]
    assert was in lines[line]
    lines[line] = lines[line].replace(was, becomes)
    file.write_text("".join(lines), encoding="utf-8")

    with pytest.raises(NotASet, match=r"tides\.jsonl"):
        sets.read(file)


def test_a_frozen_file_is_not_thawed_by_taking_its_seal_away(tmp_path: Path) -> None:
    file = tmp_path / "tides.jsonl"
    sets.write(file, sets.freeze(set_of(*ON_RECORD), NOW))
    first, *rest = file.read_text(encoding="utf-8").splitlines(keepends=True)
    header = {name: value for name, value in json.loads(first).items() if name != "seal"}
    file.write_text("".join([json.dumps({**header, "frozen_at": None}) + "\n", *rest]), encoding="utf-8")

    with pytest.raises(NotASet, match="changed by hand"):
        sets.read(file)


def test_rows_that_were_frozen_before_the_file_was_written_are_taken_up_again(
    conn: psycopg.Connection, repo: repos.Repo, tmp_path: Path, run: Callable[..., Any]
) -> None:
    """As after a call that was killed in between."""
    file = tmp_path / "tides.jsonl"
    sets.write(file, set_of(*ON_RECORD))
    keep(conn, repo.id, sets.freeze(set_of(*ON_RECORD), NOW))
    conn.commit()

    assert run("--set", file, "--freeze").exit_code == 0
    assert sets.read(file).frozen_at == NOW


def test_a_set_of_a_repository_that_is_not_indexed_is_judged_in_its_file(
    database_url: str, tmp_path: Path, labels: Callable[..., Path], run: Callable[..., Any]
) -> None:
    assert database_url
    file = tmp_path / "tides.jsonl"
    sets.write(file, replace(set_of(*ON_RECORD), repo="harbor/else"))

    done = run("--set", file, "--labels", labels(row("Low tide", 9, repo="harbor/else")))

    assert done.exit_code == 0, done.output
    assert "not indexed here" in done.output
    assert sets.read(file).scored_by == "human"


@pytest.mark.parametrize("arguments", [(), ("--set", __file__), ("--set", __file__, "--repo", REPO)])
def test_a_call_that_says_too_little_or_too_much_is_wrong(arguments: tuple[str, ...]) -> None:
    assert CliRunner().invoke(command, list(arguments)).exit_code == 2


def test_a_call_without_anything_to_do_leaves_with_2(
    tmp_path: Path, labels: Callable[..., Path], run: Callable[..., Any]
) -> None:
    file = tmp_path / "tides.jsonl"
    sets.write(file, set_of(*ON_RECORD))

    done = run("--set", file, "--labels", labels(row("x", repo="harbor/moor")))

    assert isinstance(done.exception, NothingToJudge)
    assert done.exception.exit_code == 2
