"""A thread, its outline, one of its comments, and the claims on it, in the names and the shape of their JSON.

`dataclasses.asdict` is that JSON.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from relore_serve.threads.shared import Said, ThreadRow

if TYPE_CHECKING:
    from datetime import datetime

    from relore_serve.search.question import Exclusion
    from relore_serve.threads.backlinks import Backlinks

INDEXED_AT_NOTE = "body and comments last indexed; later GitHub changes unknown"


@dataclass(frozen=True, slots=True)
class ThreadView:
    """What of a thread is wanted.

    Attributes:
        focus: orders the comments of a page, narrows an outline, never empties either.
        full: the opening post whole.
        outline: one row per comment instead of a page of them.
        after: only comments after this id, in order.
        comment: this one comment, whole, and nothing else.
        compact: shorter snippets.
        before: the thread as far as it stood at that instant.
        visible: ids of the repositories the caller may know of; links into others read as not indexed.
        exclude: threads that are not told of where they speak of this one.
    """

    focus: str = ""
    full: bool = False
    outline: bool = False
    after: str | None = None
    comment: str | None = None
    compact: bool = False
    before: datetime | None = None
    visible: tuple[int, ...] = ()
    exclude: tuple[Exclusion, ...] = ()


@dataclass(frozen=True, slots=True)
class Verdict:
    """A person's latest decisive review, and what standing that person had when giving it."""

    author: str
    verdict: str
    trust: str
    date: str | None
    commit_sha: str | None


@dataclass(frozen=True, slots=True)
class Link:
    """A claim this thread makes about another.

    Attributes:
        relationship: closes, duplicates, reverts, supersedes or mentions.
        target: owner/name#number.
        indexed: whether that thread is held, asked at this moment.
        source: where it is said: body, commit, issue_comment, ..., event or github.
    """

    relationship: str
    target: str
    indexed: bool
    source: str


@dataclass(frozen=True, slots=True)
class Comment(Said):
    """A comment on a page, cut to a window.

    Attributes:
        id: what ``after`` and ``comment`` take: GitHub's id, with the kind before it where another comment has it too.
        passages: how many passages the comment was cut into; null when it is one.
        chunk_index: which of them the snippet is from, from 0.
        version: where the comment was edited since the cutoff, and this is its text before: when that was written.
    """

    id: str
    document_id: str
    chunk_index: int
    passages: int | None
    review_state: str | None
    snippet: str
    truncated: bool
    version: str | None = None


@dataclass(frozen=True, slots=True)
class OutlineRow:
    """A comment in an outline: enough to recognise it by, too little to quote."""

    id: str
    source_type: str
    author: str
    trust: str
    age: str
    date: str | None
    url: str
    passages: int | None
    snippet: str
    version: str | None = None


@dataclass(frozen=True, slots=True)
class WholeComment(Said):
    """One comment as GitHub holds it, its passages rejoined.

    Attributes:
        chars: characters of ``body``.
        hidden_comments: parts of it that GitHub does not show, HTML comments above all.
    """

    id: str
    review_state: str | None
    passages: int | None
    body: str
    chars: int
    hidden_comments: int
    version: str | None = None


