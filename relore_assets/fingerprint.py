"""One content hash per table of a repository: the means by which two ways to the same state are compared.

Prints depend on what the tables say, not on row ids, on the order of work, or on when and from where it was done.
"""

from __future__ import annotations

from hashlib import md5
from typing import TYPE_CHECKING

from relore_assets.fetch import repos
from relore_serve.sql import load

if TYPE_CHECKING:
    from psycopg import Connection

SQL = load("relore_assets", "fingerprint.sql")

#: In the order in which data flows.
TABLES = (
    "raw_objects",
    "threads",
    "documents",
    "signals",
    "changed_files",
    "links",
    "verdicts",
    "thread_events",
    "commits",
    "authors",
    "authors_then",
    "term_stats",
    "repo_stats",
    "document_versions",
    "precedents",
    "precedent_threads",
)

#: Of a table without rows.
EMPTY = md5(b"0", usedforsecurity=False).hexdigest()


def fingerprint(conn: Connection, repo: str) -> dict[str, str]:
    """Return the print of each table in `TABLES` for the repository ``repo``.

    Raises:
        BadNameError, UnknownRepository: the name is none, or the repository is not indexed.
    """
    known = repos.known(conn, repo)
    with conn.transaction():
        conn.execute(SQL["settings"])
        prints = dict(conn.execute(SQL["fingerprint"], {"repo_id": known.id}).fetchall())
    return {table: prints.get(table, EMPTY) for table in TABLES}
