"""A statement that a session plans once."""

from __future__ import annotations

from typing import TYPE_CHECKING

from psycopg.rows import tuple_row

from relore_serve.database import connect_reader
from relore_serve.prepared import Prepared

if TYPE_CHECKING:
    from psycopg import Connection


def test_names_become_numbers_and_a_name_used_twice_is_one_value(conn: Connection) -> None:
    """Whatever the order of the values."""
    asked = Prepared("SELECT %(b)s::integer - %(a)s::integer, %(b)s::integer")
    assert asked.names == ("b", "a")
    assert asked.fetch(conn, {"a": 1, "b": 5}, tuple_row) == [(4, 5)]


def test_a_session_of_the_reader_plans_it_once(reader_url: str) -> None:
    """However often and with whatever values it is asked."""
    asked = Prepared("SELECT %(number)s::integer + 1")
    with connect_reader(reader_url) as session:
        answers = [asked.fetch(session, {"number": number}, tuple_row) for number in range(7)]
        plans = session.execute(
            "SELECT generic_plans, custom_plans FROM pg_prepared_statements WHERE statement LIKE '%$1::integer + 1'"
        ).fetchall()
    assert answers == [[(number + 1,)] for number in range(7)]
    assert plans == [(7, 0)]
