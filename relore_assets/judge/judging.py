"""Judging: labels folded into a set that is kept in a file, in rows, or both, and frozen where that is asked for."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Final

from relore_assets.errors import ReloreError
from relore_assets.judge import frozen
from relore_assets.judge.fold import Folded, fold
from relore_assets.judge.labels import Read, read
from relore_assets.mine import sets
from relore_assets.mine.mining import candidate_set
from relore_assets.mine.sets import FrozenSet

if TYPE_CHECKING:
    from datetime import datetime
    from pathlib import Path

    from psycopg import Connection

    from relore_assets.fetch.repos import Repo
    from relore_assets.judge.fold import Judge
    from relore_assets.mine.sets import ExampleSet

#: The set that is made where nobody names one.
RECORD: Final = "record"

_NO_LABELS: Final = Read((), {})


class NothingToJudge(ReloreError):
    """Neither a verdict nor a freezing would change the set."""

    exit_code = 2


@dataclass(frozen=True, slots=True)
class Judged:
    """What came of judging.

    Attributes:
        held: the set as it is now.
        folded: what became of the labels; None where the set was frozen before, and they were not looked at.
        written: rows written.
        new_since: of a set that was frozen before, ids of candidates with an answer that came later.
    """

    held: ExampleSet
    folded: Folded | None = None
    written: int = 0
    new_since: tuple[str, ...] = field(default=())


def judge_candidates(
    conn: Connection,
    repo: Repo,
    name: str = RECORD,
    *,
    labels: Path | None = None,
    judged_by: Judge | None = None,
    freeze: bool = True,
    now: datetime,
) -> Judged:
    """Make a set of all candidates of a repository that somebody or the record has judged; of rows alone.

    A set that is frozen already is read, checked and left as it is. Without a judged candidate nothing is written.

    Args:
        conn: a session of the owner.
        repo: the repository.
        name: of the set.
        labels: a file of labels to fold.
        judged_by: fold labels of one kind of judge only.
        freeze: whether it shall not change from now on.
        now: the moment of freezing.

    Raises:
        NoLabels: the file cannot be read.
        NotASet: a frozen set is not as it was kept.
    """
    mined = candidate_set(conn, repo, name)
    if frozen.is_frozen(conn, repo.id, name):
        held = frozen.load(conn, repo.id, name)
        known = {example.id for example in held.examples}
        new = [one.id for one in mined.examples if not one.needs_judging and one.id not in known]
        return Judged(held, new_since=tuple(new))
    folded, done = fold(read(labels) if labels else _NO_LABELS, mined, judged_by)
    judged = [one for one in folded.examples if any(answer.judged_by for answer in one.answers)]
    kept = {one.id for one in judged}
    done.unscored = [each for each in done.unscored if each in kept]
    to_keep = replace(folded, examples=tuple(judged))
    if not judged:
        return Judged(to_keep, done)
    if freeze:
        to_keep = sets.freeze(to_keep, now)
    held, written = frozen.keep(conn, repo.id, to_keep, done.verdicts)
    return Judged(held, done, written)


def judge_set(
    held: ExampleSet, labels: Path | None, judged_by: Judge | None = None, *, freeze: bool, now: datetime
) -> Judged:
    """Fold a file of labels into a set, and freeze it where that is asked for; nothing is written.

    Raises:
        FrozenSet: the set is frozen.
        NothingToJudge: it would stay what it is.
        NoLabels: the file cannot be read.
    """
    if held.frozen_at is not None:
        raise FrozenSet(
            f"The set {held.name} has been frozen since {held.frozen_at:%Y-%m-%d}, and does not change: judge one "
            "that is not, or mine a new one."
        )
    folded, done = fold(read(labels) if labels else _NO_LABELS, held, judged_by)
    if freeze:
        if len(done.unscored) == len(folded.examples):
            raise NothingToJudge(
                f"No question of the set {held.name} has an answer, so frozen it would measure nothing."
            )
        return Judged(sets.freeze(folded, now), done)
    if (folded.digest, folded.scored_by) == (held.digest, held.scored_by):
        left = sum(done.counts()[name] for name in ("elsewhere", "of_others", "narrowed", "ambiguous"))
        raise NothingToJudge(
            f"There is nothing to do: no label changes the set {held.name} ({left} were left out, "
            f"{len(done.unreadable)} lines cannot be read), and it was not to be frozen."
        )
    return Judged(folded, done)
