"""What happened to a thread's head, by date, and which of its fields that does not explain. Pure.

A head tells of today only; its past is told by events. A field whose events, played from the opening on, do not end
in today's value is *undated*: its value at an earlier moment is not known and must not be guessed.
"""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING

from relore_assets.derive.rows import EventRow
from relore_assets.derive.staged import Payload, login_of, mapping, text, when, word

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from datetime import datetime

    from relore_assets.derive.rows import ThreadRow
    from relore_assets.derive.staged import Staged

#: The field of the head that an event changes.
FIELD_OF = {
    "closed": "state",
    "reopened": "state",
    "merged": "state",
    "converted_to_discussion": "state",
    "renamed": "title",
    "labeled": "labels",
    "unlabeled": "labels",
    "ready_for_review": "draft",
    "convert_to_draft": "draft",
    "locked": "locked",
    "unlocked": "locked",
    "review_requested": "requested_reviewers",
    "review_request_removed": "requested_reviewers",
    "reviewed": "requested_reviewers",
    "review_dismissed": "verdicts",
}

#: Events that are read; ``reviewed`` is no event of GitHub's but what a submitted review does to a request for it.
TOLD = tuple(sorted(FIELD_OF.keys() - {"reviewed"}))

#: What a thread's events can date; pull requests have all of it.
DATED = ("title", "state", "draft", "locked", "labels", "requested_reviewers")

#: A head and its events are written one after the other.
_SAME_ACT = timedelta(seconds=5)


def event_rows(staged: Staged, repo: str, clean: Callable[[str], str]) -> list[EventRow]:
    """Return the dated changes of a thread's head, in order.

    Args:
        staged: everything under the number.
        repo: ``owner/name``, for team names.
        clean: removes characters that show nothing; applied to every foreign string.
    """
    owner = repo.partition("/")[0]
    found = [row for event in staged.events for row in _event(event, owner, clean)]
    asked = {row.value for row in found if row.event == "review_requested"}
    for review in staged.reviews:
        reviewer, at = clean(login_of(review.get("user"))), when(review.get("submitted_at"))
        if reviewer in asked and at is not None:
            found.append(EventRow(0, "reviewed", at, reviewer, reviewer, None))
    # Sorting keeps the order of what happened in one second: that of GitHub's ids.
    found.sort(key=lambda row: row.at)
    return [row._replace(position=position) for position, row in enumerate(found)]


def undated(staged: Staged, thread: ThreadRow, rows: list[EventRow]) -> list[str]:
    """Return the fields of today's head whose past values the events do not tell, in the order of `DATED`."""
    if not staged.events_known:
        return list(DATED)
    lost = {FIELD_OF[name] for event in staged.events if (name := _lost(event)) is not None}
    of_field: dict[str, list[EventRow]] = {field: [] for field in (*DATED, "verdicts")}
    for row in rows:
        of_field[FIELD_OF[row.event]].append(row)
    explained = {
        "title": _titles_agree(of_field["title"], thread.title),
        "state": _states_agree(of_field["state"], thread),
        "draft": _switches(of_field["draft"], "convert_to_draft", end=thread.draft),
        "locked": _switches(of_field["locked"], "locked", end=thread.locked, start=False),
        "labels": _labels_agree(of_field["labels"], thread.labels),
        "requested_reviewers": _requests_agree(of_field["requested_reviewers"], thread.requested_reviewers),
    }
    return [field for field in DATED if field in lost or not explained[field]]


def renamed_at(rows: Iterable[EventRow]) -> datetime | None:
    """Return when the title was last changed; None where it never was."""
    return max((row.at for row in rows if row.event == "renamed"), default=None)


def _event(event: Payload, owner: str, clean: Callable[[str], str]) -> Iterator[EventRow]:
    name, at = word(event.get("event")), when(event.get("created_at"))
    if name not in TOLD or at is None or _lost(event):
        return
    value, previous = _values(name, event, owner)
    yield EventRow(
        position=0,
        event=name,
        at=at,
        actor=clean(login_of(event["actor"])) if event.get("actor") else None,
        value=None if value is None else clean(value),
        previous=None if previous is None else clean(previous),
    )


