"""How long the pages are that a pipe gets: bytes of each verb's compact page, and how much of them is said again.

    python benchmarks/page_bytes.py DATABASE_URL QUESTIONS.jsonl [--threads 200] [--seed 1] [--longest]

Threads are a random sample of all that are held, the same for the same seed and index; questions are all of the file.
Requests go through the whole application, without a socket. Ages are counted from the newest date of the index, so that
the figures do not change from day to day.

``per row`` is what a page takes for each thing it lists (hits, comments, rows of a brief), envelope and heads included.

A page says something again where a line, or a word of eight or more characters, stands on it three times or more: each
time but the first counts as repeated, in bytes of the page. What is quoted of people is theirs, and is not counted.
"""

from __future__ import annotations

import argparse
import json
import random
import statistics
from collections import Counter
from dataclasses import dataclass
from datetime import UTC, datetime
from http import HTTPStatus
from pathlib import Path
from typing import TYPE_CHECKING, Any

from relore_serve.database import connect_reader, open_reader
from relore_serve.web.app import create_app
from relore_serve.web.quota import Limits
from relore_serve.web.tokens import Tokens

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from flask.testing import FlaskClient
    from werkzeug.test import TestResponse

REPEATS = 3
LONG_WORD = 8
VIEW = "render=true&compact=true"


def main() -> None:
    """Print one line per verb."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("database_url")
    parser.add_argument("questions", type=Path)
    parser.add_argument("--threads", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--longest", action="store_true", help="print the longest page of each verb too")
    arguments = parser.parse_args()
    with connect_reader(arguments.database_url) as conn:
        held = conn.execute(
            "SELECT r.full_name, t.number FROM relore.threads t JOIN relore.repos r ON r.id = t.repo_id ORDER BY 1, 2"
        ).fetchall()
        newest = conn.execute("SELECT max(updated_at) FROM relore.threads").fetchone()
    sample = random.Random(arguments.seed).sample(held, min(arguments.threads, len(held)))  # noqa: S311 - a sample
    questions = [json.loads(line) for line in arguments.questions.read_text(encoding="utf-8").splitlines()]
    reader = open_reader(arguments.database_url)
    now = newest[0] if newest and newest[0] else datetime.now(UTC)
    app = create_app(
        reader=reader,
        tokens=Tokens.parse(""),
        clock=lambda: now,
        limits=Limits(per_minute=0, per_day=0),
    )
    client = app.test_client()
    print(
        f"{len(sample)} of {len(held)} threads, seed {arguments.seed}; {len(questions)} questions; ages as of {now}"
    )
    print(f"{'verb':<10}{'pages':>6}{'median':>9}{'p90':>9}{'per row':>9}{'repeated':>10}  most repeated")
    for verb, answers in _answers(client, sample, questions).items():
        _report(verb, answers)
        if arguments.longest and answers:
            print(max(answers, key=lambda answer: len(answer.page)).page)
    reader.close()


@dataclass(frozen=True, slots=True)
class _Answer:
    """A page, and how many things it lists."""

    page: str
    rows: int


def _answers(
    client: FlaskClient, sample: Sequence[tuple[str, int]], questions: Sequence[dict[str, Any]]
) -> dict[str, list[_Answer]]:
    def by_number(verb: str, rows: Callable[[Any], int], more: str = "") -> list[_Answer]:
        got = (client.get(f"/api/v1/{verb}/{number}?repo={repo}&{VIEW}{more}") for repo, number in sample)
        return [_answer(one, rows) for one in got if one.status_code == HTTPStatus.OK]

    return {
        "search": [_answer(_searched(client, asked), lambda found: found["count"]) for asked in questions],
        "thread": by_number("thread", lambda found: found["thread"]["comments_returned"]),
        "outline": by_number("thread", lambda found: found["thread"]["outline_returned"], "&outline=true"),
        "brief": by_number("brief", _listed),
        "similar": by_number("similar", lambda found: found["returned"], "&limit=10"),
        "precedent": [
            _answer(_searched(client, asked, "precedent"), lambda found: found["count"])
            for asked in questions
        ],
        "inflight": by_number("inflight", lambda found: found["claims_returned"]),
    }


def _searched(client: FlaskClient, asked: dict[str, Any], verb: str = "search") -> TestResponse:
    question = {name: asked[name] for name in ("query", "files", "symbols", "errors") if asked.get(name)}
    return client.post(f"/api/v1/{verb}", json={**question, "render": True, "compact": True})


def _answer(response: TestResponse, rows: Callable[[Any], int]) -> _Answer:
    found = response.get_json()
    return _Answer(found["rendered"], rows(found))


def _listed(found: dict[str, Any]) -> int:
    sections = ("people", "closes", "competing", "file_history", "same_error", "similar")
    return sum(found[section]["returned"] for section in sections)


def _report(verb: str, answers: Sequence[_Answer]) -> None:
    if not answers:
        print(f"{verb:<10}{0:>6}  not served")
        return
    sizes = sorted(len(answer.page.encode()) for answer in answers)
    again: Counter[str] = Counter()
    for answer in answers:
        again.update(repeated(answer.page))
    rows = sum(answer.rows for answer in answers)
    share = sum(again.values()) / sum(sizes)
    most = ", ".join(f"{said!r} {size * 100 / sum(sizes):.1f} %" for said, size in again.most_common(4))
    print(
        f"{verb:<10}{len(answers):>6}{statistics.median(sizes):>9.0f}{sizes[int(len(sizes) * 0.9)]:>9}"
        f"{sum(sizes) / max(rows, 1):>9.0f}{share * 100:>8.1f} %  {most}"
    )


def repeated(page: str) -> Counter[str]:
    """Return what a page says three times or more, with the bytes of all but the first time."""
    lines = page.split("\n")
    found: Counter[str] = Counter()
    often = {line for line, times in Counter(lines).items() if times >= REPEATS and line}
    words: Counter[str] = Counter()
    for line in lines:
        if line not in often and not line.startswith(">"):
            words.update(word for word in line.split() if len(word) >= LONG_WORD)
    for line in often:
        found[line] = (lines.count(line) - 1) * (len(line.encode()) + 1)
    for word, times in words.items():
        if times >= REPEATS:
            found[word] = (times - 1) * len(word.encode())
    return found


if __name__ == "__main__":
    main()
