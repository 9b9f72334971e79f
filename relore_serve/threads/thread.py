"""`read`: one thread as far as a view of it asks, and no more of it than is shown."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from psycopg.rows import class_row, scalar_row

from relore_serve.search import ages, snippets
from relore_serve.search.question import MAX_NUMBER, clean
from relore_serve.search.scope import HUMAN, MACHINE, Floor, Repo, Scope
from relore_serve.signals import markdown
from relore_serve.threads import comments
from relore_serve.threads.backlinks import backlinks
from relore_serve.threads.comments import SQL
from relore_serve.threads.decision import VerdictRow, decide
from relore_serve.threads.results import INDEXED_AT_NOTE, Link, ThreadResult, Verdict

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from psycopg import Connection

    from relore_serve.threads.results import Comment, OutlineRow, ThreadView, WholeComment

BODY = 800
BODY_SLACK = 80
"""A remainder shorter than the sentence that would announce it is served instead."""


@dataclass(frozen=True, slots=True)
class _Head:
    id: int
    repo: str
    number: int
    type: str
    title: str
    url: str
    author: str
    state: str
    state_reason: str | None
    closed_by: str | None
    draft: bool
    locked: bool
    merged: bool
    merged_by: str | None
    merge_sha: str | None
    labels: list[str]
    requested_reviewers: list[str]
    stated_comments: int | None
    stated_review_comments: int | None
    stated_files: int | None
    collected_files: int | None
    created_at: datetime
    updated_at: datetime
    closed_at: datetime | None
    merged_at: datetime | None
    indexed_at: datetime
    trust: str


@dataclass(frozen=True, slots=True)
class _LinkRow:
    relation: str
    target: str
    indexed: bool
    source: str
    total: int


@dataclass(frozen=True, slots=True)
class _Files:
    changed: tuple[str, ...]
    anchored: tuple[str, ...]
    mentioned: tuple[str, ...]
    mentioned_total: int


@dataclass(frozen=True, slots=True)
class _Selection:
    """The part of a thread's comments that a view shows."""

    selection: str
    comments: tuple[Comment, ...] = ()
    focus_matched: int | None = None
    outline: tuple[OutlineRow, ...] = ()
    outline_reachable: int = 0
    outline_matched: int | None = None
    outline_widened: bool = False
    after_status: str = ""
    next_after: str | None = None
    comment: WholeComment | None = None
    comment_status: str = ""
    choices: tuple[str, ...] = ()


def read(conn: Connection, repo_id: int, number: int, view: ThreadView, now: datetime) -> ThreadResult | None:
    """Return a thread, or None where it is not held, or had not been opened at the cutoff.

    Args:
        conn: a session that may read the tables.
        repo_id: the repository; the caller may see it.
        number: the thread's.
        view: what of it is wanted.
        now: what ages are counted from; under a cutoff they are counted from that.
    """
    if not 0 < number <= MAX_NUMBER:
        return None
    now = view.before or now
    # Machines' comments are counted too, so that a page without them is not taken for a quiet thread.
    scope = Scope((Repo(repo_id, ""),), Floor((*HUMAN, *MACHINE)), before=view.before)
    parameters: dict[str, Any] = {**scope.parameters(), "number": number}
    with conn.cursor(row_factory=class_row(_Head)) as cursor:
        head = cursor.execute(SQL["head"], parameters).fetchone()
    if head is None:
        return None
    parameters |= {"thread": head.id, "threads": [head.id], "visible": [repo_id, *view.visible]}
    return _result(conn, head, view, parameters, now)


