"""From payloads to documents: one per text that somebody wrote, cut where long, with the facts read off it."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from hashlib import blake2b
from typing import TYPE_CHECKING

from relore_assets.authority.lookup import Told
from relore_assets.derive import chunks, ci_commands
from relore_assets.derive.pull import sha_of
from relore_assets.derive.rows import DocumentRow, LinkRow, SignalRow, ThreadRow
from relore_assets.derive.staged import (
    Payload,
    Staged,
    is_app_name,
    is_bot,
    login_of,
    mapping,
    text,
    when,
    whole,
    word,
)
from relore_serve import signals
from relore_serve.hidden_characters import strip_hidden
from relore_serve.search import tokens
from relore_serve.signals import noise

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from datetime import datetime

    from relore_assets.authority.lookup import Standing

#: Rules whose change must rewrite every row; part of every content hash.
RULES = f"signals {signals.VERSION} tokens {tokens.VERSION} chunks {chunks.VERSION} documents 1"

#: Sources in which GitHub, or everybody who reads them, takes a closing word for a claim to close.
_CLAIMING = frozenset({"title", "body", "commit"})
#: Sources in which people also talk to bots.
_ANSWERING = frozenset({"issue_comment", "review", "review_comment"})


@dataclass(slots=True)
class Text:
    """One text before it is cut: who wrote what, where and when. ``source_id`` is GitHub's id for it."""

    source_type: str
    source_id: str
    author: str
    bot: bool
    association: str | None
    url: str
    body: str
    created_at: datetime | None
    updated_at: datetime | None = None
    path: str | None = None
    line: int | None = None
    original_line: int | None = None
    side: str | None = None
    in_reply_to: str | None = None
    commit_sha: str | None = None
    hunk: str = ""
    review_id: str | None = None
    review_state: str | None = None


def documents(
    staged: Staged, thread: ThreadRow, repo: str, standing: Standing, titled_at: datetime | None = None
) -> tuple[list[DocumentRow], list[LinkRow]]:
    """Return a thread's documents, and the links that their texts state, each in a stable order.

    Args:
        staged: everything under the number.
        thread: its head.
        repo: ``owner/name``.
        standing: who is trusted, and since when.
        titled_at: since when the title is what it is; None where that is not known.
    """
    rows: list[DocumentRow] = []
    stated: list[LinkRow] = []
    seen_keys: set[tuple[str, str]] = set()
    for written in _texts(staged, thread, titled_at):
        key = (written.source_type, written.source_id)
        # A list may hold one commit twice; it is one text all the same.
        if not written.body or written.body.isspace() or key in seen_keys:
            continue
        seen_keys.add(key)
        seen = signals.split(written.body)
        # Kept with the row: a pass over standing alone sees neither payloads nor rules for texts.
        machine = written.bot or (
            written.source_type in _ANSWERING and ci_commands.is_only_commands(seen.visible)
        )
        # A commit may be years older than the pull request by which it came to be seen, and nothing of a thread was
        # there before the thread. Who wrote it is judged by that date too, the one that a pass over standing sees.
        if written.created_at is not None:
            written.created_at = max(written.created_at, thread.created_at)
        told = Told("machine") if machine else standing.told(written.author, written.created_at)
        pieces = _cut(written, seen, told, machine=machine)
        pieces[0].noise = len(pieces) == 1 and written.source_type != "title" and noise.is_noise(seen.visible)
        rows.extend(pieces)
        stated.extend(_links(written, seen, pieces, thread, repo))
    return rows, stated


def _texts(staged: Staged, thread: ThreadRow, titled_at: datetime | None) -> Iterator[Text]:
    """Yield everything under the number that holds words. Empty bodies hold none."""
    number = str(staged.number)
    # A thread's updated_at moves with every comment, so it dates neither title nor body.
    opening = partial(
        Text,
        source_id=number,
        author=thread.author,
        bot=is_bot(staged.head.get("user")),
        association=thread.author_association,
        url=thread.url,
        created_at=thread.created_at,
    )
    yield opening(source_type="title", body=thread.title, updated_at=titled_at)
    yield opening(source_type="body", body=_body(staged.head), updated_at=staged.body_edited_at)
    for comment in staged.issue_comments:
        yield _comment("issue_comment", comment)
    for review in staged.reviews:
        yield Text(
            source_type="review",
            source_id=str(review["id"]),
            author=login_of(review.get("user")),
            bot=is_bot(review.get("user")),
            association=word(review.get("author_association")),
            url=text(review.get("html_url")) or thread.url,
            body=_body(review),
            created_at=when(review.get("submitted_at")) or when(review.get("created_at")),
            # REST leaves it out, GraphQL and some archives do not.
            updated_at=when(review.get("updated_at")) or when(review.get("submitted_at")),
            commit_sha=word(review.get("commit_id")),
            review_id=str(review["id"]),
            review_state=word(review.get("state")),
        )
    for comment in staged.review_comments:
        written = _comment("review_comment", comment)
        written.path = _clean(text(comment.get("path"))) or None
        written.line = whole(comment.get("line"))
        written.original_line = whole(comment.get("original_line"))
        written.side = word(comment.get("side"))
        written.in_reply_to = _id(comment.get("in_reply_to_id"))
        written.commit_sha = word(comment.get("commit_id")) or word(comment.get("original_commit_id"))
        written.hunk = text(comment.get("diff_hunk"))
        written.review_id = _id(comment.get("pull_request_review_id"))
        yield written
    for item in staged.commits or []:
        if sha := sha_of(item.get("sha")):
            yield _commit_message(item, sha, thread)