@dataclass(frozen=True, slots=True)
class ThreadResult(ThreadRow):
    """One thread.

    Attributes:
        trust: the opener's standing.
        state: open or closed; null where it is withheld.
        review_decision: approved or changes_requested, by people with standing; null without one.
        review_decision_by: who makes the decision; ``review_decision_standing`` in the same order.
        verdicts: everybody's latest verdict, whoever they are.
        exclude: threads that the question itself left out of what the page tells of others, owner/name#number each.
        body_chars: characters of the opening post in the form it is shown in here.
        hidden_comments: parts of the opening post that GitHub does not show, HTML comments above all.
        body_version: where the opening post was edited since the cutoff, and this is its text before: when that was
            written.
        body_held_until: where its edits bear no date, and this is the oldest text of it that was still held at the
            cutoff: until when it was. It may be of an edit since.
        files_total: what GitHub says the diff touches; null where it did not say.
        files_collected: how many of them are held; null when no list was collected.
        files_truncated: paths are missing from ``files_changed``.
        files_cut_after: the last path held of a truncated list, in path order.
        files_anchored: paths that inline comments stand on; the diff holds them, beyond a truncated list too.
        files_mentioned: named in prose, which is no evidence of a change; ``files_mentioned_total`` of them.
        backlinks: threads that speak of this one.
        comments_total: comments held and readable, those of machines included.
        comments_stated: comments and inline comments that GitHub counts; null where it did not say.
        selection: ends+middle, focus, after, outline or comment.
        focus_matched: comments that carry every word of the focus.
        outline_matched: comments that carry any of them.
        outline_reachable: comments that this outline counts through, from ``after`` on.
        after_status: "" without ``after``, else found, or unknown: no comment of this thread has that id.
        next_after: the id to go on from, null at the end.
        comment_status: "", served, absent, suppressed (a machine's), ambiguous (``choices``), or edited: since the
            cutoff, and its text then is not held.
        comments_edited_since: comments of then that are left out, since their text then is not held.
        withheld: fields that are not known as of the cutoff and were therefore left empty.
        todays_words: title and body, where they may have been edited since the cutoff and are given as they are today.
    """

    locked: bool
    merged_by: str | None
    merge_sha: str | None
    updated_at: str | None
    closed_at: str | None
    merged_at: str | None
    labels: tuple[str, ...]
    verdicts: tuple[Verdict, ...]
    requested_reviewers: tuple[str, ...]
    body: str
    body_chars: int
    body_truncated: bool
    body_version: str | None
    body_held_until: str | None
    hidden_comments: int
    files_changed: tuple[str, ...]
    files_anchored: tuple[str, ...]
    files_mentioned: tuple[str, ...]
    files_mentioned_total: int
    files_total: int | None
    files_collected: int | None
    files_truncated: bool
    files_cut_after: str | None
    links: tuple[Link, ...]
    links_total: int
    backlinks: Backlinks
    comments: tuple[Comment, ...]
    comments_returned: int
    comments_total: int
    comments_machine_suppressed: int
    comments_stated: int | None
    comments_edited_since: int
    comments_undated: int
    indexed_at: str
    indexed_at_note: str
    selection: str
    focus: str
    focus_matched: int | None
    outline: tuple[OutlineRow, ...]
    outline_returned: int
    outline_reachable: int
    outline_matched: int | None
    outline_widened: bool
    after: str | None
    after_status: str
    next_after: str | None
    comment: WholeComment | None
    comment_status: str
    choices: tuple[str, ...]
    before: str | None
    judged_today: tuple[str, ...]
    withheld: tuple[str, ...]
    todays_words: tuple[str, ...]
    exclude: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Claim(ThreadRow):
    """A thread that says it closes the one asked about.

    Attributes:
        source: where it says so: title, body, commit, event or github.
        state: open or closed; null where it is withheld.
        withheld: fields of this claim that are not known as of the cutoff and were therefore left empty.
    """

    updated_at: str | None
    relationship: str
    source: str
    withheld: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class InflightResult:
    """Who claims to be fixing a thread.

    Attributes:
        claims: open ones first, then the most recently updated.
        mentions_total: other threads that merely name it.
        links_indexed: relationships of any kind held for the repository, counted to 1,000; while it is 0, an
            empty answer means nothing.
        indexed: whether the thread asked about is held itself.
        withheld: fields of claims, of all or of some, that are not known as of the cutoff; each claim names its own.
        exclude: threads that the question itself left out, owner/name#number each.
    """

    repo: str
    number: int
    indexed: bool
    claims: tuple[Claim, ...]
    claims_returned: int
    claims_total: int
    mentions_total: int
    links_indexed: int
    before: str | None
    judged_today: tuple[str, ...]
    withheld: tuple[str, ...]
    todays_words: tuple[str, ...]
    exclude: tuple[str, ...] = ()
