"""The search over issues and pull requests: https://docs.github.com/en/rest/search/search."""

from __future__ import annotations

from urllib.parse import urlencode

import pytest
import requests

from fake_github.asker import Asker


@pytest.fixture
def searched(ask: Asker) -> Asker:
    """Four threads of one repository, and one of another."""
    repo = ask.github.world["harbor/tide"]
    repo.issue(1, title="The winch jams", body="In rain.")
    repo.pull(2, title="Grease the winch", body="The winch, the winch.")
    repo.issue(3, title="A halyard", body="")
    repo.comment(3, body="Mind the winch")
    other = ask.github.world.repository("harbor/moor")
    other.issue(1, title="winch")
    return ask


def search(asker: Asker, q: str) -> requests.Response:
    return asker.get(f"{asker.github.url}/search/issues?{urlencode({'q': q})}")


def numbers(asker: Asker, q: str) -> list[int]:
    answer = search(asker, q)
    assert answer.status_code == 200, answer.json()
    return [item["number"] for item in answer.json()["items"]]


def test_every_word_has_to_be_there(searched: Asker) -> None:
    """In title, text or comments, in any case; the best match first, of the repositories named alone."""
    assert numbers(searched, "repo:harbor/tide WINCH") == [2, 3, 1]
    assert numbers(searched, "repo:harbor/tide winch rain") == [1]
    assert numbers(searched, "repo:harbor/tide winch is:issue") == [3, 1]


def test_quotes_hold_words_together_and_a_minus_excludes(searched: Asker) -> None:
    """As do NOT and the word behind it."""
    assert numbers(searched, 'repo:harbor/tide "the winch jams"') == [1]
    assert numbers(searched, "repo:harbor/tide winch -rain") == [2, 3]
    assert numbers(searched, "repo:harbor/tide winch NOT rain") == [2, 3]


def test_thirty_searches_a_minute(searched: Asker) -> None:
    """A quota of its own, which the lists do not touch."""
    replies = [search(searched, "repo:harbor/tide winch") for _ in range(31)]

    assert [reply.status_code for reply in replies] == [200] * 30 + [403]
    assert replies[30].headers["X-RateLimit-Resource"] == "search"
    assert 50 < int(replies[30].headers["X-RateLimit-Reset"]) - searched.github.clock.time() <= 60
    assert searched.get().headers["X-RateLimit-Used"] == "1"
    searched.github.clock.advance(61)
    assert search(searched, "repo:harbor/tide winch").status_code == 200


@pytest.mark.parametrize(
    "q",
    [
        "repo:harbor/tide " + "a" * 257,
        "",
        "repo:harbor/nowhere winch",
        "repo:harbor/tide a OR b OR c OR d OR e OR f OR g",
    ],
    ids=["long", "empty", "elsewhere", "operators"],
)
def test_what_cannot_be_searched_is_422(searched: Asker, q: str) -> None:
    """Longer than 256 characters without its qualifiers, of nothing, of what is not there, more than five operators."""
    assert search(searched, q).status_code == 422
