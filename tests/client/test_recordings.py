"""The client understands what the server was recorded to answer; the server's tests hold it to the same."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
from scripted import ROOT

if TYPE_CHECKING:
    from collections.abc import Callable

    from scripted import Outcome, Script

WIRE = {
    path.stem: json.loads(path.read_text(encoding="utf-8")) for path in (ROOT / "tests/wire").glob("*.json")
}
WORDS = {
    "search": ["search", "nonce"],
    "thread": ["thread", "7"],
    "inflight": ["inflight", "7"],
    "brief": ["brief", "8"],
    "similar": ["similar", "7"],
    "precedent": ["precedent", "nonce"],
    "status": ["status"],
}
EXIT_CODES = {200: 0, 400: 2, 404: 7, 426: 5}


@pytest.mark.parametrize("name", WIRE)
def test_a_recorded_reply_is_shown(name: str, server: Script, relore: Callable[..., Outcome]) -> None:
    reply = WIRE[name]
    server.status, server.payload = reply["status"], reply["payload"]
    words = WORDS.get(name.partition("_")[0], ["status"])

    page = relore(*words)
    machine = relore(*words, "--json")

    assert page.code == machine.code == EXIT_CODES[reply["status"]]
    if page.code == 0:
        assert page.out == reply["payload"]["rendered"] + "\n"
        assert json.loads(machine.out) == reply["payload"]
    else:
        assert reply["payload"]["message"] in page.err


def test_there_are_recordings() -> None:
    assert set(WORDS) <= set(WIRE)
