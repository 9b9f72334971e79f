"""A statement that a session plans once."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from psycopg.rows import tuple_row

from relore_serve.database import connect_reader
from relore_serve.prepared import Prepared, positional

if TYPE_CHECKING:
    from psycopg import Connection


class Pair(NamedTuple):
    """A row with one value that is no column."""

    first: int
    second: str
    third: tuple[int, ...] = ()


def test_names_become_numbers_and_a_name_used_twice_is_one_value(conn: Connection) -> None:
    """Whatever the order of the values."""
    asked = Prepared("SELECT %(b)s::integer - %(a)s::integer, %(b)s::integer")
    assert asked.form({"a": 1, "b": 5}).names == ("b", "a")
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


def test_what_many_askings_have_in_common_is_a_statement_of_its_own(conn: Connection) -> None:
    """The narrowest that fits is run, and answers the same as the whole."""
    asked = Prepared(
        "SELECT %(a)s::integer, coalesce(%(b)s::text, 'none'), %(c)s::boolean",
        {"b": (None, "NULL"), "c": (False, "false")},
        {"b": (None, "NULL")},
    )
    askings = [{"a": 1, "b": b, "c": c} for b in (None, "some") for c in (False, True)]
    assert [asked.form(values).names for values in askings] == [
        ("a",),
        ("a", "c"),
        ("a", "b", "c"),
        ("a", "b", "c"),
    ]
    assert [rows for [rows] in asked.fetch_each(conn, askings, tuple_row)] == [
        (1, "none", False),
        (1, "none", True),
        (1, "some", False),
        (1, "some", True),
    ]


def test_rows_are_made_of_their_values_in_order(conn: Connection) -> None:
    """A row is made of its values alone."""
    asked = Prepared("SELECT %(a)s::integer AS first, %(b)s::text AS second")
    rows = asked.fetch(conn, {"a": 1, "b": "x"}, positional(Pair))
    assert rows == [Pair(first=1, second="x", third=())]
