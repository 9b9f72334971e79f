"""Every name is known and every value is checked before anything is asked of the tables."""

from __future__ import annotations

import json
from contextlib import suppress
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from werkzeug.datastructures import MultiDict

from relore_serve.web.errors import Refused
from relore_serve.web.fields import (
    Choice,
    Excluded,
    Flag,
    Id,
    Moment,
    Repo,
    Several,
    Text,
    Whole,
)
from relore_serve.web.parameters import read_body, read_query, thread_number

if TYPE_CHECKING:
    from relore_serve.web.fields import Field

FIELDS: dict[str, Field] = {
    "focus": Text(20),
    "compact": Flag(),
    "limit": Whole(1, 10),
    "kind": Choice(("failure", "rationale")),
    "before": Moment(),
    "repo": Repo(),
    "exclude": Several(Excluded(), 3),
    "after": Id(),
}


def query(text: str) -> dict[str, Any]:
    pairs = [pair.split("=", 1) for pair in text.split("&")]
    return read_query(MultiDict([(name, value) for name, value in pairs]), FIELDS)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("focus=schnorr nonce", {"focus": "schnorr nonce"}),
        ("compact=true", {"compact": True}),
        ("compact=0", {"compact": False}),
        ("limit=7", {"limit": 7}),
        ("kind=failure", {"kind": "failure"}),
        ("repo=octo/kit.js", {"repo": "octo/kit.js"}),
        ("exclude=7&exclude=octo/kit#8&exclude=#9", {"exclude": ((None, 7), ("octo/kit", 8), (None, 9))}),
        ("exclude=7&exclude=7", {"exclude": ((None, 7),)}),
        ("after=4623100975", {"after": "4623100975"}),
        ("before=2026-03-01", {"before": datetime(2026, 3, 1, tzinfo=UTC)}),
        ("before=2026-03-01T10:00Z", {"before": datetime(2026, 3, 1, 10, tzinfo=UTC)}),
        ("before=2026-03-01T10:00:00+02:00", {"before": datetime(2026, 3, 1, 8, tzinfo=UTC)}),
        ("before=2026-03-01T10:00:00 02:00", {"before": datetime(2026, 3, 1, 8, tzinfo=UTC)}),
        ("before=2026-03-01T10:00:00.25-01:30", {"before": datetime(2026, 3, 1, 11, 30, 0, 250_000, UTC)}),
    ],
)
def test_a_query_string_is_read_as_what_it_means(text: str, value: dict[str, Any]) -> None:
    assert query(text) == value


@pytest.mark.parametrize(
    ("text", "parameter"),
    [
        ("focus=a\x00b", "focus"),
        ("focus=" + "x" * 21, "focus"),
        ("compact=maybe", "compact"),
        ("limit=0", "limit"),
        ("limit=11", "limit"),
        ("limit=\u0663", "limit"),
        ("limit=" + "9" * 5000, "limit"),
        ("kind=Failure", "kind"),
        ("repo=octo", "repo"),
        ("repo=octo/kit/x", "repo"),
        ("repo=octo/k%it", "repo"),
        ("exclude=0", "exclude"),
        ("exclude=2147483648", "exclude"),
        ("exclude=1&exclude=2&exclude=3&exclude=4", "exclude"),
        ("after=a b", "after"),
        ("before=2026-03-01T10:00", "before"),
        ("before=2026-02-30", "before"),
        ("before=0001-01-01T00:00:00+23:00", "before"),
        ("before=2026-W09-1", "before"),
        ("before=yesterday", "before"),
        ("compact=true&compact=true", "compact"),
    ],
)
def test_a_value_that_cannot_be_taken_is_refused_by_the_name_of_its_parameter(
    text: str, parameter: str
) -> None:
    with pytest.raises(Refused) as refused:
        query(text)

    assert refused.value.facts["parameter"] == parameter
    assert str(refused.value).startswith(parameter)


@pytest.mark.parametrize(
    ("text", "nearest"), [("compac=true", "compact"), ("Compact=1", "compact"), ("zzz=1", None)]
)
def test_an_unknown_parameter_is_refused_with_the_nearest_known_one(text: str, nearest: str | None) -> None:
    with pytest.raises(Refused) as refused:
        query(text)

    assert refused.value.code == "unknown_parameter"
    assert refused.value.facts == {"parameter": text.partition("=")[0], "nearest": nearest}
    assert (nearest or "focus") in str(refused.value)


def test_a_body_is_read_by_the_same_fields() -> None:
    body = b'{"focus": "x", "compact": true, "limit": 3, "exclude": [7, "octo/kit#8"], "before": null}'

    assert read_body(body, FIELDS) == {
        "focus": "x",
        "compact": True,
        "limit": 3,
        "exclude": ((None, 7), ("octo/kit", 8)),
    }


@pytest.mark.parametrize(
    "body",
    [
        b"{",
        b"[]",
        b'"x"',
        b"\xff",
        b"[" * 200_000,
        b'{"limit": 1' + b"0" * 5000 + b"}",
        b'{"limit": true}',
        b'{"limit": 1.5}',
        b'{"compact": "true"}',
        b'{"focus": 3}',
        b'{"focus": "\\ud800"}',
        b'{"focus": "\\u0000"}',
        b'{"exclude": 7}',
        b'{"exclude": [[7]]}',
        b'{"exclude": [true]}',
        b'{"before": 1767225600}',
        b'{"limit": NaN}',
        b'{"nothing": 1}',
        b'{"limit": 1, "limit": 2}',
        '{"limit": 1}'.encode("utf-16"),
        '{"limit": 1}'.encode("utf-32-le"),
        b'{"focus": "caf\xe9"}',
    ],
    ids=lambda body: body[:20].decode("latin-1"),
)
def test_a_body_that_is_not_such_an_object_is_refused(body: bytes) -> None:
    with pytest.raises(Refused):
        read_body(body, FIELDS)


@settings(deadline=None)
@given(
    st.dictionaries(
        st.sampled_from([*FIELDS, "other"]),
        st.recursive(
            st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
            lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
            max_leaves=5,
        ),
    )
)
def test_whatever_stands_in_a_body_it_is_read_or_refused(body: dict[str, Any]) -> None:
    with suppress(Refused):
        assert read_body(json.dumps(body).encode(), FIELDS).keys() <= body.keys()


@pytest.mark.parametrize("text", ["1", "0558", "2147483647"])
def test_a_thread_has_a_number(text: str) -> None:
    assert thread_number(text) == int(text)


@pytest.mark.parametrize(
    "text", ["0", "-1", "2147483648", "99999999999999999999", "\u0665", "x", "", "1.0", "1 "]
)
def test_anything_else_is_no_thread(text: str) -> None:
    with pytest.raises(Refused):
        thread_number(text)
