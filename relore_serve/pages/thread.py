"""The page of a thread: its head and its opening post; `comments` prints what follows."""

from __future__ import annotations

from typing import Any

from relore_serve.pages import comments, pieces
from relore_serve.pages import files as file_lines
from relore_serve.pages.untrusted import address, login, name, quote, wrap

_VERDICTS_SHOWN = 8
_MENTIONS_SHOWN = 8
_PASSIVE = {
    "closes": "closed by",
    "duplicates": "called the original by",
    "reverts": "reverted by",
    "supersedes": "superseded by",
    "mentions": "mentioned in",
}
_MENTIONING = ("mentions", "mentioned in")


def render(payload: dict[str, Any], *, compact: bool, presentation: bool, files: bool = False) -> str:
    """Return the page of a scrubbed answer. ``files`` asks for the paths of the diff."""
    thread = payload["thread"]
    scrubbed = pieces.scrubbed(payload)
    if thread["selection"] == "comment":
        return wrap("\n".join([*identity(thread), *pieces.present(scrubbed), *comments.one(thread)]))
    head = [
        *identity(thread),
        address(thread["url"]),
        f"opened by {login(thread['author'])} [{pieces.tier(thread['trust'])}]",
        *events(thread),
        *file_lines.lines(thread, compact=compact, files=files),
        *pieces.present(
            _links(thread, compact=compact),
            _backlinks(thread, compact=compact),
            _as_of(thread),
            pieces.left_out(thread["exclude"]),
            scrubbed,
        ),
    ]
    blocks = ["\n".join(head), "\n".join(_body(thread))]
    blocks += (
        comments.outline(thread, compact=compact)
        if thread["selection"] == "outline"
        else comments.sampled_or_ranked(thread, presentation=presentation)
    )
    return wrap("\n\n".join(block for block in blocks if block))


def identity(thread: dict[str, Any]) -> list[str]:
    """Return the two lines that say which thread this is."""
    return [
        f"{pieces.reference(thread)} {pieces.state(thread)} {thread['age']}",
        quote(thread["title"].strip()),
    ]


def events(thread: dict[str, Any]) -> list[str]:
    """Return what became of a thread, a line for each: its end, its review, its labels."""
    return pieces.present(
        _end(thread),
        _review(thread),
        _other_verdicts(thread),
        f"labels: {', '.join(map(name, thread['labels']))}" if thread["labels"] else None,
        "locked: only collaborators may comment" if thread["locked"] else None,
    )


def _end(thread: dict[str, Any]) -> str | None:
    closing = pieces.closing(thread)
    if thread["merged"]:
        return f"merged {closing}" if closing else "merged"
    return f"closed {closing}" if thread["state"] == "closed" and closing else None


def _review(thread: dict[str, Any]) -> str | None:
    if thread["type"] != "pr":
        return None
    verdict = pieces.verdict(thread)
    requested = ", ".join(map(login, thread["requested_reviewers"]))
    if verdict:
        return f"review: {verdict}" + (f"; requested from {requested}" if requested else "")
    if requested:
        return f"review: requested from {requested}, no verdict yet"
    quiet = thread["state"] == "open" and "review_decision" not in thread["withheld"]
    return "review: nobody approved or blocked it" if quiet else None


def _other_verdicts(thread: dict[str, Any]) -> str | None:
    deciders = set(thread["review_decision_by"])
    others = [verdict for verdict in thread.get("verdicts", ()) if verdict["author"] not in deciders]
    if not others:
        return None
    told = [
        f"{login(verdict['author'])} {pieces.review_state(verdict['verdict'])} "
        f"[{pieces.tier(verdict['trust'])}]"
        for verdict in others[:_VERDICTS_SHOWN]
    ]
    more = f" and {len(others) - _VERDICTS_SHOWN} more" if len(others) > _VERDICTS_SHOWN else ""
    return f"other verdicts: {', '.join(told)}{more}"


def _as_of(thread: dict[str, Any]) -> str | None:
    today = ["opening post" if part == "body" else part for part in thread["todays_words"]]
    return pieces.withheld(thread["withheld"], thread["before"], today)


def _links(thread: dict[str, Any], *, compact: bool) -> str | None:
    links: list[dict[str, Any]] = thread["links"]
    if not links:
        return None
    groups: dict[tuple[str, str], list[str]] = {}
    for link in links:
        note = "" if link["indexed"] else " (not indexed)"
        groups.setdefault((link["relationship"], note), []).append(_target(link["target"], thread["repo"]))
    return f"links: {_told(groups, thread['links_total'], compact=compact)}"


def _backlinks(thread: dict[str, Any], *, compact: bool) -> str | None:
    """Return who speaks of the thread, and that nothing is known of it where no links are held at all."""
    back = thread["backlinks"]
    if not back["collected"]:
        return "said elsewhere: not collected, this index holds no links at all: derive it first"
    machines = (
        f"{pieces.counted(back['machine_only'], 'thread')} in which only machines name it"
        if back["machine_only"]
        else ""
    )
    if not back["listed"]:
        return f"said elsewhere: {machines}" if machines else None
    groups: dict[tuple[str, str], list[str]] = {}
    for link in back["listed"]:
        source = _target(f"{link['repo']}#{link['number']}", thread["repo"])
        groups.setdefault((_PASSIVE[link["relationship"]], ""), []).append(source)
    return f"said elsewhere: {_told(groups, back['total'], compact=compact)}{f'; {machines}' if machines else ''}"


def _told(groups: dict[tuple[str, str], list[str]], total: int, *, compact: bool) -> str:
    """Name the threads of each group; of mere mentions the compact form names the first few, and counts the rest."""
    shown = {
        (word, note): names[:_MENTIONS_SHOWN] if compact and word in _MENTIONING else names
        for (word, note), names in groups.items()
    }
    told = "; ".join(f"{word} {', '.join(names)}{note}" for (word, note), names in shown.items())
    rest = total - sum(map(len, shown.values()))
    return f"{told} and {rest:,} more" if rest else told


def _target(target: str, repo: str) -> str:
    owner, _, number = target.rpartition("#")
    return f"#{number}" if owner.lower() == repo.lower() else name(target)


def _body(thread: dict[str, Any]) -> list[str]:
    if "body" in thread["withheld"]:
        return ["(the opening post was edited since, and what it said then is not held)"]
    if not thread["body"].strip():
        return [] if thread["selection"] == "outline" else ["(the opening post is empty)"]
    lines = [pieces.earlier(thread["body_version"])] if thread.get("body_version") else []
    if thread.get("body_held_until"):
        lines.append(
            f"(the oldest text held of this post, until {thread['body_held_until']}: it may be of an edit since)"
        )
    lines.append(pieces.shown(thread["body"]))
    if thread["body_truncated"]:
        shown, whole = len(thread["body"]), thread["body_chars"]
        lines.append(f"(body truncated: {shown:,} of {whole:,} characters; --full serves it whole)")
    if thread["hidden_comments"] and not pieces.hidden_parts(thread["body"]):
        lines.append(
            f"({pieces.counted(thread['hidden_comments'], 'part')} that GitHub does not show left out)"
        )
    return lines
