"""Quotas and conditional requests: https://docs.github.com/en/rest/using-the-rest-api."""

from __future__ import annotations

from fake_github.asker import Asker


def test_every_answer_tells_the_quota(ask: Asker) -> None:
    """https://docs.github.com/en/rest/using-the-rest-api/rate-limits-for-the-rest-api names the headers."""
    headers = [ask.get(path).headers for path in ("", "/issues/9")]
    assert [one["X-RateLimit-Remaining"] for one in headers] == ["4999", "4998"]
    assert {key: headers[1][f"X-RateLimit-{key}"] for key in ("Limit", "Used", "Resource")} == {
        "Limit": "5000",
        "Used": "2",
        "Resource": "core",
    }
    assert 3_590 < int(headers[1]["X-RateLimit-Reset"]) - ask.github.clock.time() <= 3_600


def test_who_has_used_it_up_is_403_until_the_reset(ask: Asker) -> None:
    """«You will receive a 403 or 429 response, and the x-ratelimit-remaining header will be 0»."""
    ask.github.limits.core = 2
    replies = [ask.get() for _ in range(3)]
    assert [one.status_code for one in replies] == [200, 200, 403]
    assert "rate limit exceeded" in replies[2].json()["message"]
    assert replies[2].headers["X-RateLimit-Remaining"] == "0"
    assert "Retry-After" not in replies[2].headers
    ask.github.clock.advance(int(replies[2].headers["X-RateLimit-Reset"]) - ask.github.clock.time())
    assert ask.get().status_code == 200


def test_each_token_has_a_quota_and_nobody_has_60(ask: Asker) -> None:
    """«The primary rate limit for unauthenticated requests is 60 requests per hour»."""
    ask.github.add_token("other")
    ask.get()
    assert ask.get(token="other").headers["X-RateLimit-Remaining"] == "4999"
    assert ask.get(token=None).headers["X-RateLimit-Limit"] == "60"


def test_asking_for_the_quota_costs_none(ask: Asker) -> None:
    """«Accessing this endpoint does not count against your REST API rate limit».

    https://docs.github.com/en/rest/rate-limit/rate-limit
    """
    ask.get()
    shown = ask.get(f"{ask.github.url}/rate_limit").json()
    assert shown["resources"]["core"]["used"] == shown["rate"]["used"] == ask.github.used() == 1


def test_what_has_not_changed_is_304_and_free(ask: Asker) -> None:
    """«Making a conditional request does not count against your primary rate limit if a 304 … is returned».

    https://docs.github.com/en/rest/using-the-rest-api/best-practices-for-using-the-rest-api
    """
    repo = ask.github.world["harbor/tide"]
    repo.issue(1)
    tag = ask.get("/issues").headers["ETag"]
    again = ask.get("/issues", If_None_Match=tag)
    assert (again.status_code, again.content, again.headers["X-RateLimit-Used"]) == (304, b"", "1")
    repo.comment(1)
    changed = ask.get("/issues", If_None_Match=tag)
    assert (changed.status_code, changed.headers["ETag"] != tag, ask.github.used()) == (200, True, 2)
    assert [entry.cost for entry in ask.github.log] == [1, 0, 1]


def test_a_304_is_free_for_who_has_a_token_only(ask: Asker) -> None:
    """«… and the request was made while correctly authorized with an Authorization header»."""
    tag = ask.get("", token=None).headers["ETag"]
    ask.get("", token=None, If_None_Match=tag)
    assert [(entry.status, entry.cost) for entry in ask.github.log] == [(200, 1), (304, 1)]


def test_a_304_needs_some_quota_left(ask: Asker) -> None:
    """Who has none left is refused, even what has not changed."""
    ask.github.limits.core = 1
    tag = ask.get().headers["ETag"]
    assert ask.get("", If_None_Match=tag).status_code == 403


def test_a_page_that_gains_a_next_one_has_changed(ask: Asker) -> None:
    """The links of a page are part of what its ETag stands for."""
    repo = ask.github.world["harbor/tide"]
    repo.issue(1)
    path = "/issues?per_page=1&direction=asc"
    tag = ask.get(path).headers["ETag"]
    repo.issue(2)
    assert ask.get(path, If_None_Match=tag).status_code == 200


def test_single_objects_tell_when_they_last_changed(ask: Asker) -> None:
    """«If-Modified-Since» with the Last-Modified of before is 304."""
    repo = ask.github.world["harbor/tide"]
    repo.issue(1, updated_at="2024-01-02T00:00:00Z")
    stamp = ask.get("/issues/1").headers["Last-Modified"]
    assert stamp == "Tue, 02 Jan 2024 00:00:00 GMT"
    assert ask.get("/issues/1", If_Modified_Since=stamp).status_code == 304
    repo.comment(1)
    assert ask.get("/issues/1", If_Modified_Since=stamp).status_code == 200
