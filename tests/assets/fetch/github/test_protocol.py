"""What GitHub meant, told from literal statuses, headers and bytes."""

from __future__ import annotations

import pytest

from relore_assets.fetch.github import addresses, errors
from relore_assets.fetch.github.protocol import (
    Limited,
    NotModified,
    Ok,
    Quota,
    Redirect,
    Refused,
    Reply,
    Retry,
    backoff,
    judge,
    next_link,
    quota_of,
    read_graphql,
    secondary_wait,
)

NOW = 1_700_000_000.0
GITHUB = addresses.base("https://api.github.com")

SECONDARY = (
    b'{"documentation_url": "https://docs.github.com/free-pro-team@latest/rest/overview/rate-limits-for-the-rest-'
    b'api#about-secondary-rate-limits", "message": "You have exceeded a secondary rate limit. Please wait a few '
    b'minutes before you try again."}'
)
PRIMARY = b'{"message": "API rate limit exceeded for user ID 583231.", "documentation_url": "https://docs.github.com"}'
SPENT = {"x-ratelimit-limit": "5000", "x-ratelimit-remaining": "0", "x-ratelimit-reset": "1700000900"}


def verdict(status: int, body: bytes = b"", path: str = "/repos/octo/kit/issues", **headers: str) -> object:
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return judge(Reply(status, named, body), path=path, now=NOW)


def refusal(
    status: int, body: bytes = b"", path: str = "/repos/octo/kit/issues", **headers: str
) -> Exception:
    said = verdict(status, body, path, **headers)
    assert isinstance(said, Refused)
    return said.error


def test_a_good_answer_is_its_data() -> None:
    assert verdict(200, b'[{"number": 1}]') == Ok([{"number": 1}])
    assert verdict(201, b'{"token": "x"}') == Ok({"token": "x"})
    assert verdict(204) == Ok(None)


def test_an_unchanged_answer_has_no_body() -> None:
    assert verdict(304) == NotModified()


def test_half_a_surrogate_pair_is_data_too() -> None:
    """GitHub has stored such titles; they are replaced where everything is cleaned, not lost here."""
    assert verdict(200, b'{"title": "\\ud83d"}') == Ok({"title": "\ud83d"})


def test_a_body_cut_where_nobody_noticed_is_a_failure_of_the_way() -> None:
    assert verdict(200, b'[{"number": 1}, {"num') == Retry("unreadable body")
    assert verdict(200, b"") == Retry("unreadable body")


@pytest.mark.parametrize("status", [403, 429])
@pytest.mark.parametrize(
    "body",
    [
        SECONDARY,
        b'{"message": "You have exceeded a secondary rate limit."}',
        b'{"message": "You have triggered an abuse detection mechanism. Please wait a few minutes."}',
        b"<html>You have exceeded a secondary rate limit</html>",
    ],
    ids=["with link", "words", "old words", "html"],
)
def test_a_secondary_limit_is_known_by_its_words_alone(status: int, body: bytes) -> None:
    assert verdict(status, body) == Limited("secondary", None)


def test_a_429_without_a_word_is_a_limit() -> None:
    assert verdict(429) == Limited("secondary", None)


def test_a_secondary_limit_does_not_wait_for_the_hourly_quota() -> None:
    assert verdict(403, SECONDARY, **{**SPENT, "x-ratelimit-remaining": "4000"}) == Limited("secondary", None)


def test_a_named_wait_is_obeyed_in_seconds_and_as_a_date() -> None:
    assert verdict(403, SECONDARY, retry_after="30") == Limited("secondary", 30.0)
    assert verdict(
        429, date="Tue, 14 Nov 2023 12:00:00 GMT", retry_after="Tue, 14 Nov 2023 12:01:30 GMT"
    ) == Limited("secondary", 90.0)
    assert verdict(403, b'{"message": "slow down"}', retry_after="7") == Limited("secondary", 7.0)
    assert verdict(503, retry_after="20") == Retry("503", 20.0)


@pytest.mark.parametrize("status", [403, 429])
@pytest.mark.parametrize("body", [PRIMARY, b"", b'{"message": "Forbidden"}'], ids=["words", "empty", "other"])
def test_a_used_up_quota_is_told_from_a_missing_right(status: int, body: bytes) -> None:
    assert verdict(status, body, **SPENT) == Limited("quota", 900.0)


def test_a_quota_is_told_by_words_where_headers_are_missing() -> None:
    assert verdict(403, PRIMARY) == Limited("quota", None)


def test_a_missing_right_asked_for_with_the_last_request_of_the_hour_is_still_a_missing_right() -> None:
    said = refusal(403, b'{"message": "Must have push access to view collaborator permission."}', **SPENT)
    assert isinstance(said, errors.Forbidden)


@pytest.mark.parametrize("status", [500, 502, 503, 504])
def test_failures_of_github_are_worth_another_attempt(status: int) -> None:
    """Those that look like too much work say so, and asking for less may help."""
    assert verdict(status, b"<html>") == Retry(str(status), heavy=status in {502, 504})


