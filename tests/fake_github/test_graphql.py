"""GraphQL as GitHub answers it: https://docs.github.com/en/graphql."""

from __future__ import annotations

from typing import Any

import pytest
import requests
from graphql import (
    GraphQLField,
    GraphQLObjectType,
    get_named_type,
    is_composite_type,
)

from fake_github import FakeGitHub, everything, graphql_api


def ask(github: FakeGitHub, query: str, token: str = "", **variables: Any) -> dict[str, Any]:
    """Send a query about harbor/tide."""
    headers = {"Authorization": f"Bearer {token or github.token}"}
    body = {"query": query, "variables": variables}
    reply = requests.post(f"{github.url}/graphql", json=body, headers=headers, timeout=60)
    assert reply.status_code == 200
    return reply.json()


def tide(fields: str) -> str:
    return f'{{ repository(owner: "harbor", name: "tide") {{ {fields} }} }}'


# -- what there is -----------------------------------------------------------------------------------


def test_every_field_of_the_schema_has_an_answer(github: FakeGitHub) -> None:
    """A query for all fields of all types, over a world that has one of each, meets no error."""
    everything.fill(github.world)
    github.limits.nodes = 10**12
    reply = ask(github, _everything())
    assert "errors" not in reply
    assert _types(reply["data"]) == _object_types()


def _everything() -> str:
    """Return a query for all fields, deepest in pull requests: there are the comments of reviews."""
    deep = {"pullRequest": 4, "issue": 3}
    return f"""{{
        __typename
        repository(owner: "harbor", name: "tide") {_selection("Repository", 3, deep)}
        rateLimit {_selection("RateLimit", 0)}
        viewer {{ __typename }}
    }}"""


_NUMBERS = {"issue": 1, "pullRequest": 4, "issueOrPullRequest": 4}


def _selection(name: str, depth: int, deep: dict[str, int] | None = None) -> str:
    kind = graphql_api.schema().type_map[name]
    if not isinstance(kind, GraphQLObjectType):
        members = sorted(one.name for one in graphql_api.schema().get_possible_types(kind))
        parts = [f"... on {one} {_selection(one, depth)}" for one in members]
        return f"{{ __typename {' '.join(parts)} }}"
    fields = ["__typename"]
    for field, definition in kind.fields.items():
        inner = get_named_type(definition.type)
        if is_composite_type(inner) and not depth:
            continue
        left = (deep or {}).get(field, depth - 1)
        below = _selection(inner.name, left) if is_composite_type(inner) else ""
        fields.append(f"{name}_{field}: {field}{_arguments(field, definition)} {below}")
    return f"{{ {' '.join(fields)} }}"


def _arguments(field: str, definition: GraphQLField) -> str:
    if "first" in definition.args:
        return "(first: 100)"
    return f"(number: {_NUMBERS[field]})" if field in _NUMBERS else ""


def _types(value: Any) -> set[str]:
    if isinstance(value, list):
        return set().union(*map(_types, value))
    if not isinstance(value, dict):
        return set()
    return {value["__typename"]}.union(*map(_types, value.values()))


def _object_types() -> set[str]:
    kinds = graphql_api.schema().type_map.values()
    return {one.name for one in kinds if isinstance(one, GraphQLObjectType) and not one.name.startswith("__")}


# -- threads -----------------------------------------------------------------------------------------


def test_aliases_ask_for_many_threads_and_a_missing_one_is_null_with_an_error(github: FakeGitHub) -> None:
    """One number that does not exist costs neither the other answers nor the status."""
    repo = github.world.repository("harbor/tide")
    repo.pull(4)
    reply = ask(github, tide("p4: pullRequest(number: 4) { number } p5: pullRequest(number: 5) { number }"))
    assert reply["data"] == {"repository": {"p4": {"number": 4}, "p5": None}}
    assert [(one["type"], one["path"]) for one in reply["errors"]] == [("NOT_FOUND", ["repository", "p5"])]
    assert reply["errors"][0]["message"] == "Could not resolve to a PullRequest with the number of 5."


