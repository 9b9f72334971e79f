"""What the regression check says of a repository: a verdict per set, and per run that measured some ranking last."""

from __future__ import annotations

from collections import Counter
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
    """Hold each ranking's newest run over each set against the last run over it in which it was accepted."""
    verdicts: list[Verdict] = []
    held = guarded(read(conn, repo.id))
    sets = Counter(each.latest.set_digest for each in held)
    for each in held:
        latest, accepted = each.latest, each.accepted
        if accepted is None or accepted.run_id == latest.run_id:
            found = []
        else:
            found = regression.compare(
                whole(conn, repo.id, accepted), whole(conn, repo.id, latest), each.systems
            )
        # Not all rankings of a set were measured last in the same run.
        named = f" ({', '.join(each.systems)})" if sets[latest.set_digest] > 1 else ""
        verdicts.append(
            Verdict(
                accepted=accepted is not None,
                moved=tuple(one for one in found if one.changed),
                worse=tuple(regression.worse(found)),
                said=f"{repo.full_name}, {latest.set_name}{named}: {regression.told(accepted, latest, found)}",
            )
        )
    return verdicts
