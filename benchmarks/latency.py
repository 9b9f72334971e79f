"""How long answers take over HTTP, as served: per kind of question, how many a second, and how that grows with size.

    python benchmarks/latency.py READER_URL QUESTIONS.jsonl [--beside READER_URL] [--threads 40] [--seconds 15]

Starts `relored serve` against ``READER_URL``, asks every question once to warm up and once to be measured, over one
connection that is kept; then with 8 clients at once; then threads, inflight, status and, where it is served, brief of
a random sample of threads and of the longest ones; then one question of 16,000 characters. ``--beside`` is the address
of a smaller index of the same repository: its questions are asked in turns with the others, and the ratio is printed.

A question is a line with ``kind``, ``query`` and, for some, ``symbols`` or ``files``. Processor time is that of the
server's processes; Postgres's is added where it runs on this machine.
"""

from __future__ import annotations

import argparse
import http.client
import json
import multiprocessing
import os
import socket
import statistics
import subprocess
import sys
import sysconfig
import threading
import time
from collections import defaultdict
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import psutil
import psycopg
from psycopg.conninfo import conninfo_to_dict

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Sequence

CLIENTS = 8
LONGEST = 5

Call = tuple[str, str, bytes | None]
"""Method, path and body."""
Times = dict[str, list[float]]
"""Milliseconds by kind of question."""


@dataclass
class Server:
    """A `relored serve` of ours, and the database behind it."""

    url: str
    port: int
    pid: int

    def spent(self) -> tuple[float, float]:
        """Return the processor seconds so far of the server, and of the sessions of Postgres."""
        ours = _seconds(psutil.Process(self.pid))
        ours += sum(_seconds(child) for child in psutil.Process(self.pid).children(recursive=True))
        database = str(conninfo_to_dict(self.url).get("dbname", ""))
        theirs = sum(
            _seconds(each) for each in psutil.process_iter(["cmdline"]) if _is_session(each, database)
        )
        return ours, theirs


def _seconds(process: psutil.Process) -> float:
    times = process.cpu_times()
    return times.user + times.system


def _is_session(process: psutil.Process, database: str) -> bool:
    command = " ".join(process.info["cmdline"] or ())
    return command.startswith("postgres:") and f" relore_reader {database} " in command


class Client:
    """One connection that is kept."""

    def __init__(self, port: int) -> None:
        self._connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)

    def ask(self, call: Call) -> tuple[float, int, bytes]:
        """Return the milliseconds, the status and the body."""
        method, path, body = call
        headers = {"Content-Type": "application/json"} if body is not None else {}
        started = time.perf_counter()
        self._connection.request(method, path, body, headers)
        answer = self._connection.getresponse()
        content = answer.read()
        return (time.perf_counter() - started) * 1000, answer.status, content


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description="Latency and throughput of an index, over HTTP.")
    parser.add_argument("reader_url")
    parser.add_argument("questions", type=Path)
    parser.add_argument("--beside", help="the reader's address of a smaller index of the same repository")
    parser.add_argument("--threads", type=int, default=40, help="threads in the sample")
    parser.add_argument("--seconds", type=float, default=15, help="how long 8 clients ask")
    parser.add_argument("--slowest", type=int, default=0, help="name so many of the slowest questions")
    parser.add_argument("--workers", type=int, help="passed on to `relored serve`")
    arguments = parser.parse_args()
    questions = [json.loads(line) for line in arguments.questions.read_text(encoding="utf-8").splitlines()]
    with ExitStack() as servers:
        urls = [arguments.reader_url, *([arguments.beside] if arguments.beside else [])]
        opened = [servers.enter_context(serving(url, arguments.workers)) for url in urls]
        _machine()
        searches(opened, questions, arguments.slowest)
        throughput(opened[0], questions, arguments.seconds)
        by_number(opened[0], arguments.threads)
        long_question(opened[0])
        _machine()