@pytest.mark.parametrize("gone", ["deleted", "transferred", "of the other kind", "missing as a pull request"])
def test_what_is_not_there_is_not_found(gone: str, github: FakeGitHub) -> None:
    """GraphQL knows neither 410 nor 301: whatever is gone is NOT_FOUND."""
    repo = github.world.repository("harbor/tide")
    match gone:
        case "deleted":
            repo.issue(1)
            repo.delete_thread(1)
        case "transferred":
            repo.issue(1)
            repo.transfer(1, github.world.repository("pilots/chart"), 9)
        case "of the other kind":
            repo.pull(1)
        case _:
            repo.pull(1)
            repo.missing_pulls.add(1)
    field = "pullRequest" if gone.startswith("missing") else "issue"
    reply = ask(github, tide(f"{field}(number: 1) {{ number }}"))
    assert reply["errors"][0]["type"] == "NOT_FOUND"


def test_a_renamed_repository_is_found_under_its_old_name(github: FakeGitHub) -> None:
    """FollowRenames is true unless told otherwise."""
    github.world.repository("harbor/pond")
    github.world.rename("harbor/pond", "harbor/lake")
    followed = ask(github, '{ repository(owner: "harbor", name: "pond") { nameWithOwner } }')
    refused = ask(
        github, '{ repository(owner: "harbor", name: "pond", followRenames: false) { nameWithOwner } }'
    )
    assert followed["data"]["repository"]["nameWithOwner"] == "harbor/lake"
    assert refused["errors"][0]["type"] == "NOT_FOUND"


def test_a_bot_is_an_actor_without_its_suffix_and_a_committer_with_it(github: FakeGitHub) -> None:
    """REST writes "dependabot[bot]"; GraphQL's Bot goes without, the account of a commit keeps it."""
    repo = github.world.repository("harbor/tide")
    repo.pull(4, user="dependabot[bot]")
    repo.commit(4, author="dependabot[bot]")
    commits = "commits(first: 1) { nodes { commit { author { user { login } } } } }"
    reply = ask(github, tide(f"pullRequest(number: 4) {{ author {{ __typename login }} {commits} }}"))
    pull = reply["data"]["repository"]["pullRequest"]
    assert pull["author"] == {"__typename": "Bot", "login": "dependabot"}
    assert pull["commits"]["nodes"][0]["commit"]["author"]["user"]["login"] == "dependabot[bot]"


def test_a_deleted_account_is_nobody(github: FakeGitHub) -> None:
    """What a deleted account wrote stays, with author null."""
    repo = github.world.repository("harbor/tide")
    repo.issue(1, user="gull")
    github.world.delete_account("gull")
    assert ask(github, tide("issue(number: 1) { author { login } }"))["data"]["repository"]["issue"] == {
        "author": None
    }


def test_files_end_at_the_cap_and_commits_do_not(github: FakeGitHub) -> None:
    """Beyond 3,000 files only changedFiles tells how many there are; the 250 commits of REST are no end here."""
    repo = github.world.repository("harbor/tide")
    repo.pull(4)
    for number in range(5):
        repo.file(4, f"{number}.c")
        repo.commit(4)
    github.limits.files = github.limits.commits = 3
    fields = "changedFiles files(first: 9) { totalCount nodes { path } } commits(first: 9) { totalCount }"
    pull = ask(github, tide(f"pullRequest(number: 4) {{ {fields} }}"))["data"]["repository"]["pullRequest"]
    assert pull["changedFiles"] == 5
    assert (pull["files"]["totalCount"], len(pull["files"]["nodes"])) == (3, 3)
    assert pull["commits"]["totalCount"] == 5


def test_an_id_past_32_bits_has_a_full_database_id_alone(github: FakeGitHub) -> None:
    """DatabaseId is an Int; fullDatabaseId comes as a string.

    https://docs.github.com/en/graphql/reference/objects#pullrequestreview
    """
    repo = github.world.repository("harbor/tide")
    repo.pull(4)
    repo.review(4, "APPROVED", id=3_000_000_000)
    fields = "reviews(first: 1) { nodes { databaseId fullDatabaseId } }"
    reply = ask(github, tide(f"pullRequest(number: 4) {{ {fields} }}"))
    nodes = reply["data"]["repository"]["pullRequest"]["reviews"]["nodes"]
    assert nodes == [{"databaseId": None, "fullDatabaseId": "3000000000"}]
    assert "errors" in reply


def test_closing_references_name_issues_of_any_repository(github: FakeGitHub) -> None:
    """A pull request closes issues, here or elsewhere; what does not exist is not listed."""
    repo = github.world.repository("harbor/tide")
    github.world.repository("pilots/chart").issue(9)
    repo.issue(1)
    repo.pull(4, closes=[1, 77, ("pilots/chart", 9)])
    fields = "closingIssuesReferences(first: 9) { nodes { number repository { nameWithOwner } } }"
    pull = ask(github, tide(f"pullRequest(number: 4) {{ {fields} }}"))["data"]["repository"]["pullRequest"]
    assert pull["closingIssuesReferences"]["nodes"] == [
        {"number": 1, "repository": {"nameWithOwner": "harbor/tide"}},
        {"number": 9, "repository": {"nameWithOwner": "pilots/chart"}},
    ]


