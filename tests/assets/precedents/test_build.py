"""Finished units of work, built on a real Postgres from small invented histories."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING, Any

import pytest
from rows import NOW

from relore_assets.checks import QUERIES as CHECKS
from relore_assets.precedents.build import LABELS, build

if TYPE_CHECKING:
    import psycopg
    from rows import History

    from relore_serve.search.scope import Repo

DAY = timedelta(days=1)
MINUTE = timedelta(minutes=1)
OPENED = NOW - 30 * DAY
ENDED = OPENED + DAY


@pytest.fixture
def repo(history: History) -> Repo:
    return history.repo("harbor/tide")


def rejected(history: History, repo: Repo, number: int, title: str = "An attempt", **more: Any) -> None:
    """Add a pull request that ``keeper`` closed unmerged a day after it was opened."""
    more = {"closed_by": "keeper", "at": OPENED, **more}
    history.thread(repo, number, title, "What it is about.", kind="pr", state="closed", **more)


def merged(
    history: History, repo: Repo, number: int, title: str = "A change", body: str = "", **more: Any
) -> None:
    """Add a pull request that ``keeper`` merged a day after it was opened."""
    more = {"merged_by": "keeper", "at": OPENED, **more}
    history.thread(repo, number, title, body, kind="pr", merged=True, **more)


def said(history: History, repo: Repo, number: int, body: str, at: Any, **more: Any) -> str:
    more = {"author": "keeper", "trust": "authoritative", **more}
    return history.comment(repo, number, body, at=at, **more)


def unit(conn: psycopg.Connection, number: int) -> dict[str, Any]:
    """Return the unit of a pull request, with the words it names."""
    cursor = conn.execute(
        "SELECT p.outcome, p.kind, p.kind_evidence, p.title_kind, p.rounds, p.reviewers, p.words_how AS how,"
        " w.body AS words, q.body AS problem FROM relore.precedents p JOIN relore.threads t ON t.id = p.thread_id"
        " LEFT JOIN relore.documents w ON w.id = p.words_id LEFT JOIN relore.documents q ON q.id = p.problem_id"
        " WHERE t.number = %s",
        [number],
    )
    row = cursor.fetchone()
    assert row is not None
    assert cursor.description is not None
    return dict(zip([column.name for column in cursor.description], row, strict=True))


def related(conn: psycopg.Connection, number: int) -> set[tuple[str, int, str]]:
    """Return what belongs to a unit: role, number, how."""
    return set(
        conn.execute(
            "SELECT x.role, t.number, x.how FROM relore.precedent_threads x JOIN relore.threads t ON t.id = x.thread_id"
            " JOIN relore.threads u ON u.id = x.precedent_id WHERE u.number = %s",
            [number],
        ).fetchall()
    )


def evidence(conn: psycopg.Connection, number: int) -> str:
    row = conn.execute(
        "SELECT x.evidence FROM relore.precedent_threads x JOIN relore.threads u ON u.id = x.precedent_id"
        " WHERE u.number = %s",
        [number],
    ).fetchone()
    assert row is not None
    return row[0]


# -- what is a unit, and that building is idempotent ------------------------------------------------------


def test_finished_pull_requests_are_units_and_nothing_else_is(
    conn: psycopg.Connection, history: History, repo: Repo
) -> None:
    """Open ones are not finished, and an issue alone is no work."""
    merged(history, repo, 1)
    rejected(history, repo, 2)
    history.thread(repo, 3, "Open still", kind="pr")
    history.thread(repo, 4, "An issue", state="closed")

    built = build(conn, repo.id)

    assert (built.units, built.counts["merged"], built.counts["rejected"]) == (2, 1, 1)
    assert (unit(conn, 1)["outcome"], unit(conn, 2)["outcome"]) == ("merged", "rejected")


def test_a_second_build_writes_nothing_and_leaves_rows_where_they_are(
    conn: psycopg.Connection, history: History, repo: Repo
) -> None:
    """A row that did not change keeps its version; one that did is the only one written."""
    history.thread(repo, 1, "It breaks", "How it breaks.", state="closed", at=OPENED)
    merged(history, repo, 2)
    history.link(repo, 2, "closes", 1)
    rejected(history, repo, 3)
    first = build(conn, repo.id)
    conn.commit()
    versions = "SELECT thread_id, xmin::text FROM relore.precedents ORDER BY thread_id"
    before = conn.execute(versions).fetchall()

    again = build(conn, repo.id)
    conn.commit()

    assert first.written == {"precedents": 2, "precedent_threads": 1}
    assert again.written == {"precedents": 0, "precedent_threads": 0}
    assert conn.execute(versions).fetchall() == before
    conn.execute("UPDATE relore.threads SET labels = '{bug}' WHERE number = 3")
    assert build(conn, repo.id).written == {"precedents": 1, "precedent_threads": 0}


def test_a_reopened_pull_request_is_no_unit_any_more_and_a_removed_thread_takes_its_unit_along(
    conn: psycopg.Connection, history: History, repo: Repo
) -> None:
    """The first by the next build, the second at once."""
    rejected(history, repo, 1)
    merged(history, repo, 2)
    build(conn, repo.id)
    conn.execute("UPDATE relore.threads SET state = 'open', closed_at = NULL WHERE number = 1")

    assert build(conn, repo.id).written["precedents"] == 1
    conn.execute("DELETE FROM relore.threads WHERE number = 2")

    assert conn.execute("SELECT count(*) FROM relore.precedents").fetchone() == (0,)


def test_two_repositories_with_equal_numbers_never_mix(conn: psycopg.Connection, history: History) -> None:
    """Each has its own #1 and #2, and one of them claims something."""
    one, two = history.repo("harbor/tide"), history.repo("harbor/moor")
    for each in (one, two):
        history.thread(each, 1, "It breaks", state="closed", at=OPENED)
        merged(history, each, 2)
    history.link(one, 2, "closes", 1)
    build(conn, one.id)
    build(conn, two.id)

    rows = conn.execute("SELECT repo_id FROM relore.precedent_threads").fetchall()

    assert rows == [(one.id,)]
    for each in (one, two):
        assert conn.execute(CHECKS["precedents"], {"repo_id": each.id}).fetchone() == (0, 0, 0)


