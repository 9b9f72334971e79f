"""Claims one thread makes about another: what it closes, duplicates, reverts or supersedes, and what it only mentions.

Read from an author's own words alone. Whose claim it is, and whether the target is the thread itself, is the
caller's to know.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from itertools import islice
from typing import TYPE_CHECKING, Literal, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator

    from relore_serve.signals.markdown import Markdown

Relation = Literal["closes", "duplicates", "reverts", "supersedes", "mentions"]

# References looked at in one text. Release notes name hundreds; past this it is no conversation.
REFERENCE_LIMIT = 2_000


class LinkClaim(NamedTuple):
    """A relation to a thread, with the repository as ``owner/name`` in lower case."""

    relation: Relation
    repo: str
    number: int


_NAME = r"[A-Za-z0-9][A-Za-z0-9-]{0,38}/[A-Za-z0-9_.-]{1,100}"
# Each begins with a literal, so that text without any is passed over at the speed of a plain search.
_HASH = re.compile(r"#([1-9]\d{0,8})(?!\w)")
_GH = re.compile(r"[Gg][Hh]-([1-9]\d{0,8})(?!\w)")
_URL = re.compile(
    rf"github\.com/({_NAME})/(?:issues|pull|pulls|discussions)/([1-9]\d{{0,8}})(?!\w)(?:[/?#][^\s()<>\[\]\"'`]{{0,400}})?"
)
_URL_START = re.compile(r"(?<![\w.@-])(?:https?://)?(?:www\.)?\Z")
_NAME_BEFORE = re.compile(rf"(?<![\w./-]){_NAME}\Z")
_NAME_LIMIT = 141
# Far enough back for a keyword, its colon, "issue" and some Markdown.
_REACH = 80
_DECORATION = r"(?:[*_~:\s]|\[|<|\(|-[ ]|issues?\b|bugs?\b|tickets?\b|pr\b|prs\b|pull[ ]requests?\b){0,12}"
_KEYWORD = re.compile(
    rf"""(?<![\w-])(?:
        (?P<closes>close[sd]?|fix(?:e[sd])?|resolve[sd]?)
      | (?P<duplicates>duplicates?(?:[ ]of)?|dup(?:e)?[ ]of)
      | (?P<reverts>(?:reverts|(?<![^\n])revert)(?:[ ]["\u201c][^\n]{{0,70}}\()?)
      | (?P<supersedes>supersedes?|replaces?)
    ){_DECORATION}\Z""",
    re.VERBOSE | re.IGNORECASE,
)
_AND = re.compile(
    r"(?:\]\([^()\s]{0,300}\))?[)\]>*_]{0,4}\s{0,3}"
    r"(?:[,;&+/]|,?\s{0,3}(?:and|or)\b|\n\s{0,8}[-*+]\s|\n\s{0,8}\d{1,3}[.)]\s)"
    rf"\s{{0,3}}(?:(?:and|also)\s)?{_DECORATION}\Z",
    re.IGNORECASE,
)
# "does not fix", "won't really close", "not a duplicate of", "without fixing".
_NEGATED = re.compile(
    r"(?:\b(?:not|never|cannot|without|neither|nor|hardly|no[ ]longer|instead[ ]of|rather[ ]than|nothing)\b"
    r"|n['\u2019]t\b)"
    r"(?:[ ,]+[\w'\u2019/-]{1,20}){0,4}[ ,*_~:]{0,4}\Z",
    re.IGNORECASE,
)
_ASKED = re.compile(
    r"(?:\b(?:does|do|did|will|would|could|can|should|is|might|may)\b[^.!?\n]{0,60})\Z", re.IGNORECASE
)


class _Reference(NamedTuple):
    start: int
    end: int
    repo: str
    number: int


def links(markdown: Markdown, own_repo: str) -> list[LinkClaim]:
    """Return the distinct claims of a text in order of appearance; a bare ``#N`` belongs to ``own_repo``.

    One thread named several ways keeps every relation claimed, and is a mention only where nothing more was said.
    """
    prose = markdown.prose
    claims: dict[LinkClaim, None] = {}
    related: set[tuple[str, int]] = set()
    last_end = 0
    relation: Relation = "mentions"
    for reference in _references(prose, own_repo.lower()):
        gap = prose[max(last_end, reference.start - _REACH) : reference.start]
        adjacent = bool(last_end) and reference.start - last_end < _REACH
        relation = _relation(prose, reference, gap, relation if adjacent else "mentions")
        if relation != "mentions":
            related.add(reference[2:])
        claims[LinkClaim(relation, reference.repo, reference.number)] = None
        last_end = reference.end
    return [claim for claim in claims if claim.relation != "mentions" or claim[1:] not in related]


def _references(prose: str, own: str) -> list[_Reference]:
    """Every form GitHub turns into a link, in order; a Markdown link counts once, as its target."""
    found: list[_Reference] = []
    if "#" in prose:
        found += _hashes(prose, own)
    if "GH-" in prose or "gh-" in prose:
        found += (
            _Reference(match.start(), match.end(), own, int(match[1]))
            for match in islice(_GH.finditer(prose), REFERENCE_LIMIT)
            if not _continues(prose, match.start())
        )
    if "github.com/" not in prose:
        found.sort()
        return found[:REFERENCE_LIMIT]
    urls = list(_urls(prose))
    inside = [(url.start, url.end) for url in urls]
    found = sorted(urls + [one for one in found if not _covered(one.start, inside)])
    kept: list[_Reference] = []
    for reference in found[:REFERENCE_LIMIT]:
        if kept and kept[-1].end + 2 == reference.start and prose.startswith("](", kept[-1].end):
            reference = reference._replace(start=kept.pop().start)  # noqa: PLW2901 - `[#12](https://…/pull/12)`
        kept.append(reference)
    return kept


def _hashes(prose: str, own: str) -> Iterator[_Reference]:
    for match in islice(_HASH.finditer(prose), REFERENCE_LIMIT):
        start = match.start()
        before = prose[start - 1 : start]
        if not (before.isalnum() or before in {"_", ".", "-"}):
            if before not in {"&", "/", "#"} or not before:
                yield _Reference(start, match.end(), own, int(match[1]))
        elif named := _NAME_BEFORE.search(prose[max(0, start - _NAME_LIMIT) : start]):
            name = named[0]
            yield _Reference(start - len(name), match.end(), name.lower(), int(match[1]))


def _urls(prose: str) -> Iterator[_Reference]:
    for match in islice(_URL.finditer(prose), REFERENCE_LIMIT):
        start = match.start()
        before = prose[max(0, start - 12) : start]
        if scheme := _URL_START.search(before):
            yield _Reference(start - len(scheme[0]), match.end(), match[1].lower(), int(match[2]))


def _continues(prose: str, start: int) -> bool:
    before = prose[start - 1 : start]
    return before.isalnum() or before in {"_", "-", "/", "#"}


def _covered(position: int, spans: list[tuple[int, int]]) -> bool:
    index = bisect_right(spans, (position, len(spans) and spans[-1][1])) - 1
    return index >= 0 and spans[index][0] <= position < spans[index][1]


def _relation(prose: str, reference: _Reference, gap: str, previous: Relation) -> Relation:
    """Say what the words before a reference make of it; ``previous`` is what the reference before it was."""
    keyword = _KEYWORD.search(gap)
    if keyword is None:
        return previous if previous != "mentions" and _AND.match(gap) else "mentions"
    at = reference.start - len(gap) + keyword.start()
    before = prose[max(0, at - _REACH) : at]
    if _NEGATED.search(before) or (prose[reference.end : reference.end + 1] == "?" and _ASKED.search(before)):
        return "mentions"
    return keyword.lastgroup  # type: ignore[return-value]
