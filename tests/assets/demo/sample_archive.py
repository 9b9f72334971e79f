"""Reading the demo's archive back, for its tests."""

from __future__ import annotations

import gzip
import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pathlib import Path

    from relore_assets.demo.git import Git


@dataclass(frozen=True)
class Built:
    """The archive's objects by file, and the repository that they speak of."""

    archive: Path
    git: Git
    objects: dict[str, list[dict[str, Any]]]

    def of(self, kind: str, number: int) -> list[dict[str, Any]]:
        """The objects of one kind that belong to a thread."""
        return [row for row in self.objects[kind] if thread_of(row) == number]


def thread_of(row: dict[str, Any]) -> int:
    """The number of the thread that an object belongs to."""
    if "_n" in row:
        return row["_n"]
    url = row.get("issue_url") or row.get("pull_request_url")
    return int(url.rpartition("/")[2]) if url else row["number"]


def read_archive(folder: Path) -> dict[str, list[dict[str, Any]]]:
    """The rows of every file of an archive."""
    return {
        path.name.partition(".")[0]: [json.loads(line) for line in gzip.open(path)]
        for path in sorted(folder.glob("*.jsonl.gz"))
    }
