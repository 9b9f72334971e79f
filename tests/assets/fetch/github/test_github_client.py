"""The client against a server on loopback that misbehaves as GitHub and the way to it do."""

from __future__ import annotations

import json
import traceback
from collections.abc import Callable
from itertools import count

import pytest
from scripted_server import Asked, Clock, Say, in_turn
from talking import SHORT, Start, Talk

from relore_assets.fetch.github import errors
from relore_assets.fetch.github.addresses import base
from relore_assets.fetch.github.client import GitHub
from relore_assets.fetch.github.tokens import PersonalToken

ISSUES = "/repos/octo/kit/issues"
TWO = [{"number": 1}, {"number": 2}]
SECONDARY = {
    "message": "You have exceeded a secondary rate limit. Please wait a few minutes before you try again."
}
PRIMARY = {"message": "API rate limit exceeded for user ID 583231."}


def spent(clock: Clock, seconds: float = 900, **others: str) -> dict[str, str]:
    return {
        "X-RateLimit-Limit": "5000",
        "X-RateLimit-Remaining": "0",
        "X-RateLimit-Reset": str(int(clock.now() + seconds)),
        "X-RateLimit-Resource": "core",
        **others,
    }


def listing(
    total: int, *, cursors: bool = False, refuses: Callable[[Asked], Say | None] | None = None
) -> Callable[[Asked], Say]:
    """Serve a list of ``total`` numbers as GitHub does, with links by the repository's number."""

    def answer(asked: Asked) -> Say:
        refusal = refuses(asked) if refuses else None
        if refusal is not None:
            return refusal
        size, page = int(asked.query["per_page"]), int(asked.query.get("page", "1"))
        start = int(asked.query.get("after", (page - 1) * size))
        stop = min(start + size, total)
        origin = f"http://{asked.headers['host']}/repositories/1/issues"
        links = []
        if stop < total:
            where = f"after={stop}&page={page + 1}" if cursors else f"page={page + 1}"
            links.append(f'<{origin}?per_page={size}&{where}&state=all>; rel="next"')
            if not cursors:
                links.append(f'<{origin}?per_page={size}&page={-(-total // size)}>; rel="last"')
        return Say(
            [{"number": n} for n in range(start, stop)],
            headers={"Link": ", ".join(links), "ETag": f'"{start}"'},
        )

    return answer


def numbers(talk: Talk, **how: object) -> list[int]:
    return [
        item["number"] for page in talk.github.pages(ISSUES, {"state": "all"}, **how) for item in page.items
    ]


# -- asking ----------------------------------------------------------------------------------------------------


def test_a_request_says_who_asks_in_which_form_and_with_which_token(talk: Start) -> None:
    said = talk(in_turn(Say({"id": 1})))
    answer = said.github.get("/repos/octo/kit", {"since": "2024-01-01T00:00:00Z", "page": 2})
    assert answer.body == {"id": 1}
    asked = said.asked[0]
    assert asked.target == "/repos/octo/kit?since=2024-01-01T00%3A00%3A00Z&page=2"
    assert asked.bearer == "secret-token"
    assert asked.headers["accept"] == "application/vnd.github+json"
    assert asked.headers["x-github-api-version"] == "2022-11-28"
    assert asked.headers["user-agent"].startswith("relore/")
    assert "gzip" in asked.headers["accept-encoding"]


