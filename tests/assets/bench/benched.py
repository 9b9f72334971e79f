"""Questions and results as tests of the benchmark make them: invented, and as short as the case allows."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

from relore_assets.bench.results import Result
from relore_assets.mine.example import Answer, Asked, Example, Filters, Slice, identity
from relore_assets.mine.sets import Corpus, ExampleSet, freeze

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from rows import History

    from relore_serve.search.scope import Repo

REPO = "harbor/tide"
THEN = datetime(2024, 5, 1, tzinfo=UTC)
PARTS_OF_BOATS = ("halyard", "sheave", "gudgeon", "pintle", "winch", "cleat", "fairlead", "shackle")


def example(
    number: int,
    query: str,
    *answers: int | Answer,
    slice_: Slice = "closing-title",
    filters: Filters | None = None,
    withheld: Iterable[int] = (),
    before: datetime | None = None,
    at: datetime | None = None,
    source_type: str = "title",
    leaks: bool = False,
) -> Example:
    """A question that thread ``number`` asks; a bare answer is one that the record states."""
    filters = filters or Filters()
    return Example(
        id=identity(REPO, slice_, query, filters, number),
        slice=slice_,
        query=query,
        filters=filters,
        asked=Asked(number, source_type, str(number), f"https://github.test/{number}", at or THEN),
        withheld=tuple(sorted({number, *withheld})),
        before=before,
        answers=tuple(
            each if isinstance(each, Answer) else Answer(each, "relevant", "record") for each in answers
        ),
        leaks=leaks,
        leak="it is said so" if leaks else None,
    )


def example_set(*examples: Example, name: str = "made", frozen: bool = True) -> ExampleSet:
    """A set, frozen unless told."""
    held = ExampleSet(
        name, REPO, Corpus(0, 0), {"mine": 1}, tuple(sorted(examples, key=lambda each: each.id))
    )
    return freeze(held, datetime(2024, 6, 1, tzinfo=UTC)) if frozen else held


def result(
    key: str,
    *threads: int,
    slice_: str = "closing-title",
    part: str = "fit",
    leaks: bool = False,
    asked: int = 1,
    **measures: float,
) -> Result:
    """What a system answered to one question; measures are by their names, with _at_ for the @."""
    return Result(
        id=key,
        slice=slice_,
        part=part,
        leaks=leaks,
        judged_by="record",
        asked=asked,
        question=key,
        relevant=(9,),
        threads=threads,
        slots=(),
        milliseconds=1.0,
        measures={name.replace("_at_", "@"): value for name, value in measures.items()},
    )


def harbor(history: History, parts: Sequence[str] = PARTS_OF_BOATS) -> tuple[Repo, ExampleSet]:
    """Issues about parts of boats, each closed by a pull request of its title, and a frozen set that asks for these.

    Of each issue a comment on another thread says all its words too, at length: titles have to count for something.
    """
    repo = history.repo(REPO)
    history.thread(repo, 500, "Notes of the season", "What was said on the quay.")
    examples: list[Example] = []
    for place, part in enumerate(parts):
        issue, pull = 10 + 2 * place, 11 + 2 * place
        at = THEN + timedelta(hours=place)
        title = f"{part} jams in heavy weather"
        history.thread(repo, issue, title, f"Our {part} jams.", state="closed", at=at)
        history.thread(
            repo, pull, title, f"Fixes #{issue}", kind="pr", merged=True, files=(f"src/{part}.c",), at=at
        )
        history.comment(
            repo, 500, f"A {part} is a thing that jams in heavy weather. " * 3, at=at - timedelta(days=9)
        )
        examples.append(example(issue, title, pull, at=at))
    history.fold()
    history.conn.commit()
    return repo, example_set(*examples)
