"""A server pinned to a moment: nothing later is told to anybody, and a request can only narrow it."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

import pytest
from rows import NOW

from relore_serve.search.question import Exclusion
from relore_serve.search.scope import Repo
from relore_serve.web.pin import COUNTS_NOTE, Pin, PinError

if TYPE_CHECKING:
    from collections.abc import Callable

    from flask import Flask
    from flask.testing import FlaskClient
    from rows import History

WIDGETS, GADGETS = Repo(1, "Acme/Widgets"), Repo(2, "acme/gadgets")
PINNED = datetime(2024, 5, 3, tzinfo=UTC)
"""After both threads were opened and before anybody commented on them."""


@pytest.mark.parametrize(
    ("moment", "threads", "says"),
    [
        ("2024-05-01", [], "no time zone"),
        ("2024-05-01T00:00:00", [], "needs a time zone"),
        ("yesterday", [], "is a time such as"),
        (None, ["x"], "thread's number"),
        (None, ["acme/widgets#0"], "thread's number"),
        (None, [str(number) for number in range(1, 502)], "at most 500"),
    ],
)
def test_what_cannot_be_read_is_refused(moment: str | None, threads: list[str], says: str) -> None:
    with pytest.raises(PinError, match=says):
        Pin.parse(moment, threads)


def test_a_bare_number_is_one_of_the_only_repository() -> None:
    pin = Pin.parse(None, ["7", "acme/widgets#7", "#8"]).resolved([WIDGETS])

    assert pin.exclude == (Exclusion(7, "Acme/Widgets"), Exclusion(8, "Acme/Widgets"))


@pytest.mark.parametrize("held", [[], [WIDGETS, GADGETS]], ids=["none", "two"])
def test_a_bare_number_of_no_repository_or_of_several_is_refused(held: list[Repo]) -> None:
    with pytest.raises(PinError, match="owner/name#7"):
        Pin.parse(None, ["7"]).resolved(held)


def test_an_exclusion_that_fits_nothing_is_refused_instead_of_withholding_nothing() -> None:
    with pytest.raises(PinError, match="acme/wigets#7 is of a repository that is not indexed"):
        Pin.parse(None, ["acme/wigets#7"]).resolved([WIDGETS, GADGETS])


def test_an_excluded_thread_that_is_not_held_is_named(history: History) -> None:
    """It may come, or be mistyped: nobody else would ever say so."""
    repo = history.repo("Acme/Widgets")
    history.thread(repo, 7, "Nonce")
    pin = Pin.parse(None, ["7", "acme/widgets#99999"]).resolved([repo])

    assert pin.absent(history.conn) == ("Acme/Widgets#99999",)
    assert Pin().absent(history.conn) == ()


def test_a_request_can_only_narrow_the_cutoff() -> None:
    pin = Pin(PINNED)

    assert pin.earlier(None) == PINNED
    assert pin.earlier(NOW) == PINNED
    assert pin.earlier(PINNED - timedelta(days=1)) == PINNED - timedelta(days=1)
    assert Pin().earlier(NOW) == NOW
    assert Pin().earlier(None) is None


@pytest.fixture
def pinned(widgets: object, start: Callable[..., Flask]) -> FlaskClient:
    """A caller of a server that knows the threads and none of their comments."""
    assert widgets
    return start(pin=Pin(PINNED)).test_client()


def asked(client: FlaskClient, address: str, **body: Any) -> Any:
    answer = client.post(address, json=body) if body else client.get(address)
    assert answer.status_code == 200, answer.get_data(as_text=True)
    return answer.get_json()


@pytest.mark.parametrize("before", ["", "&before=2024-06-01"], ids=["nothing asked", "a later cutoff asked"])
def test_nothing_later_is_told(before: str, pinned: FlaskClient) -> None:
    thread = asked(pinned, f"/api/v1/thread/7?render=true{before}")
    claims = asked(pinned, f"/api/v1/inflight/7?render=true{before}")
    hits = asked(
        pinned, "/api/v1/search", query="nonce", render=True, **({"before": "2024-06-01"} if before else {})
    )

    assert thread["thread"]["comments_total"] == 0
    assert claims["claims_total"] == 0
    assert {hit["source_type"] for hit in hits["hits"]} <= {"title", "body"}
    assert hits["hits"]
    brief = asked(pinned, f"/api/v1/brief/7?render=true{before}")
    similar = asked(pinned, f"/api/v1/similar/7?render=true{before}")
    work = asked(pinned, "/api/v1/precedent", query="nonce", render=True)
    for page in (thread, claims, hits, brief, similar, work):
        assert "as of 2024-05-03T00:00:00Z" in page["rendered"]


def test_an_earlier_cutoff_of_a_request_holds(pinned: FlaskClient) -> None:
    answer = pinned.get("/api/v1/thread/7?before=2024-05-01")

    assert answer.status_code == 404
    assert asked(pinned, "/api/v1/search", query="nonce", before="2024-05-01")["total"] == 0


def test_status_says_what_the_server_is_pinned_to(pinned: FlaskClient, start: Callable[..., Flask]) -> None:
    status = asked(pinned, "/api/v1/status?render=true")

    assert status["pin"] == {"before": "2024-05-03T00:00:00Z", "excluded": 0, "note": COUNTS_NOTE}
    assert "EVALUATION MODE: every page is as of 2024-05-03T00:00:00Z" in status["rendered"]
    assert COUNTS_NOTE in status["rendered"]
    assert asked(start().test_client(), "/api/v1/status")["pin"] is None


@pytest.mark.usefixtures("widgets")
def test_a_thread_withheld_from_everybody_is_on_no_page(start: Callable[..., Flask]) -> None:
    client = start(pin=Pin(exclude=(Exclusion(8, "acme/widgets"),))).test_client()

    for route in ("thread", "brief", "similar"):
        assert client.get(f"/api/v1/{route}/8").status_code == 404
    assert asked(client, "/api/v1/inflight/7")["claims"] == []
    found = asked(client, "/api/v1/search", query="nonce")
    assert {hit["number"] for hit in found["hits"]} == {7}
    assert asked(client, "/api/v1/search", query="nonce", exclude=[7])["total"] == 0
    assert client.get("/api/v1/inflight/8").get_json()["indexed"] is False


@pytest.mark.usefixtures("widgets")
@pytest.mark.parametrize("asking", ["search", "precedent", "status", "home"])
def test_what_the_server_withholds_is_named_nowhere(asking: str, start: Callable[..., Flask]) -> None:
    """A number is enough to look the answer up. What the question withholds is repeated; of more, how many."""
    client = start(
        pin=Pin(exclude=(Exclusion(8, "acme/widgets"), Exclusion(9, "acme/widgets")))
    ).test_client()

    if asking == "home":
        page = client.get("/?q=sextant").get_data(as_text=True)
        assert "Threads withheld: 2." in page
        assert COUNTS_NOTE in page
    elif asking == "status":
        answer = asked(client, "/api/v1/status?render=true")
        page = str(answer["pin"]) + answer["rendered"]
        assert "2 threads withheld from all" in page
    else:
        answer = asked(client, f"/api/v1/{asking}", query="sextant", exclude=[7], render=True)
        page = str(answer)
        assert answer["query"]["exclude"] == ["acme/widgets#7"]
    assert "widgets#8" not in page
    assert "widgets#9" not in page


@pytest.mark.usefixtures("widgets")
@pytest.mark.parametrize("route", ["thread", "inflight", "brief", "similar"])
def test_a_thread_that_the_question_excludes_has_no_page(route: str, start: Callable[..., Flask]) -> None:
    answer = start().test_client().get(f"/api/v1/{route}/7?exclude=7")

    assert answer.status_code == 404
    assert "The question itself excludes acme/widgets#7" in answer.get_json()["message"]


@pytest.mark.usefixtures("widgets")
def test_an_inflight_of_a_withheld_thread_is_that_of_a_number_never_given(
    start: Callable[..., Flask],
) -> None:
    withheld = start(pin=Pin(exclude=(Exclusion(7, "acme/widgets"),))).test_client().get("/api/v1/inflight/7")
    never = start().test_client().get("/api/v1/inflight/70")

    assert {**withheld.get_json(), "number": 0} == {**never.get_json(), "number": 0}


def test_a_window_that_the_pin_closes_is_refused_with_the_pin(pinned: FlaskClient) -> None:
    answer = pinned.post("/api/v1/search", json={"query": "nonce", "since": "2024-05-04"})

    assert (answer.status_code, answer.get_json()["error"]) == (400, "empty_window")
    assert "this server answers as of 2024-05-03T00:00:00Z" in answer.get_json()["message"]


@pytest.mark.usefixtures("widgets")
@pytest.mark.parametrize("route", ["thread", "inflight", "brief", "similar"])
def test_a_page_on_a_thread_names_what_the_question_leaves_out_and_not_what_the_server_does(
    route: str, start: Callable[..., Flask]
) -> None:
    """Such a page would point at the answer that is withheld."""
    client = start(pin=Pin(exclude=(Exclusion(8, "acme/widgets"),))).test_client()

    silent = asked(client, f"/api/v1/{route}/7?render=true")
    told = asked(client, f"/api/v1/{route}/7?render=true&exclude=9")

    assert "#8" not in str(silent)
    assert "left out" not in silent["rendered"]
    assert "left out as asked: acme/widgets#9" in told["rendered"]
    assert told.get("thread", told).get("exclude", told.get("exclude")) == ["acme/widgets#9"]


@pytest.mark.usefixtures("gadgets")
def test_what_is_withheld_of_a_repository_out_of_scope_is_not_named(start: Callable[..., Flask]) -> None:
    pin = Pin(exclude=(Exclusion(7, "acme/gadgets"), Exclusion(8, "acme/widgets")))
    client = start("s3cret:acme/widgets", pin=pin).test_client()
    client.environ_base["HTTP_AUTHORIZATION"] = "Bearer s3cret"

    assert asked(client, "/api/v1/status")["pin"]["excluded"] == 1
    assert "gadgets" not in str(asked(client, "/api/v1/search", query="nonce"))
    assert asked(client, "/api/v1/thread/7")["thread"]["number"] == 7


@pytest.mark.usefixtures("widgets")
def test_more_threads_can_be_withheld_than_one_request_may_name(start: Callable[..., Flask]) -> None:
    pin = Pin(exclude=tuple(Exclusion(number, "acme/widgets") for number in range(100, 600)))

    found = asked(start(pin=pin).test_client(), "/api/v1/search", query="nonce", exclude=list(range(1, 7)))

    assert found["total"] > 0