def test_a_password_file_does_not_replace_the_token(
    talk: Start, tmp_path: object, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The HTTP library would rather use what it finds in ~/.netrc."""
    netrc = f"{tmp_path}/netrc"
    with open(netrc, "w", encoding="utf-8") as file:  # noqa: PTH123
        file.write("default login somebody password else\n")
    monkeypatch.setenv("NETRC", netrc)
    said = talk(in_turn(Say({})))
    said.github.get("/repos/octo/kit")
    assert said.asked[0].bearer == "secret-token"


def test_an_unchanged_thing_is_told_by_its_etag(talk: Start) -> None:
    said = talk(in_turn(Say({"id": 1}, headers={"ETag": 'W/"abc"'}), Say(status=304)))
    first = said.github.get("/repos/octo/kit")
    second = said.github.get("/repos/octo/kit", etag=first.etag)
    assert (first.etag, first.not_modified) == ('W/"abc"', False)
    assert (second.status, second.body, second.not_modified) == (304, None, True)
    assert said.asked[1].headers["if-none-match"] == 'W/"abc"'
    assert said.github.activity.counts.not_modified == 1


def test_requests_are_counted_by_endpoint_with_every_attempt(talk: Start) -> None:
    said = talk(in_turn(Say(status=500), Say({})))
    said.github.get("/repos/octo/kit/issues/7")
    assert said.github.activity.counts.requests == {"issues/N": 2}
    assert said.github.activity.counts.retries == {"500": 1}


# -- lists -----------------------------------------------------------------------------------------------------


def test_an_empty_list_is_one_page_without_items(talk: Start) -> None:
    said = talk(in_turn(Say([])))
    (page,) = said.github.pages(ISSUES)
    assert (page.items, page.number, page.last) == ([], 1, True)


@pytest.mark.parametrize("cursors", [False, True], ids=["pages", "cursors"])
def test_a_list_is_walked_by_githubs_own_links(talk: Start, *, cursors: bool) -> None:
    said = talk(listing(250, cursors=cursors))
    assert numbers(said) == list(range(250))
    assert [asked.path for asked in said.asked] == [ISSUES, *["/repositories/1/issues"] * 2]
    assert ["after" in asked.query for asked in said.asked] == [False, cursors, cursors]


def test_a_page_tells_its_place_and_how_many_there_are(talk: Start) -> None:
    said = talk(listing(250))
    told = [(p.number, p.per_page, p.last, p.stated_pages, p.etag) for p in said.github.pages(ISSUES)]
    assert told == [(1, 100, False, 3, '"0"'), (2, 100, False, 3, '"100"'), (3, 100, True, None, '"200"')]


def test_an_unchanged_list_has_no_pages_at_all(talk: Start) -> None:
    said = talk(in_turn(Say(status=304)))
    assert list(said.github.pages(ISSUES, etag='"x"')) == []
    assert said.asked[0].headers["if-none-match"] == '"x"'


def test_only_the_first_page_is_asked_for_conditionally(talk: Start) -> None:
    said = talk(listing(150))
    assert len(list(said.github.pages(ISSUES, etag='"x"'))) == 2
    assert "if-none-match" not in said.asked[1].headers


def test_a_cap_surfaces_after_the_pages_before_it(talk: Start) -> None:
    capped = Say({"message": "pagination is limited for this resource."}, status=422)
    said = talk(listing(400, refuses=lambda asked: capped if asked.query.get("page") == "3" else None))
    walk = said.github.pages(ISSUES)
    got = [item["number"] for page in (next(walk), next(walk)) for item in page.items]
    assert got == list(range(200))
    with pytest.raises(errors.CapReached):
        next(walk)


def test_a_search_is_a_list_too(talk: Start) -> None:
    said = talk(in_turn(Say({"total_count": 2, "items": TWO})))
    assert [page.items for page in said.github.pages("/search/issues", {"q": "x"})] == [TWO]


def test_an_answer_that_is_no_list_is_not_taken_for_an_empty_one(talk: Start) -> None:
    said = talk(in_turn(Say({"message": "all is well"})))
    with pytest.raises(errors.Unavailable, match="something else"):
        list(said.github.pages(ISSUES))


@pytest.mark.parametrize("cursors", [False, True], ids=["pages", "cursors"])
@pytest.mark.parametrize("status", [502, 504])
def test_a_page_that_github_cannot_build_is_taken_in_smaller_pieces(
    talk: Start, status: int, *, cursors: bool
) -> None:
    """No item is lost or told twice, and the size grows again behind the bad spot."""

    def heavy(asked: Asked) -> Say | None:
        size = int(asked.query["per_page"])
        start = int(asked.query.get("after", (int(asked.query.get("page", "1")) - 1) * size))
        return Say(b"<html>", status=status) if size > 10 and start <= 237 < start + size else None

    said = talk(listing(1000, cursors=cursors, refuses=heavy))
    pages = list(said.github.pages(ISSUES))
    assert [item["number"] for page in pages for item in page.items] == list(range(1000))
    assert [page.number for page in pages] == list(range(1, len(pages) + 1))
    sizes = [page.per_page for page in pages]
    assert (sizes[0], min(sizes), sizes[-1]) == (100, 10, 100)
    assert len(said.asked) < 35


def test_a_page_whose_pieces_do_not_fit_is_cut_so_that_nothing_is_told_twice(talk: Start) -> None:
    """From 25 a page to 10 the next item is in the middle of a page."""

    def heavy(asked: Asked) -> Say | None:
        size, page = int(asked.query["per_page"]), int(asked.query.get("page", "1"))
        return Say(status=502) if size > 10 and page * size > 25 else None

    said = talk(listing(60, refuses=heavy))
    assert numbers(said, per_page=25) == list(range(60))


def test_one_bad_moment_does_not_shrink_a_page(talk: Start) -> None:
    moments = iter([Say(status=502), Say(status=504)])
    said = talk(listing(100, refuses=lambda _: next(moments, None)))
    assert [page.per_page for page in said.github.pages(ISSUES)] == [100]
    assert [asked.query["per_page"] for asked in said.asked] == ["100", "100", "100"]


def test_a_page_that_cannot_be_built_at_any_size_is_an_outage(talk: Start) -> None:
    said = talk(in_turn(Say(status=502)))
    with pytest.raises(errors.Unavailable):
        list(said.github.pages(ISSUES))
    sizes = [asked.query["per_page"] for asked in said.asked]
    assert sizes == ["100"] * 3 + ["50"] * 3 + ["25"] * 3 + ["10"] * 6


# -- limits ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("status", [403, 429])
def test_a_bare_secondary_limit_is_waited_out_and_the_same_page_asked_for_again(
    talk: Start, status: int
) -> None:
    said = talk(in_turn(Say(SECONDARY, status=status), Say(TWO)))
    assert numbers(said) == [1, 2]
    assert said.clock.slept == [60]
    assert said.asked[0].target == said.asked[1].target
    assert said.github.activity.counts.retries == {"secondary limit": 1}
    assert said.github.activity.counts.waited_seconds == 60


def test_secondary_limits_in_a_row_are_waited_out_ever_longer(talk: Start) -> None:
    said = talk(in_turn(*[Say(SECONDARY, status=403)] * 3, Say(TWO), Say(SECONDARY, status=403), Say(TWO)))
    assert numbers(said) == [1, 2]
    assert numbers(said) == [1, 2]
    assert said.clock.slept == [60, 120, 240, 60]


def test_a_secondary_limit_without_end_is_an_error_and_not_an_empty_list(talk: Start) -> None:
    said = talk(in_turn(Say(SECONDARY, status=403)))
    with pytest.raises(errors.Exhausted, match="secondary limit for GITHUB_TOKEN does not let us on until"):
        numbers(said)


def test_a_wait_that_github_names_is_waited_to_the_second(talk: Start) -> None:
    said = talk(in_turn(Say(SECONDARY, status=403, headers={"Retry-After": "7"}), Say(TWO)))
    assert numbers(said) == [1, 2]
    assert said.clock.slept == [7]


def test_the_quota_is_waited_for_until_its_reset(talk: Start, clock: Clock) -> None:
    said = talk(in_turn(Say(PRIMARY, status=403, headers=spent(clock)), Say(TWO)))
    assert numbers(said) == [1, 2]
    assert clock.slept == [pytest.approx(901)]


def test_the_last_request_of_a_quota_is_followed_by_none_before_the_reset(talk: Start, clock: Clock) -> None:
    """To ask on and be refused is what GitHub bans clients for."""
    said = talk(in_turn(Say({}, headers=spent(clock)), Say(TWO)))
    said.github.get("/repos/octo/kit")
    assert numbers(said) == [1, 2]
    assert len(said.asked) == 2
    assert clock.slept == [pytest.approx(901)]


def test_a_quota_that_stays_used_up_is_an_error_naming_limit_and_reset(talk: Start, clock: Clock) -> None:
    said = talk(lambda _: Say(PRIMARY, status=403, headers=spent(clock, 3600)))
    with pytest.raises(errors.Exhausted) as caught:
        numbers(said)
    error = caught.value
    assert error.exit_code == 9
    assert error.resource == "core"
    assert "core quota of 5,000 for GITHUB_TOKEN does not let us on until 2023-11-15 " in str(error)
    assert error.resets_at.timestamp() > clock.now()
    assert sum(clock.slept) <= 7_500


def test_who_may_not_wait_is_told_at_once(talk: Start, clock: Clock) -> None:
    said = talk(in_turn(Say(PRIMARY, status=403, headers=spent(clock))), patience=0)
    with pytest.raises(errors.Exhausted, match="2023-11-14 22:28:21 UTC"):
        numbers(said)
    assert clock.slept == []


def test_a_used_up_search_does_not_stop_the_lists(talk: Start, clock: Clock) -> None:
    said = talk(
        in_turn(Say({"items": []}, headers={**spent(clock), "X-RateLimit-Resource": "search"}), Say(TWO))
    )
    list(said.github.pages("/search/issues"))
    assert numbers(said) == [1, 2]
    assert clock.slept == []


def test_of_several_tokens_the_one_with_most_left_is_used(talk: Start, clock: Clock) -> None:
    left = {"one": count(3, -1), "two": count(5, -1)}

    def answer(asked: Asked) -> Say:
        return Say({}, headers=spent(clock, **{"X-RateLimit-Remaining": str(next(left[asked.bearer]))}))

    said = talk(answer, tokens=PersonalToken("one", "two"))
    for _ in range(7):
        said.github.get("/repos/octo/kit")
    assert [asked.bearer for asked in said.asked] == ["one", "two", "two", "two", "one", "two", "one"]


def test_a_token_that_must_rest_leaves_the_work_to_the_next(talk: Start, clock: Clock) -> None:
    def answer(asked: Asked) -> Say:
        return Say(SECONDARY, status=403) if asked.bearer == "one" else Say(TWO)

    said = talk(answer, tokens=PersonalToken("one", "two"))
    assert numbers(said) == [1, 2]
    assert numbers(said) == [1, 2]
    assert [asked.bearer for asked in said.asked] == ["one", "two", "two"]
    assert clock.slept == []


# -- the way ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "broken",
    [
        Say([{"number": 7}] * 50, cut=True),
        Say([{"number": 7}] * 50, cut=True, unmeasured=True),
        Say(hang_up=True),
        Say(b"\x1f\x8b\x08 no gzip at all", headers={"Content-Encoding": "gzip"}),
    ],
    ids=["cut", "cut unseen", "hung up", "garbled"],
)
def test_a_broken_answer_is_asked_for_again(talk: Start, broken: Say) -> None:
    said = talk(in_turn(broken, broken, Say(TWO)))
    assert numbers(said) == [1, 2]
    assert len(said.asked) == 3
    assert sum(said.github.activity.counts.retries.values()) == 2
    assert [2 >= said.clock.slept[0] >= 1, 4 >= said.clock.slept[1] >= 2] == [True, True]


def test_answers_that_break_every_time_are_an_error(talk: Start) -> None:
    said = talk(in_turn(Say(TWO, cut=True)))
    with pytest.raises(errors.Unavailable, match="6 attempts, the last of which failed by connection lost"):
        numbers(said)
    assert len(said.asked) == 6


def test_a_request_that_we_built_wrongly_is_not_tried_again(talk: Start) -> None:
    said = talk(in_turn(Say(TWO)))
    with pytest.raises(Exception, match="header value") as caught:
        said.github.get(ISSUES, etag="x\ny")
    assert not isinstance(caught.value, errors.GitHubError)
    assert said.asked == []


def test_nobody_at_the_other_end_is_an_outage(clock: Clock) -> None:
    github = GitHub("http://127.0.0.1:9", PersonalToken("t"), sleep=clock.sleep, now=clock.now)
    with github, pytest.raises(errors.Unavailable, match="6 attempts"):
        github.get("/repos/octo/kit")
    assert len(clock.slept) == 5


def test_a_server_that_accepts_and_never_answers_is_given_up(talk: Start) -> None:
    said = talk(in_turn(Say(silent=True)), timeouts=SHORT)
    with pytest.raises(errors.Unavailable, match="time-out") as caught:
        said.github.get("/repos/octo/kit")
    assert caught.value.heavy
    assert len(said.asked) == 6


def test_silence_that_ends_is_forgiven(talk: Start) -> None:
    said = talk(in_turn(Say(silent=True), Say(TWO)), timeouts=SHORT)
    assert numbers(said) == [1, 2]


@pytest.mark.parametrize("status", [500, 502, 503, 504])
def test_failures_of_github_are_tried_again(talk: Start, status: int) -> None:
    said = talk(in_turn(*[Say(b"<html>", status=status)] * 2, Say(TWO)))
    assert numbers(said) == [1, 2]
    assert said.github.activity.counts.retries == {str(status): 2}


# -- refusals --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("status", "message", "kind", "code"),
    [
        (401, "Bad credentials", errors.BadToken, 3),
        (403, "Resource not accessible by personal access token", errors.Forbidden, 4),
        (404, "Not Found", errors.NotFound, 5),
        (410, "Issues are disabled for this repo", errors.Gone, 7),
        (451, "Repository access blocked", errors.Blocked, 8),
        (422, "Validation Failed", errors.Rejected, 12),
    ],
)
def test_a_refusal_is_not_tried_again(
    talk: Start, status: int, message: str, kind: type[errors.GitHubError], code: int
) -> None:
    said = talk(in_turn(Say({"message": message}, status=status)))
    with pytest.raises(kind) as caught:
        numbers(said)
    assert caught.value.exit_code == code
    assert len(said.asked) == 1
    assert said.clock.slept == []


def test_a_token_that_may_read_issues_but_not_pull_requests_is_told_what_it_lacks(talk: Start) -> None:
    def answer(asked: Asked) -> Say:
        if "/pulls" in asked.path:
            return Say(
                {"message": "Resource not accessible by personal access token"},
                status=403,
                headers={"X-Accepted-GitHub-Permissions": "pull_requests=read"},
            )
        return Say(TWO)

    said = talk(answer)
    assert numbers(said) == [1, 2]
    with pytest.raises(errors.Forbidden, match="lacks pull_requests=read"):
        said.github.get("/repos/octo/kit/pulls")


def test_a_refused_token_is_named_by_its_place(talk: Start) -> None:
    def answer(asked: Asked) -> Say:
        return (
            Say({"message": "Bad credentials"}, status=401)
            if asked.bearer == "two"
            else Say(SECONDARY, status=403)
        )

    said = talk(answer, tokens=PersonalToken("one", "two"))
    with pytest.raises(errors.BadToken, match="It was GITHUB_TOKEN number 2"):
        numbers(said)


@pytest.mark.parametrize(
    "say",
    [
        Say({"message": "Bad credentials"}, status=401),
        Say({"message": "no"}, status=403),
        Say(status=404),
        Say(status=302, headers={"Location": "https://elsewhere.example/"}),
        Say(status=500),
        Say(TWO, cut=True),
        Say(hang_up=True),
    ],
    ids=["401", "403", "404", "302", "500", "cut", "hung up"],
)
def test_no_failure_shows_the_token(talk: Start, say: Say) -> None:
    """Not in the message, nor in any of the errors behind it, nor in what they hold."""
    said = talk(in_turn(say))
    with pytest.raises(errors.GitHubError) as caught:
        said.github.get("/repos/octo/kit")
    shown = "".join(traceback.format_exception(caught.value))
    behind: BaseException | None = caught.value
    while behind is not None:
        shown += repr(behind) + repr(vars(behind))
        behind = behind.__cause__ or behind.__context__
    assert "secret-token" not in shown


# -- elsewhere -------------------------------------------------------------------------------------------------


def test_a_link_to_another_origin_is_never_asked_for(talk: Start) -> None:
    elsewhere = talk(in_turn(Say(TWO)))
    said = talk(in_turn(Say(TWO, headers={"Link": f'<{elsewhere.server.url}{ISSUES}?page=2>; rel="next"'})))
    walk = said.github.pages(ISSUES)
    with pytest.raises(errors.ForeignOrigin):
        next(walk)
    assert elsewhere.asked == []


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_a_redirect_to_another_origin_is_never_followed(talk: Start, status: int) -> None:
    elsewhere = talk(in_turn(Say({})))
    said = talk(in_turn(Say(status=status, headers={"Location": f"{elsewhere.server.url}/repos/octo/kit"})))
    with pytest.raises(errors.ForeignOrigin):
        said.github.get("/repos/octo/kit")
    assert elsewhere.asked == []


def test_a_redirect_from_https_to_http_is_another_origin() -> None:
    secure = base("https://git.example/api/v3")
    with pytest.raises(
        errors.ForeignOrigin, match=r"from https://git\.example:443 to http://git\.example:80"
    ):
        secure.own("http://git.example/api/v3/repos/octo/kit")


def test_a_redirect_for_now_is_followed_on_the_same_origin(talk: Start) -> None:
    said = talk(in_turn(Say(status=307, headers={"Location": "/repositories/1"}), Say({"id": 1})))
    assert said.github.get("/repos/octo/kit").body == {"id": 1}
    assert said.asked[1].bearer == "secret-token"


def test_redirects_in_a_circle_end(talk: Start) -> None:
    said = talk(in_turn(Say(status=302, headers={"Location": "/repos/octo/kit"})))
    with pytest.raises(errors.Unavailable, match="in circles"):
        said.github.get("/repos/octo/kit")
    assert len(said.asked) == 6


def renamed(asked: Asked) -> Say:
    """`octo/kit` has become `octo/box`; its issue 5 went to `octo/other` before."""
    match asked.path:
        case "/repositories/1":
            return Say({"full_name": "octo/box"})
        case path if path.startswith("/repos/octo/kit"):
            return Say(status=301, headers={"Location": path.replace("/repos/octo/kit", "/repositories/1")})
        case "/repositories/2":
            return Say({"full_name": "octo/other"})
        case "/repos/octo/box/issues/5":
            return Say(status=301, headers={"Location": "/repositories/2/issues/9"})
        case _:
            return Say({"full_name": "octo/box"})


@pytest.mark.parametrize("path", ["/repos/octo/kit", ISSUES, f"{ISSUES}/7"])
def test_a_renamed_repository_is_told_with_its_new_name(talk: Start, path: str) -> None:
    said = talk(renamed)
    with pytest.raises(errors.Moved) as caught:
        said.github.get(path)
    assert (caught.value.old, caught.value.new, caught.value.exit_code) == ("octo/kit", "octo/box", 6)
    assert str(caught.value).startswith(
        "octo/kit is now octo/box on GitHub: run relored backfill --repo octo/box"
    )


def test_a_transferred_thread_is_not_read_from_where_it_went(talk: Start) -> None:
    said = talk(renamed)
    with pytest.raises(errors.Transferred) as caught:
        said.github.get("/repos/octo/box/issues/5")
    assert caught.value.repo == "octo/other"
    assert "/repositories/2/issues/9" not in [asked.path for asked in said.asked]


# -- GraphQL ---------------------------------------------------------------------------------------------------


def test_a_query_goes_out_with_its_variables_beside_it(talk: Start) -> None:
    said = talk(in_turn(Say({"data": {"rateLimit": {"cost": 2}, "viewer": {"login": "x"}}})))
    data = said.github.graphql("query($n: Int!) { viewer { login } }", {"n": 1})
    assert data["viewer"] == {"login": "x"}
    asked = said.asked[0]
    assert (asked.method, asked.path, asked.bearer) == ("POST", "/graphql", "secret-token")
    assert json.loads(asked.body) == {"query": "query($n: Int!) { viewer { login } }", "variables": {"n": 1}}
    assert said.github.activity.counts.points == 2


@pytest.mark.parametrize(
    "body",
    [
        {"data": None, "errors": [{"message": "Something went wrong while executing your query."}]},
        {
            "data": {"a": {"reviews": None}},
            "errors": [{"message": "Something went wrong while executing your query."}],
        },
        {"errors": [{"message": "timedout"}]},
    ],
    ids=["no data", "partial", "no data key"],
)
def test_an_answer_with_errors_fails_the_batch(talk: Start, body: dict[str, object]) -> None:
    """What came along is at hand as a part, and never returned as the answer."""
    said = talk(in_turn(Say(body)))
    with pytest.raises(errors.GraphQLFailed) as caught:
        said.github.graphql("{ a }")
    assert caught.value.partial == body.get("data")
    assert caught.value.heavy
    assert not caught.value.only_missing


def test_a_batch_whose_only_fault_is_what_is_gone_says_so(talk: Start) -> None:
    missing = {
        "type": "NOT_FOUND",
        "path": ["repository", "p7"],
        "message": "Could not resolve to a PullRequest",
    }
    said = talk(in_turn(Say({"data": {"repository": {"p7": None, "p8": {}}}, "errors": [missing]})))
    with pytest.raises(errors.GraphQLFailed) as caught:
        said.github.graphql("{ a }")
    assert caught.value.only_missing
    assert caught.value.problems[0].path == ("repository", "p7")


def test_data_null_without_a_word_is_no_answer(talk: Start) -> None:
    said = talk(in_turn(Say({"data": None})))
    with pytest.raises(errors.GraphQLFailed, match="no data"):
        said.github.graphql("{ a }")


def test_a_query_that_github_cannot_finish_is_the_callers_to_divide(talk: Start) -> None:
    said = talk(in_turn(Say(b"<html>", status=502)))
    with pytest.raises(errors.GraphQLFailed) as caught:
        said.github.graphql("{ a }")
    assert caught.value.heavy
    assert len(said.asked) == 3


def test_what_is_too_much_work_is_told_from_bad_luck(talk: Start) -> None:
    """Two dropped connections do not make the one that was too slow the last."""
    unlucky = [Say(hang_up=True), Say(hang_up=True), Say(status=502), Say(status=504)]
    said = talk(in_turn(*unlucky, Say({"data": {"a": 1}})))
    assert said.github.graphql("{ a }") == {"a": 1}


def test_a_query_is_tried_again_when_the_way_failed(talk: Start) -> None:
    said = talk(in_turn(Say(status=503), Say({"data": {}}, cut=True), Say({"data": {"a": 1}})))
    assert said.github.graphql("{ a }") == {"a": 1}


def test_limits_of_graphql_come_with_status_200_and_are_waited_out(talk: Start, clock: Clock) -> None:
    limited = {"errors": [{"type": "RATE_LIMITED", "message": "API rate limit exceeded for user ID 1."}]}
    headers = spent(clock, **{"X-RateLimit-Resource": "graphql"})
    said = talk(in_turn(Say(limited, headers=headers), Say({"data": {"a": 1}})))
    assert said.github.graphql("{ a }") == {"a": 1}
    assert clock.slept == [pytest.approx(901)]


def test_a_right_that_a_query_lacks_is_told(talk: Start) -> None:
    forbidden = {
        "type": "FORBIDDEN",
        "message": "Resource not accessible by integration",
        "path": ["repository"],
    }
    said = talk(in_turn(Say({"data": {"repository": None}, "errors": [forbidden]})))
    with pytest.raises(errors.Forbidden, match="not accessible by integration"):
        said.github.graphql("{ a }")


def test_a_repository_that_a_query_does_not_find_is_not_found(talk: Start) -> None:
    missing = {"type": "NOT_FOUND", "path": ["repository"], "message": "Could not resolve to a Repository"}
    said = talk(in_turn(Say({"data": {"repository": None}, "errors": [missing]})))
    with pytest.raises(errors.NotFound):
        said.github.graphql("{ a }")
