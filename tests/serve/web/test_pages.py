"""The pages for people: the same answers as the API's, readable without any script, in which nothing runs."""

from __future__ import annotations

import base64
import re
from hashlib import sha256
from html.parser import HTMLParser
from typing import TYPE_CHECKING, Any

import pytest
from hostile import FORGED, PAYLOADS, VISIBLE_CONTROL, fill
from rows import NOW

from relore_assets.precedents.build import build
from relore_serve.database import open_reader
from relore_serve.search.question import Exclusion
from relore_serve.search.scope import Repo
from relore_serve.web.app import create_app
from relore_serve.web.pages import link
from relore_serve.web.pin import Pin
from relore_serve.web.quota import Limits
from relore_serve.web.tokens import Tokens

if TYPE_CHECKING:
    from collections.abc import Callable

    from flask import Flask
    from flask.testing import FlaskClient
    from rows import History
    from werkzeug.test import TestResponse

ADDRESSES = [
    "/",
    "/?q=nonce",
    "/acme/widgets/7",
    "/acme/widgets/7/brief",
    "/acme/widgets/7/similar",
    "/precedent",
    "/precedent?q=nonce",
]
ALLOWED = {
    *(
        "html",
        "head",
        "meta",
        "title",
        "style",
        "body",
        "header",
        "footer",
        "section",
        "article",
        "form",
        "input",
    ),
    *(
        "select",
        "option",
        "button",
        "h1",
        "h2",
        "h3",
        "p",
        "a",
        "span",
        "pre",
        "blockquote",
        "details",
        "summary",
    ),
    *("table", "thead", "tbody", "tr", "th", "td", "dl", "dt", "dd"),
}


class Read(HTMLParser):
    """What a program without scripts reads of a page."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags: set[str] = set()
        self.attributes: set[str] = set()
        self.links: list[str] = []
        self.text = ""
        self.style = ""
        self._inside = ""
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Note what a tag is and where it leads."""
        self._inside = tag
        self.tags.add(tag)
        self.attributes.update(name for name, _ in attrs)
        self.links += [value or "" for name, value in attrs if name in {"href", "src", "action"}]

    def handle_data(self, data: str) -> None:
        """Note text, that of the style sheet apart."""
        if self._inside == "style":
            self.style += data
        else:
            self.text += data

    def handle_endtag(self, tag: str) -> None:
        """Leave a tag."""
        self._inside = "" if tag == self._inside else self._inside


def page_of(answer: TestResponse, status: int = 200) -> Read:
    """Return a page, which must be one in which nothing runs."""
    text = answer.get_data(as_text=True)
    assert answer.status_code == status, re.findall('class="note">(.*)', text)
    assert answer.mimetype == "text/html"
    read = Read(text)
    digest = base64.b64encode(sha256(read.style.encode()).digest()).decode()
    assert answer.headers["Content-Security-Policy"] == (
        f"default-src 'none'; style-src 'sha256-{digest}'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
    )
    assert answer.headers["Cache-Control"] == "no-store"
    assert answer.headers["Referrer-Policy"] == "no-referrer"
    assert answer.headers["X-Content-Type-Options"] == "nosniff"
    assert "Content-Encoding" not in answer.headers
    assert read.tags <= ALLOWED
    assert not {name for name in read.attributes if name.startswith("on")} | read.attributes & {
        "style",
        "srcdoc",
    }
    assert all(re.match(r"https://|/(?!/)|\?|#|$", address) for address in read.links), read.links
    return read


def basic(secret: str, name: str = "me") -> dict[str, str]:
    return {"Authorization": "Basic " + base64.b64encode(f"{name}:{secret}".encode()).decode()}


@pytest.mark.usefixtures("widgets")
def test_a_search_shows_what_the_api_answers(client: FlaskClient) -> None:
    answer = client.post("/api/v1/search", json={"query": "nonce", "render": True}).get_json()

    read = page_of(client.get("/?q=nonce&repo=&kind="))

    assert answer["hits"]
    for hit in answer["hits"]:
        for fact in (hit["title"], hit["snippet"], hit["author"], hit["trust"], hit["age"], hit["url"]):
            assert fact in read.text
        assert f"/{hit['repo']}/{hit['number']}" in read.links
        assert hit["url"] in read.links
    assert f"{answer['count']} of {answer['total']} texts in {answer['threads_total']} threads" in read.text
    body = answer["rendered"].split("\n")[2:-1]
    assert all(line in read.text for line in body)