def _values(name: str, event: Payload, owner: str) -> tuple[str | None, str | None]:
    """Return what an event changed its field to, or by, and what it was before where the event says so."""
    if name == "renamed":
        rename = mapping(event.get("rename"))
        return text(rename.get("to")), text(rename.get("from"))
    if name in {"labeled", "unlabeled"}:
        return word(mapping(event.get("label")).get("name")), None
    if name in {"review_requested", "review_request_removed"}:
        return _reviewer(event, owner), None
    if name == "review_dismissed":
        dismissed = mapping(event.get("dismissed_review"))
        review, verdict = dismissed.get("review_id"), word(dismissed.get("state"))
        return None if review is None else str(review), verdict and verdict.upper()
    return (word(event.get("state_reason")) if name == "closed" else None), None


def _reviewer(event: Payload, owner: str) -> str | None:
    """Return a login, or a team as the head names it."""
    if slug := word(mapping(event.get("requested_team")).get("slug")):
        return f"@{owner}/{slug}"
    return word(mapping(event.get("requested_reviewer")).get("login"))


def _lost(event: Payload) -> str | None:
    """Return the name of an event that changes a field and does not say when, or to what; None for all others."""
    name = word(event.get("event"))
    if name not in TOLD:
        return None
    if when(event.get("created_at")) is None:
        return name
    told = {
        "renamed": lambda: text(mapping(event.get("rename")).get("from")),
        "labeled": lambda: word(mapping(event.get("label")).get("name")),
        "unlabeled": lambda: word(mapping(event.get("label")).get("name")),
        "review_requested": lambda: _reviewer(event, ""),
        "review_request_removed": lambda: _reviewer(event, ""),
        "review_dismissed": lambda: mapping(event.get("dismissed_review")).get("review_id"),
    }.get(name)
    return None if told is None or told() else name


def _titles_agree(rows: list[EventRow], today: str) -> bool:
    """Return whether each change of title begins where the last ended, and the last ends in today's."""
    ends = [row.value for row in rows]
    begins = [row.previous for row in rows[1:]]
    return not rows or (ends[:-1] == begins and ends[-1] == today)


def _states_agree(rows: list[EventRow], thread: ThreadRow) -> bool:
    """Return whether closings and reopenings end in today's state, closed when the head says it was."""
    # A merge closes, and GitHub tells of both; two people, or a person and a commit, may close the same thread.
    closings: list[datetime] = []
    for row in rows:
        if row.event != "reopened":
            closings.append(row.at)
        elif closings:
            closings.clear()
        else:
            return False
    if bool(closings) is not (thread.state == "closed"):
        return False
    closed_at = thread.closed_at
    return not closings or closed_at is None or any(abs(closed_at - at) <= _SAME_ACT for at in closings)


def _switches(rows: list[EventRow], on: str, *, end: bool, start: bool | None = None) -> bool:
    """Return whether switches alternate and leave the field as it is; ``start`` is None where it may be either."""
    state = start
    for row in rows:
        if (row.event == on) is state:
            return False
        state = row.event == on
    return state is None or state is end


def _labels_agree(rows: list[EventRow], today: list[str]) -> bool:
    """Return whether labels, each put on before it is taken off, end in today's."""
    labels: set[str] = set()
    for row in rows:
        if (row.value in labels) is (row.event == "labeled"):
            return False
        labels ^= {row.value or ""}
    return labels == set(today)


def _requests_agree(rows: list[EventRow], today: list[str]) -> bool:
    """Return whether requests for review, until answered or taken back, leave today's open."""
    asked: set[str] = set()
    for row in rows:
        if row.event == "review_requested":
            asked.add(row.value or "")
        else:
            asked.discard(row.value or "")
    return asked == set(today)
