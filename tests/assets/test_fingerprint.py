"""Prints of tables depend on what they say, and on nothing else."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from relore_assets.errors import UnknownRepository
from relore_assets.fingerprint import EMPTY, TABLES, fingerprint

if TYPE_CHECKING:
    from psycopg import Connection

# A row of each table. {r} is the repository, {n} a thread's number, {at} the moment of the work.
_THREAD = """INSERT INTO relore.threads (repo_id, number, kind, title, author, state, labels, url, created_at,
                                         updated_at, indexed_at, input_hash)
             VALUES ({r}, {n}, 'pr', 'Title {n}', 'buoy', 'open', '{{a,b}}', 'u', '2024-01-01', '2024-01-02',
                     {at}, '{at0}')"""
_IDS = "(SELECT id FROM relore.threads WHERE repo_id = {r} AND number = {n})"
_DOCUMENT = f"""INSERT INTO relore.documents (repo_id, thread_id, source_type, source_id, chunk_index, chunk_count,
                                              author, trust, url, body, search_vector, lexemes, created_at,
                                              content_hash)
                VALUES ({{r}}, {_IDS}, 'body', '{{n}}', 0, 1, 'buoy', 'reported', 'u', 'body {{n}}', 'low:1 tide:2',
                        2, '2024-01-01', '\\xab')"""
_DOC = f"(SELECT id FROM relore.documents WHERE repo_id = {{r}} AND thread_id = {_IDS})"
_OTHERS = (
    f"INSERT INTO relore.signals VALUES ({{r}}, {_DOC}, 'symbol', 'tide.low', 'low', 'code', '2024-01-01', {_IDS})",
    f"INSERT INTO relore.signals VALUES ({{r}}, {_DOC}, 'file', 'a/tide.py', 'tide.py', 'prose', NULL, {_IDS})",
    f"INSERT INTO relore.changed_files VALUES ({{r}}, {_IDS}, 'a/tide.py', 'tide.py', 'added', 1, 2, NULL)",
    f"INSERT INTO relore.links VALUES ({{r}}, {_IDS}, {_DOC}, 'closes', 'harbor/tide', 9, 'body', '2024-01-01')",
    f"INSERT INTO relore.links VALUES ({{r}}, {_IDS}, NULL, 'mentions', 'harbor/tide', 8, 'event', '2024-01-01')",
    f"INSERT INTO relore.verdicts VALUES ({{r}}, {_IDS}, '5', 'mole', 'APPROVED', '2024-01-01', 'abc')",
    f"INSERT INTO relore.thread_events VALUES ({{r}}, {_IDS}, 0, 'labeled', '2024-01-01', 'mole', 'a', NULL)",
    f"INSERT INTO relore.commits VALUES ({{r}}, 'abc', {_IDS}, 'pull', 0, 'Mole', 'mole', NULL, '2024-01-01', 's')",
    f"""INSERT INTO relore.precedents (repo_id, thread_id, outcome, finished_at, rounds, reviewers, problem_id,
                                       words_id)
        VALUES ({{r}}, {_IDS}, 'merged', '2024-01-02', 1, 1, {_DOC}, {_DOC})""",
    f"""INSERT INTO relore.precedent_threads
        VALUES ({{r}}, {_IDS}, {_IDS}, 'issue', 'linked', 'x', {_DOC}, '2024-01-02')""",
    """INSERT INTO relore.raw_objects VALUES ({r}, 'issue', '{n}', {n}, '{{"title": "Title {n}", "n": 1.50}}', '\\x01',
                                              '2024-01-02', {at}, '{source}', {rule})""",
    """INSERT INTO relore.document_versions (repo_id, thread_number, source_type, source_id, chunk_index, author, body,
                                             content_hash, replaced_at, reason)
       VALUES ({r}, {n}, 'body', '{n}', 0, 'buoy', 'before', '\\xaa', {at}, 'edited')""",
)
_ONCE = (
    "INSERT INTO relore.authors VALUES ({r}, 'mole', 'authoritative', 'merged', '2024-01-01', NULL)",
    """INSERT INTO relore.authors_then VALUES ({r}, 'mole', '2024-02-01', '{{2024-01-01}}', '{{reported,reported}}')""",
    "INSERT INTO relore.repo_stats VALUES ({r}, 2, 2, 4)",
)


def write(conn: Connection, name: str, numbers: list[int], *, at: str, source: str, rule: int) -> int:
    """Write the same two threads, in the order of ``numbers``."""
    row = conn.execute(
        "INSERT INTO relore.repos (full_name, source_kind, source_location) VALUES (%s, 'archive', 'x') RETURNING id",
        (name,),
    ).fetchone()
    assert row is not None
    for number in numbers:
        for statement in (_THREAD, _DOCUMENT, *_OTHERS):
            conn.execute(
                statement.format(
                    r=row[0], n=number, at=f"'{at}'::timestamptz", at0=at[:4], source=source, rule=rule
                )  # pyright: ignore[reportArgumentType]
            )
    for statement in _ONCE:
        conn.execute(statement.format(r=row[0]))  # pyright: ignore[reportArgumentType]
    conn.commit()
    return row[0]


@pytest.fixture
def repos(conn: Connection) -> tuple[int, int]:
    """Two repositories of one content, made in different orders, at different times, from different sources."""
    one = write(conn, "harbor/one", [1, 2], at="2024-01-05", source="archive", rule=1)
    two = write(conn, "harbor/two", [2, 1], at="2025-01-05", source="api", rule=2)
    # Folded in one, not yet in the other.
    conn.execute("INSERT INTO relore.term_stats VALUES (%s, 'low', 2), (%s, 'tide', 2)", (one, one))
    conn.execute("INSERT INTO relore.term_stats VALUES (%s, 'tide', 1), (%s, 'gone', 1)", (two, two))
    conn.execute(
        """INSERT INTO relore.term_deltas
           VALUES (%(r)s, 'low', 1), (%(r)s, 'low', 1), (%(r)s, 'tide', 1), (%(r)s, 'gone', -1)""",
        {"r": two},
    )
    conn.commit()
    return one, two


@pytest.mark.usefixtures("repos")
def test_neither_ids_nor_order_nor_time_nor_source_matter(conn: Connection) -> None:
    """Two ways to one state have one print, and no table of the two is empty."""
    one = fingerprint(conn, "harbor/one")
    assert one == fingerprint(conn, "harbor/two")
    assert tuple(one) == TABLES
    assert EMPTY not in one.values()


_CHANGES = {
    "raw_objects": "UPDATE relore.raw_objects SET payload = payload || '{\"n\": 1.5}' WHERE repo_id = %s",
    "threads": "UPDATE relore.threads SET labels = '{a,c}' WHERE repo_id = %s AND number = 1",
    "documents": "UPDATE relore.documents SET body = 'body !' WHERE repo_id = %s AND source_id = '1'",
    "signals": "UPDATE relore.signals SET value = 'tide.lox' WHERE repo_id = %s AND kind = 'symbol'",
    "changed_files": "UPDATE relore.changed_files SET additions = 2 WHERE repo_id = %s",
    "links": "UPDATE relore.links SET target_number = 7 WHERE repo_id = %s AND document_id IS NULL",
    "verdicts": "UPDATE relore.verdicts SET verdict = 'DISMISSED' WHERE repo_id = %s",
    "thread_events": "UPDATE relore.thread_events SET value = 'b' WHERE repo_id = %s",
    "commits": "UPDATE relore.commits SET position = 1 WHERE repo_id = %s",
    "authors": "UPDATE relore.authors SET to_at = '2024-06-01' WHERE repo_id = %s",
    "authors_then": "UPDATE relore.authors_then SET seen_until = '2024-03-01' WHERE repo_id = %s",
    "term_stats": "UPDATE relore.term_stats SET documents = 3 WHERE repo_id = %s AND lexeme = 'tide'",
    "repo_stats": "UPDATE relore.repo_stats SET lexemes = 5 WHERE repo_id = %s",
    "precedents": "UPDATE relore.precedents SET rounds = 2 WHERE repo_id = %s",
    "precedent_threads": "UPDATE relore.precedent_threads SET how = 'inferred' WHERE repo_id = %s",
    "document_versions": "UPDATE relore.document_versions SET body = 'befora' WHERE repo_id = %s",
}


@pytest.mark.parametrize("table", TABLES)
def test_one_character_changes_its_tables_print_and_no_other(
    conn: Connection, repos: tuple[int, int], table: str
) -> None:
    """Nor does it touch the other repository."""
    before, other = fingerprint(conn, "harbor/one"), fingerprint(conn, "harbor/two")
    conn.execute(_CHANGES[table], (repos[0],))  # pyright: ignore[reportArgumentType]
    conn.commit()
    after = fingerprint(conn, "harbor/one")
    assert {name for name in TABLES if before[name] != after[name]} == {table}
    assert fingerprint(conn, "harbor/two") == other


def test_a_row_that_moves_to_another_document_changes_the_print(
    conn: Connection, repos: tuple[int, int]
) -> None:
    """What a row stands under is part of what it says."""
    before = fingerprint(conn, "harbor/one")
    conn.execute(
        """UPDATE relore.signals SET document_id = (SELECT max(id) FROM relore.documents WHERE repo_id = %(r)s)
           WHERE repo_id = %(r)s AND kind = 'file'""",
        {"r": repos[0]},
    )
    conn.commit()
    assert fingerprint(conn, "harbor/one")["signals"] != before["signals"]


def test_a_repeated_row_changes_the_print(conn: Connection, repos: tuple[int, int]) -> None:
    """Twice is not once, nor do two of the same cancel out."""
    prints = []
    for _ in range(3):
        prints.append(fingerprint(conn, "harbor/one")["links"])
        conn.execute(
            "INSERT INTO relore.links SELECT * FROM relore.links WHERE repo_id = %s AND document_id IS NULL LIMIT 1",
            (repos[0],),
        )
        conn.commit()
    assert len(set(prints)) == 3


@pytest.mark.usefixtures("repos")
def test_the_print_does_not_depend_on_who_asks(conn: Connection) -> None:
    """Sessions spell moments and bytes in their own way."""
    before = fingerprint(conn, "harbor/one")
    conn.execute("SET TimeZone = 'Asia/Kathmandu'")
    conn.execute("SET bytea_output = 'escape'")
    conn.execute("SET DateStyle = 'German'")
    conn.commit()
    assert fingerprint(conn, "harbor/one") == before


def test_an_empty_repository_has_the_print_of_emptiness(conn: Connection) -> None:
    """A repository that is none has none."""
    conn.execute(
        "INSERT INTO relore.repos (full_name, source_kind, source_location) VALUES ('a/b', 'archive', 'x')"
    )
    conn.commit()
    assert set(fingerprint(conn, "A/B").values()) == {EMPTY}
    with pytest.raises(UnknownRepository):
        fingerprint(conn, "a/c")
