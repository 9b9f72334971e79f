"""What was asked to be forgotten is nowhere, and does not come back by any way."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import psycopg
import pytest
from click.testing import CliRunner
from payloads import REPO, add_repo, comment, commit, issue, pull, review, stage, user
from psycopg.types.json import Jsonb

from relore_assets.cli import cli
from relore_assets.derive.derive import derive
from relore_assets.fetch.archives.found import Raw
from relore_assets.fetch.current.forget import (
    Ambiguous,
    Forgotten,
    NotHeld,
    forget_author,
    forget_comment,
    forget_thread,
)
from relore_assets.fetch.current.questions import forgotten_questions
from relore_assets.fetch.door import clean
from relore_assets.fetch.staging import REMOVED, Stage, StageResult
from relore_assets.judge.frozen import keep
from relore_assets.local.postgres import SUPERUSER, LocalPostgres
from relore_assets.mine.example import Answer, Asked, Example, Filters
from relore_assets.mine.sets import Corpus, ExampleSet, NotASet
from relore_assets.precedents.build import build

GULL = user("Gull")


def tables_with(conn: psycopg.Connection, words: str) -> set[str]:
    """Return the tables of the schema in any row of which the words stand, in whatever column."""
    names = conn.execute("SELECT tablename FROM pg_tables WHERE schemaname = 'relore'").fetchall()
    found: set[str] = set()
    for (name,) in names:
        query = f"SELECT EXISTS (SELECT FROM relore.{name} AS held WHERE to_jsonb(held)::text ILIKE %s)"
        if conn.execute(query, (f"%{words}%",)).fetchone() == (True,):
            found.add(name)
    conn.commit()
    return found


HEADS = (
    Raw("issue", "1", 1, issue(1, title="Leak in the bilge", comments=3), None),
    Raw(
        "issue", "2", 2, issue(2, title="Barnacles under zygote", user=GULL, body="scraped flotsam #1"), None
    ),
    Raw("pull", "3", 3, pull(3, title="Stop the leak", head={"label": "gull:fix", "user": GULL}), None),
)
PARTS = (
    ("issue_comment", 11, 1, comment(11, "the jettison valve `sluice_gate` raises ValueError: xylem #2", user=GULL)),
    ("issue_comment", 12, 1, comment(12, "agreed with @someone")),
    ("issue_comment", 21, 2, comment(21, "scrape the hull")),
    ("review_comment", 31, 3, comment(31, "use wharfinger here", user=GULL, path="a.c", diff_hunk="@@ -1 +1 @@\n+x")),
    ("review", 32, 3, review(32, "CHANGES_REQUESTED", "not without mooring", user=GULL)),
    ("event", 41, 2, {"id": 41, "event": "renamed", "actor": user("keel"), "rename": {"from": "zygote", "to": "x"},
                      "created_at": "2024-01-02T00:00:00Z"}),
    ("event", 42, 1, {"id": 42, "event": "closed", "actor": GULL, "created_at": "2024-01-02T00:00:00Z"}),
)  # fmt: skip
COMMITS = [
    commit("b" * 40, "caulk the oakum seams", author=GULL),
    commit("c" * 40, "tar it", author=user("keel")),
]


def everything() -> list[Raw]:
    """Return the history that the tests remove from, as a source yields it."""
    at = datetime(2024, 1, 2, tzinfo=UTC)
    heads = [Raw(each.kind, each.object_id, each.thread_number, each.payload, at) for each in HEADS]
    parts = [Raw(kind, str(object_id), number, payload, at) for kind, object_id, number, payload in PARTS]
    return [*heads, *parts, Raw("pull_commits", "3", 3, {"number": 3, "items": COMMITS}, at, 2)]


def bring(url: str, repo_id: int, source: str) -> StageResult:
    """Stage the whole history from a source."""
    with psycopg.connect(url, autocommit=True) as conn:
        stage_ = Stage(conn, repo_id, marks="import" if source == "archive" else "fetch", source=source)  # type: ignore[arg-type]
        for raw in everything():
            stage_.add(clean(raw))
        return stage_.end()


@pytest.fixture
def repo_id(conn: psycopg.Connection, database_url: str) -> int:
    """The history, imported and derived, and one comment edited since: its first words are a version."""
    repo_id = add_repo(conn)
    bring(database_url, repo_id, "archive")
    stage(conn, repo_id, "issue_comment", 11, 1, comment(11, "before that: ullage", user=GULL))
    derive(database_url, REPO)
    conn.execute("DELETE FROM relore.raw_objects WHERE object_id = '11'")
    conn.commit()
    bring(database_url, repo_id, "archive")
    derive(database_url, REPO)
    with psycopg.connect(database_url, autocommit=True) as owner:
        build(owner, repo_id)
    return repo_id


def forget_one_comment(url: str) -> Forgotten:
    return forget_comment(url, REPO, "11")


def forget_inline_comment(url: str) -> Forgotten:
    return forget_comment(url, REPO, "31")


def forget_review(url: str) -> Forgotten:
    return forget_comment(url, REPO, "32")


def forget_whole_thread(url: str) -> Forgotten:
    return forget_thread(url, REPO, 2)


def forget_person(url: str) -> Forgotten:
    return forget_author(url, REPO, "gull")


@pytest.mark.parametrize("source", ["archive", "api"])
@pytest.mark.parametrize(
    ("remove", "words"),
    [
        (forget_one_comment, ["jettison", "sluice_gate", "xylem", "ullage"]),
        (forget_inline_comment, ["wharfinger"]),
        (forget_review, ["mooring"]),
        (forget_whole_thread, ["zygote", "barnacle", "flotsam", "scrape the hull"]),
        (forget_person, ["jettison", "sluice_gate", "ullage", "barnacle", "flotsam", "wharfinger", "mooring",
                         "oakum", "zygote", "gull"]),
    ],
    ids=["comment", "inline comment", "review", "thread", "author"],
)  # fmt: skip
def test_forgotten_words_are_in_no_table_and_do_not_return(
    conn: psycopg.Connection,
    database_url: str,
    repo_id: int,
    remove: Callable[[str], Forgotten],
    words: list[str],
    source: str,
) -> None:
    """Neither by an import or a fetch of the same objects, nor by deriving everything again."""
    for each in words:
        assert tables_with(conn, each), f"{each} was never there"
    assert remove(database_url).total > 0
    assert {each: tables_with(conn, each) for each in words} == {each: set() for each in words}
    bring(database_url, repo_id, source)
    derive(database_url, REPO, full=True)
    assert {each: tables_with(conn, each) for each in words} == {each: set() for each in words}
    assert tables_with(conn, "agreed with") >= {"raw_objects", "documents"}


@pytest.mark.usefixtures("repo_id")
def test_what_others_said_stays_in_a_thread_whose_author_is_forgotten(
    conn: psycopg.Connection, database_url: str
) -> None:
    """The thread keeps its number, its dates and its other voices."""
    forget_author(database_url, REPO, "GULL")
    assert conn.execute("SELECT number, title, author FROM relore.threads ORDER BY number").fetchall() == [
        (1, "Leak in the bilge", "buoy"),
        (2, "[removed on request]", "ghost"),
        (3, "Stop the leak", "buoy"),
    ]
    assert conn.execute(
        "SELECT source_type, source_id FROM relore.documents WHERE source_id IN ('11', '12', '21', '31', '32', '2') "
        "ORDER BY source_type, source_id"
    ).fetchall() == [("issue_comment", "12"), ("issue_comment", "21"), ("title", "2")]
    # The commit keeps its place; its message is gone.
    assert conn.execute("SELECT sha, subject FROM relore.commits ORDER BY position").fetchall() == [
        ("b" * 40, ""),
        ("c" * 40, "tar it"),
    ]


@pytest.mark.usefixtures("repo_id")
def test_lexemes_of_forgotten_words_are_counted_no_more(conn: psycopg.Connection, database_url: str) -> None:
    """How often a word occurs is a fact about the texts that are there."""
    count = "SELECT documents FROM relore.term_stats WHERE lexeme = 'scrape'"
    assert conn.execute(count).fetchone() == (2,)  # also 'scraped', by its stem
    forget_thread(database_url, REPO, 2)
    conn.rollback()
    assert conn.execute(count).fetchone() is None


def test_nothing_of_somebodys_standing_is_left(
    conn: psycopg.Connection, database_url: str, repo_id: int
) -> None:
    """Neither what it is, nor what it was once thought to be."""
    conn.execute(
        "INSERT INTO relore.authors (repo_id, login, tier, reason) VALUES (%s, 'gull', 'unresolved', 'member')",
        [repo_id],
    )
    conn.execute("INSERT INTO relore.authors_then VALUES (%s, 'gull', now(), '{}', '{reported}')", [repo_id])
    conn.commit()
    forget_author(database_url, REPO, "gull")
    held = "SELECT login FROM relore.authors UNION SELECT login FROM relore.authors_then"
    assert ("gull",) not in conn.execute(held).fetchall()


@pytest.mark.usefixtures("repo_id")
def test_forgetting_again_changes_nothing(database_url: str) -> None:
    """A removal that was interrupted is simply run again."""
    forget_author(database_url, REPO, "gull")
    assert forget_author(database_url, REPO, "gull").total == 0
    forget_comment(database_url, REPO, "12")
    assert forget_comment(database_url, REPO, "12").total == 0
    forget_thread(database_url, REPO, 2)
    assert forget_thread(database_url, REPO, 2).total == 0


def test_what_is_kept_out_is_counted_with_its_reason(
    conn: psycopg.Connection, database_url: str, repo_id: int
) -> None:
    """The books of the source balance before and after the next import."""
    forget_comment(database_url, REPO, "11")
    mark = "SELECT stated, done, skipped FROM relore.sync_state WHERE pass = 'import:issue_comment'"
    conn.rollback()
    assert conn.execute(mark).fetchall() == [(3, 2, {REMOVED: 1})]
    conn.rollback()
    result = bring(database_url, repo_id, "archive")
    assert result.of("issue_comment").skipped == {REMOVED: 1}
    assert conn.execute(mark).fetchall() == [(3, 2, {REMOVED: 1})]


def test_an_import_without_anything_forgotten_stores_what_it_is_given(
    conn: psycopg.Connection, database_url: str
) -> None:
    """Titles in events are taken out only where words had to go."""
    bring(database_url, add_repo(conn), "archive")
    assert "raw_objects" in tables_with(conn, "zygote")


def test_an_id_of_several_kinds_must_be_told_apart(
    conn: psycopg.Connection, database_url: str, repo_id: int
) -> None:
    """GitHub numbers comments, inline comments and reviews separately."""
    stage(conn, repo_id, "review", 11, 3, review(11, "COMMENTED", "fair wind"))
    with pytest.raises(Ambiguous, match="issue_comment, review"):
        forget_comment(database_url, REPO, "11")
    assert forget_comment(database_url, REPO, "11", kind="review").objects == 1
    assert tables_with(conn, "fair wind") == set()
    assert "documents" in tables_with(conn, "jettison")


@pytest.mark.parametrize(
    "ask",
    [
        lambda url: forget_comment(url, REPO, "404"),
        lambda url: forget_thread(url, REPO, 404),
        lambda url: forget_author(url, REPO, "no login"),
    ],
    ids=["comment", "thread", "author"],
)
@pytest.mark.usefixtures("repo_id")
def test_what_is_not_known_is_said_to_be_so(database_url: str, ask: Callable[[str], Any]) -> None:
    """A mistyped id must not pass for a removal."""
    with pytest.raises(NotHeld):
        ask(database_url)


def test_words_kept_of_a_comment_deleted_earlier_are_forgotten_too(
    conn: psycopg.Connection, database_url: str, repo_id: int
) -> None:
    """A version is all that is left of it, and a fetch would take the comment back."""
    conn.execute("DELETE FROM relore.raw_objects WHERE kind = 'issue_comment' AND object_id = '11'")
    conn.execute(
        "INSERT INTO relore.tombstones VALUES (%s, 'issue_comment', '11', 1, 'deleted', '2024-02-01')",
        (repo_id,),
    )
    conn.commit()
    derive(database_url, REPO)
    assert tables_with(conn, "jettison") == {"document_versions"}
    assert forget_comment(database_url, REPO, "11").versions == 2
    bring(database_url, repo_id, "api")
    assert tables_with(conn, "jettison") == tables_with(conn, "ullage") == set()


BENCHMARK_TABLES = {"candidates", "bench_examples", "judgements", "bench_runs"}


def ask(conn: psycopg.Connection, repo_id: int, name: str, asked: tuple[int, str, str], answer: int) -> None:
    """Keep a question of the benchmark that quotes what is to go: mined, frozen, judged and run."""
    number, source_type, source_id = asked
    body = {
        "id": name,
        "query": f"{name} asks",
        "asked": {"number": number, "source_type": source_type, "source_id": source_id},
        "answers": [{"number": answer, "verdict": "relevant", "judged_by": "human", "why": f"{name} is why"}],
    }
    conn.execute(
        "INSERT INTO relore.candidates VALUES (%s, %s, 'failure', %s, now(), %s, '-')",
        (repo_id, name, Jsonb({"query": body["query"]}), Jsonb(body)),
    )
    conn.execute(
        "INSERT INTO relore.bench_examples VALUES (%s, 'set', %s, 'failure', 'fit', %s)",
        (repo_id, name, Jsonb(body)),
    )
    conn.execute(
        "INSERT INTO relore.judgements VALUES (%s, 'set', %s, %s, 'relevant', 'human', %s, now(), NULL)",
        (repo_id, name, answer, f"{name} is why"),
    )


@pytest.fixture
def benchmark(conn: psycopg.Connection, repo_id: int) -> None:
    """Questions drawn from the history, by what they were drawn from; all of them in one set and one run."""
    conn.execute("INSERT INTO relore.bench_sets VALUES (%s, 'set', now(), NULL, 'd', '{}')", (repo_id,))
    asked = {
        "q_comment": ((1, "issue_comment", "11"), 3),
        "q_inline": ((3, "review_comment", "31"), 1),
        "q_title": ((2, "title", "2"), 3),
        "q_under_title": ((2, "issue_comment", "21"), 3),
        "q_of_others": ((1, "issue_comment", "12"), 3),
        "q_answered_by_two": ((1, "body", "1"), 2),
    }
    for name, (text, answer) in asked.items():
        ask(conn, repo_id, name, text, answer)
    results = [{"id": name, "question": f"{name} asks"} for name in asked]
    conn.execute(
        "INSERT INTO relore.bench_runs VALUES (%s, 'run', 'index', 'set', 'd', '{}', now(), '{}', %s)",
        (repo_id, Jsonb(results)),
    )
    conn.commit()


@pytest.mark.parametrize(
    ("remove", "gone"),
    [
        (forget_one_comment, {"q_comment"}),
        (forget_inline_comment, {"q_inline"}),
        (forget_review, set()),
        (forget_whole_thread, {"q_title", "q_under_title", "q_answered_by_two"}),
        # Words of a title are in questions that others asked under it.
        (forget_person, {"q_comment", "q_inline", "q_title", "q_under_title"}),
    ],
    ids=["comment", "inline comment", "review", "thread", "author"],
)
@pytest.mark.usefixtures("benchmark")
def test_no_question_of_the_benchmark_keeps_what_is_forgotten(
    conn: psycopg.Connection, database_url: str, remove: Callable[[str], Forgotten], gone: set[str]
) -> None:
    """Not as a candidate, in a frozen set, as a verdict or in the results of a run; the others stay."""
    every = {"q_comment", "q_inline", "q_title", "q_under_title", "q_of_others", "q_answered_by_two"}
    remove(database_url)

    for name in every:
        assert tables_with(conn, f'"{name}"') == (set() if name in gone else BENCHMARK_TABLES), name
    assert conn.execute("SELECT header ->> 'forgotten' FROM relore.bench_sets").fetchone() == (
        str(len(gone)) if gone else None,
    )


@pytest.mark.usefixtures("benchmark")
def test_a_reason_that_may_quote_what_is_forgotten_is_silenced(
    conn: psycopg.Connection, database_url: str
) -> None:
    """Of verdicts on the thread that lost words: the verdict stays, its reason goes."""
    forget_review(database_url)
    assert "q_comment is why" not in str(conn.execute("SELECT * FROM relore.judgements").fetchall())
    assert "q_of_others is why" not in str(conn.execute("SELECT body FROM relore.bench_examples").fetchall())
    assert conn.execute("SELECT why FROM relore.judgements WHERE number = 2").fetchone() == (
        "q_answered_by_two is why",
    )


@pytest.mark.usefixtures("benchmark")
def test_a_file_does_not_bring_a_forgotten_question_back(
    conn: psycopg.Connection, database_url: str, repo_id: int
) -> None:
    """Who reads a set can ask which of its questions may not return."""
    at = datetime(2024, 1, 2, tzinfo=UTC)

    def question(name: str, number: int, source_type: str, source_id: str, answer: int) -> Example:
        asked = Asked(number, source_type, source_id, "-", at)
        answers = (Answer(answer, "relevant", "human"),)
        return Example(name, "failure", "words", Filters(), asked, (number,), None, answers)

    questions = [
        question("comment", 1, "issue_comment", "11", 3),
        question("title", 2, "title", "2", 3),
        question("answer", 1, "issue_comment", "12", 2),
        question("others", 1, "issue_comment", "12", 3),
        Example("asked", "asked", "words", Filters(), Asked(0, "-", "-", "-", at), (), None, ()),
    ]
    assert forgotten_questions(conn, repo_id, questions) == set()
    forget_one_comment(database_url)
    conn.rollback()
    assert forgotten_questions(conn, repo_id, questions) == {"comment"}
    forget_person(database_url)
    conn.rollback()
    assert forgotten_questions(conn, repo_id, questions) == {"comment", "title"}
    forget_whole_thread(database_url)
    conn.rollback()
    assert forgotten_questions(conn, repo_id, questions) == {"comment", "title", "answer"}
    with pytest.raises(NotASet, match="3 questions of the set old are made of what was forgotten"):
        keep(conn, repo_id, ExampleSet("old", REPO, Corpus(1, 1), {}, tuple(questions)))


def test_a_login_of_whom_nothing_is_held_is_said_to_be_that(
    repo_id: int,
    conn: psycopg.Connection,
    postgres: LocalPostgres,
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
) -> None:
    """It may be mistyped, and then the right one's words are all still there."""
    assert repo_id
    monkeypatch.setenv("RELORE_HOME", str(tmp_path))
    monkeypatch.setenv("RELORE_DATABASE_URL", postgres.url(conn.info.dbname, user=SUPERUSER))

    def output(login: str) -> str:
        done = CliRunner().invoke(cli, ["forget", "--repo", REPO, "--author", login, "--yes"])
        assert done.exit_code == 0, done.output
        return done.output

    assert f"Nothing by gulll is held of {REPO}. Check the login" in output("gulll")
    assert "Check the login" not in output("gull")