@contextmanager
def serving(url: str, workers: int | None) -> Generator[Server]:
    """Start `relored serve` and end it."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    program = Path(sysconfig.get_path("scripts")) / "relored"
    environment = {
        **os.environ,
        "RELORE_DATABASE_URL": url,
        "RELORE_READER_URL": url,
        "RELORE_API_RATE_PER_MINUTE": "0",
        "RELORE_API_RATE_PER_DAY": "0",
    }
    more = [] if workers is None else ["--workers", str(workers)]
    with subprocess.Popen(
        [sys.executable, str(program), "serve", "--port", str(port), *more],
        env=environment,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    ) as process:
        try:
            _wait(port, process)
            yield Server(url, port, process.pid)
        finally:
            process.terminate()


def _wait(port: int, process: subprocess.Popen[bytes]) -> None:
    for _ in range(600):
        if process.poll() is not None:
            raise SystemExit("relored serve ended at once: start it by hand to see why")
        try:
            if Client(port).ask(("GET", "/healthz", None))[1] == http.client.OK:
                return
        except OSError:
            pass
        time.sleep(0.1)
    raise SystemExit("relored serve does not answer")


def search_of(asked: dict[str, Any]) -> Call:
    """Return the request that asks one question as the command line does: a text page beside the JSON."""
    body = {
        "query": asked["query"],
        "symbols": asked.get("symbols", []),
        "files": asked.get("files", []),
        "compact": True,
        "render": True,
    }
    return (
        "POST",
        "/api/v1/search",
        json.dumps({name: value for name, value in body.items() if value}).encode(),
    )


def searches(servers: Sequence[Server], questions: list[dict[str, Any]], slowest: int) -> None:
    """Ask every question of every server twice, and print the second times."""
    clients = [Client(server.port) for server in servers]
    calls = [(asked, search_of(asked)) for asked in questions]
    for _, call in calls:
        for client in clients:
            _checked(client.ask(call), call)
    times: list[Times] = [defaultdict(list) for _ in servers]
    ranked: list[tuple[float, dict[str, Any]]] = []
    for asked, call in calls:
        taken = [_checked(client.ask(call), call)[0] for client in clients]
        for kinds, each in zip(times, taken, strict=True):
            kinds[asked["kind"]].append(each)
        ranked.append((taken[0], asked))
    before = servers[0].spent()
    for _, call in calls:
        clients[0].ask(call)
    ours, theirs = (after - begun for begun, after in zip(before, servers[0].spent(), strict=True))
    for server, kinds in zip(servers, times, strict=True):
        print(f"\nsearch over {_size(server.url)}")
        for kind, found in [*kinds.items(), ("all", _all(kinds))]:
            print(_line(kind, found))
    share = 1000 / len(calls)
    print(f"processor time of one search: {ours * share:.1f} ms serve + {theirs * share:.1f} ms Postgres")
    if len(servers) > 1:
        print(f"p95 grows {_percentile(_all(times[0]), 95) / _percentile(_all(times[1]), 95):.1f} x")
    for taken_by_one, asked in sorted(ranked, key=lambda entry: entry[0], reverse=True)[:slowest]:
        words = asked["query"] or asked.get("symbols") or asked.get("files")
        print(f"  {taken_by_one:8.1f} ms  {asked.get('id', '')} {words!r}")


def _all(kinds: Times) -> list[float]:
    return [taken for found in kinds.values() for taken in found]


def throughput(server: Server, questions: list[dict[str, Any]], seconds: float) -> None:
    """Let 8 clients of a process of their own ask at once, and print how many answers came a second."""
    calls = [search_of(asked) for asked in questions]
    before = server.spent()
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        taken, times, used = pool.apply(_many, (server.port, calls, seconds))
    ours, theirs = (after - begun for begun, after in zip(before, server.spent(), strict=True))
    print(f"\n{CLIENTS} clients: {len(times) / taken:.0f} searches/s over {taken:.0f} s")
    print(_line("at once", times))
    print(
        f"processor seconds a second: {ours / taken:.2f} serve, {theirs / taken:.2f} Postgres, "
        f"{used / taken:.2f} the clients"
    )


def _many(port: int, calls: list[Call], seconds: float) -> tuple[float, list[float], float]:
    times: list[float] = []
    until = time.perf_counter() + seconds

    def one(nth: int) -> None:
        client = Client(port)
        place = nth * len(calls) // CLIENTS
        order = calls[place:] + calls[:place]
        while True:
            for call in order:
                if time.perf_counter() > until:
                    return
                times.append(_checked(client.ask(call), call)[0])

    started, used = time.perf_counter(), time.process_time()
    clients = [threading.Thread(target=one, args=(nth,)) for nth in range(CLIENTS)]
    for client in clients:
        client.start()
    for client in clients:
        client.join()
    return time.perf_counter() - started, times, time.process_time() - used


def by_number(server: Server, count: int) -> None:
    """Ask for threads by number: a random sample, and the longest."""
    with psycopg.connect(server.url) as conn:
        # By digest: as good as by lot, and the same whenever it is asked.
        numbers = [
            row[0]
            for row in conn.execute(
                "SELECT number FROM relore.threads ORDER BY md5(number::text) LIMIT %s", (count,)
            )
        ]
        longest = [
            row[0]
            for row in conn.execute(
                "SELECT number FROM relore.threads ORDER BY collected_comments + collected_reviews "
                "+ collected_review_comments DESC, number LIMIT %s",
                (LONGEST,),
            )
        ]
    sample = [*numbers, *longest]
    print(f"\n{len(sample)} threads: {len(numbers)} at random and the {len(longest)} longest")
    client = Client(server.port)
    kinds: dict[str, Callable[[int], str]] = {
        "thread": lambda number: f"/api/v1/thread/{number}?render=true&compact=true",
        "outline": lambda number: f"/api/v1/thread/{number}?render=true&compact=true&outline=true",
        "inflight": lambda number: f"/api/v1/inflight/{number}?render=true&compact=true",
        "brief": lambda number: f"/api/v1/brief/{number}?render=true&compact=true",
        "similar": lambda number: f"/api/v1/similar/{number}?render=true&compact=true",
        "status": lambda _: "/api/v1/status?render=true&compact=true",
    }
    for kind, path in kinds.items():
        calls: list[Call] = [("GET", path(number), None) for number in sample]
        answers = [client.ask(call) for call in calls]
        if any(status != http.client.OK for _, status, _ in answers):
            print(f"{kind:<12} not served: {sorted({status for _, status, _ in answers})}")
            continue
        print(_line(kind, [client.ask(call)[0] for call in calls]))


def long_question(server: Server) -> None:
    """Ask a question of 16,000 characters, all of different words."""
    words = " ".join(f"word{number}" for number in range(2_000))[:16_000]
    prose = ("the context of a field element is verified in constant time before it is multiplied " * 200)[
        :16_000
    ]
    print("\nquestions of 16,000 characters")
    for kind, text in (("words", words), ("prose", prose)):
        client = Client(server.port)
        call: Call = ("POST", "/api/v1/search", json.dumps({"query": text, "render": True}).encode())
        client.ask(call)
        answers = [client.ask(call) for _ in range(5)]
        print(_line(kind, [taken for taken, *_ in answers]), f"  HTTP {answers[-1][1]}")


def _checked(answer: tuple[float, int, bytes], call: Call) -> tuple[float, int, bytes]:
    if answer[1] != http.client.OK:
        raise SystemExit(f"{call[1]} answered {answer[1]}: {answer[2][:300]!r} to {call[2]!r}")
    return answer


def _line(name: str, times: list[float]) -> str:
    parts = "   ".join(f"p{share} {_percentile(times, share):7.1f}" for share in (50, 95, 99))
    return f"{name:<12}{len(times):>6} asked   {parts}   mean {statistics.fmean(times):7.1f} ms"


def _percentile(times: list[float], share: int) -> float:
    return sorted(times)[min(len(times) - 1, len(times) * share // 100)]


def _size(url: str) -> str:
    with psycopg.connect(url) as conn:
        row = conn.execute("SELECT sum(threads), sum(documents), count(*) FROM relore.repo_stats").fetchone()
    threads, documents, repos = row or (0, 0, 0)
    return f"{threads:,} threads, {documents:,} documents, {repos} repository"


def _machine() -> None:
    print(f"\n{os.cpu_count()} cores, load average {os.getloadavg()[0]:.1f}")


if __name__ == "__main__":
    main()
