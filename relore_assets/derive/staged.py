"""One thread's staged objects, sorted by kind. Knows the shape of GitHub's payloads and nothing of tables."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import UTC, datetime
from operator import itemgetter
from typing import TYPE_CHECKING, Any, cast

if TYPE_CHECKING:
    from collections.abc import Iterable

Payload = dict[str, Any]

#: The name GitHub shows for an account that is gone (https://github.com/ghost).
GHOST = "ghost"


@dataclass(slots=True)
class Staged:
    """Everything staged under one number.

    ``head`` is the issue object with the pull request's laid over it, and over that what only the single pull request
    tells, where it was read apart from the list.
    """

    number: int
    head: Payload
    is_pull: bool
    issue_comments: list[Payload] = field(default_factory=list[Payload])
    reviews: list[Payload] = field(default_factory=list[Payload])
    review_comments: list[Payload] = field(default_factory=list[Payload])
    events: list[Payload] = field(default_factory=list[Payload])
    #: None where no list was staged: not the same as an empty one.
    commits: list[Payload] | None = None
    files: list[Payload] | None = None
    #: Issues that GitHub says the pull request closes: ``repo`` and ``number``.
    closing: list[Payload] = field(default_factory=list[Payload])
    #: Whether ``events`` are all there were: only then does one that is missing mean that nothing happened.
    events_known: bool = False
    #: When the opening post was last edited, its creation where it never was; None where that is not known.
    body_edited_at: datetime | None = None


#: Longer than any login, label, branch or team that GitHub allows.
WORD_LIMIT = 255

_YEARS = range(1970, 9999)
_MAX_COUNT = 2**31 - 1

_EVER = datetime.min.replace(tzinfo=UTC)

#: No object of GitHub's: it says that an archive brought events, so that a thread without any had none.
EVENTS_TOLD = "events_told"

#: What a detail says of itself and not of the pull request.
_ABOUT_THE_DETAIL = frozenset({"as_of", "unread", "body_edited_at"})


def gather(number: int, objects: Iterable[tuple[str, Payload]]) -> Staged | None:
    """Sort one number's (kind, payload) pairs. None when no head is staged: the objects are orphans."""
    single: dict[str, Payload] = {}
    lists: dict[str, list[Payload]] = {"issue_comment": [], "review": [], "review_comment": [], "event": []}
    for kind, payload in objects:
        if kind in lists:
            lists[kind].append(payload)
        else:
            single[kind] = payload
    issue, pull = single.get("issue"), single.get("pull")
    marker = single.get("pull_detail") or single.get("issue_detail")
    if issue is None and pull is None:
        return None
    return Staged(
        number=number,
        head=_head(issue or {}, pull or {}, single.get("pull_detail", {})),
        is_pull=pull is not None or bool((issue or {}).get("pull_request")),
        issue_comments=lists["issue_comment"],
        reviews=lists["review"],
        review_comments=lists["review_comment"],
        events=lists["event"],
        commits=_items(single.get("pull_commits")),
        files=_items(single.get("pull_files")),
        closing=_items(single.get("pull_closing")) or [],
        body_edited_at=_body_edited_at(issue or {}, pull or {}, marker or {}),
        events_known=EVENTS_TOLD in single
        if marker is None
        else "events" not in listed(marker.get("unread")),
    )


def _body_edited_at(issue: Payload, pull: Payload, marker: Payload) -> datetime | None:
    """Return the date of today's opening post, where a reading of the thread as it is today told of edits."""
    as_of = when(marker.get("as_of"))
    heads = [at for head in (issue, pull) if (at := when(head.get("updated_at"))) is not None]
    if "body_edited_at" not in marker or as_of is None or any(at > as_of for at in heads):
        return None
    return when(marker["body_edited_at"]) or when(issue.get("created_at")) or when(pull.get("created_at"))


def _items(payload: Payload | None) -> list[Payload] | None:
    if payload is None:
        return None
    return [cast("Payload", item) for item in listed(payload.get("items")) if isinstance(item, dict)]


def _head(issue: Payload, pull: Payload, detail: Payload) -> Payload:
    """Lay the objects of one head over each other, the newer word over the older.

    Of one age, the pull request's own word is more than the issue's, what was read in detail more than both, and
    a field without a value takes none away.
    """
    told = {key: value for key, value in detail.items() if key not in _ABOUT_THE_DETAIL}
    layers = [
        (when(issue.get("updated_at")) or _EVER, issue),
        (when(pull.get("updated_at")) or _EVER, pull),
        (when(detail.get("as_of")) or _EVER, told),
    ]
    layers.sort(key=itemgetter(0))
    head: Payload = {}
    before = _EVER
    for at, layer in layers:
        head.update(
            layer if at > before else {key: value for key, value in layer.items() if value is not None}
        )
        before = at
    return head


def login_of(account: object) -> str:
    """Return an account object's login; 'ghost' for a deleted account, which GitHub sends as null."""
    return word(mapping(account).get("login")) or GHOST


def is_bot(account: object) -> bool:
    """Return whether GitHub itself calls the account a bot, by its type or by its name."""
    return mapping(account).get("type") == "Bot" or is_app_name(login_of(account))


def is_app_name(name: str) -> bool:
    """Return whether a name is one that only GitHub gives, and only to apps: people's logins hold no brackets."""
    return name.rstrip().casefold().endswith("[bot]")


def mapping(value: object) -> Payload:
    """Return an object of a payload; an empty one for null and for what is none."""
    return cast("Payload", value) if isinstance(value, dict) else {}


def listed(value: object) -> list[object]:
    """Return a list of a payload; an empty one for null and for what is none."""
    return cast("list[object]", value) if isinstance(value, list) else []


def word(value: object) -> str | None:
    """Return a name, a sha, a state: one short string; None for null, for nothing, and for what is no string.

    GitHub's own are far shorter than the bound; without one, a name could be longer than an index can hold.
    """
    return value[:WORD_LIMIT] if isinstance(value, str) and value else None


def when(value: object) -> datetime | None:
    """Read one of GitHub's timestamps (ISO 8601, UTC); None for absent, malformed and impossible ones.

    Dates in commits are whatever their authors' clocks said; a year at the edge of the calendar can be stored and
    then not be read again.
    """
    if not isinstance(value, str) or not value:
        return None
    try:
        at = datetime.fromisoformat(value)
    except ValueError:
        return None
    return at if at.tzinfo is not None and at.year in _YEARS else None


def text(value: object) -> str:
    """Return a text field with line ends as Unix writes them; '' for null."""
    if not isinstance(value, str):
        return ""
    return value.replace("\r\n", "\n").replace("\r", "\n") if "\r" in value else value


def whole(value: object) -> int | None:
    """Return a count; None where GitHub left it out, and for what no count can be."""
    if not isinstance(value, int) or isinstance(value, bool):
        return None
    return value if 0 <= value <= _MAX_COUNT else None
