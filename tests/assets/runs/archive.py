"""A small archive of REST objects as gzip JSON lines, for tests that start at the very beginning."""

from __future__ import annotations

import gzip
import json
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pathlib import Path


def write_archive(folder: Path, threads: int, *, year: int = 2024) -> Path:
    """Write ``threads`` threads, every third a merged pull request, each with two comments."""
    folder.mkdir(parents=True, exist_ok=True)
    kinds: dict[str, list[dict[str, Any]]] = {
        name: [] for name in ("issues", "pulls", "issue_comments", "reviews")
    }
    keel = {"login": "keel", "id": 1, "type": "User"}
    for number in range(1, threads + 1):
        at = f"{year}-{(number % 12) + 1:02}-05T00:00:00Z"
        head = {
            "number": number,
            "title": f"Thread {number}",
            "body": f"`tide_{number}` raises ValueError: expected {number}",
            "user": keel,
            "state": "closed" if number % 3 == 0 else "open",
            "labels": [],
            "comments": 2,
            "created_at": at,
            "updated_at": at,
            "author_association": "NONE",
            "html_url": f"https://github.com/harbor/tide/issues/{number}",
        }
        if number % 3 == 0:
            merge = {
                "merged": True,
                "merged_at": at,
                "merged_by": keel,
                "closed_at": at,
                "merge_commit_sha": "a" * 40,
            }
            kinds["pulls"].append(
                {**head, **merge, "id": number, "review_comments": 0, "commits": 0, "changed_files": 0}
            )
            head = {**head, "pull_request": {"merged_at": at}}
        kinds["issues"].append(head)
        kinds["issue_comments"] += [
            {
                "id": number * 10 + index,
                "body": f"word{index} on {number}",
                "user": keel,
                "created_at": at,
                "updated_at": at,
                "author_association": "NONE",
                "html_url": f"https://github.com/harbor/tide/issues/{number}#issuecomment-{number * 10 + index}",
                "issue_url": f"https://api.github.com/repos/harbor/tide/issues/{number}",
            }
            for index in range(2)
        ]
    for name, objects in kinds.items():
        with gzip.open(folder / f"{name}.jsonl.gz", "wt", encoding="utf-8") as file:
            file.writelines(json.dumps(each) + "\n" for each in objects)
    return folder
