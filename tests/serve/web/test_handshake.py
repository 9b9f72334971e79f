"""Which end is behind, and that only what does not fit is refused."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from relore_serve.web import handshake
from relore_serve.web.errors import Incompatible, Refused

if TYPE_CHECKING:
    from collections.abc import Callable

    from flask import Flask


def check(declared: str | None, client: str | None = "0.9.0") -> None:
    handshake.check(declared, client=client, version="1.2.3", api=4, oldest=2)


@pytest.mark.parametrize("declared", [None, "2", "3", "4"])
def test_what_fits_is_answered_whatever_the_program_versions(declared: str | None) -> None:
    check(declared)


@pytest.mark.parametrize(("declared", "behind"), [("1", "client"), ("0", "client"), ("5", "server")])
def test_what_does_not_fit_is_told_which_end_is_behind(declared: str, behind: str) -> None:
    with pytest.raises(Incompatible, match=f"The {behind} is behind") as refused:
        check(declared)

    assert refused.value.facts == {"behind": behind, "api": 4, "oldest_api": 2, "version": "1.2.3"}
    assert "0.9.0" in str(refused.value)
    assert "1.2.3" in str(refused.value)


@pytest.mark.parametrize("declared", ["", "x", "1.0", "-1", "\u0661", "9" * 30])
def test_what_is_no_number_is_a_bad_request(declared: str) -> None:
    with pytest.raises(Refused):
        check(declared)


def test_a_client_that_is_older_and_fits_is_told_what_it_cannot_ask_for() -> None:
    news = {3: "brief", 4: "similar and precedent"}

    def note(declared: str | None) -> str | None:
        return handshake.check(declared, client="0.9.0", version="1.2.3", api=4, oldest=2, news=news)

    assert "without what came since: brief; similar and precedent." in str(note("2"))
    assert "without what came since: similar and precedent." in str(note("3"))
    assert "The client is behind: it speaks API 2 and this server 4." in str(note("2"))
    assert note("4") is None
    assert note(None) is None


def test_the_note_travels_in_a_header(start: Callable[..., Flask], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(handshake, "check", lambda *_, **__: "The client is behind.")

    answer = start().test_client().get("/api/v1/nothing")

    assert answer.headers["x-relore-note"] == "The client is behind."