def test_a_claim_on_another_repository_is_none_on_a_thread_of_that_number_here(
    conn: psycopg.Connection, history: History, repo: Repo
) -> None:
    history.thread(repo, 1, "It breaks", state="closed", at=OPENED)
    merged(history, repo, 2)
    history.link(repo, 2, "closes", 1, target_repo="elsewhere/tide")
    build(conn, repo.id)

    assert related(conn, 2) == set()


# -- issues ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("source", ["title", "body", "commit", "github"])
def test_an_issue_is_linked_by_what_github_closes_it_by(
    conn: psycopg.Connection, history: History, repo: Repo, source: str
) -> None:
    """Title, opening post, commit message and GitHub's own closing references."""
    history.thread(repo, 1, "It breaks", "How it breaks.", state="closed", at=OPENED)
    merged(history, repo, 2, "Mend it")
    history.link(repo, 2, "closes", 1, source=source)
    build(conn, repo.id)

    assert related(conn, 2) == {("issue", 1, "linked")}
    assert evidence(conn, 2) == f"closes ({source})"
    assert unit(conn, 2)["problem"] == "How it breaks."


def test_an_open_issue_is_not_closed_whatever_is_claimed(
    conn: psycopg.Connection, history: History, repo: Repo
) -> None:
    history.thread(repo, 1, "It breaks", at=OPENED)
    merged(history, repo, 2, body="The pull request's own words.")
    history.link(repo, 2, "closes", 1)
    build(conn, repo.id)

    assert related(conn, 2) == set()
    assert unit(conn, 2)["problem"] == "The pull request's own words."