def _comment(source_type: str, payload: Payload) -> Text:
    return Text(
        source_type=source_type,
        source_id=str(payload["id"]),
        author=login_of(payload.get("user")),
        bot=is_bot(payload.get("user")),
        association=word(payload.get("author_association")),
        url=text(payload.get("html_url")),
        body=_body(payload),
        created_at=when(payload.get("created_at")),
        updated_at=when(payload.get("updated_at")),
    )


def _commit_message(item: Payload, sha: str, thread: ThreadRow) -> Text:
    commit = mapping(item.get("commit"))
    git_author, committer = mapping(commit.get("author")), mapping(commit.get("committer"))
    account = item.get("author")
    # A name in a commit is whatever its author typed, so it must never be taken for an account's login.
    author = (
        login_of(account) if account else f"git:{_clean(word(git_author.get('name')) or '') or 'unknown'}"
    )
    return Text(
        source_type="commit",
        source_id=sha,
        author=author,
        # A name is believed where it takes standing away, as it never is where it would give some.
        bot=is_bot(account) or is_app_name(text(git_author.get("name"))),
        association=None,
        url=text(item.get("html_url")) or thread.url,
        body=_clean(text(commit.get("message"))),
        created_at=when(committer.get("date")) or when(git_author.get("date")),
        commit_sha=sha,
    )


def _cut(written: Text, seen: signals.Markdown, told: Told, *, machine: bool) -> list[DocumentRow]:
    """Return the rows of one text: one as a rule, several when it is long."""
    found = _signals(written, seen)
    enclosing = signals.enclosing(written.hunk) if written.hunk else None
    pieces = chunks.chunk(written.body)
    visible = [seen.visible] if len(pieces) == 1 else _visible_pieces(pieces, written.body, seen)
    rows: list[DocumentRow] = []
    for index, (piece, shown) in enumerate(zip(pieces, visible, strict=True)):
        made = tokens.tokenize(shown)
        rows.append(
            DocumentRow(
                source_type=written.source_type,
                source_id=written.source_id,
                chunk_index=index,
                chunk_count=len(pieces),
                author=written.author,
                author_association=written.association,
                trust=told.trust,
                trust_until=list(told.until) or None,
                trust_then=list(told.then) or None,
                machine=machine,
                url=written.url,
                body=piece,
                search_vector=made.vector,
                lexemes=made.length,
                unsearchable=made.unsearchable,
                created_at=written.created_at,
                updated_at=written.updated_at,
                path=written.path,
                line=written.line,
                original_line=written.original_line,
                side=written.side,
                in_reply_to=written.in_reply_to,
                commit_sha=written.commit_sha,
                enclosing_symbol=enclosing,
                review_id=written.review_id,
                review_state=written.review_state,
                terms=frozenset(made.lexemes),
            )
        )
    for signal in found:
        rows[_holder(signal.value, pieces)].signals.append(signal)
    for row in rows:
        row.content_hash = _content_hash(row)
    return rows


def _visible_pieces(pieces: list[str], body: str, seen: signals.Markdown) -> list[str]:
    """Return what is visible of each piece, also where a hidden comment crosses a cut."""
    shown: list[str] = []
    start = 0
    for piece in pieces:
        shown.append(seen.visible_part(body, start, start + len(piece)))
        start += len(piece)
    return shown


def _signals(written: Text, seen: signals.Markdown) -> list[SignalRow]:
    """Read facts off the whole text, before it is cut, so that none is lost at a cut."""
    found = signals.extract(seen)
    if written.path or written.hunk:
        found += signals.extract_hunk(written.hunk, written.path)
    return [SignalRow(*fact) for fact in dict.fromkeys(found)]


def _holder(value: str, pieces: list[str]) -> int:
    """Return which piece of a long text shows a value; the first where normalisation changed its spelling."""
    if len(pieces) > 1:
        for index, piece in enumerate(pieces):
            if value in piece:
                return index
    return 0


def _links(
    written: Text, seen: signals.Markdown, pieces: list[DocumentRow], thread: ThreadRow, repo: str
) -> Iterable[LinkRow]:
    """Yield what a text says of other threads, the strongest relation per target; never of its own thread."""
    claims = signals.links(seen, repo)
    own = (repo.lower(), thread.number)
    claiming = thread.kind == "pr" and written.source_type in _CLAIMING
    best: dict[tuple[str, int], str] = {}
    for claim in claims:
        target = (claim.repo.lower(), claim.number)
        if target == own:
            continue
        relation = "mentions" if claim.relation == "closes" and not claiming else claim.relation
        if best.get(target, "mentions") == "mentions":
            best[target] = relation
    bodies = [piece.body for piece in pieces]
    for (target_repo, number), relation in best.items():
        document = pieces[_holder(str(number), bodies)]
        yield LinkRow(relation, target_repo, number, written.source_type, written.created_at, document.key)


def _content_hash(row: DocumentRow) -> bytes:
    """Hash everything the row shows or is found by; not its tier, which moves without the text moving."""
    parts = (
        RULES,
        row.chunk_count,
        row.author,
        row.author_association,
        row.url,
        row.body,
        row.created_at,
        row.updated_at,
        row.path,
        row.line,
        row.original_line,
        row.side,
        row.in_reply_to,
        row.commit_sha,
        row.enclosing_symbol,
        row.review_id,
        row.review_state,
        row.signals,
    )
    joined = "\x1f".join("\x00" if part is None else str(part) for part in parts)
    return blake2b(joined.encode(), digest_size=16).digest()


def _body(payload: Payload) -> str:
    return _clean(text(payload.get("body")))


def _clean(value: str) -> str:
    return strip_hidden(value)[0]


def _id(value: object) -> str | None:
    return None if value is None else str(value)
