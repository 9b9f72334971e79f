"""What `/metrics` counts, and that no caller and no repository gets into it."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

import pytest
from prometheus_client.parser import text_string_to_metric_families
from rows import NOW

from relore_serve.database import open_reader
from relore_serve.web.app import create_app
from relore_serve.web.metrics import KEPT_SECONDS, Metrics
from relore_serve.web.quota import Limits
from relore_serve.web.tokens import Tokens

if TYPE_CHECKING:
    from collections.abc import Callable

    from flask import Flask
    from flask.testing import FlaskClient
    from rows import History

    from relore_serve.database import ReaderPool


def parsed(text: str) -> dict[tuple[str, tuple[str, ...]], float]:
    """Return values by name and labels, these in the order of their names."""
    return {
        (sample.name, tuple(sample.labels.values())): sample.value
        for family in text_string_to_metric_families(text)
        for sample in family.samples
    }


def scraped(client: FlaskClient) -> dict[tuple[str, tuple[str, ...]], float]:
    answer = client.get("/metrics")
    assert answer.status_code == 200
    assert answer.mimetype == "text/plain"
    return parsed(answer.get_data(as_text=True))


@pytest.mark.usefixtures("widgets")
def test_requests_are_counted_by_route_method_and_class_of_status(client: FlaskClient) -> None:
    for _ in range(2):
        client.get("/api/v1/thread/7")
    client.get("/api/v1/thread/4711")
    client.delete("/api/v1/thread/7")
    client.get("/api/v1/nothing")
    client.get("/acme/widgets/7")

    found = scraped(client)

    route = "/api/v1/thread/<number>"
    assert found["relore_requests_total", ("GET", route, "2xx")] == 2
    assert found["relore_requests_total", ("GET", route, "4xx")] == 1
    assert found["relore_request_seconds_count", (route,)] == 3
    assert found["relore_requests_total", ("GET", "/<owner>/<name>/<number>", "2xx")] == 1
    assert found["relore_requests_total", ("DELETE", "none", "4xx")] == 1
    assert found["relore_requests_in_flight", ()] == 1  # the one that asks


def test_no_label_is_made_of_what_was_sent(client: FlaskClient) -> None:
    before = Counter(name for name, _ in scraped(client))
    for number in range(1, 20):
        client.get(f'/api/v1/thread/{number}?{number}="}}\n')
        client.get(f'/"{number}\n')
        client.open("/", method=f"ODD{number}")
        client.get("/healthz", headers={"x-relore-client": str(number)})

    after = Counter(name for name, _ in scraped(client))

    assert after["relore_requests_total"] - before["relore_requests_total"] <= 5
    assert after["relore_request_seconds_count"] - before["relore_request_seconds_count"] <= 4


@pytest.mark.usefixtures("gadgets")
def test_no_repository_is_named_and_no_token_is_asked_for(start: Callable[..., Flask]) -> None:
    client = start("s3cret:acme/widgets", limits=Limits(per_minute=1)).test_client()
    for _ in range(3):
        client.get("/api/v1/thread/7", headers={"Authorization": "Bearer s3cret"})

    text = client.get("/metrics", headers={"x-relore-api": "99"}).get_data(as_text=True)
    found = parsed(text)

    assert "acme" not in text
    assert found["relore_quota_refusals_total", ("per-minute",)] == 2
    assert found["relore_repositories", ()] == 2
    assert found["relore_threads", ()] == 4
    assert found["relore_unexplained_objects", ()] >= 0
    assert found["relore_pass_last_success_timestamp_seconds", ("derive",)] == NOW.timestamp()
    assert found["relore_github_quota_remaining", ("core", "token 1")] == 4321
    assert found["relore_database_up", ()] == 1
    assert found["relore_database_connections", ("most",)] == 2


def test_the_index_is_asked_once_in_a_while(widgets: History, reader: ReaderPool) -> None:
    moment = 0.0
    metrics = Metrics(reader, "0.1.0", seconds=lambda: moment)
    assert parsed(metrics.text().decode())["relore_repositories", ()] == 1
    widgets.repo("acme/another")
    widgets.conn.commit()

    moment = KEPT_SECONDS - 1
    assert parsed(metrics.text().decode())["relore_repositories", ()] == 1
    moment = KEPT_SECONDS
    assert parsed(metrics.text().decode())["relore_repositories", ()] == 2


def test_a_database_that_is_away_is_told_and_hides_nothing_else() -> None:
    pool = open_reader("postgresql://nobody@127.0.0.1:1/nothing", size=1, wait=0.2)
    app = create_app(reader=pool, tokens=Tokens.parse(""), clock=lambda: NOW, version="0.1.0")
    client: Any = app.test_client()
    client.get("/healthz")

    found = scraped(client)
    pool.close()

    assert found["relore_database_up", ()] == 0
    assert found["relore_requests_total", ("GET", "/healthz", "5xx")] == 1
