"""A comment whose text stays and whose place moves is written with its new place."""

from __future__ import annotations

import psycopg
from payloads import REPO, add_repo, comment, pull, stage

from relore_assets.derive.derive import derive


def test_an_inline_comment_that_moved_is_stored_at_its_new_line(
    conn: psycopg.Connection, database_url: str
) -> None:
    """The words are the same, and no version of them is kept."""
    repo_id = add_repo(conn)
    stage(conn, repo_id, "pull", 1, 1, pull(1))
    for line in (10, 14):
        stage(conn, repo_id, "review_comment", 5, 1, comment(5, "tighter", path="hull.c", line=line))
        conn.commit()
        result = derive(database_url, REPO)
    assert result.batch.written.documents == 1
    assert conn.execute(
        "SELECT path, line FROM relore.documents WHERE source_type = 'review_comment'"
    ).fetchall() == [("hull.c", 14)]
    assert conn.execute("SELECT count(*) FROM relore.document_versions").fetchone() == (0,)
