"""What cannot be told as of then is named by every answer with a cutoff, and by no other."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

import pytest
from rows import NOW

from relore_assets.precedents.build import build
from relore_serve.as_of.judged import REASONS, TODAY
from relore_serve.precedents.find import find
from relore_serve.precedents.question import PrecedentQuestion
from relore_serve.search.engine import search
from relore_serve.search.question import Question
from relore_serve.similar.similar import read as similar
from relore_serve.threads.brief import read as brief
from relore_serve.threads.inflight import claims
from relore_serve.threads.results import ThreadView
from relore_serve.threads.thread import read

if TYPE_CHECKING:
    from psycopg import Connection
    from rows import History

    from relore_serve.search.scope import Repo

DISTANT = datetime(2099, 1, 1, tzinfo=UTC)


@pytest.fixture
def repo(history: History) -> Repo:
    repo = history.repo("harbor/tide")
    history.thread(repo, 1, "The quay sinks", "It sinks.", kind="pr", merged=True, at=NOW - timedelta(days=9))
    history.link(repo, 1, "closes", 2, stated_at=NOW - timedelta(days=9))
    history.fold()
    build(history.conn, repo.id)
    return repo


def told(conn: Connection, repo: Repo, before: datetime | None) -> dict[str, tuple[tuple[str, ...], str]]:
    """Return of each kind of answer what it names, and an age that it tells."""
    thread = read(conn, repo.id, 1, ThreadView(before=before), NOW)
    beside = brief(conn, repo, 1, visible=(), before=before, exclude=(), compact=False, now=NOW)
    alike = similar(conn, repo, 1, before=before, now=NOW)
    claimed = claims(conn, repo, 2, NOW, before=before)
    found = search(conn, Question("quay", repos=(repo,), before=before), NOW)
    work = find(conn, PrecedentQuestion(repos=(repo,), before=before), NOW)
    assert thread is not None
    assert beside is not None
    assert alike is not None
    return {
        "thread": (thread.judged_today, thread.age),
        "brief": (beside.judged_today, beside.thread.age),
        "similar": (alike.judged_today, "9d"),
        "inflight": (claimed.judged_today, claimed.claims[0].age),
        "search": (found.query.judged_today, found.hits[0].age),
        "precedent": (work.query.judged_today, "9d" if work.units[0].age == "8d" else work.units[0].age),
    }


def test_what_is_judged_by_todays_index_is_named(conn: Connection, repo: Repo) -> None:
    """A cutoff that is still to come makes nothing older than it is today."""
    answers = told(conn, repo, DISTANT)

    assert answers == dict.fromkeys(answers, (TODAY, "9d")) | {"precedent": ((*TODAY, REASONS), "9d")}
    assert told(conn, repo, None) == dict.fromkeys(answers, ((), "9d"))