@pytest.mark.usefixtures("widgets")
def test_where_nothing_is_found_the_page_says_who_else_said_it_and_what_finds_something(
    client: FlaskClient,
) -> None:
    machines = page_of(client.get("/?q=bot"))
    assert "No person's words match; 1 of machines do" in machines.text
    near = page_of(client.get("/?q=noncce"))
    assert "Nothing was found for this." in near.text
    assert "relore search nonc" in near.text


@pytest.mark.usefixtures("widgets")
def test_a_thread_shows_what_the_api_answers(client: FlaskClient) -> None:
    thread = client.get("/api/v1/thread/7").get_json()["thread"]

    read = page_of(client.get("/Acme/widgets/7?focus=nonce"))

    for comment in thread["comments"]:
        assert comment["snippet"] in read.text
        assert comment["author"] in read.text
    assert thread["title"] in read.text
    assert "Steps to reproduce are below." in read.text
    assert "good first issue" in read.text


def has(read: Read, *facts: object) -> bool:
    """Whether the page says all of it."""
    assert not [fact for fact in facts if str(fact) not in read.text]
    return True


@pytest.mark.usefixtures("widgets")
def test_a_brief_shows_what_the_api_answers(client: FlaskClient) -> None:
    """And a thread leads there, and to the threads like it, and back."""
    answer = client.get("/api/v1/brief/8?render=true").get_json()

    read = page_of(client.get("/acme/widgets/8/brief"))

    assert answer["people"]["listed"]
    people = [f"{one['author']} ({one['trust']}," for one in answer["people"]["listed"]]
    assert has(read, answer["thread"]["title"], *people)
    closed = answer["closes"]["listed"][0]["thread"]
    assert has(read, closed["title"], closed["author"], closed["age"])
    assert f"/acme/widgets/{closed['number']}" in read.links
    assert has(read, *answer["rendered"].split("\n")[2:-1])
    ways = {"/acme/widgets/8", "/acme/widgets/8/brief", "/acme/widgets/8/similar"}
    for here in ways:
        assert ways - {here} <= set(page_of(client.get(here)).links)


@pytest.mark.usefixtures("widgets")
def test_threads_like_one_show_what_the_api_answers(client: FlaskClient) -> None:
    answer = client.get("/api/v1/similar/7?render=true").get_json()

    read = page_of(client.get("/acme/widgets/7/similar"))

    assert answer["similar"]
    for each in answer["similar"]:
        assert has(read, each["title"], each["author"], each["age"], *each["terms"])
        assert f"/acme/widgets/{each['number']}" in read.links
    assert has(read, *answer["rendered"].split("\n")[2:-1])


@pytest.mark.usefixtures("widgets")
def test_finished_work_is_asked_for_by_a_form(client: FlaskClient, history: History) -> None:
    """Each field is a bound of the question, and an empty one is none."""
    row = history.conn.execute("SELECT id FROM relore.repos WHERE full_name = 'acme/widgets'").fetchone()
    assert row is not None
    repo = Repo(row[0], "acme/widgets")
    history.thread(repo, 10, "Fix the nonce", "Closes #7", kind="pr", merged=True, files=("src/batch.c",))
    history.fold()
    build(history.conn, repo.id)
    history.conn.commit()
    answer = client.post("/api/v1/precedent", json={"query": "nonce", "render": True}).get_json()

    form = page_of(client.get("/precedent"))
    read = page_of(client.get("/precedent?q=nonce&kind=&rejected=&file=&symbol=&error="))

    assert "/precedent" in form.links
    assert "Nothing was found" not in form.text
    assert answer["units"]
    for unit in answer["units"]:
        assert has(read, unit["title"], unit["outcome"], unit["author"], unit["problem"]["text"])
        assert f"/acme/widgets/{unit['number']}" in read.links
    assert has(read, *answer["rendered"].split("\n")[2:-1])
    for bound in ("rejected=true", "file=no/such.c", "kind=deprecation", "symbol=nobody"):
        assert "Nothing was found for this." in page_of(client.get(f"/precedent?q=nonce&{bound}")).text


