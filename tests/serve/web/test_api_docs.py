"""docs/api.md names every route, parameter, code and variable, and no parameter or code that is gone."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

from relore_serve.web import handshake, labels, quota, routes, tokens, wsgi
from relore_serve.web.app import MAX_BODY
from relore_serve.web.compression import SMALLEST
from relore_serve.web.door import MAX_QUERY_STRING
from relore_serve.web.errors import CODES
from relore_serve.web.pin import MAX_THREADS

if TYPE_CHECKING:
    from collections.abc import Callable

    from flask import Flask

ROOT = Path(__file__).parents[3]
PAGE = (ROOT / "docs/api.md").read_text(encoding="utf-8")


def section(title: str) -> str:
    """Return what stands below a heading."""
    return PAGE.split(f"## {title}\n", 1)[1].split("\n## ", 1)[0]


def test_every_route_stands_in_the_table(start: Callable[..., Flask]) -> None:
    routes = {
        f"{method} {rule.rule}"
        for rule in start().url_map.iter_rules()
        if not rule.endpoint.startswith("pages.")
        for method in (rule.methods or set()) - {"HEAD", "OPTIONS"}
    }

    assert set(re.findall(r"^\| `([A-Z]+ [^`]+)` \|", PAGE, re.MULTILINE)) == routes


def test_every_parameter_is_explained_and_none_that_is_gone() -> None:
    known = {name for route in routes.ROUTES for name in route.fields}
    rows = re.findall(r"^\| (`[^|]+`) \|", section("Parameters"), re.MULTILINE)

    assert {name for row in rows for name in re.findall(r"`(\w+)`", row)} == known


def test_every_code_is_in_the_table_with_its_status_and_none_that_is_gone() -> None:
    listed = {
        (int(status), code)
        for status, row in re.findall(r"^\| (\d+) \| ([^|]+) \|", section("Refusals"), re.MULTILINE)
        for code in re.findall(r"`(\w+)`", row)
    }

    assert listed == {(status, code) for status, codes in CODES.items() for code in codes}


def test_every_code_that_is_raised_is_one_of_them() -> None:
    source = "".join(
        path.read_text(encoding="utf-8")
        for folder in ("web", "search", "precedents", "similar", "threads")
        for path in (ROOT / "relore_serve" / folder).glob("*.py")
    )
    raised = set(re.findall(r'code="(\w+)"|code = "(\w+)"|QuestionError\(\s*"(\w+)"', source))
    # What the parameters of a request are refused for before a question is made of them.
    refused_before = {"text_too_long", "too_many_values", "value_too_long", "naive_time", "bad_exclude"}
    refused_before |= {"unknown_kind", "unknown_trust", "unknown_sort"}
    known = {code for codes in CODES.values() for code in codes}

    assert {code for found in raised for code in found if code} - refused_before - known == set()


def test_every_variable_is_explained() -> None:
    names = {
        tokens.VARIABLE,
        tokens.FILE_VARIABLE,
        quota.PER_MINUTE_VARIABLE,
        quota.PER_DAY_VARIABLE,
        labels.VARIABLE,
        wsgi.TRUST_VARIABLE,
        wsgi.THREADS_VARIABLE,
        wsgi.AS_OF_VARIABLE,
        wsgi.EXCLUDE_VARIABLE,
        *wsgi.ADDRESSES,
    }

    assert {name for name in names if f"`{name}`" not in PAGE} == set()


def test_numbers_and_headers_are_those_of_the_program() -> None:
    assert f"{MAX_BODY:,} bytes" in PAGE
    assert f"{MAX_QUERY_STRING:,} bytes" in PAGE
    assert f"{SMALLEST:,} bytes" in PAGE
    assert f"{MAX_THREADS} times" in PAGE
    assert f"This is version {handshake.API}." in PAGE
    for header in (
        handshake.API_HEADER,
        handshake.CLIENT_HEADER,
        handshake.VERSION_HEADER,
        handshake.NOTE_HEADER,
    ):
        assert f"`{header}`" in PAGE