def test_a_timeline_holds_the_kinds_asked_for_in_order(github: FakeGitHub) -> None:
    """ItemTypes pick; comments, reviews and commits are among the items."""
    repo = github.world.repository("harbor/tide")
    repo.pull(4)
    repo.event(4, "labeled", label={"name": "bug"})
    repo.comment(4)
    repo.review(4)
    repo.event(4, "mentioned")
    repo.merge(4)
    wanted = "[MERGED_EVENT, LABELED_EVENT, ISSUE_COMMENT, PULL_REQUEST_REVIEW]"
    fields = f"timelineItems(first: 9, itemTypes: {wanted}) {{ totalCount nodes {{ __typename }} }}"
    pull = ask(github, tide(f"pullRequest(number: 4) {{ {fields} }}"))["data"]["repository"]["pullRequest"]
    kinds = [one["__typename"] for one in pull["timelineItems"]["nodes"]]
    assert kinds == ["LabeledEvent", "IssueComment", "PullRequestReview", "MergedEvent"]
    assert pull["timelineItems"]["totalCount"] == 4


# -- pages -------------------------------------------------------------------------------------------


def test_a_connection_is_read_on_from_its_end_cursor(github: FakeGitHub) -> None:
    """It goes on behind the cursor, until there is no next page.

    https://docs.github.com/en/graphql/guides/using-pagination-in-the-graphql-api
    """
    repo = github.world.repository("harbor/tide")
    repo.issue(1)
    for number in range(5):
        repo.comment(1, f"{number}")
    comments = "comments(first: 2, after: $after) { nodes { body } pageInfo { hasNextPage endCursor } }"
    query = "query($after: String) " + tide(f"issue(number: 1) {{ {comments} }}")
    bodies: list[str] = []
    page: dict[str, Any] = {"hasNextPage": True, "endCursor": None}
    while page["hasNextPage"]:
        reply = ask(github, query, after=page["endCursor"])
        found = reply["data"]["repository"]["issue"]["comments"]
        bodies += [one["body"] for one in found["nodes"]]
        page = found["pageInfo"]
    assert bodies == ["0", "1", "2", "3", "4"]
    assert github.log.count("/graphql") == 3


def test_a_cursor_that_is_none_is_refused(github: FakeGitHub) -> None:
    """The field is null, with an error."""
    github.world.repository("harbor/tide").issue(1)
    reply = ask(github, tide('issue(number: 1) { comments(first: 2, after: "x") { totalCount } }'))
    assert reply["errors"][0]["type"] == "INVALID_CURSOR_ARGUMENTS"


@pytest.mark.parametrize(
    ("bounds", "kind"),
    [
        ("", "MISSING_PAGINATION_BOUNDARIES"),
        ("(first: 101)", "EXCESSIVE_PAGINATION"),
        ("(last: 0)", "INVALID_PAGINATION_BOUNDARIES"),
    ],
)
def test_a_connection_wants_bounds_from_1_to_100(bounds: str, kind: str, github: FakeGitHub) -> None:
    """GitHub: «clients must supply a first or last argument on any connection», «within 1-100».

    https://docs.github.com/en/graphql/overview/rate-limits-and-query-limits-for-the-graphql-api#node-limit
    """
    github.world.repository("harbor/tide")
    reply = ask(github, tide(f"issues{bounds} {{ nodes {{ number }} }}"))
    assert reply["errors"][0]["type"] == kind
    assert github.used("graphql") == 0


def test_a_total_needs_no_bounds(github: FakeGitHub) -> None:
    """A connection that is only counted is accepted without first or last."""
    github.world.repository("harbor/tide").issue(1)
    assert ask(github, tide("issues { totalCount }"))["data"]["repository"]["issues"] == {"totalCount": 1}


# -- what it costs -----------------------------------------------------------------------------------


