"""One question, one page of hits."""

from __future__ import annotations

from rows import NOW, History

from relore_serve.search.engine import search
from relore_serve.search.question import Question


def test_words_of_a_title_find_its_thread(history: History) -> None:
    repo = history.repo()
    history.thread(repo, 1, "Crash when the optional mask is missing", "It crashes.")
    history.thread(repo, 2, "Document the mask")
    history.fold()

    found = search(history.conn, Question("optional mask", repos=(repo,)), NOW)

    assert [hit.number for hit in found.hits] == [1]
