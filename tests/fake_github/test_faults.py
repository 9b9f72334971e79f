"""Trouble that a test asks for."""

from __future__ import annotations

import threading

import pytest
import requests

from fake_github import FakeGitHub
from fake_github.asker import Asker


def statuses(ask: Asker, path: str, count: int) -> list[int]:
    return [ask.get(path).status_code for _ in range(count)]


def test_a_fault_meets_what_it_matches_so_many_times(ask: Asker) -> None:
    """The first ``after`` matching requests are spared, the next ``times`` are met."""
    fault = ask.github.fault(r"GET .*/issues\b", status=502, after=1, times=2)
    assert statuses(ask, "/pulls", 2) == [200, 200]
    assert statuses(ask, "/issues", 4) == [200, 502, 502, 200]
    assert fault.hits == 2
    assert [entry.fault for entry in ask.github.log.of(status=502)] == ["status", "status"]


def test_a_fault_may_last_until_it_is_cleared(ask: Asker) -> None:
    ask.github.fault(status=500, times=None)
    assert statuses(ask, "", 3) == [500, 500, 500]
    ask.github.clear_faults()
    assert statuses(ask, "", 1) == [200]


def test_a_fault_may_go_by_the_page_size(ask: Asker) -> None:
    """As GitHub cannot always build a page of 100 line comments."""
    ask.github.fault(
        "/pulls/comments", when=lambda entry: int(entry.query["per_page"]) > 50, status=504, times=None
    )
    assert statuses(ask, "/pulls/comments?per_page=100", 1) == [504]
    assert statuses(ask, "/pulls/comments?per_page=50", 1) == [200]


def test_a_fault_may_strike_by_chance_and_repeatably(ask: Asker) -> None:
    ask.github.fault(status=502, times=None, rate=0.5, seed=3)
    first = statuses(ask, "", 20)
    ask.github.clear_faults()
    ask.github.fault(status=502, times=None, rate=0.5, seed=3)
    assert first == statuses(ask, "", 20)
    assert set(first) == {200, 502}


@pytest.mark.parametrize("status", [None, 429])
def test_a_secondary_limit_is_403_or_429_and_may_have_words_alone(status: int | None, ask: Asker) -> None:
    """«A 403 or 429 response and an error message that indicates that you exceeded a secondary rate limit».

    https://docs.github.com/en/rest/using-the-rest-api/rate-limits-for-the-rest-api#about-secondary-rate-limits
    """
    ask.github.fault(secondary=True, status=status, headers={"Retry-After": "60"})
    ask.github.fault(secondary=True, status=status)
    told, untold = ask.get(), ask.get()
    assert told.status_code == untold.status_code == (status or 403)
    assert "secondary rate limit" in untold.json()["message"]
    assert (told.headers["Retry-After"], "Retry-After" in untold.headers) == ("60", False)
    assert not [name for name in untold.headers if name.lower().startswith("x-ratelimit")]


def test_a_connection_may_end_in_the_middle_of_the_body(ask: Asker) -> None:
    """The length that was promised does not come."""
    ask.github.fault(drop=True)
    with pytest.raises(requests.exceptions.ChunkedEncodingError):
        ask.get()
    assert statuses(ask, "", 1) == [200]


def test_a_body_may_be_no_json(ask: Asker) -> None:
    ask.github.fault(body=b'{"tru')
    reply = ask.get()
    assert (reply.status_code, reply.content) == (200, b'{"tru')


def test_headers_of_a_true_answer_may_lie(ask: Asker) -> None:
    """A Link to another host, for instance."""
    ask.github.fault("/issues", headers={"Link": '<https://elsewhere.invalid/x>; rel="next"'})
    reply = ask.get("/issues")
    assert (reply.status_code, reply.links["next"]["url"]) == (200, "https://elsewhere.invalid/x")


def test_a_true_answer_may_be_altered(ask: Asker) -> None:
    """GraphQL that comes back in part, with an error entry and status 200."""
    errors = [{"message": "Something went wrong while executing your query."}]
    ask.github.fault("graphql\nquery Deep", alter=lambda body: body | {"data": None, "errors": errors})
    headers = {"Authorization": f"Bearer {ask.github.token}"}
    sent = [{"query": f"query {name} {{ rateLimit {{ cost }} }}"} for name in ("Flat", "Deep")]
    replies = [
        requests.post(f"{ask.github.url}/graphql", json=one, headers=headers, timeout=60).json()
        for one in sent
    ]
    assert replies == [{"data": {"rateLimit": {"cost": 1}}}, {"data": None, "errors": errors}]


def test_an_answer_may_never_come(ask: Asker) -> None:
    """A client without a time limit would wait until the server stops."""
    ask.github.fault(hang=True)
    with pytest.raises(requests.exceptions.ReadTimeout):
        requests.get(f"{ask.github.url}/rate_limit", timeout=0.2)


def test_a_hanging_answer_ends_with_the_server() -> None:
    """The end of a test is not held up by what hangs in it."""
    seen: list[type[BaseException]] = []
    asked = threading.Event()

    def wait(url: str) -> None:
        try:
            requests.get(url, timeout=60)
        except requests.exceptions.ConnectionError as error:
            seen.append(type(error))

    with FakeGitHub() as github:
        github.fault(hang=True, when=lambda _: asked.set() is None)
        client = threading.Thread(target=wait, args=(f"{github.url}/rate_limit",))
        client.start()
        asked.wait()
    client.join()
    assert seen == [requests.exceptions.ConnectionError]


def test_an_answer_may_come_late(ask: Asker) -> None:
    ask.github.fault(delay=0.3)
    with pytest.raises(requests.exceptions.ReadTimeout):
        requests.get(f"{ask.github.url}/rate_limit", timeout=0.1)
    assert statuses(ask, "", 1) == [200]


def test_a_mistake_in_a_world_shows_when_the_server_stops() -> None:
    """And not as trouble of GitHub's alone, which a client would patiently try again."""
    with pytest.raises(KeyError), FakeGitHub() as github:  # noqa: PT012 - leaving the block is what raises
        repo = github.world.repository("harbor/tide")
        repo.issue(1)
        repo.event(1, "cross-referenced", source=404)
        url = f"{github.url}/repos/harbor/tide/issues/1/timeline"
        assert (
            requests.get(url, headers={"Authorization": f"Bearer {github.token}"}, timeout=60).status_code
            == 501
        )


def test_the_clock_sleeps_without_time_passing(github: FakeGitHub) -> None:
    """A client that is handed the clock waits an hour at once."""
    before = github.clock.time()
    github.clock.sleep(3_600)
    assert 3_600 <= github.clock.time() - before < 3_660
    assert github.clock.slept == [3_600]
