"""What `/metrics` says, as Prometheus reads it.

Every label comes from a list that the program knows: routes as they are declared, never as they were asked for,
so that no caller can make a series. Nothing names a repository, which is why no token is asked for. Counts are
this process's own; several processes are several targets.
"""

from __future__ import annotations

import re
from threading import Lock
from time import monotonic, perf_counter
from typing import TYPE_CHECKING, Protocol, cast, runtime_checkable

from flask import Blueprint, Flask, Response, g, request
from prometheus_client import (
    CollectorRegistry,
    Counter,
    Gauge,
    Histogram,
    ProcessCollector,
    disable_created_metrics,
    generate_latest,
)
from prometheus_client.core import GaugeMetricFamily
from prometheus_client.exposition import CONTENT_TYPE_LATEST
from prometheus_client.registry import Collector
from psycopg.rows import namedtuple_row

from relore_serve.database import StoreError
from relore_serve.sql import load
from relore_serve.web.handshake import API
from relore_serve.web.routes import METRICS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from typing import Any

    import psycopg
    from prometheus_client import Metric

    from relore_serve.web.desk import Connections, Desk

# When a series began is told beside each of them otherwise, which doubles them for nothing.
disable_created_metrics()

KEPT_SECONDS = 15.0
"""How long what was read of the index is told again without asking the database."""

BUCKETS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10)
NO_ROUTE = "none"
METHODS = frozenset({"GET", "HEAD", "POST", "OPTIONS", "PUT", "PATCH", "DELETE"})

_PLACE = re.compile(r"<(?:[^<>]+:)?(\w+)>")
"""Where a rule holds something of the address, with or without what may stand there."""
_POOL = {"pool_size": "open", "pool_available": "free", "pool_max": "most", "requests_waiting": "waited_for"}
_SQL = load("relore_serve.web", "web.sql")


@runtime_checkable
class _Counted(Protocol):
    """A pool that knows its connections."""

    def get_stats(self) -> Mapping[str, int]: ...


class Metrics:
    """Counts what one server does."""

    def __init__(self, reader: Connections, version: str, seconds: Callable[[], float] = monotonic) -> None:
        self._registry = CollectorRegistry()
        self._requests = Counter(
            "relore_requests", "Requests answered.", ["route", "method", "status"], registry=self._registry
        )
        self._seconds = Histogram(
            "relore_request_seconds",
            "Time to answer, by route.",
            ["route"],
            buckets=BUCKETS,
            registry=self._registry,
        )
        self._running = Gauge(
            "relore_requests_in_flight", "Requests being answered.", registry=self._registry
        )
        self._refused = Counter(
            "relore_quota_refusals",
            "Requests refused because a token's limit was reached.",
            ["limit"],
            registry=self._registry,
        )
        for limit in ("per-minute", "daily"):
            self._refused.labels(limit)
        build = Gauge("relore_build_info", "What runs here.", ["version", "api"], registry=self._registry)
        build.labels(version, str(API)).set(1)
        ProcessCollector(registry=self._registry)
        self._registry.register(_Pool(reader))
        self._registry.register(_Index(reader, seconds))

    def began(self) -> None:
        """Count a request in."""
        self._running.inc()

    def ended(self) -> None:
        """Count a request out."""
        self._running.dec()

    def answered(self, route: str, method: str, status: int, seconds: float) -> None:
        """Count an answer; ``route`` is a rule of the application, "none" where no rule fits."""
        method = method if method in METHODS else "other"
        self._requests.labels(route, method, f"{status // 100}xx").inc()
        self._seconds.labels(route).observe(seconds)

    def refused(self, limit: str) -> None:
        """Count a call that was one too many."""
        self._refused.labels(limit).inc()

    def text(self) -> bytes:
        """Return all of it as Prometheus reads it."""
        return generate_latest(self._registry)


def init_app(app: Flask, metrics: Metrics) -> None:
    """Count what ``app`` answers; to be called before anything that may refuse a request."""

    def begin() -> None:
        g.began = perf_counter()
        metrics.began()

    def answer(response: Response) -> Response:
        rule = request.url_rule
        seconds = perf_counter() - g.began
        route = _PLACE.sub(r"<\1>", rule.rule) if rule else NO_ROUTE
        metrics.answered(route, request.method, response.status_code, seconds)
        return response

    def end(_: BaseException | None) -> None:
        if "began" in g:
            metrics.ended()

    app.before_request(begin)
    app.after_request(answer)
    app.teardown_request(end)


def blueprint(desk: Desk) -> Blueprint:
    """Return the route."""
    routes = Blueprint("metrics", __name__)

    @routes.get(METRICS.path)
    def metrics() -> Response:
        """Say how the server does."""
        return Response(desk.metrics.text(), content_type=CONTENT_TYPE_LATEST)

    # Flask registers the function; naming it here tells the type checker so.
    _ = metrics
    return routes


class _Pool(Collector):
    """Connections to the database, by what they do."""

    def __init__(self, reader: Connections) -> None:
        self._reader = reader

    def collect(self) -> Iterator[Metric]:
        """Tell what the pool knows of itself."""
        pool = GaugeMetricFamily("relore_database_connections", "Connections of the pool.", labels=["state"])
        if isinstance(self._reader, _Counted):
            held = self._reader.get_stats()
            for key, state in _POOL.items():
                pool.add_metric([state], held.get(key, 0))
        yield pool


class _Index(Collector):
    """What is indexed, as the books have it, and when passes last went well; read at most every 15 seconds."""

    def __init__(self, reader: Connections, seconds: Callable[[], float]) -> None:
        self._reader = reader
        self._seconds = seconds
        self._lock = Lock()
        self._known: list[Metric] = []
        self._until = float("-inf")

    def collect(self) -> Iterator[Metric]:
        """Tell what was read last, reading it anew where that was long ago."""
        with self._lock:
            if self._seconds() >= self._until:
                self._known = self._read()
                self._until = self._seconds() + KEPT_SECONDS
            yield from self._known

    def _read(self) -> list[Metric]:
        up = GaugeMetricFamily("relore_database_up", "Whether the database answered.")
        try:
            with self._reader.connection() as connection:
                rows = _rows(connection, "metrics")
        except StoreError:
            up.add_metric([], 0)
            return [up]
        up.add_metric([], 1)
        return [up, *_families(rows)]


def _rows(connection: psycopg.Connection, name: str) -> list[Any]:
    with connection.cursor(row_factory=namedtuple_row) as cursor:
        return cursor.execute(_SQL[name]).fetchall()


def _families(rows: list[Any]) -> Iterator[Metric]:
    """Yield a family for each name of the rows, with their values by label."""
    families: dict[str, GaugeMetricFamily] = {}
    for row in rows:
        about, labels = _FAMILIES[row.name]
        family = families.setdefault(row.name, GaugeMetricFamily(f"relore_{row.name}", about, labels=labels))
        family.add_metric(cast("list[str]", row.labels), float(row.value))
    yield from families.values()


_FAMILIES: Mapping[str, tuple[str, list[str]]] = {
    "repositories": ("Repositories held.", []),
    "threads": ("Threads held, as last added up.", []),
    "documents": ("Documents held, as last added up.", []),
    "raw_objects": ("Objects of GitHub held, as last added up.", []),
    "unexplained_objects": ("Objects neither indexed nor accounted for; 0 when all is well.", []),
    "pass_last_success_timestamp_seconds": (
        "When a pass last went well, of the repository where that is longest ago.",
        ["pass"],
    ),
    "github_quota_remaining": (
        "What GitHub last said is left, by token's place and resource.",
        ["token", "resource"],
    ),
}
