"""Verdicts on answers: who may give them, what a line holds, and that nothing that is answered is made of them."""

from __future__ import annotations

import html
import json
import re
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from rows import NOW
from test_pages import basic, page_of

from relore_assets.judge.labels import read
from relore_serve.search.question import Exclusion
from relore_serve.signals import VERSION as SIGNALS
from relore_serve.web import routes
from relore_serve.web.labels import Labels, LabelsError
from relore_serve.web.pin import Pin

if TYPE_CHECKING:
    from collections.abc import Callable

    from flask import Flask
    from flask.testing import FlaskClient
    from rows import History
    from werkzeug.test import TestResponse

LABEL = {"query": "nonce", "repo": "acme/widgets", "number": 7, "source_type": "title", "verdict": "relevant"}


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """Where labels go."""
    return tmp_path / "labels.jsonl"


@pytest.fixture
def judge(start: Callable[..., Flask], file: Path) -> FlaskClient:
    """A caller whose token may label one repository."""
    client = start("s3cret:acme/widgets:label reader:*", labels=Labels(file)).test_client()
    client.environ_base["HTTP_AUTHORIZATION"] = "Bearer s3cret"
    return client


def give(client: FlaskClient, **more: Any) -> TestResponse:
    return client.post("/api/v1/label", json={**LABEL, **more})


def rows(file: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in file.read_text(encoding="ascii").splitlines()]


@pytest.mark.usefixtures("widgets")
def test_a_label_is_one_line_that_holds_the_whole_question(judge: FlaskClient, file: Path) -> None:
    asked = {
        "query": "Why does NonceFactory reuse\nA nonce?",
        "repo": "Acme/Widgets",
        "kind": "failure",
        "source_type": "issue_comment",
        "source_id": "1003",
        "note": "zwölf",
        "judge": "model",
        "filters": {
            "files": ["src/batch.c"],
            "sort": "newest",
            "trust": "reported",
            "before": "2024-06-01T02:00:00+02:00",
            "exclude": [8],
            "repos": ["ACME/widgets"],
            "mentioned": True,
            "expand": False,
            "labels": [],
        },
    }

    answer = give(judge, **asked)

    assert answer.get_json() == {
        "labelled_at": "2024-06-01T12:00:00Z",
        "repo": "acme/widgets",
        "number": 7,
        "verdict": "relevant",
        "judge": "model",
    }
    assert rows(file) == [
        {
            "labelled_at": "2024-06-01T12:00:00Z",
            "judge": "model",
            "caller": "token-1",
            "verdict": "relevant",
            "repo": "acme/widgets",
            "number": 7,
            "source_type": "issue_comment",
            "source_id": "1003",
            "query": "Why does NonceFactory reuse\nA nonce?",
            "kind": "failure",
            "filters": {
                "before": "2024-06-01T00:00:00Z",
                "exclude": ["acme/widgets#8"],
                "expand": False,
                "files": ["src/batch.c"],
                "mentioned": True,
                "repos": ["acme/widgets"],
                "sort": "newest",
                "trust": "reported",
            },
            "note": "zwölf",
            "backend": {"name": "postgresql", "ranking": "bm25"},
            "versions": {
                "relore": "0.1.0",
                "signals": SIGNALS,
                "tokens": rows(file)[0]["versions"]["tokens"],
            },
        }
    ]
    assert file.stat().st_mode & 0o777 == 0o600


@pytest.mark.usefixtures("widgets")
def test_what_goes_without_saying_is_a_human_verdict_without_filters(judge: FlaskClient, file: Path) -> None:
    assert give(judge, filters={"sort": "relevance", "expand": True}, note=None).status_code == 200

    (row,) = rows(file)
    assert (row["judge"], row["filters"], row["kind"], row["source_id"]) == ("human", {}, None, None)


def test_all_filters_of_a_search_are_those_of_a_label() -> None:
    """A filter that a label could not name would be folded as if it had not been asked."""
    shown = {*routes.VIEW, "query", "kind", "limit", "cursor", "explain"}

    assert set(routes.LABEL.fields["filters"].fields) == set(routes.SEARCH.fields) - shown


