"""A thread's comments on a page: a sample or a ranking of them, an outline of all, or one of them whole."""

from __future__ import annotations

from typing import Any

from relore_serve.pages import pieces
from relore_serve.pages.untrusted import address, login, quote

_OUTLINE_ROWS = 100
_ROWS_FOR_SHORT = 4
"""Rows of an outline from which it is shorter to say once what a sign in them means."""
_UNFOCUSED = "the focus holds no word that could be looked for, so nothing is ordered or narrowed by it."
_BOTS = "relore search --trust machine asks what bots wrote"


def sampled_or_ranked(thread: dict[str, Any], *, presentation: bool) -> list[str]:
    """Return a page of comments: what they are of, the comments, and the way to the rest."""
    comments: list[dict[str, Any]] = thread["comments"]
    blocks = [_comment(position, comment) for position, comment in enumerate(comments, start=1)]
    foot = pieces.present(
        _cut(sum(comment["truncated"] for comment in comments)),
        _rest(thread),
        '(--focus "..." ranks all of them by a question)' if presentation and _sampled(thread) else None,
    )
    return ["\n".join(_count(thread)), *blocks, *(["\n".join(foot)] if foot else [])]


def _comment(position: int, comment: dict[str, Any]) -> str:
    head = f"{position}. {pieces.comment_id(comment['id'])} {pieces.byline(comment)}"
    return f"{head}\n{quote(comment['snippet'])}" if comment["snippet"] else head


def _count(thread: dict[str, Any]) -> list[str]:
    clauses = pieces.present(
        f"-- {thread['comments_returned']:,} of {pieces.counted(thread['comments_total'], 'comment')}",
        _selection(thread),
        *_common_clauses(thread),
    )
    return [f"{', '.join(clauses)} --", *_empty_sweep(thread)]


def _readable(thread: dict[str, Any]) -> int:
    return thread["comments_total"] - thread["comments_machine_suppressed"]


def _sampled(thread: dict[str, Any]) -> bool:
    return thread["selection"] == "ends+middle" and thread["comments_returned"] < _readable(thread)


def _selection(thread: dict[str, Any]) -> str | None:
    if thread["selection"] == "focus":
        return (
            f"best first for {pieces.caller_words(thread['focus'])} ({thread['focus_matched'] or 0:,} of "
            f"{_readable(thread):,} carry every word)"
        )
    if thread["selection"] == "after":
        return (
            f"in order from after {pieces.comment_id(thread['after'])}"
            if thread["after_status"] == "found"
            else None
        )
    if _sampled(thread):
        return "SAMPLED not ranked: the first and last few and a spread of the middle"
    return "oldest first" if thread["comments_returned"] > 1 else None


def _common_clauses(thread: dict[str, Any]) -> list[str]:
    suppressed = thread["comments_machine_suppressed"]
    return pieces.present(
        f"{suppressed:,} machine-tier suppressed ({_BOTS})" if suppressed else None,
        _missing(thread),
        *_not_known_then(thread),
        f"indexed at {thread['indexed_at']}, later changes unknown",
    )


def _missing(thread: dict[str, Any]) -> str | None:
    # GitHub's count leaves reviews out, so this is the least that can be missing.
    stated = thread["comments_stated"]
    if stated is None or stated <= thread["comments_total"]:
        return None
    return f"at least {stated - thread['comments_total']:,} that GitHub counts are not held"


def _not_known_then(thread: dict[str, Any]) -> list[str]:
    """Return which comments a cutoff withholds because nobody knows what they said, or whether they stood, then."""
    edited, undated = thread["comments_edited_since"], thread["comments_undated"]
    return pieces.present(
        f"{edited:,} more left out: edited since {thread['before']}" if edited else None,
        f"{undated:,} more left out: undated" if undated else None,
    )


def _ambiguous(given: str, choices: list[str]) -> str:
    ways = " or ".join(map(pieces.comment_id, choices))
    return f"{len(choices)} comments of this thread have the id {pieces.comment_id(given)}: give {ways}"


def _empty_sweep(thread: dict[str, Any]) -> list[str]:
    if thread["after_status"] == "unknown":
        return [
            f"no comment of this thread has the id {pieces.comment_id(thread['after'])}: --outline lists all ids."
        ]
    if thread["after_status"] == "ambiguous":
        return [f"{_ambiguous(thread['after'], thread['choices'])}."]
    if thread["focus"].strip() and thread["focus_matched"] is None and thread["selection"] == "ends+middle":
        return [_UNFOCUSED]
    if thread["selection"] != "after" or thread["comments_returned"] or not _readable(thread):
        return []
    nothing = (
        f"nothing follows that comment: it is the last of this thread's {_readable(thread):,}. "
        "The last id of a SAMPLED page is always that one, so nothing follows it; --outline lists all."
    )
    return [nothing]


