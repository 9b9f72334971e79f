"""What `--error` makes of pasted lines: a tool's own line finds its thread, prose is answered with the text search.

    python benchmarks/error_lines.py DATABASE_URL QUESTIONS.jsonl [--repo owner/name] [--tools ID,ID,…]

Asks the questions of kind ``error``. ``--tools`` names those that are a tool's own output; without it they are the ones
in which a type of error was recognised, which are listed to be judged by eye.
"""

from __future__ import annotations

import argparse
import json
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from relore_serve.database import connect_reader
from relore_serve.search.engine import search
from relore_serve.search.question import Question
from relore_serve.search.scope import repositories
from relore_serve.signals import parse_error

if TYPE_CHECKING:
    from psycopg import Connection

    from relore_serve.search.results import SearchResult
    from relore_serve.search.scope import Repo


def main() -> None:
    """Print one line per question, and the sums."""
    parser = argparse.ArgumentParser(description="What --error makes of pasted lines.")
    parser.add_argument("database_url")
    parser.add_argument("questions", type=Path)
    parser.add_argument("--repo", help="the only repository to ask")
    parser.add_argument("--tools", help="ids of the lines that are a tool's own output")
    arguments = parser.parse_args()
    lines = arguments.questions.read_text(encoding="utf-8").splitlines()
    asked = [one for one in map(json.loads, lines) if one["kind"] == "error"]
    tools = set(arguments.tools.split(",")) if arguments.tools else None
    with connect_reader(arguments.database_url) as conn:
        repos = repositories(conn, [arguments.repo] if arguments.repo else None)
        report(conn, repos, asked, tools)


def report(
    conn: Connection, repos: tuple[Repo, ...], asked: list[dict[str, Any]], tools: set[str] | None
) -> None:
    """Ask each line through the filter, and each prose line through the suggestion that its page makes."""
    ranks: list[float] = []
    found = prose = hinted = led = 0
    for one in asked:
        line, wanted = one["query"], one["from_thread"]
        is_tool = one["id"] in tools if tools is not None else parse_error(line).type is not None
        result = search(conn, Question(errors=(line,), repos=repos), datetime.now(UTC))
        place = _place(result, wanted)
        if is_tool:
            ranks.append(1 / place if place else 0)
            found += place > 0
            print(
                f"tool   {one['id']}  place {place or '-':>2} of {result.threads_total:>4} threads  {line[:80]}"
            )
            continue
        prose += 1
        hint = next((each for each in result.suggestions if "as text" in each.change), None)
        hinted += hint is not None
        text = search(conn, Question(line, repos=repos), datetime.now(UTC))
        led += hint is not None and _place(text, wanted) > 0
        print(f"prose  {one['id']}  {'hint: ' + hint.form[:60] if hint else 'NO HINT'}  {line[:60]}")
    print(
        f"a tool's own output: {found} of {len(ranks)} find their thread, MRR {sum(ranks) / max(len(ranks), 1):.3f}"
    )
    print(f"prose: {hinted} of {prose} are told the text search; it finds the thread of {led}")


def _place(result: SearchResult, wanted: int) -> int:
    threads = list(dict.fromkeys(hit.number for hit in result.hits))
    return threads.index(wanted) + 1 if wanted in threads else 0


if __name__ == "__main__":
    main()