REFUSED: list[tuple[str, dict[str, Any], int, str]] = [
    ("a repository out of scope", {"repo": "acme/gadgets"}, 404, "no_such_repository"),
    ("a repository that is none", {"repo": "acme/none"}, 404, "no_such_repository"),
    ("a filter by one out of scope", {"filters": {"repos": ["acme/gadgets"]}}, 404, "no_such_repository"),
    ("a thread that is not there", {"number": 4711}, 404, "no_such_thread"),
    ("a thread of another repository", {"number": 9}, 404, "no_such_thread"),
    ("a thread that the question withholds", {"filters": {"exclude": [7]}}, 404, "no_such_thread"),
    ("a thread of later", {"filters": {"before": "2024-05-01"}}, 404, "no_such_thread"),
    ("a kind of text it has none of", {"source_type": "review"}, 404, "no_such_text"),
    ("a text of another thread", {"source_type": "review_comment", "source_id": "1006"}, 404, "no_such_text"),
    ("a machine's text", {"source_type": "issue_comment", "source_id": "1005"}, 404, "no_such_text"),
    (
        "a text below the floor",
        {"source_type": "issue_comment", "source_id": "1004", "kind": "rationale"},
        404,
        "no_such_text",
    ),
    ("a text of before the window", {"filters": {"since": "2024-05-30"}}, 404, "no_such_text"),
    ("no question", {"query": " ", "filters": {"trust": "reported"}}, 400, "bad_value"),
    ("no verdict", {"verdict": None}, 400, "bad_value"),
    ("an id of no kind of text", {"source_type": None, "source_id": "1003"}, 400, "bad_value"),
    ("another verdict", {"verdict": "perhaps"}, 400, "bad_value"),
    ("another judge", {"judge": "record"}, 400, "bad_value"),
    ("a question too long", {"query": "x" * 16_001}, 400, "bad_value"),
    ("a note too long", {"note": "x" * 2_001}, 400, "bad_value"),
    ("too many values", {"filters": {"files": [str(n) for n in range(21)]}}, 400, "bad_value"),
    ("an unknown filter", {"filters": {"file": ["a.c"]}}, 400, "bad_value"),
    ("filters that are none", {"filters": ["a.c"]}, 400, "bad_value"),
    ("an empty window", {"filters": {"since": "2024-05-30", "before": "2024-05-29"}}, 400, "empty_window"),
    ("an unknown field", {"verdikt": "relevant"}, 400, "unknown_parameter"),
]


@pytest.mark.parametrize(("more", "status", "code"), [c[1:] for c in REFUSED], ids=[c[0] for c in REFUSED])
@pytest.mark.usefixtures("gadgets")
def test_what_cannot_be_a_label_is_refused_and_leaves_no_line(
    more: dict[str, Any], status: int, code: str, judge: FlaskClient, file: Path
) -> None:
    answer = give(judge, **more)

    assert (answer.status_code, answer.get_json()["error"]) == (status, code)
    assert not file.exists()


@pytest.mark.usefixtures("widgets")
def test_an_unknown_filter_is_named_with_the_nearest_known_one(judge: FlaskClient) -> None:
    message = give(judge, filters={"file": ["a.c"]}).get_json()["message"]

    assert message == "filters holds file, a name that is not known; the nearest is files."


@pytest.mark.usefixtures("widgets")
def test_a_filter_that_stands_beside_the_others_is_told_where_it_belongs(judge: FlaskClient) -> None:
    answer = give(judge, before="2024-06-01").get_json()

    assert answer["error"] == "unknown_parameter"
    assert (answer["parameter"], answer["nearest"]) == ("before", "filters")
    assert answer["message"] == "There is no parameter before. It belongs in filters."


@pytest.mark.parametrize("kind", ["rationale", "precedent"])
@pytest.mark.usefixtures("widgets")
def test_a_text_that_the_floor_keeps_out_is_refused_with_the_reason(judge: FlaskClient, kind: str) -> None:
    """It is there, and shown where another kind is asked for."""
    asked = {"source_type": "issue_comment", "source_id": "1004", "kind": kind}
    message = give(judge, **asked).get_json()["message"]

    assert f"a question of kind {kind} is answered with texts that are authoritative" in message
    assert ("merged" in message) == (kind == "precedent")
    assert "leave source_type and source_id out" in message
    assert give(judge, **{**asked, "kind": "failure"}).status_code == 200
    assert give(judge, kind=kind, source_type=None).status_code == 200


@pytest.mark.usefixtures("widgets")
def test_a_text_that_is_not_there_is_no_matter_of_floors(judge: FlaskClient) -> None:
    for kind in (None, "rationale"):
        message = give(judge, source_type="review", kind=kind).get_json()["message"]
        assert message == "acme/widgets#7 holds no such text that this question could be answered with."