def _cut(number: int) -> str | None:
    if not number:
        return None
    cut = "is" if number == 1 else "are"
    return f"({number:,} of these {cut} cut to a window: --comment ID serves one whole)"


def _rest(thread: dict[str, Any]) -> str | None:
    hidden = _readable(thread) - thread["comments_returned"]
    if thread["selection"] == "after":
        return f"(next: --after {pieces.comment_id(thread['next_after'])})" if thread["next_after"] else None
    if hidden <= 0:
        return None
    steps = "" if _readable(thread) <= _OUTLINE_ROWS else f" {_OUTLINE_ROWS} at a time"
    ways = f"--outline lists all{steps} with the id to read any by; --after ID reads on in order"
    return f"({hidden:,} not shown: {ways})"


def outline(thread: dict[str, Any], *, compact: bool) -> list[str]:
    """Return one row for each comment, and how far they reach."""
    # A row is short, so that what every row says again is most of it.
    short = _short_tiers(thread["outline"]) if compact and len(thread["outline"]) >= _ROWS_FOR_SHORT else {}
    returned, reachable = thread["outline_returned"], thread["outline_reachable"]
    clauses = pieces.present(
        f"-- outline: {returned:,} of {pieces.counted(reachable, 'comment')}",
        "oldest first",
        f"from after {pieces.comment_id(thread['after'])}" if thread["after_status"] == "found" else None,
        _narrowing(thread),
        f"CAPPED: {reachable - returned:,} more this view did not reach" if reachable > returned else None,
        *_common_clauses(thread),
    )
    rows = [_row(row, short) for row in thread["outline"]]
    legend = (
        [f"{', '.join(f'[{sign}] {tier}' for tier, sign in short.items())}, no kind: issue_comment"]
        if short
        else []
    )
    foot = (
        [f"(next: --outline --after {pieces.comment_id(thread['next_after'])})"]
        if thread["next_after"]
        else []
    )
    sentences = _empty_sweep(thread) if thread["after_status"] in {"unknown", "ambiguous"} else []
    if thread["focus"].strip() and thread["outline_matched"] is None and not sentences:
        sentences = [_UNFOCUSED]
    return ["\n".join([f"{', '.join(clauses)} --", *legend, *sentences, *rows, *foot])]


def _narrowing(thread: dict[str, Any]) -> str | None:
    if not thread["focus"] or thread["outline_matched"] is None:
        return None
    words = pieces.caller_words(thread["focus"])
    if thread["outline_widened"]:
        return f"no comment carries any word of {words}, so this is the unnarrowed outline"
    return f"carrying any word of {words}: {thread['outline_matched'] or 0:,} of {_readable(thread):,} do"


def _short_tiers(rows: list[dict[str, Any]]) -> dict[str, str]:
    """Return a sign for each standing among the rows, as the line above them says."""
    tiers = dict.fromkeys(pieces.tier(row["trust"]) for row in rows)
    signs = {tier: tier[:1].upper() for tier in tiers}
    return signs if len(set(signs.values())) == len(signs) else {}


def _row(row: dict[str, Any], short: dict[str, str]) -> str:
    tier = pieces.tier(row["trust"])
    kind = "" if short and row["source_type"] == "issue_comment" else row["source_type"]
    words = pieces.present(
        pieces.comment_id(row["id"]),
        f"[{short.get(tier, tier)}]",
        row["age"],
        kind,
        login(row["author"]),
        f"({row['passages']} passages)" if row["passages"] else None,
        pieces.earlier(row["version"]) if row.get("version") else None,
    )
    return f"{' '.join(words)}\n{quote(row['snippet'])}"


def one(thread: dict[str, Any]) -> list[str]:
    """Return one comment whole, or why there is none."""
    comment = thread["comment"]
    if thread["comment_status"] == "suppressed":
        return [f"-- that comment is a bot's, which is no discussion; {_BOTS} --"]
    if thread["comment_status"] == "ambiguous":
        asked = thread["choices"][0].partition(":")[2]
        return [f"-- {_ambiguous(asked, thread['choices'])} --"]
    if thread["comment_status"] == "edited":
        return ["-- that comment was edited since, and what it said then is not held --"]
    if comment is None:
        return ["-- this thread holds no such comment; --outline lists the ids there are --"]
    rejoined = f", {comment['passages']} passages rejoined" if comment["passages"] else ""
    place = {**comment, "passages": None}
    identity = f"comment {pieces.comment_id(comment['id'])} {pieces.byline(place)}"
    return [
        f"-- {identity}{rejoined}, {pieces.counted(comment['chars'], 'character')}, whole --",
        pieces.shown(comment["body"]),
        address(comment["url"]),
    ]
