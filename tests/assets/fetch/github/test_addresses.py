"""Where GitHub is, and what belongs to it."""

from __future__ import annotations

import pytest

from relore_assets.fetch.github.addresses import BadBase, base, is_loopback, template, with_query


@pytest.mark.parametrize(
    ("url", "rest", "graphql"),
    [
        ("https://api.github.com", "https://api.github.com", "https://api.github.com/graphql"),
        ("https://API.github.com/", "https://api.github.com", "https://api.github.com/graphql"),
        ("https://git.example/api/v3", "https://git.example/api/v3", "https://git.example/api/graphql"),
        (
            "https://git.example:8443/api/v3/",
            "https://git.example:8443/api/v3",
            "https://git.example:8443/api/graphql",
        ),
        ("http://127.0.0.1:8470", "http://127.0.0.1:8470", "http://127.0.0.1:8470/graphql"),
        ("http://localhost:80", "http://localhost:80", "http://localhost:80/graphql"),
        ("http://[::1]:8470", "http://[::1]:8470", "http://[::1]:8470/graphql"),
    ],
)
def test_rest_and_graphql_have_their_usual_places(url: str, rest: str, graphql: str) -> None:
    told = base(url)
    assert (told.url, told.graphql) == (rest, graphql)


@pytest.mark.parametrize(
    "url",
    [
        "http://169.254.169.254/",
        "http://git.example/api/v3",
        "http://127.0.0.1.elsewhere.example",
        "http://127.0.0.1@elsewhere.example",
        "https://user:password@git.example",
        "https://git.example/api/v3?x=1",
        "https://git.example/#x",
        "https://git.example\\@elsewhere.example",
        "https://git.example /x",
        "https://git.example:port",
        "file:///etc/passwd",
        "ext::sh -c x",
        "git.example",
        "https://",
        "",
    ],
)
def test_a_base_is_https_or_this_machine_and_nothing_else(url: str) -> None:
    with pytest.raises(BadBase):
        base(url)


def test_plain_http_takes_a_word_of_the_operator() -> None:
    assert base("http://git.example/api/v3", allow_http=True).url == "http://git.example/api/v3"


@pytest.mark.parametrize("host", ["localhost", "127.0.0.1", "127.8.8.8", "::1"])
def test_this_machine_is_known_by_its_addresses(host: str) -> None:
    assert is_loopback(host)


@pytest.mark.parametrize("host", ["localhost.example", "10.0.0.1", "127.0.0.1.example", "0.0.0.0"])  # noqa: S104
def test_names_that_might_be_anything_are_not_this_machine(host: str) -> None:
    assert not is_loopback(host)


def test_a_path_begins_with_a_slash() -> None:
    """Anything else could change the host."""
    with pytest.raises(ValueError, match="not a path"):
        base("https://git.example").address("@elsewhere.example/x")


def test_a_port_that_goes_without_saying_is_the_same_origin() -> None:
    github = base("https://api.github.com")
    assert github.own("https://API.GITHUB.COM:443/x?y=1#z") == "https://API.GITHUB.COM:443/x?y=1"


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("/repos/octo/kit", "repo"),
        ("/repositories/17", "repo"),
        ("/repos/octo/kit/issues", "issues"),
        ("/repositories/17/issues/12/comments", "issues/N/comments"),
        ("/repos/issues/pulls/pulls/comments/9", "pulls/comments/N"),
        ("/repos/octo/kit/collaborators/somebody/permission", "collaborators/*/permission"),
        ("/graphql", "graphql"),
        ("/rate_limit", "rate_limit"),
        ("/app/installations/5/access_tokens", "app/installations/N/access_tokens"),
        ("", "root"),
    ],
)
def test_requests_are_counted_by_what_they_ask_for_and_not_of_whom(path: str, expected: str) -> None:
    assert template(path) == expected


def test_only_the_named_values_of_a_query_change() -> None:
    assert with_query("https://x.example/a?page=2&per_page=100&after=Y%3D", per_page=50) == (
        "https://x.example/a?page=2&after=Y%3D&per_page=50"
    )