@pytest.mark.parametrize(
    ("claims", "closed", "reason", "belongs"),
    [
        ([(2, 1)], ENDED + 5 * MINUTE, "completed", True),
        ([(1, 2)], ENDED - 5 * MINUTE, None, True),
        ([(2, 1)], ENDED + 2 * DAY, "completed", False),
        ([(2, 1), (1, 2)], ENDED + 2 * DAY, "completed", True),
        ([(2, 1), (1, 2)], ENDED + 20 * DAY, "completed", False),
        ([(2, 1)], ENDED + 5 * MINUTE, "not_planned", False),
    ],
    ids=[
        "named and at once",
        "names and at once",
        "named, later",
        "both, later",
        "both, too late",
        "not planned",
    ],
)
def test_an_issue_is_inferred_by_who_names_whom_and_when_it_was_closed(
    conn: psycopg.Connection,
    history: History,
    repo: Repo,
    claims: list[tuple[int, int]],
    closed: Any,
    reason: str | None,
    belongs: bool,  # noqa: FBT001 - a column of the table above
) -> None:
    """Naming is weak, so the time has to speak for it; and it is called inferred."""
    history.thread(repo, 1, "It breaks", state="closed", at=OPENED, closed_at=closed, state_reason=reason)
    merged(history, repo, 2)
    for source, target in claims:
        history.link(repo, source, "mentions", target)
    build(conn, repo.id)

    assert related(conn, 2) == ({("issue", 1, "inferred")} if belongs else set())


# -- reasons --------------------------------------------------------------------------------------------


def test_the_reason_is_what_was_said_with_the_closing_not_the_last_word_before(
    conn: psycopg.Connection, history: History, repo: Repo
) -> None:
    rejected(history, repo, 1)
    said(history, repo, 1, "Please rename the variable in the third commit, too.", ENDED - 5 * DAY)
    said(history, repo, 1, "We do not want a second parser in the tree.", ENDED)
    said(history, repo, 1, "Much later somebody with standing says something else here.", ENDED + 20 * DAY)
    build(conn, repo.id)

    assert (unit(conn, 1)["words"], unit(conn, 1)["how"]) == (
        "We do not want a second parser in the tree.",
        "closing",
    )


def test_what_a_passer_by_says_at_the_closing_is_no_reason(
    conn: psycopg.Connection, history: History, repo: Repo
) -> None:
    """Nor is a machine's word; then it is known that none was given."""
    rejected(history, repo, 1)
    said(
        history,
        repo,
        1,
        "Closing this because I say so.",
        ENDED,
        author="passer",
        trust="reported",
    )
    said(
        history,
        repo,
        1,
        "Closed by the stale robot after silence.",
        ENDED,
        author="robot",
        trust="machine",
    )
    build(conn, repo.id)

    assert (unit(conn, 1)["words"], unit(conn, 1)["how"]) == (None, None)
    assert build(conn, repo.id).counts["rejected_with_reason"] == 0


def test_only_who_closed_it_says_anything_with_the_closing(
    conn: psycopg.Connection, history: History, repo: Repo
) -> None:
    """A question asked within the hour is no reason, and what else others said about then is a guess."""
    rejected(history, repo, 1)
    said(history, repo, 1, "Did this work in the end?", ENDED + 50 * MINUTE, author="warden")
    rejected(history, repo, 2)
    said(history, repo, 2, "This was superseded long ago.", ENDED - 10 * MINUTE, author="warden")
    rejected(history, repo, 3, closed_by="ghost")
    said(history, repo, 3, "This was superseded long ago, too.", ENDED, author="ghost")
    build(conn, repo.id)

    assert (unit(conn, 1)["words"], unit(conn, 1)["how"]) == (None, None)
    assert (unit(conn, 2)["words"], unit(conn, 2)["how"]) == (
        "This was superseded long ago.",
        "near the closing",
    )
    # Who is gone is known by no name.
    assert unit(conn, 3)["how"] == "near the closing"


