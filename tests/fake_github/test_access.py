"""Who is let in, what is refused and how: https://docs.github.com/en/rest/authentication."""

from __future__ import annotations

import jwt
import pytest
import requests

from fake_github import App, FakeGitHub, World
from fake_github.asker import Asker


@pytest.mark.parametrize("trouble", ["unknown", "revoked", "used up", "expired"])
def test_a_bad_token_is_401_and_costs_nothing(trouble: str, ask: Asker) -> None:
    """«Bad credentials», whatever is asked for."""
    token = ask.github.add_token("t", requests_left=0 if trouble == "used up" else None)
    token.revoked = trouble == "revoked"
    token.expires_at = ask.github.clock.time() - 1 if trouble == "expired" else None
    reply = ask.get("/issues", token="x" if trouble == "unknown" else "t")
    assert (reply.status_code, reply.json()["message"]) == (401, "Bad credentials")
    assert ask.github.log.cost() == 0


def test_a_token_is_good_for_as_many_requests_as_told(ask: Asker) -> None:
    """So an hour of work ends in the middle of a test."""
    ask.github.add_token("t", requests_left=2)
    assert [ask.get("", token="t").status_code for _ in range(3)] == [200, 200, 401]


def test_a_narrow_token_is_403_with_the_right_it_lacks(ask: Asker) -> None:
    """X-Accepted-GitHub-Permissions names what would do; comments open to either right.

    https://docs.github.com/en/rest/using-the-rest-api/troubleshooting-the-rest-api#resource-not-accessible
    """
    ask.github.add_token("t", permissions={"issues"})
    refused = ask.get("/pulls", token="t")
    assert refused.status_code == 403
    assert refused.json()["message"] == "Resource not accessible by personal access token"
    assert refused.headers["X-Accepted-GitHub-Permissions"] == "pull_requests=read"
    assert [ask.get(path, token="t").status_code for path in ("", "/issues", "/issues/comments")] == [
        200,
        200,
        200,
    ]


def test_reading_permissions_takes_push_access(ask: Asker) -> None:
    """403 for whoever may not push."""
    ask.github.add_token("t", push=False)
    ask.github.world.account("keel")
    assert ask.get("/collaborators/keel/permission", token="t").status_code == 403


def test_a_private_repository_is_404_without_a_token(ask: Asker) -> None:
    """«GitHub uses a 404 Not Found response instead of a 403 … to avoid confirming the existence of private ones»."""
    ask.github.world.repository("harbor/tide", private=True)
    assert (ask.get("", token=None).status_code, ask.get("").status_code) == (404, 200)


def test_a_request_without_user_agent_is_403(ask: Asker) -> None:
    """«All API requests must include a valid User-Agent header».

    https://docs.github.com/en/rest/using-the-rest-api/getting-started-with-the-rest-api#user-agent
    """
    assert ask.get("", User_Agent="").status_code == 403


# -- what GitHub does not give -----------------------------------------------------------------------


def test_a_renamed_repository_redirects_to_its_number(ask: Asker) -> None:
    """301 with the same question under /repositories/ID.

    https://docs.github.com/en/rest/using-the-rest-api/best-practices-for-using-the-rest-api#follow-redirects
    """
    repo = ask.github.world.rename("harbor/tide", "harbor/ocean")
    repo.issue(1)
    moved = ask.get("/issues?state=all&labels=a%26b")
    assert moved.status_code == 301
    assert (
        moved.headers["Location"] == f"{ask.github.url}/repositories/{repo.id}/issues?state=all&labels=a%26b"
    )
    assert ask.get(f"{ask.github.url}/repositories/{repo.id}").json()["full_name"] == "harbor/ocean"


def test_nothing_is_404_there_and_in_other_places(ask: Asker) -> None:
    """Unknown repositories, threads and addresses."""
    paths = (
        "/repos/no/body",
        "/repos/harbor/tide/issues/9",
        "/repos/harbor/tide/nothing",
        "/nothing",
        "/repositories/1",
    )
    assert {ask.get(ask.github.url + path).status_code for path in paths} == {404}


def test_disabled_issues_are_410_and_pull_requests_are_not(ask: Asker) -> None:
    """The list of issues, and everything below it, is «gone».

    https://docs.github.com/en/rest/issues/issues#list-repository-issues
    """
    repo = ask.github.world["harbor/tide"]
    repo.issues_disabled = True
    assert (ask.get("/issues").status_code, ask.get("/pulls").status_code) == (410, 200)
    assert ask.get("").json()["has_issues"] is False


def test_a_blocked_repository_is_451(ask: Asker) -> None:
    """The body says why."""
    repo = ask.github.world["harbor/tide"]
    repo.blocked = True
    reply = ask.get("/issues")
    assert (reply.status_code, reply.json()["block"]["reason"]) == (451, "dmca")