@pytest.mark.usefixtures("widgets")
def test_a_thread_may_be_judged_without_naming_a_text(judge: FlaskClient, file: Path) -> None:
    assert give(judge, source_type=None).status_code == 200

    (row,) = rows(file)
    assert (row["number"], row["source_type"], row["source_id"]) == (7, None, None)
    (label,) = read(file).labels
    assert "the thread" in label.why


@pytest.mark.usefixtures("widgets")
def test_a_machines_text_may_be_judged_where_machines_were_asked_for(judge: FlaskClient, file: Path) -> None:
    answer = give(judge, source_type="issue_comment", source_id="1005", filters={"trust": "machine"})

    assert answer.status_code == 200
    assert rows(file)[0]["filters"] == {"trust": "machine"}


@pytest.mark.usefixtures("widgets")
def test_a_token_without_the_scope_may_not_label(judge: FlaskClient, file: Path) -> None:
    answer = judge.post("/api/v1/label", json=LABEL, headers={"Authorization": "Bearer reader"})

    assert answer.status_code == 403
    assert (answer.get_json()["error"], answer.get_json()["scope"]) == ("scope_needed", "label")
    assert not file.exists()


@pytest.mark.usefixtures("widgets")
def test_without_tokens_this_machine_may_label_and_strangers_may_not(
    start: Callable[..., Flask], file: Path
) -> None:
    """A server that everybody can reach would keep everybody's verdicts."""
    stranger = {"REMOTE_ADDR": "192.0.2.7"}
    own, open_to_all = start(labels=Labels(file)), start(labels=Labels(file), trust_network=True)

    refused = [
        own.test_client().post("/api/v1/label", json=LABEL, environ_base=stranger),
        open_to_all.test_client().post("/api/v1/label", json=LABEL, environ_base=stranger),
        open_to_all.test_client().post("/api/v1/label", json=LABEL),
    ]
    assert [answer.status_code for answer in refused] == [403, 403, 403]
    assert not file.exists()
    assert give(own.test_client()).status_code == 200


@pytest.mark.usefixtures("widgets")
def test_a_server_that_keeps_no_labels_says_so(start: Callable[..., Flask]) -> None:
    answer = give(start().test_client())

    assert answer.status_code == 503
    assert answer.get_json()["error"] == "labels_unavailable"
    assert "RELORE_LABELS_PATH" in answer.get_json()["message"]


@pytest.mark.usefixtures("widgets")
def test_a_file_that_cannot_be_written_is_an_outage_that_names_no_path(
    start: Callable[..., Flask], tmp_path: Path
) -> None:
    answer = give(start(labels=Labels(tmp_path)).test_client())

    assert answer.status_code == 503
    assert answer.get_json()["error"] == "labels_unavailable"
    assert str(tmp_path) not in answer.get_data(as_text=True)


def test_a_path_that_can_be_no_file_is_refused_at_the_start(tmp_path: Path) -> None:
    for named in (tmp_path, tmp_path / "nowhere" / "labels.jsonl"):
        with pytest.raises(LabelsError, match="RELORE_LABELS_PATH"):
            Labels.from_env({"RELORE_LABELS_PATH": str(named)})
    assert not Labels.from_env({"RELORE_LABELS_PATH": ""})
    assert Labels.from_env({"RELORE_LABELS_PATH": str(tmp_path / "x")}).path == tmp_path / "x"


@pytest.mark.usefixtures("widgets")
def test_a_pinned_server_records_the_question_that_was_answered(
    start: Callable[..., Flask], file: Path
) -> None:
    pin = Pin(NOW, (Exclusion(8, "acme/widgets"),))
    client = start(labels=Labels(file), pin=pin).test_client()

    assert give(client, number=8).status_code == 404
    assert give(client).status_code == 200
    assert rows(file)[0]["filters"] == {"before": "2024-06-01T12:00:00Z", "exclude": ["acme/widgets#8"]}


WRITER = """
import sys
from pathlib import Path
from relore_serve.web.labels import Labels
labels = Labels(Path(sys.argv[1]))
for n in range(200):
    labels.append({"writer": sys.argv[2], "n": n, "note": sys.argv[2] * 20_000})
"""


def test_each_label_is_one_line_however_many_processes_write(file: Path) -> None:
    writers = [subprocess.Popen([sys.executable, "-c", WRITER, str(file), name]) for name in "abcd"]
    assert [writer.wait() for writer in writers] == [0, 0, 0, 0]

    written = rows(file)
    assert all(row["note"] == row["writer"] * 20_000 for row in written)
    for name in "abcd":
        assert [row["n"] for row in written if row["writer"] == name] == list(range(200))