@pytest.mark.parametrize(
    "text",
    ["Not closing this one! Keep it open.", "We shouldn't close it.", "Why was this closed by anybody?"],
)
def test_a_denial_of_the_end_is_no_reason_for_it(
    conn: psycopg.Connection, history: History, repo: Repo, text: str
) -> None:
    rejected(history, repo, 1)
    said(history, repo, 1, text, ENDED - 10 * DAY)
    said(history, repo, 1, "Closing.", ENDED)
    build(conn, repo.id)

    assert (unit(conn, 1)["words"], unit(conn, 1)["how"]) == (None, None)


def test_the_author_who_closes_explains_it_but_thanks_are_no_explanation(
    conn: psycopg.Connection, history: History, repo: Repo
) -> None:
    """What the author says last ("Ok, closing") answers what somebody with standing had said."""
    rejected(history, repo, 1, author="ada", closed_by="ada")
    said(
        history,
        repo,
        1,
        "Superseded by my other branch, without a table.",
        ENDED,
        author="ada",
        trust="reported",
    )
    rejected(history, repo, 2, author="ada", closed_by="ada")
    said(
        history, repo, 2, "This would break every caller that passes a borrowed buffer.", ENDED - 10 * MINUTE
    )
    said(history, repo, 2, "Ok, closing then.", ENDED, author="ada", trust="reported")
    build(conn, repo.id)

    assert unit(conn, 1)["words"] == "Superseded by my other branch, without a table."
    assert unit(conn, 2)["words"] == "This would break every caller that passes a borrowed buffer."


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("This happened twice today. Sorry!", False),
        ("Ah, I see.\n\nGood thing there are tests.", False),
        ("Wrong repo, sorry.", True),
        ("Superceded by #18.", True),
        ("See https://forge.test/tide/2", True),
        ("This is broken.", True),
        ("Nobody here wants a harbour that empties itself twice in a day, it seems.", True),
    ],
)
def test_few_words_of_the_authors_that_say_nothing_of_the_work_are_no_reason(
    conn: psycopg.Connection, history: History, repo: Repo, text: str, *, says: bool
) -> None:
    """Of somebody else who closes it any word counts, since they need not be asked for it."""
    rejected(history, repo, 1, author="ada", closed_by="ada")
    said(history, repo, 1, text, ENDED, author="ada", trust="reported")
    rejected(history, repo, 2)
    said(history, repo, 2, "This happened twice today. Sorry!", ENDED)
    build(conn, repo.id)

    assert unit(conn, 1)["words"] == (text if says else None)
    assert unit(conn, 2)["words"] == "This happened twice today. Sorry!"


def test_a_reason_from_days_before_is_called_near_the_closing(
    conn: psycopg.Connection, history: History, repo: Repo
) -> None:
    """It has to speak of an end; a question why it was closed does not give a reason."""
    rejected(history, repo, 1)
    said(history, repo, 1, "NACK, the library should not know about files.", ENDED - 6 * DAY)
    said(history, repo, 1, "Why are you closing this?", ENDED + DAY)
    build(conn, repo.id)

    assert unit(conn, 1)["words"] == "NACK, the library should not know about files."
    assert unit(conn, 1)["how"] == "near the closing"