def test_points_follow_githubs_formula(github: FakeGitHub) -> None:
    """Connections times their parents, divided by 100, at least 1; nodes are what could come at most.

    https://docs.github.com/en/graphql/overview/rate-limits-and-query-limits-for-the-graphql-api
    """
    github.world.repository("harbor/tide")
    reviews = "reviews(first: 50) { nodes { comments(first: 60) { totalCount } } }"
    fields = f"pullRequests(first: 100) {{ nodes {{ {reviews} }} }}"
    reply = ask(github, tide(fields)[:-1] + " rateLimit { cost nodeCount used remaining limit } }")
    # 1 list, 100 lists of reviews and 5,000 of comments: 5,101 requests; 100 + 5,000 + 300,000 nodes.
    assert reply["data"]["rateLimit"] == {
        "cost": 51,
        "nodeCount": 305_100,
        "used": 51,
        "remaining": 4_949,
        "limit": 5_000,
    }
    assert github.used("graphql") == github.log.cost("/graphql") == 51


def test_aliases_and_fragments_count_each_time(github: FakeGitHub) -> None:
    """60 aliased connections of one fragment cost as much as 60 written out."""
    github.world.repository("harbor/tide").issue(1)
    aliases = " ".join(f"i{number}: issue(number: 1) {{ ...Talk }}" for number in range(60))
    talk = "comments(first: 100) { nodes { id } } labels(first: 9) { nodes { id } }"
    query = f"fragment Talk on Issue {{ {talk} }} "
    reply = ask(github, query + tide(aliases)[:-1] + " rateLimit { cost nodeCount } }")
    # 120 connections are 1.2 points.
    assert reply["data"]["rateLimit"] == {"cost": 1, "nodeCount": 60 * 109}


def test_a_query_for_too_many_nodes_is_refused(github: FakeGitHub) -> None:
    """«Individual calls cannot request more than 500,000 total nodes»; it costs nothing."""
    github.world.repository("harbor/tide")
    reviews = "reviews(first: 100) { nodes { comments(first: 100) { nodes { id } } } }"
    fields = f"pullRequests(first: 100) {{ nodes {{ {reviews} }} }}"
    reply = ask(github, tide(fields))
    assert reply["errors"][0]["type"] == "MAX_NODE_LIMIT_EXCEEDED"
    assert "1,010,100 possible nodes" in reply["errors"][0]["message"]
    assert github.used("graphql") == 0


def test_without_points_the_status_is_200_and_an_error_says_so(github: FakeGitHub) -> None:
    """GitHub: «the response status will still be 200», and x-ratelimit-remaining «will be 0».

    https://docs.github.com/en/graphql/overview/rate-limits-and-query-limits-for-the-graphql-api
    """
    github.world.repository("harbor/tide")
    github.limits.graphql = 1
    ask(github, tide("name"))
    reply = ask(github, tide("name"))
    assert "data" not in reply
    assert reply["errors"][0]["type"] == "RATE_LIMITED"
    assert github.log[-1].answer["X-RateLimit-Remaining"] == "0"
    github.clock.advance(3_600)
    assert ask(github, tide("name"))["data"]["repository"] == {"name": "tide"}


# -- who may ask -------------------------------------------------------------------------------------


def test_graphql_wants_a_token(github: FakeGitHub) -> None:
    """Nobody is answered without one, unlike with REST.

    https://docs.github.com/en/graphql/guides/forming-calls-with-graphql#authenticating-with-graphql
    """
    assert requests.post(f"{github.url}/graphql", json={"query": "{ x }"}, timeout=60).status_code == 401


def test_a_token_that_may_not_read_pull_requests_is_told_so(github: FakeGitHub) -> None:
    """The field is null with an error FORBIDDEN; issues are answered beside it."""
    repo = github.world.repository("harbor/tide")
    repo.issue(1)
    repo.pull(4)
    github.add_token("narrow", permissions={"issues"})
    reply = ask(github, tide("issue(number: 1) { number } pullRequest(number: 4) { number }"), "narrow")
    assert reply["data"] == {"repository": {"issue": {"number": 1}, "pullRequest": None}}
    assert reply["errors"][0]["type"] == "FORBIDDEN"


@pytest.mark.parametrize("query", ["{", "{ nothing }", "query($a: Int!) { rateLimit { cost } }"])
def test_a_query_that_is_wrong_gets_errors_with_status_200(query: str, github: FakeGitHub) -> None:
    """Neither the parser's nor the validator's complaints are HTTP errors."""
    assert ask(github, query)["errors"][0]["message"]


def test_a_request_without_a_query_is_400(github: FakeGitHub) -> None:
    headers = {"Authorization": f"Bearer {github.token}"}
    assert requests.post(f"{github.url}/graphql", json={}, headers=headers, timeout=60).status_code == 400
