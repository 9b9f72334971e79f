"""Each way of getting no answer has its own exit code and one sentence; an empty answer is none of them."""

from __future__ import annotations

import gzip
import socket
import time
from contextlib import contextmanager, suppress
from threading import Event, Thread
from typing import TYPE_CHECKING

import pytest

from relore_client import api, failures

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from scripted import Outcome, Script


@pytest.fixture
def closed_port() -> str:
    """An address that refuses."""
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return f"http://127.0.0.1:{listener.getsockname()[1]}"


def test_every_failure_has_a_code_of_its_own() -> None:
    kinds = failures.Failure.__subclasses__()

    assert sorted(kind.exit_code for kind in kinds) == [1, 2, 3, 4, 5, 6, 7, 8, 9]


def test_an_empty_answer_is_a_success(server: Script, relore: Callable[..., Outcome]) -> None:
    server.payload = {"rendered": "0 hits", "hits": []}

    assert relore("search", "nothing") == relore("search", "nothing")
    assert relore("search", "nothing").code == 0


REFUSALS = [
    (400, "bad_value", 2),
    (400, "repository_needed", 2),
    (401, "unauthorized", 6),
    (403, "host_refused", 6),
    (404, "no_such_thread", 7),
    (404, "no_such_repository", 7),
    (413, "too_large", 2),
    (426, "incompatible", 5),
    (429, "rate_limited", 8),
    (500, "internal", 9),
    (503, "store_unavailable", 9),
]


@pytest.mark.parametrize(("status", "code", "exit_code"), REFUSALS, ids=[code for _, code, _ in REFUSALS])
@pytest.mark.parametrize("flags", [[], ["--json"]], ids=["page", "json"])
def test_what_the_server_says_is_passed_on(
    status: int, code: str, exit_code: int, flags: list[str], server: Script, relore: Callable[..., Outcome]
) -> None:
    server.status, server.payload = status, {"error": code, "message": "This is why."}

    for words in (["thread", "92"], ["brief", "92"], ["similar", "92"], ["search", "x"], ["precedent", "x"]):
        outcome = relore(*words, *flags)

        assert outcome.code == exit_code
        assert outcome.out == ""
        assert outcome.err.startswith("relore: This is why.")
        assert len(outcome.err.splitlines()) == 1


@pytest.mark.parametrize("declared", ["1", ""], ids=["the server", "a proxy before it"])
def test_who_asked_too_often_is_told_when_to_ask_again(
    declared: str, server: Script, relore: Callable[..., Outcome]
) -> None:
    server.status, server.headers = 429, {"retry-after": "17", "x-relore-api": declared}
    server.payload = {"error": "rate_limited", "message": "Too often."}

    outcome = relore("status")

    assert outcome.code == 8
    assert "Ask again in 17 s." in outcome.err


def test_a_sentence_that_says_when_is_left_as_it_is(server: Script, relore: Callable[..., Outcome]) -> None:
    server.status, server.headers = 429, {"retry-after": "17"}
    server.payload = {"error": "rate_limited", "message": "Too often; again in 17 seconds."}

    assert relore("status").err == "relore: Too often; again in 17 seconds.\n"


@pytest.mark.parametrize("wait", ["Wed, 21 Oct 2026 07:28:00 GMT", "-1", "\u00b2", "9" * 40])
def test_a_wait_that_is_no_number_of_seconds_is_not_repeated(
    wait: str, server: Script, relore: Callable[..., Outcome]
) -> None:
    server.status, server.headers = 503, {"retry-after": wait}
    server.payload = {"error": "too_slow", "message": "Too slow."}

    assert relore("status").err == "relore: Too slow.\n"


def test_a_verb_that_the_server_does_not_know_is_no_missing_thread(
    server: Script, relore: Callable[..., Outcome]
) -> None:
    server.status, server.headers = 404, {"x-relore-version": "0.0.7"}
    server.payload = {"error": "not_found", "message": "There is no such route."}

    outcome = relore("brief", "92")

    assert outcome.code == 5
    assert "The server is relore 0.0.7" in outcome.err


@pytest.mark.parametrize("flags", [[], ["--json"]], ids=["page", "json"])
def test_a_client_that_is_behind_and_fits_is_told_once_what_it_misses(
    flags: list[str], server: Script, relore: Callable[..., Outcome]
) -> None:
    server.headers = {"x-relore-note": "The client is behind:\x1b[2J it cannot ask for moons."}

    outcome = relore("status", *flags)

    assert outcome.code == 0
    assert "a page" in outcome.out
    assert outcome.err == "relore: The client is behind:[2J it cannot ask for moons.\n"