def test_the_outcome_of_what_was_merged_is_never_its_authors_own_word(
    conn: psycopg.Connection, history: History, repo: Repo
) -> None:
    """Who merged, else who approved, else the last with standing."""
    merged(history, repo, 1, author="keeper")
    said(history, repo, 1, "I am very happy with my own change here.", ENDED)
    merged(history, repo, 2, author="ada")
    said(
        history,
        repo,
        2,
        "ACK abc123, this reads well and the tests are thorough.",
        ENDED - 3 * DAY + DAY,
        author="mate",
    )
    said(history, repo, 2, "Merging this for the release of next week.", ENDED)
    merged(history, repo, 3, author="ada")
    said(
        history, repo, 3, "Reads well, and the tests are thorough.", ENDED - 2 * MINUTE * 60,
        author="mate", source_type="review", review_state="APPROVED", review_id="r",
    )  # fmt: skip
    build(conn, repo.id)

    assert unit(conn, 1)["words"] is None
    assert unit(conn, 2)["how"] == "merge"
    assert unit(conn, 3)["how"] == "approval"


def test_rounds_are_the_states_that_others_reviewed(
    conn: psycopg.Connection, history: History, repo: Repo
) -> None:
    """Two reviews of one state are one round; the author's own are none."""
    merged(history, repo, 1, author="ada")
    reviews = [("mate", "s1"), ("keeper", "s1"), ("mate", "s2"), ("ada", "s3")]
    for place, (author, state) in enumerate(reviews):
        said(
            history, repo, 1, f"A remark, number {place}, on the code.", OPENED + place * MINUTE, author=author,
            source_type="review", review_state="COMMENTED", review_id=str(place), commit_sha=state,
        )  # fmt: skip
    build(conn, repo.id)

    assert (unit(conn, 1)["rounds"], unit(conn, 1)["reviewers"]) == (2, 2)


# -- attempts and reverts -------------------------------------------------------------------------------


def test_an_attempt_is_linked_by_a_claim_or_by_the_issue_that_both_close(
    conn: psycopg.Connection, history: History, repo: Repo
) -> None:
    history.thread(repo, 1, "It breaks", state="closed", at=OPENED)
    rejected(history, repo, 2)
    rejected(history, repo, 3)
    merged(history, repo, 4)
    for number in (2, 4):
        history.link(repo, number, "closes", 1)
    history.link(repo, 4, "supersedes", 3)
    build(conn, repo.id)

    assert related(conn, 4) == {("issue", 1, "linked"), ("attempt", 2, "linked"), ("attempt", 3, "linked")}
    assert related(conn, 2) == {("issue", 1, "linked")}


def test_an_attempt_is_inferred_where_its_last_words_name_what_came_instead(
    conn: psycopg.Connection, history: History, repo: Repo
) -> None:
    """Naming it in any other comment is not enough."""
    rejected(history, repo, 1)
    rejected(history, repo, 2)
    merged(history, repo, 3)
    said(history, repo, 1, "Closing in favour of #3, which is simpler.", ENDED)
    said(history, repo, 2, "Have you seen #3? It touches the same file.", OPENED - 3 * DAY)
    for number, text in ((1, "Closing%"), (2, "Have%")):
        row = conn.execute("SELECT id FROM relore.documents WHERE body LIKE %s", [text]).fetchone()
        assert row is not None
        history.link(repo, number, "mentions", 3, source="issue_comment", document_id=row[0])
    build(conn, repo.id)

    assert related(conn, 3) == {("attempt", 1, "inferred")}


def test_what_it_was_closed_with_says_better_what_came_instead_than_who_names_it(
    conn: psycopg.Connection, history: History, repo: Repo
) -> None:
    rejected(history, repo, 1)
    rejected(history, repo, 2)
    history.thread(
        repo, 3, "A change", kind="pr", merged=True, merged_by="keeper", at=OPENED + DAY / 2, author="bea"
    )
    for number in (1, 2):
        history.link(repo, 3, "mentions", number, source="body")
    said(history, repo, 1, "Closing for #2, which does the same.", ENDED)
    row = conn.execute("SELECT id FROM relore.documents WHERE body LIKE 'Closing for%'").fetchone()
    assert row is not None
    history.link(repo, 1, "mentions", 2, source="issue_comment", document_id=row[0])
    build(conn, repo.id)

    assert related(conn, 3) == {("attempt", 2, "inferred")}