@pytest.mark.usefixtures("widgets")
def test_a_cutoff_is_kept_by_every_form_and_link(client: FlaskClient) -> None:
    """A reader of the past who clicks does not land in today."""
    moment = "2024-05-20T00:00:00+00:00"
    quoted = "2024-05-20T00%3A00%3A00%2B00%3A00"
    home = client.get("/", query_string={"q": "nonce", "before": moment}).get_data(as_text=True)
    page = client.get("/acme/widgets/7", query_string={"before": moment}).get_data(as_text=True)
    field = f'<input name="before" value="{moment}"'

    assert field in home
    assert f'href="/acme/widgets/7?before={quoted}"' in home
    assert field in page
    for address in ("/acme/widgets/8/brief", "/acme/widgets/7/similar", "/precedent?q=nonce"):
        page += client.get(f"{address}{'&' if '?' in address else '?'}before={quoted}").get_data(as_text=True)
    assert "<dt>as of</dt>" in client.get(f"/acme/widgets/7?before={quoted}").get_data(as_text=True)
    for address in re.findall(r'href="([?/][^"]*(?:after|full|/\d)[^"]*)"', home + page):
        assert f"before={quoted}" in address
    assert 'name="before"' not in client.get("/?q=nonce").get_data(as_text=True)


@pytest.mark.usefixtures("widgets")
def test_how_to_ask_from_a_shell_stands_in_the_page_itself(client: FlaskClient) -> None:
    """Whoever fetches the page without running scripts reads it too, with the address that they fetched."""
    read = page_of(client.get("/", base_url="http://localhost:9123"))

    assert "export RELORE_API=http://localhost:9123\n" in read.text
    assert "export RELORE_REPO=acme/widgets\n" in read.text
    assert "RELORE_TOKEN" not in read.text
    assert "start-up file" in read.text
    assert "2 threads" in read.text or "acme/widgets" in read.text


def test_an_address_that_is_none_is_not_printed_for_a_shell(start: Callable[..., Flask]) -> None:
    app = start(trust_network=True)

    read = page_of(app.test_client().get("/", headers={"Host": "x;curl$(evil)"}))

    assert "evil" not in read.text
    assert "export RELORE_API=http://127.0.0.1:8080\n" in read.text


@pytest.mark.parametrize("payload", PAYLOADS.values(), ids=PAYLOADS.keys())
def test_nothing_that_strangers_write_becomes_part_of_a_page(
    payload: str, history: History, client: FlaskClient
) -> None:
    repo = history.repo("acme/widgets")
    fill(history, repo, payload)
    history.fold()
    history.count()
    build(history.conn, repo.id)
    history.conn.commit()

    for address in (
        "/?q=nonce",
        "/?q=nonce&sort=newest",
        "/acme/widgets/1?full=true",
        "/acme/widgets/2?focus=nonce",
        "/acme/widgets/1/brief",
        "/acme/widgets/2/similar",
        "/precedent?q=nonce",
    ):
        read = page_of(client.get(address))
        assert FORGED in read.text
        assert not VISIBLE_CONTROL.search(read.text), address


@pytest.mark.parametrize(
    "url", ["javascript:alert(1)", "http://x.example/", "//x.example", "https://a b", ""]
)
def test_only_addresses_of_the_web_are_followed(url: str) -> None:
    assert link(url) == "#"
    assert link("https://github.test/a/b/1") == "https://github.test/a/b/1"


@pytest.mark.usefixtures("gadgets")
@pytest.mark.parametrize("address", ADDRESSES)
def test_with_tokens_the_token_is_the_password_of_any_name(address: str, start: Callable[..., Flask]) -> None:
    client = start("s3cret:acme/widgets").test_client()

    refused = client.get(address)
    read = page_of(refused, 401)
    assert refused.headers["WWW-Authenticate"].startswith("Basic ")
    assert "export RELORE_TOKEN=" in read.text
    assert "acme" not in read.text.replace("https://", "")
    for headers in (basic("wrong"), {"Authorization": "Basic !"}, {"Authorization": "Basic /w=="}):
        page_of(client.get(address, headers=headers), 401)
    for headers in (basic("s3cret"), basic("s3cret", name=""), {"Authorization": "Bearer s3cret"}):
        assert "gadgets" not in page_of(client.get(address, headers=headers)).text


