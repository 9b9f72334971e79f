"""References to threads and commits behind words that say what they are: ``done in #12``, ``fixed by 1a2b3c4``."""

from __future__ import annotations

import re
from typing import NamedTuple

from relore_assets.mine.texts import with_spans

#: What says that something was done elsewhere.
DONE = (
    r"(?:done|fixed|addressed|implemented|resolved|solved|handled|settled|picked[ ]up|included|landed|merged|"
    r"taken[ ]care[ ]of|superseded)"
)

_REFERENCE = (
    r"(?:https?://github\.com/(?P<url_repo>[\w.-]+/[\w.-]+)/(?:pull|issues)/(?P<url_number>[1-9]\d{0,8})(?!\w)[^\s)]*"
    r"|https?://github\.com/(?P<commit_repo>[\w.-]+/[\w.-]+)/(?:pull/\d+/)?commits?/(?P<url_sha>[0-9a-f]{7,40})"
    r"|(?P<repo>[\w.-]+/[\w.-]+)?\#(?P<number>[1-9]\d{0,8})(?!\w)"
    r"|(?P<sha>(?=[a-f]{0,39}[0-9])[0-9a-f]{7,40})(?!\w))"
)
# What takes a match back, up to four words before it: a denial, and where something is to have been done, a wish.
_DENIED = r"\b(?:not|never|cannot|without|unlike)\b|n['\u2019]t\b"
_WISHED = r"\b(?:will|would|should|could|can|may|might|if|once|when|until|unless|to[ ]be|going[ ]to|let's)\b"
_BETWEEN = r"(?:[ ,]+[\w'\u2019/-]{1,20}){0,4}[ ]*\Z"
_NOT_SAID = re.compile(rf"(?:{_DENIED}){_BETWEEN}", re.IGNORECASE)
_NOT_DONE = re.compile(rf"(?:{_DENIED}|{_WISHED}){_BETWEEN}", re.IGNORECASE)
_REACH = 60  # characters

# What a list goes on with: ``see #1, #2 and #3``.
_NEXT = re.compile(
    rf"\)?(?:[ ]*(?:,|;|&|\+|/|\band\b|\bor\b|\bas[ ]well[ ]as\b)){{1,2}}[ ]*(?:(?:also|in|prs?|issues?)[ ]+){{0,2}}"
    rf"(?:\[[^\]\n]{{0,80}}\]\()?{_REFERENCE}",
    re.IGNORECASE,
)


class Reference(NamedTuple):
    """What is referred to: a thread's number or the digits of a commit; the one that is not is None."""

    number: int | None
    sha: str | None


def behind(words: str, between: str = r"[ ]+(?:(?:by|in|with|via|as[ ]part[ ]of)[ ]+)?") -> re.Pattern[str]:
    """Return the pattern of a reference that stands behind some words."""
    opened = r"(?:(?:the|commits?|prs?|issue|pull[ ]request|\(|,|:)[ ]*)?"
    linked = r"(?:\[[^\]\n]{0,80}\]\()?"
    return re.compile(rf"(?<!\w)(?:{words}){between}{opened}{opened}{linked}{_REFERENCE}", re.IGNORECASE)


def found(
    pattern: re.Pattern[str], body: str, own_repo: str, *, done: bool = False, listed: bool = False
) -> list[Reference]:
    """Return the references of a text to the own repository behind the words of ``pattern``, each once, in order.

    Read from the author's own words and code spans. What is denied does not count, nor, where ``done`` says that the
    words tell of something done, what is wished for or put off. ``listed`` is whether a whole list behind the words
    counts, or its first reference alone.
    """
    taken_back = _NOT_DONE if done else _NOT_SAID
    prose = with_spans(body)
    own = own_repo.lower()
    references: dict[Reference, None] = {}
    for match in pattern.finditer(prose):
        if taken_back.search(prose[max(0, match.start() - _REACH) : match.start()]):
            continue
        each: re.Match[str] | None = match
        while each is not None:
            reference = _own(each, own)
            if reference is not None:
                references[reference] = None
            each = _NEXT.match(prose, each.end()) if listed else None
    return list(references)


def _own(match: re.Match[str], own_repo: str) -> Reference | None:
    """Return what a match refers to in the own repository; None where that is in another."""
    repo = match["url_repo"] or match["commit_repo"] or match["repo"]
    if repo is not None and repo.lower() != own_repo:
        return None
    number = match["number"] or match["url_number"]
    sha = match["sha"] or match["url_sha"]
    return Reference(int(number) if number else None, sha)
