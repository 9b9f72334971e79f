"""GET /search/issues: issues and pull requests that hold every word of a query.

https://docs.github.com/en/rest/search/search
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from fake_github import paging
from fake_github.answer import Answer, ApiError

if TYPE_CHECKING:
    from fake_github.limits import Limits
    from fake_github.shapes import Shapes
    from fake_github.world import Fields, Repository, Thread, World

ENDPOINT = "/search/issues"

# https://docs.github.com/en/rest/search/search#limitations-on-query-length
_LONGEST = 256
_OPERATORS_MOST = 5
# https://docs.github.com/en/rest/search/search#search-issues-and-pull-requests: up to 1,000 results per search
_CAP = 1_000

_PART = re.compile(
    r'(?P<minus>-?)(?:(?P<qualifier>[a-z][a-z-]*):(?P<value>"[^"]*"|\S+)|"(?P<phrase>[^"]*)"|(?P<word>\S+))'
)
_OPERATORS = frozenset({"AND", "OR", "NOT"})


@dataclass
class _Query:
    """What is asked: texts that have to be there, texts that must not, and qualifiers."""

    wanted: list[str] = field(default_factory=list[str])
    unwanted: list[str] = field(default_factory=list[str])
    repos: list[str] = field(default_factory=list[str])
    kinds: set[str] = field(default_factory=set[str])


def search(world: World, asked: dict[str, str], limits: Limits, shapes: Shapes, url: str) -> Answer:
    """Return the page of results that was asked for, the best match first."""
    query = _read(asked.get("q", ""))
    repositories = [world.find(name) for name in query.repos]
    if not repositories or any(each is None or each.fields.get("private") for each in repositories):
        raise _invalid(
            "The listed users and repositories cannot be searched either because the resources do not exist or you do "
            "not have permission to view them."
        )
    found = [
        (_times(query, thread), repository, thread)
        for repository in repositories
        if repository is not None
        for thread in repository.threads.values()
        if _matches(query, thread)
    ]
    found.sort(key=lambda each: (-each[0], -each[2].number))

    def show(each: tuple[int, Repository, Thread]) -> Fields:
        return shapes.issue(each[1], each[2]) | {"score": 1.0}

    answer = paging.page(found, show, paging.Address(url, asked), limits, cap=_CAP)
    answer.body = {
        "total_count": len(found),
        "incomplete_results": False,
        "search_type": "lexical",
        "items": answer.body,
    }
    return answer


def _read(q: str) -> _Query:
    query = _Query()
    texts: list[str] = []
    operators = 0
    negated = False
    for part in _PART.finditer(q):
        if part["qualifier"]:
            value = part["value"].strip('"')
            if part["qualifier"] == "repo":
                query.repos.append(value)
            elif part["qualifier"] in {"is", "type"}:
                query.kinds.add(value)
            else:
                raise _invalid(f"This fake knows no qualifier {part['qualifier']}.")
            continue
        text = part["phrase"] if part["phrase"] is not None else part["word"]
        texts.append(part[0])
        if part["word"] in _OPERATORS:
            operators += 1
            negated = part["word"] == "NOT"
            continue
        (query.unwanted if part["minus"] or negated else query.wanted).append(text.lower())
        negated = False
    if not q or len(" ".join(texts)) > _LONGEST:
        raise _invalid("The search is longer than 256 characters." if q else "None is missing")
    if operators > _OPERATORS_MOST:
        raise _invalid("The search contains more than five operators.")
    return query


def _invalid(message: str) -> ApiError:
    error = {"message": message, "resource": "Search", "field": "q", "code": "invalid"}
    return ApiError(422, "Validation Failed", errors=[error])


def _matches(query: _Query, thread: Thread) -> bool:
    said = _said(thread)
    kind = {"pull-request", "pr"} if thread.is_pull else {"issue"}
    return (
        (not query.kinds or bool(query.kinds & kind))
        and all(text in said for text in query.wanted)
        and not any(text in said for text in query.unwanted)
    )


def _times(query: _Query, thread: Thread) -> int:
    return sum(_said(thread).count(text) for text in query.wanted)


def _said(thread: Thread) -> str:
    texts = [
        thread.fields.get("title"),
        thread.fields.get("body"),
        *(one.get("body") for one in thread.comments),
    ]
    return "\n".join(text for text in texts if text).lower()
