"""What the verb `judge` does with a repository's candidates: the asset's run."""

from __future__ import annotations

from typing import TYPE_CHECKING

from relore_assets.judge.judging import NothingToJudge
from relore_assets.runs.inprocess import Finished, run
from relore_assets.runs.verbs import known, opened

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from relore_assets.judge.fold import Judge
    from relore_assets.settings import Settings


def judge(
    settings: Settings,
    repo: str,
    set_name: str,
    *,
    labels: Path | None = None,
    judged_by: Judge | None = None,
    freeze: bool = False,
    say: Callable[[str], object] | None = None,
) -> Finished:
    """Materialise ``judgements`` for a repository; ``say`` is told what became of set and labels.

    Raises as :func:`relore_assets.runs.verbs.derive` does, and:
        NothingToJudge: the set is frozen already, or nothing would change it.
    """
    config = {
        "set_name": set_name,
        "labels": str(labels.absolute()) if labels else "",
        "judged_by": judged_by or "",
        "freeze": freeze,
    }
    with opened(settings) as instance:
        name = known(instance, repo)
        finished = run(
            instance.definitions,
            instance.dagster,
            ["judgements"],
            command="judge",
            partition=name,
            config={"ops": {"judgements": {"config": config}}},
            say=say,
        )
    if not finished.rows_written():
        raise NothingToJudge(
            f"There was nothing to do for the set {set_name} of {name}: it is frozen, or it is what it was. Mine first "
            "(relored mine), bring labels, or make a set of another name (--name)."
        )
    return finished
