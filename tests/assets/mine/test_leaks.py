"""A question whose truth can be had without being found is told from one that has to be answered."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from made import NOW, days, example, example_set
from rows import History

from relore_assets.mine.example import Answer, Asked, Filters
from relore_assets.mine.leaks import leak
from relore_assets.mine.sets import freeze, read, write
from relore_serve.search.scope import Repo

WORDS = "the impeller seizes when cold water meets the shaft before the grease has settled in the bearing"
OTHER = "nobody had looked at the harbour wall since the storm took the lamp and the ladder with it last year"


def told(history: History, repo_id: int, **more: Any) -> str:
    """Say what leaks of a question asked by #1 and answered by #2."""
    return leak(history.conn, repo_id, example(more.pop("query", "Pump stalls"), **more))


def harbour(history: History, *, asking: str = OTHER, answering: str = WORDS, **more: Any) -> int:
    """Issue 1 with an opening post, and the pull request 2 that answers it."""
    repo = history.repo()
    history.thread(repo, 1, "Pump stalls", asking, at=days(40))
    history.thread(
        repo,
        2,
        "Restart it",
        answering,
        kind="pr",
        merged=True,
        **{"at": days(20), "trust": "authoritative", **more},
    )
    history.thread(repo, 3, "Something else", OTHER, at=days(15))
    return repo.id


def test_an_honest_question_does_not_leak(history: History) -> None:
    repo_id = harbour(history)
    assert told(history, repo_id) == ""
    assert told(history, repo_id, before=days(19)) == ""


@pytest.mark.parametrize(
    ("more", "says"),
    [
        ({"withheld": (1, 2)}, "#2, an answer, is withheld"),
        ({"before": days(20)}, "#2, an answer, is younger than the cutoff"),
        ({"before": days(21)}, "#2, an answer, is younger than the cutoff"),
        ({"answers": (Answer(9, "relevant", "record"),)}, "#9, an answer, is not indexed"),
        ({"answers": (Answer(2, "relevant", "human"), Answer(9, "decisive", "model"))}, "#9, an answer, is not"),
        ({"answers": (Answer(2, "proposed"),), "withheld": (1, 2)}, "#2, an answer, is withheld"),
    ],
)  # fmt: skip
def test_an_answer_that_cannot_be_found_is_named(history: History, more: dict[str, Any], says: str) -> None:
    assert told(history, harbour(history), **more).startswith(says)


def test_an_answer_of_which_nothing_may_be_shown_is_named(history: History) -> None:
    """Below the floor of the question's kind, or changed since the cutoff."""
    repo_id = harbour(history)
    history.conn.execute("UPDATE relore.documents SET updated_at = %s WHERE source_id = '2'", [days(1)])
    assert told(history, repo_id, before=days(10)) == "nothing of #2, an answer, may be shown"
    history.conn.execute("UPDATE relore.documents SET trust = 'reported' WHERE source_id = '2'")
    rationale = Filters(kind="rationale")
    assert told(history, repo_id, filters=rationale) == "nothing of #2, an answer, may be shown"


@pytest.mark.parametrize(
    ("answering", "leaks"),
    [
        (f"As reported: {WORDS}.", True),
        (f"> {WORDS}\n\nThis repairs it.", True),
        (f"It was said that {WORDS.upper().replace(' ', '  ')}!", True),
        ("> the impeller seizes when cold water\n\nRepaired.", True),  # a short run, but it is quoted
        ("I saw that the impeller seizes when cold water comes.", False),  # so few words in a row are chance
        (f"```\n{WORDS}\n```", False),  # that two threads paste the same failure is no leak
        (f"See https://x.test/{WORDS.replace(' ', '/')}", False),
    ],
)
def test_words_of_the_question_in_an_answer_leak(history: History, answering: str, *, leaks: bool) -> None:
    repo_id = harbour(history, answering=answering)
    assert told(history, repo_id, query=WORDS) == (
        "words of the question stand in #2, an answer" if leaks else ""
    )


def test_what_was_quoted_after_the_cutoff_does_not_leak(history: History) -> None:
    """It is not shown to who asks."""
    repo_id = harbour(history, answering=OTHER[:40])
    repo = Repo(repo_id, "acme/widgets")
    history.comment(repo, 2, f"> {WORDS}", at=days(5))

    assert told(history, repo_id, query=WORDS, before=days(10)) == ""
    assert told(history, repo_id, query=WORDS) == "words of the question stand in #2, an answer"


def test_a_question_asked_by_a_person_in_its_own_answer_leaks(history: History) -> None:
    """A machine's words are shown to nobody, so they give nothing away."""
    repo_id = harbour(history)
    repo = Repo(repo_id, "acme/widgets")
    inline: dict[str, Any] = {"source_type": "review_comment", "at": days(12)}
    by_person = history.comment(repo, 2, WORDS, **inline)
    by_machine = history.comment(repo, 2, WORDS, trust="machine", **inline)

    def asked_by(source_id: str) -> str:
        asked = Asked(2, "review_comment", source_id, "u", days(12))
        return told(history, repo_id, slice="rationale", number=2, asked=asked, withheld=())

    assert asked_by(by_person) == "a person asked it in #2, which answers it"
    assert asked_by(by_machine) == ""


def test_a_leaked_question_planted_in_a_frozen_set_is_caught(history: History, tmp_path: Path) -> None:
    """Its answer's text stands in its own withheld thread; the honest one beside it is left alone."""
    repo_id = harbour(history, asking=f"Somebody showed me this:\n\n> {WORDS}\n\nWhat is it?")
    planted = example("What stalls", asked=Asked(1, "body", "1", "u", days(40)))
    honest = example("Lamp", number=3, asked=Asked(3, "title", "3", "u", days(15)))
    path = tmp_path / "set.jsonl"
    write(path, freeze(example_set(planted, honest), NOW))

    found = {each.query: leak(history.conn, repo_id, each) for each in read(path).examples}

    assert found == {"What stalls": "words of #2, an answer, stand in the thread that asks", "Lamp": ""}


def test_what_was_said_after_the_question_does_not_make_it_leak(history: History) -> None:
    """The question cannot have been drawn from it."""
    repo_id = harbour(history)
    repo = Repo(repo_id, "acme/widgets")
    history.comment(repo, 1, f"> {WORDS}", at=days(5))
    assert told(history, repo_id, asked=Asked(1, "body", "1", "u", days(40))) == ""
