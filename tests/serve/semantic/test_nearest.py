"""The nearest threads, as search is told of them: all that is in scope and nothing else, the likest first."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta

import pytest
from fake_encoder import FakeEncoder
from rows import NOW, History

from relore_serve.search.scope import Floor, Repo, Scope
from relore_serve.semantic.tier import Semantic
from relore_serve.semantic.vectors import LOOKED_AT

Embedded = Callable[[Repo], None]
CUTOFF = NOW - timedelta(days=10)
SINCE = NOW - timedelta(days=5)


@pytest.fixture
def repo(history: History, embedded: Embedded) -> Repo:
    """Five threads that are alike: of old, of late, edited since, renamed since, and of a maintainer."""
    repo = history.repo()
    history.thread(repo, 1, "Boat leaks badly, mostly")
    history.thread(repo, 2, "Boat leaks", "Lately.", at=SINCE)
    history.thread(repo, 3, "Boat leaks", "Edited.")
    history.thread(repo, 4, "Boat leaks", "Renamed.")
    history.thread(repo, 5, "Boat leaks", "It does.", trust="authoritative")
    for number, kind in ((3, "body"), (4, "title")):
        history.conn.execute(
            "UPDATE relore.documents d SET updated_at = %s FROM relore.threads t"
            " WHERE t.id = d.thread_id AND t.number = %s AND d.source_type = %s",
            [SINCE, number, kind],
        )
    other = history.repo("acme/boats")
    history.thread(other, 9, "Boat leaks badly")
    embedded(other)
    embedded(repo)
    return repo


def nearest(history: History, encoder: FakeEncoder, scope: Scope, most: int = 20) -> list[int]:
    """The numbers of the threads that are told."""
    numbers = dict(history.conn.execute("SELECT id, number FROM relore.threads").fetchall())
    found = Semantic(encoder).threads(history.conn, "boat leaks badly", scope, most)
    assert [each.likeness for each in found] == sorted((each.likeness for each in found), reverse=True)
    return [numbers[each.thread_id] for each in found]


def test_of_threads_that_are_in_scope_the_likest_comes_first(
    history: History, repo: Repo, encoder: FakeEncoder
) -> None:
    found = nearest(history, encoder, Scope((repo,)))

    assert found[0] == 1
    assert set(found) == {1, 2, 3, 4, 5}
    assert nearest(history, encoder, Scope((repo,)), most=2) == found[:2]


@pytest.mark.parametrize(
    ("bounds", "numbers"),
    [
        ({"before": CUTOFF}, {1, 5}),
        ({"since": CUTOFF}, {2}),
        ({"floor": Floor(("authoritative",))}, {5}),
        ({"floor": Floor(("machine",))}, set()),
    ],
    ids=["as it was", "of late", "of maintainers", "of machines"],
)
def test_bounds_hold(
    history: History, repo: Repo, encoder: FakeEncoder, bounds: dict, numbers: set[int]
) -> None:
    """What was edited since a cutoff is not known as it was then, in title or opening post."""
    assert set(nearest(history, encoder, replace(Scope((repo,)), **bounds))) == numbers


@pytest.mark.parametrize("bound", ["cutoff", "exclusions", "repository"])
def test_bounds_cost_no_thread_that_they_let_through(
    history: History, repo: Repo, encoder: FakeEncoder, embedded: Embedded, bound: str
) -> None:
    """Though more are likelier and out of scope than are compared by their numbers."""
    many = range(20, 20 + LOOKED_AT + 5)
    crowd = history.repo("acme/ferries") if bound == "repository" else repo
    for number in many:
        history.thread(crowd, number, "Boat leaks badly", at=SINCE)
    embedded(crowd)
    rows = history.conn.execute("SELECT number, id FROM relore.threads").fetchall()
    withheld = tuple(thread for number, thread in rows if number in {1, 2, 3, 4, *many})
    scope = {
        "cutoff": Scope((repo,), before=CUTOFF),
        "exclusions": Scope((repo,), withheld=withheld),
        "repository": Scope((repo,)),
    }[bound]

    assert nearest(history, encoder, scope, most=1) == [5 if bound == "exclusions" else 1]


def test_a_scope_without_repositories_holds_nothing(
    history: History, repo: Repo, encoder: FakeEncoder
) -> None:
    assert repo
    assert nearest(history, encoder, Scope(())) == []