def _result(
    conn: Connection, head: _Head, view: ThreadView, parameters: dict[str, Any], now: datetime
) -> ThreadResult:
    before = view.before
    open_then = before is not None and (head.closed_at is None or head.closed_at >= before)
    merged = head.merged and not (before and (head.merged_at is None or head.merged_at >= before))
    verdicts = latest_verdicts(conn, [head.id], before) if head.type == "pr" else []
    decision = decide(verdicts, head.author)
    total, machine = conn.execute(SQL["counts"], parameters).fetchone() or (0, 0)
    edited, undated = (conn.execute(SQL["not_known_then"], parameters).fetchone() if before else None) or (
        0,
        0,
    )
    selection = _select(conn, view, parameters, now)
    body, body_chars, body_truncated, hidden = _body(conn, parameters, full=view.full)
    diff_known = before is None or not open_then
    files = _files(conn, parameters, diff_known=diff_known)
    links = _links(conn, parameters)
    truncated = (
        diff_known
        and head.collected_files is not None
        and (head.stated_files is None or head.collected_files < head.stated_files)
    )
    current = before is None
    return ThreadResult(
        repo=head.repo,
        number=head.number,
        type=head.type,
        title=head.title,
        url=head.url,
        author=head.author,
        trust=head.trust,
        state="open" if open_then else head.state,
        state_reason=head.state_reason if not open_then else None,
        closed_by=head.closed_by if not open_then else None,
        draft=head.draft and current,
        locked=head.locked and current,
        merged=merged,
        merged_by=head.merged_by if merged else None,
        merge_sha=head.merge_sha if merged else None,
        age=ages.age(head.created_at, now),
        date=ages.utc(head.created_at) or "",
        updated_at=(ages.utc(head.updated_at) or "") if current else None,
        closed_at=ages.utc(head.closed_at) if not open_then else None,
        merged_at=ages.utc(head.merged_at) if merged else None,
        labels=tuple(head.labels) if current else (),
        review_decision=decision.decision,
        review_decision_by=decision.by,
        review_decision_standing=decision.standing,
        verdicts=tuple(
            Verdict(row.author, row.verdict.lower(), row.trust, ages.utc(row.stated_at), row.commit_sha)
            for row in verdicts
        ),
        requested_reviewers=tuple(head.requested_reviewers) if current else (),
        body=body,
        body_chars=body_chars,
        body_truncated=body_truncated,
        hidden_comments=hidden,
        files_changed=files.changed,
        files_anchored=files.anchored,
        files_mentioned=files.mentioned,
        files_mentioned_total=files.mentioned_total,
        files_total=head.stated_files if diff_known else None,
        files_collected=head.collected_files if diff_known else None,
        files_truncated=truncated,
        files_cut_after=files.changed[-1] if truncated and files.changed else None,
        links=tuple(Link(row.relation, row.target, row.indexed, row.source) for row in links),
        links_total=links[0].total if links else 0,
        backlinks=backlinks(
            conn,
            Repo(parameters["repo_ids"][0], head.repo),
            head.number,
            thread_id=head.id,
            visible=view.visible,
            before=before,
            exclude=view.exclude,
        ),
        comments=selection.comments,
        comments_returned=len(selection.comments),
        comments_total=total,
        comments_machine_suppressed=machine,
        comments_stated=_stated(head) if current else None,
        comments_edited_since=edited,
        comments_undated=undated,
        indexed_at=ages.utc(head.indexed_at) or "",
        indexed_at_note=INDEXED_AT_NOTE,
        selection=selection.selection,
        focus=view.focus,
        focus_matched=selection.focus_matched,
        outline=selection.outline,
        outline_returned=len(selection.outline),
        outline_reachable=selection.outline_reachable,
        outline_matched=selection.outline_matched,
        outline_widened=selection.outline_widened,
        after=view.after,
        after_status=selection.after_status,
        next_after=selection.next_after,
        comment=selection.comment,
        comment_status=selection.comment_status,
        choices=selection.choices,
        before=ages.utc(before),
        withheld=_withheld(head, diff_known=diff_known) if before else (),
        todays_words=("title", "body") if before else (),
    )


def latest_verdicts(conn: Connection, threads: Sequence[int], before: datetime | None) -> list[VerdictRow]:
    """Return each person's latest verdict on each of these threads, with the standing it was given in."""
    with conn.cursor(row_factory=class_row(VerdictRow)) as cursor:
        return cursor.execute(SQL["verdicts"], {"threads": list(threads), "before": before}).fetchall()


