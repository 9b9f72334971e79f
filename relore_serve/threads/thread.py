"""`read`: one thread as far as a view of it asks, and no more of it than is shown."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from psycopg.rows import class_row, scalar_row

from relore_serve.as_of.heads import heads
from relore_serve.as_of.judged import counted_from, judged_today
from relore_serve.search import ages, snippets
from relore_serve.search.question import MAX_NUMBER, clean
from relore_serve.search.scope import HUMAN, MACHINE, Floor, Repo, Scope
from relore_serve.signals import markdown
from relore_serve.threads import comments
from relore_serve.threads.backlinks import backlinks
from relore_serve.threads.comments import SQL
from relore_serve.threads.decision import Decision, VerdictRow, decide
from relore_serve.threads.kept import NOTHING_KEPT, KeptTexts, kept
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
    url: str
    author: str
    merge_sha: str | None
    stated_comments: int | None
    stated_review_comments: int | None
    stated_files: int | None
    collected_files: int | None
    created_at: datetime
    updated_at: datetime
    indexed_at: datetime
    diff_known: bool
    trust: str


@dataclass(frozen=True, slots=True)
class _LinkRow:
    relation: str
    target: str
    indexed: bool
    source: str
    total: int


@dataclass(frozen=True, slots=True)
class _Body:
    """The opening post as shown; ``chars`` of it in this form, ``hidden`` parts that GitHub does not show.

    ``known`` is whether it read so at the cutoff: None where nothing says so. ``held_until`` is, of a text that is not
    today's and bears no date, until when it was held.
    """

    text: str
    chars: int
    truncated: bool
    hidden: int
    version: datetime | None
    held_until: datetime | None
    known: bool | None


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
    """Return a thread, or None where it is not held, is excluded, or had not been opened at the cutoff.

    Args:
        conn: a session that may read the tables.
        repo_id: the repository; the caller may see it.
        number: the thread's.
        view: what of it is wanted.
        now: what ages are counted from; under a cutoff they are counted from that.
    """
    if not 0 < number <= MAX_NUMBER:
        return None
    now = counted_from(view.before, now)
    # Machines' comments are counted too, so that a page without them is not taken for a quiet thread.
    scope = Scope((Repo(repo_id, ""),), Floor((*HUMAN, *MACHINE)), before=view.before)
    parameters: dict[str, Any] = {**scope.parameters(), "number": number}
    with conn.cursor(row_factory=class_row(_Head)) as cursor:
        head = cursor.execute(SQL["head"], parameters).fetchone()
    if head is None:
        return None
    parameters |= {
        "thread": head.id,
        "threads": [head.id],
        "visible": [repo_id, *view.visible],
        "excluded_names": [(one.repo or head.repo).lower() for one in view.exclude],
        "excluded_numbers": [one.number for one in view.exclude],
    }
    if (head.repo.lower(), number) in zip(
        parameters["excluded_names"], parameters["excluded_numbers"], strict=True
    ):
        return None
    return _result(conn, head, view, parameters, now)


def _result(
    conn: Connection, head: _Head, view: ThreadView, parameters: dict[str, Any], now: datetime
) -> ThreadResult:
    before = view.before
    then = heads(conn, [head.id], before)[head.id]
    texts = NOTHING_KEPT if before is None else kept(conn, SQL["kept"], parameters)
    parameters |= texts.parameters()
    verdicts = latest_verdicts(conn, [head.id], before) if head.type == "pr" else []
    decided = not any(row.undated for row in verdicts)
    decision = decide(verdicts, head.author) if decided else Decision()
    total, machine = conn.execute(SQL["counts"], parameters).fetchone() or (0, 0)
    edited, undated = (conn.execute(SQL["not_known_then"], parameters).fetchone() if before else None) or (
        0,
        0,
    )
    selection = _select(conn, view, parameters, texts, now)
    current = before is None or head.updated_at < before
    body = _body(conn, parameters, texts, full=view.full, current=current)
    diff_known = head.diff_known
    files = _files(conn, parameters, diff_known=diff_known)
    links = _links(conn, parameters)
    truncated = (
        diff_known
        and head.collected_files is not None
        and (head.stated_files is None or head.collected_files < head.stated_files)
    )
    withheld = [*then.withheld, *_withheld(head, diff_known=diff_known, decided=decided, current=current)]
    if body.known is False:
        withheld.append("body")
    unsure = body.known is None and body.held_until is None and not current
    today = [*then.todays_words, *(("body",) if unsure else ())]
    return ThreadResult(
        repo=head.repo,
        number=head.number,
        type=head.type,
        title=then.title,
        url=head.url,
        author=head.author,
        trust=head.trust,
        state=then.state,
        state_reason=then.state_reason,
        closed_by=then.closed_by,
        draft=then.draft,
        locked=then.locked,
        merged=then.merged,
        merged_by=then.merged_by,
        merge_sha=head.merge_sha if then.merged else None,
        age=ages.age(head.created_at, now),
        date=ages.utc(head.created_at) or "",
        updated_at=(ages.utc(head.updated_at) or "") if current else None,
        closed_at=ages.utc(then.closed_at),
        merged_at=ages.utc(then.merged_at),
        labels=then.labels,
        review_decision=decision.decision,
        review_decision_by=decision.by,
        review_decision_standing=decision.standing,
        verdicts=tuple(
            Verdict(row.author, row.verdict.lower(), row.trust, ages.utc(row.stated_at), row.commit_sha)
            for row in verdicts
        ),
        requested_reviewers=then.requested_reviewers,
        body=body.text,
        body_chars=body.chars,
        body_truncated=body.truncated,
        body_version=ages.utc(body.version),
        body_held_until=ages.utc(body.held_until),
        hidden_comments=body.hidden,
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
        comments_edited_since=edited - texts.comments,
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
        judged_today=judged_today(before),
        withheld=tuple(withheld),
        todays_words=tuple(today),
    )


def latest_verdicts(conn: Connection, threads: Sequence[int], before: datetime | None) -> list[VerdictRow]:
    """Return each person's latest verdict on each of these threads, with the standing it was given in."""
    with conn.cursor(row_factory=class_row(VerdictRow)) as cursor:
        return cursor.execute(SQL["verdicts"], {"threads": list(threads), "before": before}).fetchall()