def test_a_line_that_was_cut_short_takes_no_other_with_it(file: Path) -> None:
    file.write_text('{"whole":1}\n{"cut', encoding="ascii")

    Labels(file).append({"next": 1})

    assert file.read_text(encoding="ascii") == '{"whole":1}\n{"cut\n{"next":1}\n'


def test_a_full_disk_leaves_the_file_as_it_was() -> None:
    with pytest.raises(LabelsError, match="No space left"):
        Labels(Path("/dev/full")).append({"x": 1})


QUESTIONS = [
    ("POST", "/api/v1/search", {"query": "nonce", "explain": True, "render": True}),
    ("POST", "/api/v1/search", {"query": "zebra", "render": True}),
    ("POST", "/api/v1/precedent", {"query": "nonce", "render": True}),
    *(("GET", f"/api/v1/{view}/7", None) for view in ("thread", "inflight", "brief", "similar")),
    ("GET", "/api/v1/status", None),
    ("GET", "/?q=nonce", None),
    ("GET", "/?q=nonce&kind=failure", None),
    ("GET", "/acme/widgets/7", None),
]


def answers(app: Flask) -> list[str]:
    """Ask everything there is; marks of pages are random and left out."""
    client = app.test_client()
    told = [
        client.open(address, method=method, json=body).get_data(as_text=True)
        for method, address, body in QUESTIONS
    ]
    return [re.sub(r"relore-[0-9a-f]{8}", "relore", text) for text in told]


@pytest.mark.usefixtures("widgets")
def test_a_label_changes_no_answer_and_no_row(
    start: Callable[..., Flask], file: Path, widgets: History
) -> None:
    def tables() -> list[Any]:
        names = widgets.conn.execute(
            "SELECT relname FROM pg_class WHERE relnamespace = 'relore'::regnamespace AND relkind = 'r' ORDER BY 1"
        ).fetchall()
        return [
            (
                name,
                widgets.conn.execute(
                    f"SELECT count(*), md5(string_agg(t::text, '|' ORDER BY t::text)) FROM relore.{name} t"
                ).fetchone(),
            )
            for (name,) in names
        ]

    app = start(labels=Labels(file))
    before = answers(app), tables()

    for verdict in ("not_relevant", "decisive"):
        for number in (7, 8):
            assert (
                give(app.test_client(), number=number, verdict=verdict, note="ZEBRA nonce").status_code == 200
            )

    assert len(rows(file)) == 4
    assert (answers(app), tables()) == before
    assert not any("ZEBRA" in text for text in answers(app))


# Forms.


def forms(page: str) -> list[dict[str, str]]:
    """Return the hidden fields of each form that labels."""
    found = re.findall(r'<form action="/label" method="post".*?</form>', page, re.DOTALL)
    fields = [re.findall(r'<input type="hidden" name="(\w+)" value="([^"]*)">', form) for form in found]
    return [{name: html.unescape(value) for name, value in pairs} for pairs in fields]


def sign_in(start: Callable[..., Flask], file: Path, secret: str) -> tuple[FlaskClient, dict[str, str]]:
    tokens = "s3cret:acme/widgets:label other:acme/widgets:label reader:*"
    return start(tokens, labels=Labels(file)).test_client(), basic(secret)


@pytest.mark.usefixtures("widgets")
def test_a_form_under_each_hit_keeps_a_verdict_without_any_script(
    start: Callable[..., Flask], file: Path
) -> None:
    client, me = sign_in(start, file, "s3cret")
    address = "/?q=Nonce+reused&kind=failure&sort=newest&before=2024-06-01&repo=acme/widgets"
    page = client.get(address, headers=me)
    page_of(page)
    shown = client.post(
        "/api/v1/search",
        json={"query": "Nonce reused", "kind": "failure", "sort": "newest", "before": "2024-06-01"},
        headers={"Authorization": "Bearer s3cret"},
    ).get_json()["hits"]
    found = forms(page.get_data(as_text=True))
    assert len(found) == len(shown) > 1

    for form, verdict in zip(found, ("relevant", "decisive", "not_relevant"), strict=False):
        kept = client.post("/label", data={**form, "verdict": verdict}, headers=me)
        read = page_of(kept)
        assert verdict.replace("_", " ") in read.text
        (back,) = [one for one in read.links if one.startswith("/?q=")]
        assert back.startswith(
            "/?q=Nonce+reused&kind=failure&sort=newest&before=2024-06-01&repo=acme%2Fwidgets#hit-"
        )

    kept = rows(file)
    assert [(row["number"], row["source_id"]) for row in kept] == [
        (hit["number"], hit["source_id"]) for hit in shown[: len(kept)]
    ]
    for row in kept:
        assert (row["query"], row["kind"], row["judge"]) == ("Nonce reused", "failure", "human")
        assert row["filters"] == {
            "before": "2024-06-01T00:00:00Z",
            "repos": ["acme/widgets"],
            "sort": "newest",
        }


