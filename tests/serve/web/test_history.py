"""Search, thread and inflight over HTTP: what a token may see, and what a page says."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable

    from flask import Flask
    from flask.testing import FlaskClient

WIDGETS = {"Authorization": "Bearer widgets"}
BOTH = {"Authorization": "Bearer both"}
NONE = {"Authorization": "Bearer none"}
TOKENS = "widgets:acme/widgets both:acme/* none:acme/nothing".replace("acme/*", "Acme/Widgets,acme/gadgets")


@pytest.fixture
def scoped(start: Callable[..., Flask], gadgets: object) -> FlaskClient:
    """Callers with tokens, over two repositories."""
    del gadgets
    return start(TOKENS).test_client()


def search(client: FlaskClient, headers: dict[str, str] | None = None, **question: Any) -> dict[str, Any]:
    response = client.post("/api/v1/search", json=question, headers=headers or {})
    assert response.status_code == 200, response.get_data(as_text=True)
    return response.get_json()


def test_a_search_sees_what_its_token_may_read(scoped: FlaskClient) -> None:
    narrow = search(scoped, WIDGETS, query="nonce")
    wide = search(scoped, BOTH, query="nonce")
    nothing = search(scoped, NONE, query="nonce", render=True)

    assert {hit["repo"] for hit in narrow["hits"]} == {"acme/widgets"}
    assert {hit["repo"] for hit in wide["hits"]} == {"acme/widgets", "acme/gadgets"}
    assert nothing["hits"] == []
    assert "no repository is in scope" in nothing["rendered"]


def test_a_search_is_narrowed_by_repository_in_any_spelling(scoped: FlaskClient) -> None:
    found = search(scoped, BOTH, query="nonce", repos=["ACME/gadgets"])

    assert found["query"]["repos"] == ["acme/gadgets"]
    assert {hit["repo"] for hit in found["hits"]} == {"acme/gadgets"}


@pytest.mark.parametrize("repo", ["acme/gadgets", "acme/nowhere"])
def test_out_of_scope_and_not_there_are_one_answer(repo: str, scoped: FlaskClient) -> None:
    answers = [
        scoped.post("/api/v1/search", json={"query": "x", "repos": [repo]}, headers=WIDGETS),
        scoped.get(f"/api/v1/thread/7?repo={repo}", headers=WIDGETS),
        scoped.get(f"/api/v1/inflight/7?repo={repo}", headers=WIDGETS),
    ]

    assert {answer.status_code for answer in answers} == {404}
    assert {answer.get_json()["error"] for answer in answers} == {"no_such_repository"}
    assert {answer.get_json()["message"].replace(repo, "") for answer in answers} == {
        "There is no repository  here for this caller."
    }


@pytest.mark.parametrize("route", ["thread", "inflight"])
def test_a_bare_number_among_several_repositories_is_not_guessed(route: str, scoped: FlaskClient) -> None:
    answer = scoped.get(f"/api/v1/{route}/7", headers=BOTH)

    assert answer.status_code == 400
    assert answer.get_json()["error"] == "repository_needed"
    assert answer.get_json()["repositories"] == ["acme/gadgets", "acme/widgets"]
    assert "RELORE_REPO" in answer.get_json()["message"]
    assert "acme/gadgets, acme/widgets" in answer.get_json()["message"]


@pytest.mark.parametrize("route", ["thread", "inflight"])
def test_a_bare_number_with_nothing_in_scope_says_so(route: str, scoped: FlaskClient) -> None:
    answer = scoped.get(f"/api/v1/{route}/7", headers=NONE)

    assert (answer.status_code, answer.get_json()["error"]) == (404, "nothing_indexed")
    assert "several" not in answer.get_json()["message"]


def test_a_bare_number_is_enough_for_the_only_repository(scoped: FlaskClient) -> None:
    thread = scoped.get("/api/v1/thread/7", headers=WIDGETS).get_json()["thread"]

    assert (thread["repo"], thread["number"]) == ("acme/widgets", 7)


def test_equal_numbers_of_two_repositories_do_not_mix(scoped: FlaskClient) -> None:
    for repo, other in (("widgets", "gadgets"), ("gadgets", "widgets")):
        thread = scoped.get(f"/api/v1/thread/7?repo=acme/{repo}&render=true", headers=BOTH).get_json()
        inflight = scoped.get(f"/api/v1/inflight/7?repo=acme/{repo}&render=true", headers=BOTH).get_json()

        assert other not in str(thread)
        assert other not in str(inflight)
        assert inflight["claims_total"] == 1


def test_status_speaks_of_the_repositories_of_its_token_only(scoped: FlaskClient) -> None:
    narrow = scoped.get("/api/v1/status?render=true", headers=WIDGETS).get_json()

    assert "gadgets" not in str(narrow)
    assert narrow["threads"] == 2
    assert scoped.get("/api/v1/status", headers=BOTH).get_json()["threads"] == 4


def test_asking_for_the_status_uses_nothing_up(scoped: FlaskClient) -> None:
    search(scoped, WIDGETS, query="x")

    for _ in range(3):
        usage = scoped.get("/api/v1/status", headers=WIDGETS).get_json()["usage"]

    assert usage == {"per_minute": {"used": 1, "limit": 60}, "daily": {"used": 1, "limit": 5000}}


def test_health_needs_no_token_and_names_nothing(scoped: FlaskClient) -> None:
    answer = scoped.get("/healthz")

    assert answer.get_json() == {"status": "ok", "version": "0.1.0"}


def test_what_may_be_excluded_is_a_number_of_one_repository(scoped: FlaskClient) -> None:
    named = search(scoped, BOTH, query="nonce", exclude=["acme/widgets#7"])
    alone = search(scoped, BOTH, query="nonce", repos=["acme/widgets"], exclude=[7])
    unclear = scoped.post("/api/v1/search", json={"query": "nonce", "exclude": [7]}, headers=BOTH)

    assert {(hit["repo"], hit["number"]) for hit in named["hits"]} == {
        ("acme/widgets", 8),
        ("acme/gadgets", 7),
    }
    assert {hit["number"] for hit in alone["hits"]} == {8}
    assert (unclear.status_code, unclear.get_json()["error"]) == (400, "ambiguous_exclude")


@pytest.mark.parametrize("name", ["acme/gadgets", "acme/nowhere"], ids=["not visible", "not held"])
def test_what_is_excluded_is_of_a_repository_that_is_here(name: str, scoped: FlaskClient) -> None:
    """It would withhold nothing, and whether it exists is not told."""
    answers = [
        scoped.post("/api/v1/search", json={"query": "nonce", "exclude": [f"{name}#7"]}, headers=WIDGETS),
        scoped.post("/api/v1/precedent", json={"query": "nonce", "exclude": [f"{name}#7"]}, headers=WIDGETS),
        *(
            scoped.get(f"/api/v1/{view}/8?exclude={name}%237", headers=WIDGETS)
            for view in ("thread", "inflight", "brief", "similar")
        ),
    ]

    for answer in answers:
        refusal = answer.get_json()
        assert (answer.status_code, refusal["error"]) == (404, "no_such_repository")
        assert refusal["message"] == f"exclude names a repository that is not here for this caller: {name}."
        assert refusal["parameter"] == "exclude"


@pytest.mark.parametrize("query", ["exclude=7", "exclude=acme/widgets%237", "before=2020-01-01"])
def test_a_thread_that_is_withheld_or_not_yet_there_is_not_found(query: str, scoped: FlaskClient) -> None:
    answer = scoped.get(f"/api/v1/thread/7?{query}", headers=WIDGETS)

    assert (answer.status_code, answer.get_json()["error"]) == (404, "no_such_thread")


def test_a_thread_that_the_question_itself_excludes_is_said_to_be(scoped: FlaskClient) -> None:
    own = scoped.get("/api/v1/thread/7?exclude=7", headers=WIDGETS).get_json()
    early = scoped.get("/api/v1/thread/7?before=2020-01-01", headers=WIDGETS).get_json()

    assert own["message"] == "The question itself excludes acme/widgets#7, so there is no page of it."
    assert "excludes" not in early["message"]


def test_a_number_excluded_in_another_repository_is_not_excluded_here(scoped: FlaskClient) -> None:
    answer = scoped.get("/api/v1/thread/7?repo=acme/widgets&exclude=acme/gadgets%237", headers=BOTH)

    assert answer.status_code == 200


def test_a_claim_that_is_withheld_is_neither_listed_nor_counted(scoped: FlaskClient) -> None:
    answer = scoped.get("/api/v1/inflight/7?exclude=8", headers=WIDGETS).get_json()

    assert (answer["claims"], answer["claims_total"]) == ([], 0)


def test_inflight_answers_for_a_number_that_is_not_indexed(scoped: FlaskClient) -> None:
    answer = scoped.get("/api/v1/inflight/4711?render=true", headers=WIDGETS)

    assert answer.status_code == 200
    assert "nothing in the index claims to close acme/widgets#4711" in answer.get_json()["rendered"]


@pytest.mark.usefixtures("widgets")
def test_a_page_holds_what_fits_and_says_what_there_is(client: FlaskClient) -> None:
    first = search(client, query="nonce", limit=2, render=True)
    second = search(client, query="nonce", limit=2, cursor=first["cursor"])

    assert f"2 of {first['total']} hits for 'nonce'" in first["rendered"]
    assert f"(next page: --cursor {first['cursor']})" in first["rendered"]
    shown = [hit["document_id"] for hit in (*first["hits"], *second["hits"])]
    assert len(set(shown)) == 4


@pytest.mark.usefixtures("widgets")
def test_more_than_a_page_holds_may_be_asked_for_and_is_told(client: FlaskClient) -> None:
    query = search(client, query="nonce", limit=50)["query"]

    assert (query["limit"], query["limit_asked"]) == (10, 50)


@pytest.mark.usefixtures("widgets")
def test_machines_are_heard_when_asked_for_by_name(client: FlaskClient) -> None:
    page = search(client, query="nonce", trust="machine", render=True)["rendered"]

    assert "[MACHINE: a bot's words, no evidence]" in page
    assert "trust floor: MACHINE" in page


@pytest.mark.usefixtures("widgets")
@pytest.mark.parametrize(
    ("bound", "flag"),
    [
        ({"kind": "rationale"}, "--kind rationale"),
        ({"trust": "authoritative"}, "--trust authoritative"),
        ({"files": ["no.c"]}, "--file 'no.c'"),
        ({"symbols": ["nope"]}, "--symbol 'nope'"),
        ({"errors": ["KeyError: nope"]}, "--error"),
        ({"tests": ["test_nope.py::test_x"]}, "--test 'test_nope.py::test_x'"),
        ({"labels": ["no such label"]}, "--label 'no such label'"),
        ({"authors": ["nobody"]}, "--author 'nobody'"),
        ({"since": "2024-05-31"}, "--since 2024-05-31T00:00:00Z"),
        ({"before": "2001-01-01"}, "--before 2001-01-01T00:00:00Z"),
        ({"exclude": [7]}, "--exclude acme/widgets#7"),
    ],
    ids=lambda value: str(value)[:20],
)
def test_an_empty_page_repeats_every_bound_that_emptied_it(
    bound: dict[str, Any], flag: str, client: FlaskClient
) -> None:
    page = search(client, query="zebra", render=True, **bound)["rendered"]

    assert "0 hits for 'zebra'" in page
    assert flag in page
    assert "repositories asked: acme/widgets" in page


@pytest.mark.usefixtures("widgets")
def test_facts_are_the_same_for_a_person_and_a_pipe(client: FlaskClient) -> None:
    """Advice only adds lines."""

    def lines(answer: Any) -> list[str]:
        return [line for line in answer.get_json()["rendered"].splitlines()[1:-1] if line]

    asked = [
        "/api/v1/thread/7?render=true",
        "/api/v1/thread/8?render=true&outline=true",
        "/api/v1/inflight/7?render=true",
        "/api/v1/inflight/8?render=true",
        "/api/v1/status?render=true",
    ]
    for address in asked:
        piped = lines(client.get(address))
        advised = lines(client.get(f"{address}&presentation=true"))
        assert [line for line in advised if line in piped] == piped


@pytest.mark.usefixtures("widgets")
def test_a_page_is_rendered_only_when_asked_for(client: FlaskClient) -> None:
    assert "rendered" not in client.get("/api/v1/thread/7").get_json()
    assert "rendered" in client.get("/api/v1/thread/7?render=1").get_json()


@pytest.mark.usefixtures("widgets")
def test_paths_of_a_diff_are_counted_always_and_listed_on_request(client: FlaskClient) -> None:
    counted = client.get("/api/v1/thread/8?render=1").get_json()
    listed = client.get("/api/v1/thread/8?render=1&files=1").get_json()

    assert "changed files: 2 of 2, complete (paths withheld; --files serves them)" in counted["rendered"]
    assert "src/batch.h" not in counted["rendered"]
    assert "src/batch.c, src/batch.h" in listed["rendered"]
    assert counted["thread"]["files_changed"] == ["src/batch.c", "src/batch.h"]


@pytest.mark.parametrize(("comment", "says"), [("1", "holds no such comment"), ("bot", "is a bot's")])
@pytest.mark.usefixtures("widgets")
def test_a_comment_that_is_not_served_says_why(comment: str, says: str, client: FlaskClient) -> None:
    if comment == "bot":
        bots = search(client, query="bot", trust="machine")["hits"]
        comment = bots[0]["source_id"]

    page = client.get(f"/api/v1/thread/7?render=1&comment={comment}").get_json()["rendered"]

    assert says in page


@pytest.mark.usefixtures("widgets")
def test_a_session_that_answers_cannot_write(reader: Any) -> None:
    with reader.connection() as connection:
        settings = connection.execute("SELECT current_setting('default_transaction_read_only')").fetchone()

    assert settings == ("on",)


def test_a_part_of_an_identifier_is_asked_for_and_explained(client: FlaskClient, widgets: object) -> None:
    del widgets
    found = search(client, contains=["rc/batc"], explain=True, compact=True, render=True)

    assert found["query"]["contains"][0]["value"] == "rc/batc"
    assert found["hits"]
    assert found["hits"][0]["score"] is not None
    assert "\nwhy: says 'contains:src/batch.c'" in found["rendered"]


def test_a_part_that_is_too_short_is_refused_by_name(client: FlaskClient, widgets: object) -> None:
    del widgets
    response = client.post("/api/v1/search", json={"contains": ["ab"]})

    assert response.status_code == 400
    assert response.get_json()["error"] == "part_too_short"


def test_a_search_that_finds_nothing_suggests_what_does(client: FlaskClient, widgets: object) -> None:
    del widgets
    found = search(client, query="nonce", labels=["no such label"], render=True)

    assert found["total"] == 0
    assert [each["form"] for each in found["suggestions"]] == ["relore search nonce"]
    assert "without --label" in found["rendered"]