def _select(
    conn: Connection, view: ThreadView, parameters: dict[str, Any], texts: KeptTexts, now: datetime
) -> _Selection:
    if view.comment is not None:
        return _one(*comments.whole(conn, parameters, texts, view.comment, now))
    after = comments.place(conn, parameters, view.after) if view.after is not None else None
    if isinstance(after, comments.Ambiguous):
        return _Selection(_way(view), after_status="ambiguous", choices=after.choices)
    if view.after is not None and after is None:
        return _Selection(_way(view), after_status="unknown")
    words = clean(view.focus)
    wanted = comments.focus(conn, parameters["repo_ids"][0], words) if words else None
    shared = comments.shared_ids(conn, parameters)
    if view.outline:
        return _outlined(conn, parameters, texts, wanted, after, shared, now)
    limit = snippets.COMPACT if view.compact else snippets.FULL
    if after is not None:
        rows, more = comments.sequence(conn, parameters, texts, after)
        return _Selection(
            "after",
            comments=tuple(comments.shown(row, wanted, shared, limit, now) for row in rows),
            after_status="found",
            next_after=comments.name_of(rows[-1], shared) if more else None,
        )
    rows = (
        comments.focused(conn, parameters, texts, wanted)
        if wanted
        else comments.sample(conn, parameters, texts)
    )
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
    texts: KeptTexts,
    wanted: comments.Focus | None,
    after: comments.Place | None,
    shared: frozenset[str],
    now: datetime,
) -> _Selection:
    found = comments.outline(conn, parameters, texts, wanted, after, shared, now)
    return _Selection(
        "outline",
        outline=found.rows,
        outline_reachable=found.reachable,
        outline_matched=found.matched if wanted else None,
        outline_widened=bool(wanted) and not found.matched,
        after_status="found" if after else "",
        next_after=found.rows[-1].id if found.reachable > len(found.rows) else None,
    )


def _body(
    conn: Connection, parameters: dict[str, Any], texts: KeptTexts, *, full: bool, current: bool
) -> _Body:
    """Return the opening post as it read at the cutoff, and today's where nothing says that it was another.

    Where its edits bear no date, and it was not ``current`` at the cutoff, the oldest text that is held stands for it.
    """
    rows = conn.execute(SQL["body"], parameters).fetchall()
    before, body = parameters["before"], "".join(row[0] for row in rows)
    edited_at: datetime | None = rows[0][1] if rows else None
    known = edited_at is not None or None
    earlier = texts.of("body", str(parameters["number"]))
    if before is not None and edited_at is not None and edited_at >= before:
        body, known = (earlier.body, True) if earlier else ("", False)
    oldest = None
    if before is not None and edited_at is None and rows and not current:
        oldest = conn.execute(SQL["oldest_body"], parameters).fetchone()
    if oldest is not None:
        body = oldest[0]
    version = earlier.written_at if earlier else None
    hidden = len(markdown.split(body).hidden)
    text = body if full else snippets.visible(body)
    cut = not full and len(text) > BODY + BODY_SLACK
    return _Body(
        text=snippets.snippet(text, snippets.NO_MARKS, BODY)[0] if cut else text,
        chars=len(text),
        truncated=cut,
        hidden=hidden,
        version=version,
        held_until=oldest[1] if oldest is not None else None,
        known=known,
    )


def _files(conn: Connection, parameters: dict[str, Any], *, diff_known: bool) -> _Files:
    with conn.cursor(row_factory=scalar_row) as cursor:
        changed = cursor.execute(SQL["changed_files"], parameters).fetchall() if diff_known else []
        anchored = cursor.execute(SQL["anchored_files"], parameters).fetchall()
    values = {**parameters, "anchored": anchored, "diff_known": diff_known}
    mentioned = conn.execute(SQL["mentioned_files"], values).fetchall()
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


def _withheld(head: _Head, *, diff_known: bool, decided: bool, current: bool) -> list[str]:
    """Name what beside the head is only known as of now."""
    names = [] if decided else ["review_decision"]
    if not current:
        names += ["updated_at", "comments_stated"]
    if head.type == "pr" and not diff_known:
        names += ["files_changed", "files_total", "files_collected"]
    return names
