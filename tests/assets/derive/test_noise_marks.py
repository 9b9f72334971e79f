"""Which documents derive marks as saying nothing."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from payloads import REPO, add_repo, comment, issue, pull, review, stage

from relore_assets.authority.lookup import Standing
from relore_assets.derive.derive import derive
from relore_assets.derive.fold import fold
from relore_assets.derive.staged import gather

if TYPE_CHECKING:
    import psycopg


def marks(*objects: tuple[str, dict[str, Any]]) -> dict[str, bool]:
    staged = gather(2, objects)
    assert staged is not None
    found = fold(staged, REPO, Standing([])).documents
    return {f"{row.source_type} {row.source_id}": row.noise for row in found}


def test_nods_and_blank_templates_are_marked_and_titles_are_not() -> None:
    """A title names its thread, whatever it says."""
    found = marks(
        (
            "pull",
            pull(2, title="Thanks", body="<!-- Say what you did. -->\n### Description\n\n### Checklist\n"),
        ),
        ("issue_comment", comment(9, "LGTM")),
        ("issue_comment", comment(10, "LGTM, but the lock is never released.")),
        ("review", review(11, "APPROVED", "ACK 1234abcd")),
    )

    assert found == {
        "title 2": False,
        "body 2": True,
        "issue_comment 9": True,
        "issue_comment 10": False,
        "review 11": True,
    }


def test_a_long_text_that_is_cut_is_never_marked() -> None:
    assert (
        marks(("issue", issue(2)), ("issue_comment", comment(9, "thanks " * 5_000)))["issue_comment 9"]
        is False
    )


def test_the_mark_is_written_with_the_row_and_follows_an_edit(
    conn: psycopg.Connection, database_url: str
) -> None:
    """Whoever explains a nod afterwards is heard."""
    repo_id = add_repo(conn)
    stage(conn, repo_id, "issue", 2, 2, issue(2))
    stage(conn, repo_id, "issue_comment", 9, 2, comment(9, "+1"))
    conn.commit()
    derive(database_url, REPO)
    noise = "SELECT noise FROM relore.documents WHERE source_id = '9'"
    assert conn.execute(noise).fetchone() == (True,)
    conn.commit()

    stage(conn, repo_id, "issue_comment", 9, 2, comment(9, "+1, it leaks the key on every call"))
    conn.commit()
    derive(database_url, REPO)

    assert conn.execute(noise).fetchone() == (False,)