@pytest.mark.usefixtures("gadgets")
def test_a_thread_of_a_repository_out_of_scope_is_not_there(start: Callable[..., Flask]) -> None:
    client = start("s3cret:acme/widgets").test_client()

    for address in ("/acme/gadgets/7", "/acme/none/7", "/acme/widgets/4711", "/?q=nonce&repo=acme/gadgets"):
        page_of(client.get(address, headers=basic("s3cret")), 404)


def test_a_password_opens_pages_and_not_the_api(start: Callable[..., Flask]) -> None:
    """A browser sends it along by itself, also where somebody else's page made it ask."""
    answer = start("s3cret:*").test_client().get("/api/v1/status", headers=basic("s3cret"))

    assert answer.status_code == 401
    assert answer.headers["WWW-Authenticate"].startswith("Bearer")


@pytest.mark.parametrize("address", ADDRESSES)
def test_an_open_server_shows_pages_to_its_own_machine_only(
    address: str, start: Callable[..., Flask]
) -> None:
    page_of(start().test_client().get(address, environ_base={"REMOTE_ADDR": "192.0.2.7"}), 403)
    page_of(start().test_client().get(address, headers={"Host": "evil.example"}), 403)


@pytest.mark.usefixtures("widgets")
def test_what_is_refused_is_said_on_a_page(client: FlaskClient) -> None:
    for address, status, says in (
        ("/?qq=x", 400, "The nearest known one is q."),
        ("/?q=x&kind=bug", 400, "kind is one of"),
        ("/?q=x&cursor=AAAA", 400, "not a cursor"),
        ("/acme/widgets/7?after=!", 400, "id of a comment"),
        ("/acme/widgets/4711", 404, "There is no thread acme/widgets#4711"),
        ("/acme/widgets/4711/brief", 404, "There is no thread acme/widgets#4711"),
        ("/acme/widgets/0", 404, "There is no such page"),
        ("/acme/widgets/x", 404, "There is no such page"),
        ("/acme/widgets/99999999999/similar", 404, "There is no such page"),
        ("/?repo=no/such", 404, "There is no repository no/such here"),
        ("/precedent?repo=no/such", 404, "There is no repository no/such here"),
        ("/precedent?kind=chore", 400, "kind is one of"),
    ):
        assert says in page_of(client.get(address), status).text


def test_an_outage_is_no_empty_page() -> None:
    pool = open_reader("postgresql://nobody@127.0.0.1:1/nothing", size=1, wait=0.2)
    app = create_app(reader=pool, tokens=Tokens.parse(""), clock=lambda: NOW, version="0.1.0")

    read = page_of(app.test_client().get("/?q=x"), 503)
    pool.close()

    assert "an outage, not an empty answer" in read.text


@pytest.mark.usefixtures("widgets")
def test_pages_are_charged_as_questions_are(start: Callable[..., Flask]) -> None:
    client = start("s3cret:*", limits=Limits(per_minute=1)).test_client()
    page_of(client.get("/", headers=basic("s3cret")))

    answer = client.get("/", headers=basic("s3cret"))

    page_of(answer, 429)
    assert answer.headers["Retry-After"] == "60"


@pytest.mark.usefixtures("widgets")
def test_a_pinned_server_says_so_on_every_page(start: Callable[..., Flask]) -> None:
    pin = Pin(NOW, (Exclusion(8, "acme/widgets"),))
    client: Any = start(pin=pin).test_client()

    for address in ADDRESSES:
        assert (
            "Evaluation mode: everything is as of 2024-06-01T12:00:00Z." in page_of(client.get(address)).text
        )
    assert "/acme/widgets/8" not in page_of(client.get("/?q=nonce")).links
    page_of(client.get("/acme/widgets/8"), 404)