def _select(conn: Connection, view: ThreadView, parameters: dict[str, Any], now: datetime) -> _Selection:
    if view.comment is not None:
        return _one(*comments.whole(conn, parameters, view.comment, now))
    after = comments.place(conn, parameters, view.after) if view.after is not None else None
    if isinstance(after, comments.Ambiguous):
        return _Selection(_way(view), after_status="ambiguous", choices=after.choices)
    if view.after is not None and after is None:
        return _Selection(_way(view), after_status="unknown")
    words = clean(view.focus)
    wanted = comments.focus(conn, parameters["repo_ids"][0], words) if words else None
    shared = comments.shared_ids(conn, parameters)
    if view.outline:
        return _outlined(conn, parameters, wanted, after, shared, now)
    limit = snippets.COMPACT if view.compact else snippets.FULL
    if after is not None:
        rows, more = comments.sequence(conn, parameters, after)
        return _Selection(
            "after",
            comments=tuple(comments.shown(row, wanted, shared, limit, now) for row in rows),
            after_status="found",
            next_after=comments.name_of(rows[-1], shared) if more else None,
        )
    rows = comments.focused(conn, parameters, wanted) if wanted else comments.sample(conn, parameters)
    return _Selection(
        "focus" if wanted else "ends+middle",
        comments=tuple(comments.shown(row, wanted, shared, limit, now) for row in rows),
        focus_matched=(rows[0].focus_matched if rows else 0) if wanted else None,
    )


def _one(comment: WholeComment | comments.Ambiguous | None, status: str) -> _Selection:
    if isinstance(comment, comments.Ambiguous):
        return _Selection("comment", comment_status=status, choices=comment.choices)
    return _Selection("comment", comment=comment, comment_status=status)


def _way(view: ThreadView) -> str:
    return "outline" if view.outline else "after"


def _outlined(
    conn: Connection,
    parameters: dict[str, Any],
    wanted: comments.Focus | None,
    after: comments.Place | None,
    shared: frozenset[str],
    now: datetime,
) -> _Selection:
    found = comments.outline(conn, parameters, wanted, after, shared, now)
    return _Selection(
        "outline",
        outline=found.rows,
        outline_reachable=found.reachable,
        outline_matched=found.matched if wanted else None,
        outline_widened=bool(wanted) and not found.matched,
        after_status="found" if after else "",
        next_after=found.rows[-1].id if found.reachable > len(found.rows) else None,
    )


def _body(conn: Connection, parameters: dict[str, Any], *, full: bool) -> tuple[str, int, bool, int]:
    """Return the opening post, its size in this form, whether it was cut, and how many comments it hides."""
    with conn.cursor(row_factory=scalar_row) as cursor:
        body = "".join(cursor.execute(SQL["body"], parameters).fetchall())
    hidden = len(markdown.split(body).hidden)
    if full:
        return body, len(body), False, hidden
    text = snippets.visible(body)
    if len(text) <= BODY + BODY_SLACK:
        return text, len(text), False, hidden
    return snippets.snippet(text, snippets.NO_MARKS, BODY)[0], len(text), True, hidden


def _files(conn: Connection, parameters: dict[str, Any], *, diff_known: bool) -> _Files:
    with conn.cursor(row_factory=scalar_row) as cursor:
        changed = cursor.execute(SQL["changed_files"], parameters).fetchall() if diff_known else []
        anchored = cursor.execute(SQL["anchored_files"], parameters).fetchall()
    mentioned = conn.execute(SQL["mentioned_files"], {**parameters, "anchored": anchored}).fetchall()
    return _Files(
        tuple(changed),
        tuple(anchored),
        tuple(path for path, _ in mentioned),
        mentioned[0][1] if mentioned else 0,
    )


def _links(conn: Connection, parameters: dict[str, Any]) -> list[_LinkRow]:
    with conn.cursor(row_factory=class_row(_LinkRow)) as cursor:
        return cursor.execute(SQL["links"], parameters).fetchall()


def _stated(head: _Head) -> int | None:
    """Return how many comments GitHub counts; it does not count reviews."""
    if head.stated_comments is None:
        return None
    return head.stated_comments + (head.stated_review_comments or 0)


def _withheld(head: _Head, *, diff_known: bool) -> tuple[str, ...]:
    """Name what is only known as of now."""
    names = ["labels", "requested_reviewers", "draft", "locked", "updated_at", "comments_stated"]
    if head.type == "pr" and not diff_known:
        names += ["files_changed", "files_total", "files_collected"]
    return tuple(names)