def test_a_redirect_says_where_to_and_whether_for_good() -> None:
    assert verdict(301, b"{}", location="https://api.github.com/repositories/1") == Redirect(
        "https://api.github.com/repositories/1", permanent=True
    )
    assert verdict(302, location="/x") == Redirect("/x", permanent=False)
    assert verdict(307, location="/x") == Redirect("/x", permanent=False)
    assert verdict(308, location="/x") == Redirect("/x", permanent=True)
    assert verdict(302) == Retry("302 without an address")


@pytest.mark.parametrize(
    ("status", "body", "kind", "sentence"),
    [
        (
            401,
            b'{"message": "Bad credentials"}',
            errors.BadToken,
            "GitHub does not accept the token: Bad credentials",
        ),
        (404, b'{"message": "Not Found"}', errors.NotFound, "or the token may not see it"),
        (
            410,
            b'{"message": "Issues has been disabled in this repository."}',
            errors.Gone,
            "issues are disabled",
        ),
        (410, b'{"message": "This issue was deleted"}', errors.Gone, "it has been deleted"),
        (451, b'{"message": "Repository access blocked"}', errors.Blocked, "for legal reasons"),
        (422, b'{"message": "Validation Failed"}', errors.Rejected, "with 422: Validation Failed"),
        (400, b"not JSON", errors.Rejected, "with 400: not JSON"),
    ],
    ids=["401", "404", "410 disabled", "410 deleted", "451", "422", "400"],
)
def test_a_refusal_has_its_class_and_a_sentence(
    status: int, body: bytes, kind: type[Exception], sentence: str
) -> None:
    said = refusal(status, body)
    assert type(said) is kind
    assert sentence in str(said)


def test_nothing_that_a_terminal_would_obey_is_repeated() -> None:
    said = refusal(422, b'{"message": "Validation\\u001b[2J Failed\\u009b31m\\nnow\\u202e"}')
    assert str(said).endswith("with 422: Validation[2J Failed31m now")
    told = read_graphql({"errors": [{"message": "no\x1b]0;x\x07 such\nfield"}]})
    assert told.problems[0].message == "no]0;x such field"


def test_disabled_issues_are_not_a_deleted_issue() -> None:
    disabled = refusal(410, b'{"message": "Issues are disabled for this repo"}')
    deleted = refusal(410, b'{"message": "This issue was deleted"}', "/repos/octo/kit/issues/7")
    assert isinstance(disabled, errors.Gone)
    assert isinstance(deleted, errors.Gone)
    assert (disabled.disabled, deleted.disabled) == (True, False)


@pytest.mark.parametrize(
    "message",
    [
        "In order to keep the API fast for everyone, pagination is limited for this resource.",
        "Pagination with the page parameter is not supported for large datasets, please use cursor based pagination",
        "Only the first 1000 search results are available",
    ],
)
def test_the_end_of_paging_is_not_the_end_of_the_list(message: str) -> None:
    said = refusal(422, f'{{"message": "{message}"}}'.encode())
    assert isinstance(said, errors.CapReached)


@pytest.mark.parametrize(
    ("path", "headers", "right"),
    [
        (
            "/repos/octo/kit/pulls",
            {"x_accepted_github_permissions": "pull_requests=read"},
            "pull_requests=read",
        ),
        ("/repos/octo/kit/pulls/7/files", {}, "pull_requests=read"),
        ("/repos/octo/kit/issues", {}, "issues=read"),
        ("/repos/octo/kit/issues/comments", {}, "issues=read"),
        ("/repos/octo/kit", {}, "metadata=read"),
        (
            "/repos/octo/kit/issues",
            {"x_accepted_oauth_scopes": "repo", "x_oauth_scopes": "gist"},
            "the scope repo",
        ),
        (
            "/repos/octo/kit/issues",
            {"x_accepted_oauth_scopes": "repo", "x_oauth_scopes": "repo"},
            "issues=read",
        ),
    ],
)
def test_a_missing_right_is_named(path: str, headers: dict[str, str], right: str) -> None:
    said = refusal(403, b'{"message": "Resource not accessible by personal access token"}', path, **headers)
    assert isinstance(said, errors.Forbidden)
    assert said.right == right
    assert f"lacks {right}" in str(said)


def test_a_token_that_is_not_accepted_may_just_have_run_out() -> None:
    said = verdict(401, b'{"message": "Bad credentials"}')
    assert isinstance(said, Refused)
    assert said.stale_token


def test_a_quota_is_read_off_any_answer() -> None:
    headers = {
        "x-ratelimit-limit": "30",
        "x-ratelimit-remaining": "29",
        "x-ratelimit-reset": "1700000060",
        "x-ratelimit-resource": "search",
    }
    assert quota_of(headers, NOW) == Quota("search", 30, 29, NOW + 60)