def test_deleted_issues_are_410_and_transferred_ones_301(ask: Asker) -> None:
    """With their comments, which no list shows any more here.

    https://docs.github.com/en/rest/issues/issues#get-an-issue
    """
    world: World = ask.github.world
    repo, other = world["harbor/tide"], world.repository("pilots/chart")
    for number in (1, 2):
        repo.issue(number)
        repo.comment(number)
    repo.delete_thread(1)
    repo.transfer(2, other, 9)
    moved = ask.get("/issues/2/comments")
    assert ask.get("/issues/1").status_code == 410
    assert (moved.status_code, moved.headers["Location"]) == (
        301,
        f"{ask.github.url}/repositories/{other.id}/issues/9/comments",
    )
    assert (ask.all("/issues"), ask.all("/issues/comments")) == ([], [])
    assert len(ask.all(moved.headers["Location"])) == 1


def test_a_pull_request_may_be_listed_and_missing(ask: Asker) -> None:
    """The list of issues shows it, /pulls does not have it."""
    repo = ask.github.world["harbor/tide"]
    repo.pull(4)
    repo.missing_pulls.add(4)
    assert [one["number"] for one in ask.all("/issues")] == [4]
    assert (ask.all("/pulls"), ask.get("/pulls/4/reviews").status_code) == ([], 404)


# -- apps --------------------------------------------------------------------------------------------


def mint(github: FakeGitHub, app: App, installation: int = 70, **claims: int | str) -> requests.Response:
    now = int(github.clock.time())
    signed = jwt.encode(
        {"iss": "7", "iat": now - 60, "exp": now + 540} | claims, app.private_key, algorithm="RS256"
    )
    address = f"{github.url}/app/installations/{installation}/access_tokens"
    return requests.post(address, headers={"Authorization": f"Bearer {signed}"}, timeout=60)


def test_an_app_mints_tokens_that_live_an_hour(ask: Asker) -> None:
    """«Installation tokens expire one hour from the time you create them»; each has the rights of the app.

    https://docs.github.com/en/rest/apps/apps#create-an-installation-access-token-for-an-app
    """
    app = ask.github.add_app(7, installation=70, permissions=frozenset({"issues"}))
    minted = mint(ask.github, app)
    token = minted.json()["token"]
    assert minted.status_code == 201
    assert (ask.get("/issues", token=token).status_code, ask.get("/pulls", token=token).status_code) == (
        200,
        403,
    )
    ask.github.clock.advance(3_601)
    assert ask.get("/issues", token=token).status_code == 401
    assert app.minted == [token]


def test_all_tokens_of_an_installation_share_one_quota(ask: Asker) -> None:
    """Minting more gives no more requests."""
    app = ask.github.add_app(7, installation=70)
    for _ in range(2):
        ask.get("", token=mint(ask.github, app).json()["token"])
    assert ask.github.used("core", "installation 70") == 2


def test_an_app_token_can_end_after_some_requests(ask: Asker) -> None:
    """Which is how a test has one die in the middle of work."""
    app = ask.github.add_app(7, installation=70, requests_per_token=1)
    token = mint(ask.github, app).json()["token"]
    assert [ask.get("", token=token).status_code for _ in range(2)] == [200, 401]
    app.requests_per_token = None
    fresh = mint(ask.github, app).json()["token"]
    assert [ask.get("", token=fresh).status_code for _ in range(2)] == [200, 200]


@pytest.mark.parametrize(
    ("claims", "status"),
    [({"exp": -10}, 401), ({"exp": 700}, 401), ({"iat": 100}, 401), ({"iss": "8"}, 404)],
    ids=["expired", "more than ten minutes", "from the future", "of another app"],
)
def test_a_signature_that_does_not_hold_mints_nothing(
    claims: dict[str, int | str], status: int, ask: Asker
) -> None:
    """«The maximum is 10 minutes into the future».

    https://docs.github.com/en/apps/creating-github-apps/authenticating-with-a-github-app/generating-a-json-web-token-jwt-for-a-github-app
    """
    app = ask.github.add_app(7, installation=70)
    now = int(ask.github.clock.time())
    given = {key: value + now if isinstance(value, int) else value for key, value in claims.items()}
    assert mint(ask.github, app, **given).status_code == status


def test_an_installation_that_is_not_there_is_404(ask: Asker) -> None:
    assert mint(ask.github, ask.github.add_app(7, installation=70), installation=71).status_code == 404


def test_enterprise_has_other_addresses() -> None:
    """GitHub Enterprise Server: REST below /api/v3, GraphQL at /api/graphql.

    https://docs.github.com/en/enterprise-server/rest/using-the-rest-api/getting-started-with-the-rest-api
    """
    with FakeGitHub(enterprise=True) as github:
        github.world.repository("harbor/tide").issue(1)
        headers = {"Authorization": f"Bearer {github.token}"}
        listed = requests.get(f"{github.url}/repos/harbor/tide/issues", headers=headers, timeout=60)
        host = github.url.removesuffix("/api/v3")
        query = {"query": "{ rateLimit { cost } }"}
        asked = requests.post(f"{host}/api/graphql", json=query, headers=headers, timeout=60)
        bare = requests.get(f"{host}/repos/harbor/tide", headers=headers, timeout=60)
    assert (listed.status_code, asked.json(), bare.status_code) == (
        200,
        {"data": {"rateLimit": {"cost": 1}}},
        404,
    )