@pytest.mark.usefixtures("widgets")
def test_who_may_not_label_sees_no_form(start: Callable[..., Flask], file: Path) -> None:
    client, reader = sign_in(start, file, "reader")
    assert "/label" not in client.get("/?q=nonce", headers=reader).get_data(as_text=True)

    for nowhere in (
        start("s3cret:*:label").test_client(),
        start(labels=Labels(file), trust_network=True).test_client(),
    ):
        assert "/label" not in nowhere.get("/?q=nonce", headers=basic("s3cret")).get_data(as_text=True)


@pytest.mark.usefixtures("widgets")
def test_a_form_of_another_site_keeps_nothing(start: Callable[..., Flask], file: Path) -> None:
    """The browser sends our password along with it, and nothing else that is ours."""
    client, me = sign_in(start, file, "s3cret")
    form = forms(client.get("/?q=nonce", headers=me).get_data(as_text=True))[0]
    others = forms(client.get("/?q=nonce", headers=basic("other")).get_data(as_text=True))[0]

    for mark in ("", "x", "é", others["mark"]):
        answer = client.post("/label", data={**form, "mark": mark, "verdict": "relevant"}, headers=me)
        page_of(answer, 403)
    answer = client.post("/label", data={**form, "verdict": "relevant"}, headers=basic("reader"))
    page_of(answer, 403)
    assert client.post("/label", data={**form, "verdict": "relevant"}).status_code == 401
    assert not file.exists()

    another_process, _ = sign_in(start, file, "s3cret")
    assert another_process.post("/label", data={**form, "verdict": "relevant"}, headers=me).status_code == 200


@pytest.mark.usefixtures("widgets")
def test_a_server_without_tokens_marks_its_forms_too(start: Callable[..., Flask], file: Path) -> None:
    app = start(labels=Labels(file))
    form = forms(app.test_client().get("/?q=nonce").get_data(as_text=True))[0]
    elsewhere = forms(start(labels=Labels(file)).test_client().get("/?q=nonce").get_data(as_text=True))[0]

    unmarked = app.test_client().post("/label", data={**elsewhere, "verdict": "relevant"})
    assert unmarked.status_code == 403
    assert app.test_client().post("/label", data={**form, "verdict": "relevant"}).status_code == 200


@pytest.mark.parametrize(
    "spoiled",
    [
        {"verdict": "perhaps"},
        {"label": "{"},
        {"label": "{}"},
        {"label": json.dumps({**LABEL, "number": 4711})},
        {"label": json.dumps({**LABEL, "repo": "acme/gadgets"})},
        {"more": "x"},
    ],
    ids=["verdict", "no JSON", "nothing", "no thread", "another repository", "a field too many"],
)
@pytest.mark.usefixtures("gadgets")
def test_a_form_that_was_spoiled_is_refused_as_a_page(
    spoiled: dict[str, str], start: Callable[..., Flask], file: Path
) -> None:
    client, me = sign_in(start, file, "s3cret")
    form = {
        **forms(client.get("/?q=nonce", headers=me).get_data(as_text=True))[0],
        "verdict": "relevant",
        **spoiled,
    }

    answer = client.post("/label", data=form, headers=me)

    page_of(answer, answer.status_code)
    assert answer.status_code in {400, 404}
    assert not file.exists()


@pytest.mark.usefixtures("widgets")
def test_what_was_asked_stands_in_a_form_as_text(start: Callable[..., Flask], file: Path) -> None:
    client, me = sign_in(start, file, "s3cret")
    asked = "\"><script>alert(1)</script> nonce's"

    page = client.get("/", query_string={"q": asked}, headers=me)

    page_of(page)
    found = forms(page.get_data(as_text=True))
    assert all(json.loads(form["label"])["query"] == asked for form in found)
