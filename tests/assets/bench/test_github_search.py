"""GitHub's search as a system, against a GitHub of the test's own."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from benched import REPO, THEN, example
from fake_github import FakeGitHub

from relore_assets.bench.systems.github import LONGEST_QUERY, GitHubSearch, query
from relore_assets.bench.systems.system import Asked, asked
from relore_assets.fetch.github.client import GitHub
from relore_assets.fetch.github.tokens import PersonalToken
from relore_assets.mine.example import Example, Filters
from relore_serve.search.scope import Repo


@pytest.fixture
def searching(github: FakeGitHub) -> Iterator[GitHubSearch]:
    """GitHub's search over one repository, waiting by that GitHub's clock."""
    repo = github.world.repository(REPO)
    for number in range(1, 15):
        repo.issue(number, title=f"The winch jams, part {number}")
    repo.pull(20, title="Grease the winch so that it never jams", body="winch winch winch jams jams part")
    tokens = PersonalToken.parse(github.token, "GITHUB_TOKEN")
    with GitHub(github.url, tokens, sleep=github.clock.sleep, now=github.clock.time) as client:
        yield GitHubSearch(client)


def put(question: Example) -> Asked:
    return asked(question, Repo(1, REPO), {})


def test_withheld_threads_are_dropped_and_ten_are_left(searching: GitHubSearch, github: FakeGitHub) -> None:
    """As many more are asked for as are withheld, in one request."""
    found = searching.answer(put(example(1, "the winch jams", 20, withheld=[13, 14])))

    assert found.threads == (20, 12, 11, 10, 9, 8, 7, 6, 5, 4)
    assert [entry.query["per_page"] for entry in github.log.of("/search/issues")] == ["13"]


def test_what_has_a_cutoff_is_not_put_to_it(searching: GitHubSearch) -> None:
    """Nor is what withholds more than one of its pages could make up for."""
    assert searching.refuses(put(example(1, "jams", 20))) is None
    assert searching.refuses(put(example(1, "jams", 20, before=THEN))) == "the question has a cutoff"
    assert searching.refuses(put(example(1, "jams", 20, withheld=range(2, 100)))) is not None


@pytest.mark.parametrize(
    "words",
    [
        "winch -jams",
        "winch NOT jams",
        "winch is:pr",
        'winch "jams',
        "winch repo:harbor/moor",
        "winch author:ada",
    ],
)
def test_words_are_never_operators_or_qualifiers(searching: GitHubSearch, words: str) -> None:
    """What would narrow or turn the search around stands in quotes, and so finds only what says it."""
    asked_for = query(put(example(1, words, 20)))
    rest = asked_for.removeprefix(f"repo:{REPO} ")

    assert asked_for.startswith(f"repo:{REPO} winch")
    for word in rest.split():
        assert word.strip('"')
        assert not word.startswith("-")
        assert word.startswith('"') or (":" not in word and word not in {"AND", "OR", "NOT"})
    assert searching.answer(put(example(1, words, 20))).note is None


def test_the_query_stays_within_its_bound(searching: GitHubSearch) -> None:
    """What does not fit any more is left out, shorter words behind it are not."""
    long = " ".join(f"halyard{number:04}" for number in range(60))
    asked_for = query(put(example(1, f"{long} winch", 20, filters=Filters(errors=("E" * 300,)))))

    assert len(asked_for.removeprefix(f"repo:{REPO} ")) <= LONGEST_QUERY
    assert searching.answer(put(example(1, f"{long} winch", 20))).note is None


def test_facts_follow_the_words() -> None:
    """Errors by their longest literal run, tests and the first file in quotes."""
    filters = Filters(
        errors=("RuntimeError: the winch at 0x7ffd1234 jams in heavy weather",),
        tests=("tests/test_winch.py::test_it",),
        symbols=("Winch.turn",),
        files=("src/winch.py", "src/other.py"),
    )

    assert query(put(example(1, "why", 20, filters=filters))).split(" ", 2)[2] == (
        '"jams in heavy weather" "tests/test_winch.py::test_it" Winch.turn "src/winch.py"'
    )


def test_its_own_quota_is_waited_for(searching: GitHubSearch, github: FakeGitHub) -> None:
    """Thirty a minute: the thirty-first question waits for the next, and is answered."""
    found = [searching.answer(put(example(1, f"winch part {number}", 20))) for number in range(31)]

    assert all(each.note is None for each in found)
    assert 0 < sum(github.clock.slept) < 120
    assert github.log.count("/search/issues", status=200) == 31


def test_what_github_rejects_is_an_empty_answer_with_a_note(
    searching: GitHubSearch, github: FakeGitHub
) -> None:
    """One question of many: the others are still answered."""
    github.fault("/search/issues", status=422, times=1)
    first, second = (searching.answer(put(example(1, "winch", 20))) for _ in range(2))

    assert (first.threads, first.note) == ((), "GitHub rejected the query")
    assert second.threads
