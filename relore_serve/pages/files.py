"""The paths of a thread, from three places that are never merged: the diff, anchors of comments, prose.

Whether a thread touched a file may be concluded from the first two only, and an absence from neither unless
the list of changed files is complete. The lines below say so each time.
"""

from __future__ import annotations

from collections import Counter
from typing import Any

from relore_serve.pages.pieces import counted, present
from relore_serve.pages.untrusted import name

_SHAPE_GROUPS = 3
_ANCHORS_SHOWN = 40


def lines(thread: dict[str, Any], *, compact: bool, files: bool) -> list[str]:
    """Return what is known of the thread's paths. ``files`` asks for the paths of the diff."""
    if not any(
        thread[field] for field in ("files_changed", "files_anchored", "files_mentioned", "files_total")
    ):
        return _nothing(thread)
    return [*_changed(thread, compact=compact, files=files), *_anchored(thread), *_mentioned(thread)]


def shape(paths: list[str]) -> str:
    """Return where the paths are, by their first two folders, the largest groups first.

    >>> shape(["src/a/x.py", "src/a/b/y.py", "README"])
    '2 under src/a/ across 2 directories, 1 at the root'
    """
    groups: Counter[str] = Counter()
    folders: dict[str, set[str]] = {}
    for path in paths:
        folder = path.rpartition("/")[0]
        group = "/".join(folder.split("/")[:2])
        groups[group] += 1
        folders.setdefault(group, set()).add(folder)
    ranked = sorted(groups.items(), key=lambda entry: (-entry[1], entry[0]))
    told = [_group(group, number, len(folders[group])) for group, number in ranked[:_SHAPE_GROUPS]]
    rest = ranked[_SHAPE_GROUPS:]
    if rest:
        told.append(f"{sum(number for _, number in rest):,} under {counted(len(rest), 'other folder')}")
    return ", ".join(told)


def _group(group: str, number: int, folders: int) -> str:
    if not group:
        return f"{number:,} at the root"
    across = f" across {folders:,} directories" if folders > 1 else ""
    return f"{number:,} under {name(group + '/')}{across}"


def _nothing(thread: dict[str, Any]) -> list[str]:
    if thread["type"] != "pr" or "files_changed" in thread["withheld"]:
        return []
    if thread["files_total"] == 0:
        return ["changed files: 0 of 0, complete"]
    return ["changed files: no list was collected, so whether a path was touched cannot be answered"]


def _changed(thread: dict[str, Any], *, compact: bool, files: bool) -> list[str]:
    if thread["type"] != "pr" or "files_changed" in thread["withheld"]:
        return []
    paths: list[str] = thread["files_changed"]
    collected, total = thread["files_collected"], thread["files_total"]
    if collected is None:
        of = f" of {total:,}" if total is not None else ""
        return [f"changed files: none collected{of}, so whether a path was touched cannot be answered"]
    if thread["files_truncated"]:
        return _truncated(thread, compact=compact, files=files)
    stated = f"{total:,}" if total is not None else "an unknown number"
    known = "complete" if total is not None else "GitHub's total is not known"
    head = f"changed files: {collected:,} of {stated}, {known}"
    if files and paths:
        return [head, _listed(paths)]
    return [f"{head} (paths withheld; --files serves them)" if paths else head]


def _truncated(thread: dict[str, Any], *, compact: bool, files: bool) -> list[str]:
    paths: list[str] = thread["files_changed"]
    cut = thread["files_cut_after"]
    prefix = cut and (
        f"the collected list is the first {thread['files_collected']:,} in path order, cut after {name(cut)}: a path "
        "sorting after that one is absent whether or not the thread touched it"
    )
    if compact:
        told = f"{shape(paths)} (paths left out in the compact form; --no-compact --files serves them)"
    elif files:
        told = _listed(paths)
    else:
        told = "(paths withheld; --files serves them)"
    return present(
        f"changed files: {thread['files_collected']:,} of {thread['files_total']:,} collected. TRUNCATED: a "
        "path that "
        "is absent here may still have been touched",
        prefix or None,
        told if paths else None,
    )


def _anchored(thread: dict[str, Any]) -> list[str]:
    changed = set(thread["files_changed"])
    beyond = [path for path in thread["files_anchored"] if path not in changed]
    if not beyond:
        return []
    more = f" and {len(beyond) - _ANCHORS_SHOWN:,} more" if len(beyond) > _ANCHORS_SHOWN else ""
    by_comments = f"by the inline comments on it: {_listed(beyond[:_ANCHORS_SHOWN])}{more}"
    if thread["files_collected"] is None:
        return [f"the diff holds or held, {by_comments} (others may be absent)"]
    if thread["files_truncated"]:
        return [f"+ {len(beyond):,} more that the diff holds or held, {by_comments}"]
    return [f"an earlier version of the diff also held, {by_comments}"]


def _mentioned(thread: dict[str, Any]) -> list[str]:
    paths: list[str] = thread["files_mentioned"]
    total = thread["files_mentioned_total"]
    if not paths:
        return []
    more = f" and {total - len(paths):,} more" if total > len(paths) else ""
    return [
        f"mentioned in the discussion: {total:,}, named by somebody, NOT the diff: {_listed(paths)}{more}"
    ]


def _listed(paths: list[str]) -> str:
    return ", ".join(map(name, paths))