def test_a_server_that_is_behind_and_fits_is_named_once(
    server: Script, relore: Callable[..., Outcome], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(api, "API", 2)

    outcome = relore("search", "x")

    assert (outcome.code, outcome.out) == (0, "a page\n")
    assert outcome.err.startswith("relore: The server is behind: it speaks API 1 and this client")
    assert len(outcome.err.splitlines()) == 1
    assert len(server.asked) == 1


@pytest.mark.parametrize("flags", [[], ["--json"]], ids=["page", "json"])
def test_a_server_that_is_ahead_and_says_nothing_of_it_is_told_of_all_the_same(
    flags: list[str], server: Script, relore: Callable[..., Outcome]
) -> None:
    server.headers = {"x-relore-api": "99"}

    outcome = relore("status", *flags)

    assert outcome.code == 0
    assert "a page" in outcome.out
    assert outcome.err.startswith("relore: The client is behind: it speaks API 1")
    assert "the server 99" in outcome.err
    assert len(outcome.err.splitlines()) == 1


def test_a_refused_connection_is_told_from_an_empty_index(
    closed_port: str, relore: Callable[..., Outcome]
) -> None:
    outcome = relore("status", "--api", closed_port)

    assert outcome.code == 3
    assert f"{closed_port} refuses the connection" in outcome.err
    assert "relored up" in outcome.err


def test_an_unknown_host_is_named(relore: Callable[..., Outcome]) -> None:
    outcome = relore("status", "--api", "http://nowhere.invalid:9")

    assert outcome.code == 3
    assert "nowhere.invalid" in outcome.err
    assert "nothing about what the index holds" in outcome.err


def test_a_server_that_says_nothing_is_timed_out() -> None:
    with socket.socket() as silent:
        silent.bind(("127.0.0.1", 0))
        silent.listen()
        server = api.Server(f"http://127.0.0.1:{silent.getsockname()[1]}")

        with pytest.raises(failures.TimedOut, match="did not answer in time"):
            api.ask(server, api.Question("/api/v1/status"), limits=api.Limits(silence=0.05))


def test_a_server_that_stops_in_the_middle_is_timed_out_too(server: Script) -> None:
    server.headers = {"content-length": "1000"}

    with pytest.raises((failures.TimedOut, failures.ServerFailed)):
        api.ask(api.Server(server.url), api.Question("/api/v1/status"), limits=api.Limits(silence=0.05))


RELORE_HEAD = b"HTTP/1.1 200 OK\r\nx-relore-api: 1\r\n"


@contextmanager
def speaking(start: bytes, piece: bytes, pause: float = 0.0) -> Iterator[tuple[str, list[int]]]:
    """A server that says ``piece`` again and again until nobody listens; yields its address and how much it said."""
    said, over = [0], Event()

    def speak(listener: socket.socket) -> None:
        connection, _ = listener.accept()
        with connection, suppress(OSError):
            connection.recv(65_536)
            connection.sendall(start)
            while not over.is_set():
                connection.sendall(piece)
                said[0] += len(piece)
                time.sleep(pause)

    with socket.create_server(("127.0.0.1", 0)) as listener:
        thread = Thread(target=speak, args=(listener,))
        thread.start()
        yield f"http://127.0.0.1:{listener.getsockname()[1]}", said
        over.set()
        thread.join()


def test_an_answer_without_end_is_read_up_to_a_bound(relore: Callable[..., Outcome]) -> None:
    megabyte = b"%x\r\n%b\r\n" % (1 << 20, b" " * (1 << 20))
    with speaking(RELORE_HEAD + b"transfer-encoding: chunked\r\n\r\n", megabyte) as (url, said):
        outcome = relore("status", "--api", url)

    assert (outcome.code, outcome.out) == (9, "")
    assert "longer than 32 MB" in outcome.err
    assert said[0] < 64 << 20


def test_what_is_packed_is_bounded_by_what_it_unpacks_to(
    server: Script, relore: Callable[..., Outcome]
) -> None:
    server.headers, server.raw = {"content-encoding": "gzip"}, gzip.compress(b" " * (40 << 20))

    outcome = relore("status")

    assert outcome.code == 9
    assert "longer than 32 MB" in outcome.err


def test_what_is_no_relore_server_is_not_read_at_all(relore: Callable[..., Outcome]) -> None:
    head = b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n"
    with speaking(head, b"%x\r\n%b\r\n" % (1 << 20, b" " * (1 << 20))) as (url, said):
        outcome = relore("status", "--api", url)

    assert outcome.code == 5
    assert said[0] < 32 << 20


@pytest.mark.parametrize(
    ("start", "piece"),
    [
        (RELORE_HEAD + b"transfer-encoding: chunked\r\n\r\n", b"1\r\n \r\n"),
        (RELORE_HEAD + b"content-length: 1000000\r\n\r\n", b" "),
        (RELORE_HEAD + b"x-drip: ", b"x"),
    ],
    ids=["in chunks", "in one", "in a header"],
)
def test_a_server_that_drips_is_given_up_when_the_whole_time_is_over(start: bytes, piece: bytes) -> None:
    """The next bytes always come in time, and the answer never does."""
    with speaking(start, piece, pause=0.02) as (url, said):
        with pytest.raises(failures.TimedOut, match=r"did not answer within 0\.3 s"):
            api.ask(
                api.Server(url),
                api.Question("/api/v1/status"),
                limits=api.Limits(silence=5, whole=0.3),
            )
        assert said[0] > 0


def test_something_else_that_answers_is_no_relore_server(
    server: Script, relore: Callable[..., Outcome]
) -> None:
    server.headers, server.raw = {"x-relore-api": ""}, b"<html>It works!</html>"

    outcome = relore("status")

    assert outcome.code == 5
    assert "is no relore server" in outcome.err
    assert "RELORE_API" in outcome.err


def test_a_proxy_that_fails_is_an_outage(server: Script, relore: Callable[..., Outcome]) -> None:
    server.status, server.headers, server.raw = 502, {"x-relore-api": ""}, b"Bad gateway"

    assert relore("status").code == 9


@pytest.mark.usefixtures("server")
def test_a_server_too_old_for_this_client_is_named_as_behind(
    relore: Callable[..., Outcome], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(api, "OLDEST_SERVER_API", 2)
    monkeypatch.setattr(api, "API", 2)

    outcome = relore("status")

    assert outcome.code == 5
    assert "The server is behind" in outcome.err


@pytest.mark.parametrize(
    "raw",
    [b"{", b"[1]", b'{"a":' * 50_000, b'{"other": 1}', b'{"rendered": null}', b'{"rendered": ""}'],
    ids=["cut off", "a list", "deep", "without a page", "no page", "an empty page"],
)
def test_an_answer_that_holds_no_page_is_a_failure_of_the_server(
    raw: bytes, server: Script, relore: Callable[..., Outcome]
) -> None:
    """An empty line would pass for nothing found."""
    server.raw = raw

    outcome = relore("status")

    assert (outcome.code, outcome.out) == (9, "")
    assert "cannot be read" in outcome.err


def test_json_of_something_else_is_no_answer(server: Script, relore: Callable[..., Outcome]) -> None:
    """A program that reads it would take it for an answer without hits."""
    server.payload = {"ok": True}

    outcome = relore("search", "x", "--json")

    assert (outcome.code, outcome.out) == (9, "")
    assert "cannot be read" in outcome.err


def test_an_answer_too_deep_to_print_is_one_too(server: Script, relore: Callable[..., Outcome]) -> None:
    server.raw = b'{"notice": "Data.", "a":' + b'{"a":' * 900 + b"1" + b"}" * 901

    assert relore("status", "--json").code in {0, 9}


def test_a_version_in_digits_of_another_script_is_no_version(
    server: Script, relore: Callable[..., Outcome]
) -> None:
    server.headers = {"x-relore-api": "\u00b2"}

    assert relore("status").code == 5


def test_a_plain_server_asked_in_tls_is_named_as_such(server: Script, relore: Callable[..., Outcome]) -> None:
    outcome = relore("status", "--api", server.url.replace("http:", "https:"))

    assert outcome.code == 3
    assert f"it is {server.url}" in outcome.err


def test_a_service_that_speaks_something_else_is_told_from_silence(relore: Callable[..., Outcome]) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:

        def greet() -> None:
            connection, _ = listener.accept()
            with connection:
                connection.sendall(b"SSH-2.0-OpenSSH_9.2\r\n")
                connection.recv(65_536)

        thread = Thread(target=greet)
        thread.start()
        outcome = relore("status", "--api", f"http://127.0.0.1:{listener.getsockname()[1]}")
        thread.join()

    assert outcome.code == 5
    assert "but not HTTP" in outcome.err


def test_a_body_that_is_refused_before_it_is_read_is_a_question_too_large(
    server: Script, relore: Callable[..., Outcome]
) -> None:
    server.status, server.headers, server.raw = 413, {"x-relore-api": ""}, b"Request Entity Too Large"

    outcome = relore("search", "x")

    assert outcome.code == 2
    assert "larger than" in outcome.err


def test_an_unknown_parameter_tells_which_versions_met(
    server: Script, relore: Callable[..., Outcome]
) -> None:
    """The server may simply not know it yet: that is worth more than the name alone."""
    server.status, server.headers = 400, {"x-relore-version": "0.0.7"}
    server.payload = {"error": "unknown_parameter", "message": "There is no parameter mentioned."}

    outcome = relore("search", "x", "--mentioned")

    assert outcome.code == 2
    assert "The server is relore 0.0.7" in outcome.err


@pytest.mark.parametrize(
    ("environment", "says"),
    [
        ({}, "no token is set in RELORE_TOKEN or RELORE_API_TOKEN"),
        ({"RELORE_TOKEN": "x"}, "came from RELORE_TOKEN"),
        ({"RELORE_API_TOKEN": "x"}, "came from RELORE_API_TOKEN"),
        ({"RELORE_TOKEN": "x", "RELORE_API_TOKEN": "y"}, "came from RELORE_TOKEN"),
    ],
)
def test_a_refused_token_is_told_by_the_variable_it_came_from(
    environment: dict[str, str],
    says: str,
    server: Script,
    relore: Callable[..., Outcome],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    server.status, server.payload = 401, {"error": "unauthorized", "message": "Not you."}

    outcome = relore("status")

    assert outcome.code == 6
    assert says in outcome.err


@pytest.mark.parametrize(
    "address",
    [
        "ftp://x",
        "localhost:8080",
        "http://",
        "http://u:p@127.0.0.1:1",
        "http://h:99999",
        "http://h/?q=1",
        "http://[::1",
    ],
)
def test_an_address_that_is_none_is_a_usage_error(address: str, relore: Callable[..., Outcome]) -> None:
    outcome = relore("status", "--api", address)

    assert outcome.code == 2
    assert "RELORE_API" in outcome.err


def test_a_token_that_no_header_can_carry_is_a_usage_error(
    server: Script, relore: Callable[..., Outcome], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("RELORE_TOKEN", "geh\u00e9im")

    outcome = relore("status")

    assert (outcome.code, server.asked) == (2, [])
    assert "RELORE_TOKEN" in outcome.err


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_a_token_is_never_carried_to_another_address(
    status: int,
    server: Script,
    start_server: Callable[[], Script],
    relore: Callable[..., Outcome],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    elsewhere = start_server()
    monkeypatch.setenv("RELORE_TOKEN", "s3cret")
    server.status, server.headers = status, {"location": f"{elsewhere.url}/api/v1/status"}

    outcome = relore("status")

    assert elsewhere.asked == []
    assert outcome.code == 5
    assert elsewhere.url in outcome.err


def test_only_the_token_that_was_given_is_sent(
    server: Script, relore: Callable[..., Outcome], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Not what some file in the home folder says about that host."""
    netrc = tmp_path / ".netrc"
    netrc.write_text("machine 127.0.0.1 login me password mine\n", encoding="utf-8")
    netrc.chmod(0o600)
    monkeypatch.setenv("NETRC", str(netrc))

    relore("status")
    monkeypatch.setenv("RELORE_TOKEN", "s3cret\n")
    relore("status")

    assert [asked.headers.get("authorization") for asked in server.asked] == [None, "Bearer s3cret"]


def test_a_proxy_does_not_stand_between_us_and_this_machine(
    server: Script, closed_port: str, relore: Callable[..., Outcome], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HTTP_PROXY", closed_port)
    monkeypatch.setenv("http_proxy", closed_port)

    assert relore("status").code == 0
    assert len(server.asked) == 1


def test_both_versions_are_declared(server: Script, relore: Callable[..., Outcome]) -> None:
    relore("status")

    assert server.asked[0].headers["x-relore-api"] == "1"
    assert server.asked[0].headers["x-relore-client"] == api.client_version()
