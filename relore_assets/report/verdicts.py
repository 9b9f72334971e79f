"""What the regression check says of a repository: one verdict per set that was measured."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from relore_assets.report import regression
from relore_assets.report.comparing import guarded
from relore_assets.report.runs import read, whole

if TYPE_CHECKING:
    from psycopg import Connection

    from relore_assets.fetch.repos import Repo
    from relore_assets.report.regression import Moved


@dataclass(frozen=True, slots=True)
class Verdict:
    """Of one set: whether it was held against an accepted run, what moved, what of that is worse, and all in words."""

    accepted: bool
    moved: tuple[Moved, ...]
    worse: tuple[Moved, ...]
    said: str


def of(conn: Connection, repo: Repo) -> list[Verdict]:
    """Hold the newest run of each set against the last run of it that was accepted."""
    verdicts: list[Verdict] = []
    for latest, accepted in guarded(read(conn, repo.id)):
        if accepted is None or accepted.run_id == latest.run_id:
            found = []
        else:
            found = regression.compare(whole(conn, repo.id, accepted), whole(conn, repo.id, latest))
        verdicts.append(
            Verdict(
                accepted=accepted is not None,
                moved=tuple(each for each in found if each.changed),
                worse=tuple(regression.worse(found)),
                said=f"{repo.full_name}, {latest.set_name}: {regression.told(accepted, latest, found)}",
            )
        )
    return verdicts
