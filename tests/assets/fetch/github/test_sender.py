"""Sending: what is kept, what is cut short."""

from __future__ import annotations

import gzip
from itertools import chain, repeat

import pytest
from scripted_server import Say, ScriptedServer, in_turn

from relore_assets.fetch.github.sender import Sender, Timeouts, TransportFailed


def test_an_answer_that_trickles_is_given_up_at_the_deadline() -> None:
    """Each piece comes in time, and there is no end to them."""
    ticks = chain([0.0], repeat(121.0))
    sender = Sender(Timeouts(total=120), stopwatch=lambda: next(ticks))
    with ScriptedServer(in_turn(Say({"piece": 1}))) as server:
        with pytest.raises(TransportFailed, match="time-out") as caught:
            sender("GET", server.url, {}, None, "t")
        sender.close()
    assert caught.value.heavy


def test_a_packed_answer_is_unpacked() -> None:
    sender = Sender(Timeouts())
    packed = Say(gzip.compress(b'{"a": 1}'), headers={"Content-Encoding": "gzip"})
    with ScriptedServer(in_turn(packed)) as server:
        reply = sender("GET", server.url, {}, None, "t")
        sender.close()
    assert reply.body == b'{"a": 1}'


def test_a_packed_answer_that_was_cut_unseen_is_not_whole() -> None:
    sender = Sender(Timeouts())
    packed = Say(
        gzip.compress(b'{"a": "' + b"x" * 5000 + b'"}'),
        headers={"Content-Encoding": "gzip"},
        cut=True,
        unmeasured=True,
    )
    with ScriptedServer(in_turn(packed)) as server:
        reply = sender("GET", server.url, {}, None, "t")
        sender.close()
    assert not reply.body.endswith(b"}")


def test_no_token_is_no_header() -> None:
    sender = Sender(Timeouts())
    with ScriptedServer(in_turn(Say({}))) as server:
        sender("GET", server.url, {}, None, "")
        sender.close()
    assert "authorization" not in server.asked[0].headers


def test_this_machine_is_not_asked_through_a_proxy(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("http_proxy", "http://127.0.0.1:9")
    monkeypatch.delenv("no_proxy", raising=False)
    monkeypatch.delenv("NO_PROXY", raising=False)
    with ScriptedServer(in_turn(Say({}))) as server:
        direct, through = Sender(Timeouts(), proxies=False), Sender(Timeouts())
        assert direct("GET", server.url, {}, None, "t").status == 200
        with pytest.raises(TransportFailed, match="no connection"):
            through("GET", server.url, {}, None, "t")
        direct.close()
        through.close()


def test_names_of_headers_are_in_lower_case() -> None:
    sender = Sender(Timeouts())
    with ScriptedServer(in_turn(Say({}, headers={"X-RateLimit-Limit": "5"}))) as server:
        reply = sender("GET", server.url, {}, None, "t")
        sender.close()
    assert reply.headers["x-ratelimit-limit"] == "5"
