"""What of a set is put to systems: nothing that nobody could find, and what leaks is told apart."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING

from benched import REPO, THEN, example, example_set

from relore_assets.bench import corpus, sets
from relore_assets.bench.questions import choose
from relore_assets.mine.example import Answer

if TYPE_CHECKING:
    from psycopg import Connection
    from rows import History

    from relore_assets.bench.questions import Chosen
    from relore_assets.mine.example import Example

LONG = "the mooring line parts whenever the ferry passes close by the pier at low tide and the bollard turns with it"


def chosen(reader: Connection, history: History, *examples: Example) -> Chosen:
    history.fold()
    history.conn.commit()
    repo = corpus.Repo(history.conn.execute("SELECT id FROM relore.repos").fetchone()[0], REPO)
    return choose(reader, example_set(*examples), corpus.read(reader, repo))


def test_what_nobody_could_find_is_left_out_and_named(reader: Connection, history: History) -> None:
    """Without a judged answer, with none that is indexed, with none that is shown, with none by the cutoff."""
    repo = history.repo(REPO)
    history.thread(repo, 1, "It jams", at=THEN)
    history.thread(repo, 2, "Grease it", kind="pr", merged=True, at=THEN + timedelta(days=3))
    good = example(1, "jams", 2)
    unjudged = example(1, "jams one", Answer(2, "proposed"), slice_="precedent")
    gone = example(1, "jams two", 77)
    withheld = example(1, "jams three", 2, withheld=[2])
    younger = example(1, "jams four", 2, before=THEN + timedelta(days=1))

    found = chosen(reader, history, good, unjudged, gone, withheld, younger)

    assert [put.asked.example.id for put in found.put] == [good.id]
    assert found.left_out == {
        "nobody has judged a thread to answer it": (unjudged.id,),
        "no thread that answers it is indexed": (gone.id,),
        "every thread that answers it is withheld": (withheld.id,),
        "every thread that answers it is younger than its cutoff": (younger.id,),
    }


def test_what_was_forgotten_does_not_come_back_from_a_file(reader: Connection, history: History) -> None:
    """Its words would stand in the results."""
    repo = history.repo(REPO)
    history.thread(repo, 2, "Grease it", kind="pr", merged=True, at=THEN)
    history.conn.execute(
        "INSERT INTO relore.tombstones VALUES (%s, 'thread', '1', 1, 'forgotten', now())", [repo.id]
    )
    asked = example(1, "jams", 2)

    found = chosen(reader, history, asked)

    assert found.put == ()
    assert found.left_out == {"what it is made of was forgotten on request": (asked.id,)}


def test_answers_that_are_not_indexed_are_not_missed(reader: Connection, history: History) -> None:
    """Recall is of the threads that could be found."""
    repo = history.repo(REPO)
    history.thread(repo, 1, "It jams", at=THEN)
    history.thread(repo, 2, "Grease it", kind="pr", merged=True, at=THEN)

    [put] = chosen(reader, history, example(1, "jams", 2, 77)).put

    assert (put.relevant, put.leak) == ((2,), "")


def test_a_leak_that_is_planted_in_a_set_is_found(reader: Connection, history: History) -> None:
    """The answer's text stands in the thread that asks: the set says nothing of it, and the question counts apart."""
    repo = history.repo(REPO)
    history.thread(repo, 1, "It parts", f"It is known that {LONG}.", at=THEN)
    history.thread(repo, 2, "Another line", f"Since {LONG}, use another.", kind="pr", merged=True, at=THEN)
    history.thread(repo, 3, "It slips", "Our knot slips.", at=THEN)
    history.thread(repo, 4, "Another knot", "Use a bowline.", kind="pr", merged=True, at=THEN)
    planted = example(1, "It parts", 2, source_type="body")
    honest = example(3, "It slips", 4, source_type="body")

    found = {put.asked.example.id: put.leak for put in chosen(reader, history, planted, honest).put}

    assert not planted.leaks
    assert "#2" in found[planted.id]
    assert found[honest.id] == ""


def test_what_a_set_calls_a_leak_is_believed(reader: Connection, history: History) -> None:
    """Though nothing shows it."""
    repo = history.repo(REPO)
    history.thread(repo, 1, "It jams", at=THEN)
    history.thread(repo, 2, "Grease it", kind="pr", merged=True, at=THEN)

    [put] = chosen(reader, history, example(1, "jams", 2, leaks=True)).put

    assert put.leak == "it is said so"


def test_a_file_is_told_from_a_name() -> None:
    """By its ending or a separator: a set's name has neither."""
    assert [sets.is_file(each) for each in ("record", "made.jsonl", "./made", "kept/made")] == [
        False,
        True,
        True,
        True,
    ]
