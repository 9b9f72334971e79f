"""How long it takes to read the facts off a recorded history: µs of processor time per document, part by part.

    python benchmarks/signals.py CORPUS

CORPUS is a folder of GitHub REST objects as gzip JSON lines: issues, pulls, issue_comments, reviews, review_comments,
commits. The first pass starts with cold caches, as a first derive does; the best of the later ones is what a long
run settles at.
"""

from __future__ import annotations

import argparse
import gzip
import json
import sys
import time
from collections import Counter
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

# A checkout is measured, installed or not.
sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from relore_serve import signals

if TYPE_CHECKING:
    from collections.abc import Iterator

KINDS = ("issues", "pulls", "issue_comments", "reviews", "review_comments", "commits")


def rows(corpus: Path, kind: str) -> Iterator[dict[str, Any]]:
    """Yield the recorded objects of one kind."""
    with gzip.open(corpus / f"{kind}.jsonl.gz", "rt", encoding="utf-8") as lines:
        yield from map(json.loads, lines)


def read(corpus: Path) -> tuple[list[str], list[tuple[str, str | None]]]:
    """Return the bodies that are not empty (titles and commit messages too), and hunks with their paths."""
    bodies: list[str] = []
    hunks: list[tuple[str, str | None]] = []
    for kind in KINDS:
        for row in rows(corpus, kind):
            body = row["commit"]["message"] if kind == "commits" else row.get("body")
            bodies += filter(None, (row.get("title"), body))
            if kind == "review_comments":
                hunks.append((row.get("diff_hunk") or "", row.get("path")))
    return bodies, hunks


def measure(bodies: list[str], hunks: list[tuple[str, str | None]]) -> tuple[dict[str, float], Counter[str]]:
    """Return seconds by part, and how many facts of each kind were found."""
    found: Counter[str] = Counter()
    marks = [time.process_time()]
    parted = [signals.split(body) for body in bodies]
    marks.append(time.process_time())
    for one in parted:
        found.update(signal.kind for signal in signals.extract(one))
    marks.append(time.process_time())
    for one in parted:
        found.update(claim.relation for claim in signals.links(one, "owner/name"))
    marks.append(time.process_time())
    for hunk, path in hunks:
        found.update(f"{signal.kind} of a hunk" for signal in signals.extract_hunk(hunk, path))
    marks.append(time.process_time())
    parts = ("split", "extract", "links", "extract_hunk")
    return dict(zip(parts, (b - a for a, b in pairwise(marks)), strict=True)), found


def main() -> None:
    """Measure one cold and several warm passes over a corpus and print the figures."""
    parser = argparse.ArgumentParser(description=str(__doc__).split("\n", 1)[0])
    parser.add_argument("corpus", type=Path)
    bodies, hunks = read(parser.parse_args().corpus)
    characters = sum(map(len, bodies))
    in_hunks = sum(len(hunk) for hunk, _ in hunks)
    print(
        f"{len(bodies):,} documents, {characters:,} characters; {len(hunks):,} hunks, {in_hunks:,} characters"
    )
    cold, found = measure(bodies, hunks)
    warm = min((measure(bodies, hunks)[0] for _ in range(3)), key=lambda parts: sum(parts.values()))
    for name, parts in (("cold", cold), ("warm", warm)):
        figures = ", ".join(f"{part} {1e6 * seconds / len(bodies):.1f}" for part, seconds in parts.items())
        print(f"{name}: {1e6 * sum(parts.values()) / len(bodies):.1f} µs per document ({figures})")
    print(", ".join(f"{count:,} {kind}" for kind, count in found.most_common()))


if __name__ == "__main__":
    main()
