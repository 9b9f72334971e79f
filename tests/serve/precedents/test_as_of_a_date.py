"""Finished work as of a date: no fact of an edit since, of a withheld issue, or of an ending to come."""

from __future__ import annotations

from dataclasses import asdict
from datetime import timedelta
from typing import TYPE_CHECKING, Any

import pytest
from rows import NOW

from relore_assets.precedents.build import build
from relore_serve.pages import precedent
from relore_serve.pages.untrusted import scrub
from relore_serve.precedents.find import find
from relore_serve.precedents.question import PrecedentQuestion
from relore_serve.search.question import Exclusion

if TYPE_CHECKING:
    from psycopg import Connection
    from rows import History

    from relore_serve.precedents.results import PrecedentPage
    from relore_serve.search.scope import Repo

DAY = timedelta(days=1)
OPENED = NOW - 30 * DAY
ERROR = "TideError: the anchor chain is tangled in the rudder"


@pytest.fixture
def repo(history: History) -> Repo:
    """An issue that reports an error, and a pull request about it that was turned down after a day."""
    repo = history.repo("harbor/tide")
    history.thread(repo, 1, "Chain is tangled", ERROR, state="closed", at=OPENED)
    history.thread(
        repo, 2, "Untangle the chain", "Turn `capstan_turn` round.", kind="pr", state="closed", closed_by="keeper",
        at=OPENED,
    )  # fmt: skip
    history.link(repo, 2, "closes", 1, stated_at=OPENED)
    history.conn.execute(
        "UPDATE relore.threads SET closed_at = %s, updated_at = %s WHERE number = 1", [OPENED + 9 * DAY] * 2
    )
    history.conn.execute(
        "UPDATE relore.thread_events e SET at = %s FROM relore.threads t WHERE t.id = e.thread_id AND t.number = 1",
        [OPENED + 9 * DAY],
    )
    history.fold()
    build(history.conn, repo.id)
    return repo


def ask(conn: Connection, repo: Repo, **more: Any) -> PrecedentPage:
    return find(conn, PrecedentQuestion(repos=(repo,), **more), NOW)


def test_when_an_issue_will_be_closed_is_not_told(conn: Connection, repo: Repo) -> None:
    """The pull request was turned down first, so the issue belongs to it while it is open."""

    def issue(**bounds: Any) -> tuple[str, str | None]:
        (unit,) = ask(conn, repo, **bounds).units
        (related,) = unit.related
        return related.state, related.finished

    assert issue(before=OPENED + 3 * DAY) == ("open", None)
    assert issue(before=OPENED + 10 * DAY)[0] == "closed"
    assert issue(before=OPENED + 10 * DAY)[1] is not None
    assert issue() == issue(before=NOW)


def test_a_fact_that_an_edit_brought_is_none_of_before_the_edit(conn: Connection, repo: Repo) -> None:
    conn.execute("UPDATE relore.documents SET updated_at = %s WHERE body LIKE 'Turn %%'", [OPENED + 5 * DAY])

    def found(cutoff: int) -> int:
        return ask(conn, repo, symbols=("capstan_turn",), before=OPENED + cutoff * DAY).total

    assert (found(3), found(6)) == (0, 1)


def test_what_a_withheld_issue_reports_leads_to_no_unit(conn: Connection, repo: Repo) -> None:
    assert ask(conn, repo, errors=(ERROR,)).total == 1
    assert ask(conn, repo, errors=(ERROR,), exclude=(Exclusion(1),)).total == 0


def test_the_problem_is_that_of_an_issue_that_belonged_to_it_then(
    conn: Connection, history: History, repo: Repo
) -> None:
    """An issue that it names becomes its own with the issue's closing; before, and without, its own post is."""
    history.thread(repo, 3, "Grease the capstan", "It squeals. See #4.", kind="pr", merged=True, at=OPENED)
    history.thread(repo, 4, "Capstan squeals", "All night long.", state="closed", at=OPENED)
    history.link(repo, 3, "closes", 4, stated_at=OPENED)
    conn.execute("UPDATE relore.threads SET closed_at = %s WHERE number = 4", [OPENED + 9 * DAY])
    history.fold()
    build(conn, repo.id)

    def problem(**bounds: Any) -> str | None:
        unit = next(each for each in ask(conn, repo, **bounds).units if each.number == 3)
        return None if unit.problem is None else unit.problem.text

    assert problem() == problem(before=OPENED + 10 * DAY) == "All night long."
    assert problem(before=OPENED + 5 * DAY) == "It squeals. See #4."
    assert problem(exclude=(Exclusion(4),)) == "It squeals. See #4."


def test_work_that_was_closed_then_and_opened_again_since_is_counted(
    conn: Connection, history: History, repo: Repo
) -> None:
    """What it was then is not told, and that it is missing is said: its absence alone would tell what came of it."""
    history.thread(repo, 5, "Paint the anchor", kind="pr", merged=True, at=OPENED, updated_at=NOW)
    for name, day in (("closed", 2), ("reopened", 6)):
        history.event(repo, 5, name, at=OPENED + day * DAY)
    ended = [OPENED + 8 * DAY] * 2
    conn.execute("UPDATE relore.threads SET merged_at = %s, closed_at = %s WHERE number = 5", ended)
    # In order, as they are derived.
    conn.execute(
        "UPDATE relore.thread_events SET at = %s, position = position + 10"
        " WHERE event IN ('merged', 'closed') AND position < 2 AND thread_id = ("
        "SELECT id FROM relore.threads WHERE number = 5)",
        ended[:1],
    )
    history.fold()
    build(conn, repo.id)

    def counted(day: int, **bounds: Any) -> tuple[int, int]:
        page = ask(conn, repo, before=OPENED + day * DAY, **bounds)
        return page.reopened_since, page.units_total

    assert [counted(day) for day in (2, 3, 7, 9)] == [(0, 1), (1, 1), (0, 1), (0, 2)]
    assert counted(9, exclude=(Exclusion(5),)) == (0, 1)
    assert counted(3, exclude=(Exclusion(5),)) == (0, 1)
    assert ask(conn, repo).reopened_since == 0
    assert "1 pull request was closed then and opened again since" in rendered(
        ask(conn, repo, rejected=True, before=OPENED + 3 * DAY)
    )


def rendered(page: PrecedentPage) -> str:
    tree, removed = scrub(asdict(page))
    return precedent.render({**tree, "scrubbed": removed.as_dict()}, compact=False, presentation=False)
