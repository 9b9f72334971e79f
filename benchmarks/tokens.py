"""Time what every text passes through: redaction of its JSON, the tokenizer, and cutting.

    python benchmarks/tokens.py FOLDER

FOLDER holds `*.jsonl.gz`, one GitHub object a line, such as an exported history. Times are of one core.
"""

from __future__ import annotations

import argparse
import gzip
import json
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

from relore_assets.derive import chunks
from relore_assets.fetch.redact import redact_json
from relore_serve.search import tokens

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence


def main() -> None:
    """Print a line for each measure."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", type=Path)
    lines = [
        line
        for archive in sorted(parser.parse_args().folder.glob("*.jsonl.gz"))
        for line in gzip.decompress(archive.read_bytes()).splitlines()
    ]
    if not lines:
        parser.error("the folder holds no *.jsonl.gz")
    texts = [text for line in lines for text in _texts(json.loads(line))]
    line_bytes, text_bytes = sum(map(len, lines)), sum(len(text.encode(errors="replace")) for text in texts)
    print(
        f"{len(lines):,} JSON lines, {line_bytes / 1e6:.1f} MB; {len(texts):,} texts, {text_bytes / 1e6:.1f} MB"
    )
    _measure("parse JSON (json.loads, to compare)", json.loads, lines, line_bytes)
    _measure("redact_json", redact_json, lines, line_bytes)
    _measure("tokenize, cold", tokens.tokenize, texts, text_bytes)
    _measure("tokenize, warm", tokens.tokenize, texts, text_bytes)
    _measure("chunk", chunks.chunk, texts, text_bytes)
    titles = [text[:80] for text in texts[:5000]]
    _measure("query, 80 characters", tokens.query, titles, sum(map(len, titles)))


def _texts(item: dict[str, Any]) -> list[str]:
    """What people wrote in an object."""
    commit = item.get("commit") or {}
    written = [
        item.get("title"),
        item.get("body"),
        commit.get("message") if isinstance(commit, dict) else None,
    ]
    return [text for text in written if text]


def _measure(name: str, work: Callable[[Any], object], items: Sequence[Any], size: int) -> None:
    started = time.process_time()
    for item in items:
        work(item)
    spent = time.process_time() - started
    print(f"{name:36} {spent:7.2f} s {spent / len(items) * 1e6:8.1f} µs each {size / spent / 1e6:8.1f} MB/s")


if __name__ == "__main__":
    main()
