"""What the verb `mine` does: the asset's run, and the set's file."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

import psycopg

from relore_assets.fetch import repos
from relore_assets.mine import sets
from relore_assets.mine.mining import candidate_set
from relore_assets.runs.inprocess import run
from relore_assets.runs.verbs import known, opened
from relore_serve.database import store_errors

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from relore_assets.mine.example import Slice
    from relore_assets.settings import Settings


@dataclass(frozen=True, slots=True)
class MinedQuestions:
    """What is held after mining, by slice; whether the set's file changed."""

    repo: str
    counts: dict[str, int]
    leaking: int
    rows_written: int
    file_changed: bool


def mine(
    settings: Settings,
    repo: str,
    slices: Sequence[Slice],
    limit: int | None = None,
    *,
    out: Path | None = None,
    say: Callable[[str], object] | None = None,
) -> MinedQuestions:
    """Materialise ``candidates`` for a repository, and write the mined slices to ``out`` as a set named after it.

    Raises as :func:`relore_assets.runs.verbs.derive` does, and:
        FrozenSet, NotASet: ``out`` may not be written to; the candidates are mined all the same.
    """
    with opened(settings) as instance:
        name = known(instance, repo)
        finished = run(
            instance.definitions,
            instance.dagster,
            ["candidates"],
            command="mine",
            partition=name,
            config={"ops": {"candidates": {"config": {"slices": list(slices), "limit": limit or 0}}}},
            say=say,
        )
        with store_errors(), psycopg.connect(instance.database_url, autocommit=True) as conn:
            mined = candidate_set(conn, repos.known(conn, name), out.stem if out else name, slices)
    counts = Counter(example.slice for example in mined.examples)
    return MinedQuestions(
        repo=name,
        counts={each: counts[each] for each in slices},
        leaking=sum(example.leaks for example in mined.examples),
        rows_written=finished.rows_written(),
        file_changed=sets.write(out, mined) if out else False,
    )