def test_a_quota_resets_by_our_clock_whatever_githubs_says() -> None:
    """Our clock is ten minutes slow: the reset is a minute off by GitHub's and so it is by ours."""
    headers = {**SPENT, "x-ratelimit-reset": "1700000660", "date": "Tue, 14 Nov 2023 22:23:20 GMT"}
    told = quota_of(headers, NOW)
    assert told is not None
    assert told.resets_at == NOW + 60


@pytest.mark.parametrize("headers", [{}, {**SPENT, "x-ratelimit-remaining": "many"}])
def test_headers_that_tell_of_no_quota_tell_none(headers: dict[str, str]) -> None:
    assert quota_of(headers, NOW) is None


def test_attempts_are_spaced_ever_wider_and_at_most_a_minute() -> None:
    assert [backoff(attempt, 0.0) for attempt in (1, 2, 3, 4, 5, 6, 50)] == [2, 4, 8, 16, 32, 60, 60]
    assert backoff(3, 1.0) == 4


def test_secondary_limits_in_a_row_keep_us_away_ever_longer() -> None:
    assert [secondary_wait(times) for times in (1, 2, 3, 4, 5, 60)] == [60, 120, 240, 480, 900, 900]


@pytest.mark.parametrize(
    ("link", "expected"),
    [
        (
            (
                '<https://api.github.com/repositories/1/issues?state=all&page=2>; rel="next", '
                '<https://api.github.com/repositories/1/issues?state=all&page=9>; rel="last"'
            ),
            "https://api.github.com/repositories/1/issues?state=all&page=2",
        ),
        (
            '<https://api.github.com/x?page=1>; rel="prev", <https://api.github.com/x?after=Y3Vyc29y%3D>; rel="next"',
            "https://api.github.com/x?after=Y3Vyc29y%3D",
        ),
        ("<https://api.github.com/x?a=1,2;3>; rel=next", "https://api.github.com/x?a=1,2;3"),
        ('<https://api.github.com/x>; title="y"; rel="first next"', "https://api.github.com/x"),
        ("</repositories/1/issues?page=2>; rel=next", "https://api.github.com/repositories/1/issues?page=2"),
        ('<https://api.github.com/x?page=1>; rel="prev"', None),
        ("", None),
        ("nonsense", None),
    ],
    ids=["pages", "cursor", "commas", "several relations", "relative", "last page", "none", "nonsense"],
)
def test_the_next_page_is_githubs_own_link_word_for_word(link: str, expected: str | None) -> None:
    assert next_link({"link": link}, GITHUB) == expected


@pytest.mark.parametrize(
    "url",
    [
        "https://elsewhere.example/x?page=2",
        "http://api.github.com/x?page=2",
        "https://api.github.com:8443/x",
        "https://api.github.com.elsewhere.example/x",
        "https://api.github.com@elsewhere.example/x",
        "https://somebody:else@api.github.com/x",
        "https://elsewhere.example\\@api.github.com/x",
        "//elsewhere.example/x",
        "https://api.github.com:port/x",
        "https://[api.github.com/x",
        "https://api.github.com/x y",
        "ext::sh",
    ],
)
def test_a_link_to_another_origin_stops_the_walk(url: str) -> None:
    with pytest.raises(errors.ForeignOrigin):
        next_link({"link": f'<{url}>; rel="next"'}, GITHUB)


def test_a_graphql_answer_is_data_and_points() -> None:
    told = read_graphql({"data": {"rateLimit": {"cost": 3}, "repository": None}})
    assert (told.data, told.points, told.problems) == ({"rateLimit": {"cost": 3}, "repository": None}, 3, ())


@pytest.mark.parametrize(
    ("body", "heavy"),
    [
        ({"data": None, "errors": [{"message": "Something went wrong while executing your query."}]}, True),
        ({"errors": [{"type": "RESOURCE_LIMITS_EXCEEDED", "message": "no"}], "data": {"a": 1}}, True),
        ({"errors": [{"message": "Field 'x' doesn't exist", "path": ["a", 0]}]}, False),
        ({"data": None}, False),
        ({}, False),
        ({"errors": ["words"]}, False),
        ([], True),
        (None, True),
    ],
)
def test_errors_with_status_200_are_errors(body: object, *, heavy: bool) -> None:
    told = read_graphql(body)
    assert told.problems
    assert told.heavy is heavy


@pytest.mark.parametrize(
    ("error", "kind"),
    [
        ({"type": "RATE_LIMITED", "message": "API rate limit exceeded for user ID 1."}, "quota"),
        ({"message": "API rate limit exceeded"}, "quota"),
        ({"message": "You have exceeded a secondary rate limit."}, "secondary"),
    ],
)
def test_graphql_tells_of_limits_with_status_200(error: dict[str, str], kind: str) -> None:
    told = read_graphql({"errors": [error]})
    assert told.limited is not None
    assert told.limited.kind == kind
