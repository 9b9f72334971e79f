"""One thread's staged objects in, all its rows out. Pure: no database, no clock, no network."""

from __future__ import annotations

from typing import TYPE_CHECKING

from relore_assets.derive.documents import RULES, documents
from relore_assets.derive.events import event_rows, renamed_at, undated
from relore_assets.derive.head import thread_row
from relore_assets.derive.pull import closing_links, commit_rows, file_rows, verdict_rows
from relore_assets.derive.rows import Derived
from relore_serve.hidden_characters import strip_hidden

if TYPE_CHECKING:
    from relore_assets.authority.lookup import Standing
    from relore_assets.derive.staged import Staged

#: Raise it when a rule of this package changes what rows come out of the same objects.
VERSION = 8

#: Everything that a thread's rows depend on besides its objects; part of its input hash.
RULE_SET = f"derive {VERSION}; {RULES}"


def fold(staged: Staged, repo: str, standing: Standing) -> Derived:
    """Return the rows of one thread.

    Raises:
        ValueError: the head lacks what a thread cannot be without (its creation date).
    """
    thread = thread_row(staged, repo, _clean)
    events = event_rows(staged, repo, _clean)
    thread = thread._replace(undated=undated(staged, thread, events))
    titled_at = None if "title" in thread.undated else renamed_at(events) or thread.created_at
    rows, stated = documents(staged, thread, repo, standing, titled_at)
    return Derived(
        thread=thread,
        documents=rows,
        files=file_rows(staged, _clean),
        links=stated + closing_links(staged, thread, stated),
        commits=commit_rows(staged, thread.merge_sha, _clean),
        verdicts=verdict_rows(staged),
        events=events,
    )


def _clean(value: str) -> str:
    return strip_hidden(value)[0]
