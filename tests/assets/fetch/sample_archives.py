"""A small history of an invented project, and ways to write it down as archives of each layout."""

from __future__ import annotations

import gzip
import json
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

REPO = "harbor/tide"
API = f"https://api.github.com/repos/{REPO}"
WEB = f"https://github.com/{REPO}"

Payload = dict[str, Any]


def account(login: str) -> Payload:
    return {"login": login, "id": 7, "type": "User"}


def issue(number: int, updated: str = "2024-02-01T00:00:00Z", **fields: Any) -> Payload:
    return {
        "number": number,
        "title": f"Tide table {number} is off by an hour",
        "body": "The morning flood is missing.",
        "user": account("buoy"),
        "state": "open",
        "labels": [],
        "comments": 1,
        "created_at": "2024-01-01T00:00:00Z",
        "updated_at": updated,
        "html_url": f"{WEB}/issues/{number}",
        **fields,
    }


def pull(number: int, updated: str = "2024-05-01T00:00:00Z", **fields: Any) -> Payload:
    return {
        **issue(number, updated),
        "id": 9_000 + number,
        "html_url": f"{WEB}/pull/{number}",
        "merged": False,
        "commits": 2,
        "changed_files": 2,
        "review_comments": 1,
        **fields,
    }


def comment(number: int, ident: int, **fields: Any) -> Payload:
    return {
        "id": ident,
        "user": account("keel"),
        "body": f"Seen here too, {ident}.",
        "created_at": "2024-02-01T00:00:00Z",
        "updated_at": "2024-02-01T00:00:00Z",
        "html_url": f"{WEB}/issues/{number}#issuecomment-{ident}",
        "issue_url": f"{API}/issues/{number}",
        **fields,
    }


def review(number: int, ident: int, **fields: Any) -> Payload:
    return {
        "id": ident,
        "user": account("mole"),
        "body": "Looks right.",
        "state": "APPROVED",
        "submitted_at": "2024-05-01T00:00:00Z",
        "pull_request_url": f"{API}/pulls/{number}",
        "html_url": f"{WEB}/pull/{number}#pullrequestreview-{ident}",
        **fields,
    }


def inline(number: int, ident: int, **fields: Any) -> Payload:
    return {
        "id": ident,
        "user": account("mole"),
        "body": "Why an hour?",
        "path": "tide/table.py",
        "diff_hunk": "@@ -1 +1 @@\n-a\n+b",
        "created_at": "2024-05-01T00:00:00Z",
        "updated_at": "2024-05-01T00:00:00Z",
        "pull_request_url": f"{API}/pulls/{number}",
        "html_url": f"{WEB}/pull/{number}#discussion_r{ident}",
        **fields,
    }


def event(ident: int, name: str = "labeled", **fields: Any) -> Payload:
    return {
        "event": name,
        "id": ident,
        "actor": account("buoy"),
        "created_at": "2024-02-01T00:00:00Z",
        **fields,
    }


def commit(sha: str, message: str = "Shift the table") -> Payload:
    person = {"name": "Mole", "email": "mole@harbor.example", "date": "2024-04-01T00:00:00Z"}
    return {
        "sha": sha,
        "html_url": f"{WEB}/commit/{sha}",
        "commit": {"message": message, "author": person, "committer": person},
        "parents": [],
    }


def changed(name: str) -> Payload:
    return {"filename": name, "status": "modified", "additions": 1, "deletions": 1, "patch": "-a\n+b"}


#: One issue and one pull request with one of everything: number -> its parts.
ISSUE, PULL = issue(1), pull(2)
SHAS = ("a" * 40, "b" * 40)


def jsonl(path: Path, payloads: Iterable[Payload | str]) -> None:
    """Write a file of JSON lines, compressed when its name says so. Strings are written as they are."""
    lines = [line if isinstance(line, str) else json.dumps(line) for line in payloads]
    text = "".join(f"{line}\n" for line in lines).encode()
    path.write_bytes(gzip.compress(text) if path.suffix == ".gz" else text)


def rest(root: Path, **kinds: Iterable[Payload | str]) -> Path:
    """Write the sample history as JSON lines; ``kinds`` replace single files."""
    root.mkdir(exist_ok=True)
    head = {**ISSUE, "number": 2, "html_url": f"{WEB}/pull/2", "pull_request": {"html_url": f"{WEB}/pull/2"}}
    files: dict[str, Iterable[Payload | str]] = {
        "issues": [ISSUE, head],
        "pulls": [PULL],
        "issue_comments": [comment(1, 11), comment(2, 12)],
        "reviews": [review(2, 21)],
        "review_comments": [inline(2, 31)],
        "events": [{"_n": 1, **event(41)}, {"_n": 2, **event(42, "closed")}],
        "timeline": [{"_n": 1, "order": [["labeled", 41]]}, {"_n": 2, "order": []}],
        "commits": [{"_n": 2, **commit(sha)} for sha in SHAS],
        "files": [{"_n": 2, **changed("tide/table.py")}, {"_n": 2, **changed("tide/moon.py")}],
        **kinds,
    }
    for name, payloads in files.items():
        jsonl(root / f"{name}.jsonl.gz", payloads)
    return root


def thread_files(root: Path) -> Path:
    """Write the sample history as github-metadata-backup would."""
    noted = {"event": "commented", "actor": account("keel"), "commit_id": None, "commit_url": None}
    reviewed = {**review(2, 21), "event": "reviewed", "actor": None, "commit_id": SHAS[1], "commit_url": None}
    pushed = [
        {"event": "committed", "id": None, "actor": None, **flat}
        for flat in ({**one["commit"], **one} for one in map(commit, SHAS))
    ]
    for entry in pushed:
        del entry["commit"]
    grouped = {"event": "line-commented", "id": None, "node_id": "x", "actor": None, "created_at": None}
    _pretty(
        root / "issues/1.json",
        {"type": "issue", "issue": ISSUE, "events": [{**comment(1, 11), **noted}, event(41)]},
    )
    _pretty(
        root / "pulls/2.json",
        {
            "type": "pull",
            "pull": PULL,
            "events": [*pushed, {**comment(2, 12), **noted}, reviewed, grouped, event(42, "closed")],
            "comments": [inline(2, 31)],
        },
    )
    (root / "state.json").write_text('{"version": 2}', encoding="utf-8")
    return root


def github_backup(root: Path) -> Path:
    """Write the sample history as python-github-backup would."""
    _pretty(root / "issues/1.json", {**ISSUE, "comment_data": [comment(1, 11)], "event_data": [event(41)]})
    _pretty(
        root / "pulls/2.json",
        {
            **PULL,
            "comment_regular_data": [comment(2, 12)],
            "comment_data": [inline(2, 31)],
            "review_data": [review(2, 21)],
            "commit_data": [commit(sha) for sha in SHAS],
            "event_data": [event(42, "closed")],
        },
    )
    return root


def _pretty(path: Path, payload: Payload) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(payload, indent=4, sort_keys=True), encoding="utf-8")