def test_work_that_was_taken_back_knows_by_what(
    conn: psycopg.Connection, history: History, repo: Repo
) -> None:
    """By a claim, or by the commit that "This reverts commit" names; of several commits one is not the whole."""
    for number in (1, 2, 3):
        merged(history, repo, number)
    shas = {2: ["a" * 40], 3: ["b" * 40, "c" * 40]}
    for number, listed in shas.items():
        for sha in listed:
            conn.execute(
                "INSERT INTO relore.commits (repo_id, sha, thread_id, how) SELECT repo_id, %s, id, 'pull'"
                " FROM relore.threads WHERE number = %s",
                [sha, number],
            )
    body = f"This reverts commit {'a' * 40}.\n\nThis reverts commit {'b' * 40}."
    merged(history, repo, 4, "Undo", body, at=OPENED + DAY)
    history.link(repo, 4, "reverts", 1)
    build(conn, repo.id)

    assert related(conn, 1) == {("revert", 4, "linked")}
    assert related(conn, 2) == {("revert", 4, "linked")}
    assert related(conn, 3) == {("revert", 4, "inferred")}


# -- kinds ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("title", "labels", "kind", "evidence"),
    [
        ("fix(parser): a hole", ("feature",), "bug_fix", "title prefix fix:"),
        ("feat!: sails", (), "feature", "title prefix feat:"),
        ("Sails", ("Kind: Bug",), "bug_fix", "label Kind: Bug"),
        ("Sails", ("not a bug",), None, None),
        ("Sails", ("enhancement", "regression"), "bug_fix", "label regression"),
        ("Fixes the leak below the waterline", (), "bug_fix", "title word fixes"),
        ("Fixed-width columns for the log", (), None, None),
        ("Deprecate the old anchor", (), "deprecation", "title word deprecate"),
        ("Add a second mast", (), "feature", "title word add"),
        ("docs: fix a typo", (), None, None),
        ("Sails", (), None, None),
    ],
)
def test_the_kind_of_work_is_what_something_says(
    conn: psycopg.Connection,
    history: History,
    repo: Repo,
    title: str,
    labels: tuple[str, ...],
    kind: str | None,
    evidence: str | None,
) -> None:
    """A prefix before a label, a label before a word; where nothing speaks, nothing is guessed."""
    merged(history, repo, 1, title, labels=labels)
    build(conn, repo.id)

    assert (unit(conn, 1)["kind"], unit(conn, 1)["kind_evidence"]) == (kind, evidence)
    if labels and kind and "label" in (evidence or ""):
        assert unit(conn, 1)["title_kind"] is None


def test_the_label_of_the_issue_tells_the_kind_too(
    conn: psycopg.Connection, history: History, repo: Repo
) -> None:
    history.thread(repo, 1, "It breaks", state="closed", at=OPENED, labels=("bug",))
    merged(history, repo, 2, "Sails")
    history.link(repo, 2, "closes", 1)
    build(conn, repo.id)

    assert unit(conn, 2)["kind_evidence"] == "label bug of #1"


def test_labels_are_tried_in_a_stated_order() -> None:
    """A feature that is also a regression is a fix: the order is part of the rule."""
    assert [kind for kind, _ in LABELS] == ["deprecation", "bug_fix", "feature", "refactor"]


def test_hostile_texts_are_carried_by_reference_alone(
    conn: psycopg.Connection, history: History, repo: Repo
) -> None:
    """Quotes, wildcards and control marks in titles, labels and bodies change no statement."""
    evil = "'); DROP TABLE relore.precedents; -- %s \\m(((( {x} \u202e"
    rejected(history, repo, 1, evil, labels=(f"bug {evil}",))
    said(history, repo, 1, f"Closing. {evil}", ENDED)
    build(conn, repo.id)

    assert unit(conn, 1)["words"] == f"Closing. {evil}"
    assert unit(conn, 1)["kind"] == "bug_fix"
