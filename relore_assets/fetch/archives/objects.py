"""What an object is called, which thread it belongs to, and when it last changed: read off its payload."""

from __future__ import annotations

import re
from datetime import datetime
from hashlib import blake2b

from relore_assets.fetch.archives import found
from relore_assets.fetch.archives.found import Payload, Raw, as_object

# What a number becomes in Postgres.
_MAX_NUMBER = 2**31 - 1

_YEARS = range(1970, 9999)

_NUMBER_IN_URL = re.compile(r"/(?:issues|pull|pulls)/([0-9]{1,10})(?:[#/?]|$)")

#: Where an object's own date stands, best first. GitHub gives reviews and events no updated_at.
_DATES = ("updated_at", "submitted_at", "created_at")


class UnfitError(ValueError):
    """A payload lacks what it would be filed under; the message says which, and quotes nothing."""


def head(kind: str, payload: Payload) -> Raw:
    """Return an issue or pull request. Its id is its number: the issue object of a pull request has no other.

    Raises:
        UnfitError: without number, title or the dates that every thread has.
    """
    number = _number(payload.get("number"))
    if number is None:
        raise UnfitError("no number")
    if not isinstance(payload.get("title"), str):
        raise UnfitError("no title")
    if date(payload.get("created_at")) is None:
        raise UnfitError("no created_at that is a date")
    updated_at = date(payload.get("updated_at"))
    if updated_at is None:
        raise UnfitError("no updated_at that is a date")
    return Raw(kind, str(number), number, payload, updated_at)


def part(kind: str, payload: Payload, number: int | None = None, thread_date: datetime | None = None) -> Raw:
    """Return a comment, review or event, filed under ``number`` or, without one, the number it names itself.

    Raises:
        UnfitError: without a thread number, or without an id that its kind must have.
    """
    number = number if number is not None else thread_number(payload)
    if number is None:
        raise UnfitError("no thread number")
    return Raw(kind, _id(kind, payload, number), number, payload, own_date(payload) or thread_date)


def listing(kind: str, number: int, items: list[Payload], thread_date: datetime | None) -> Raw:
    """Return a pull request's list of commits or files, in the order given."""
    payload: Payload = {"number": number, "items": items}
    return Raw(kind, str(number), number, payload, thread_date or _latest_commit(items), len(items))


def thread_number(payload: Payload) -> int | None:
    """Return the number of the thread that a payload says it belongs to."""
    if (number := _number(payload.get("_n"))) is not None:
        return number
    if (issue := as_object(payload.get("issue"))) is not None:  # the repository-wide list of events
        return _number(issue.get("number"))
    for key in ("issue_url", "pull_request_url", "html_url"):
        url = payload.get(key)
        if isinstance(url, str) and (match := _NUMBER_IN_URL.search(url)):
            return _number(int(match[1]))
    return None


def event_name(payload: Payload) -> str:
    """Return what kind of event an entry of a timeline says it is; nothing where it says none."""
    name = payload.get("event")
    return name if isinstance(name, str) else ""


def own_date(payload: Payload) -> datetime | None:
    """Return when the object itself last changed, as far as it says."""
    for key in _DATES:
        if (moment := date(payload.get(key))) is not None:
            return moment
    return None


def date(value: object) -> datetime | None:
    """Read a timestamp of GitHub's; None for what is not one."""
    if not isinstance(value, str):
        return None
    try:
        moment = datetime.fromisoformat(value)
    except ValueError:
        return None
    # GitHub is younger than 1970; years at the edge of the calendar cannot be moved to UTC.
    return moment if moment.tzinfo is not None and moment.year in _YEARS else None


def _number(value: object) -> int | None:
    """Return a thread number, None for what cannot be one."""
    if isinstance(value, bool) or not isinstance(value, int) or not 0 < value <= _MAX_NUMBER:
        return None
    return value


def _id(kind: str, payload: Payload, number: int) -> str:
    """Return the id GitHub gave; for the events it gives none, one made of what the event says.

    Raises:
        UnfitError: another kind than an event has no id.
    """
    value = payload.get("id")
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    if kind != found.EVENT:
        raise UnfitError("no id")
    actor = as_object(payload.get("actor")) or {}
    # A cross-reference carries the other thread as it was when the list was read: only its address stays.
    source = as_object((as_object(payload.get("source")) or {}).get("issue")) or {}
    said = (
        number,
        payload.get("event"),
        payload.get("created_at"),
        actor.get("login"),
        source.get("html_url"),
    )
    words = "\x1f".join(str(word) for word in said)
    return blake2b(words.encode("utf-8", "replace"), digest_size=8).hexdigest()


def _latest_commit(items: list[Payload]) -> datetime | None:
    """Return the latest committer date of a list of commits, which stands in where no head gives a date."""
    dates: list[datetime] = []
    for item in items:
        committer = as_object((as_object(item.get("commit")) or {}).get("committer")) or {}
        if (moment := date(committer.get("date"))) is not None:
            dates.append(moment)
    return max(dates, default=None)
