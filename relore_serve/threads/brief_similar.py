"""Threads most like one, as `relore_serve.similar` finds them, without those that a brief lists anyway."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Self

from relore_serve.search.question import MAX_HITS
from relore_serve.similar import similar
from relore_serve.threads.brief_results import Evidence, Similar
from relore_serve.threads.brief_rows import SIMILAR, Pick, held

if TYPE_CHECKING:
    from collections.abc import Sequence

    from relore_serve.similar.results import Passage
    from relore_serve.threads.brief_rows import Asked, Heads


@dataclass(frozen=True, slots=True)
class AlikeFound:
    """Threads like one, before their heads are read."""

    picks: list[Pick]
    total: int
    total_exact: bool
    above: int

    @classmethod
    def of(cls, asked: Asked, above: Sequence[Pick]) -> Self:
        """Look for threads like the one asked about that none of the sections above list."""
        found = similar.read(
            asked.conn,
            asked.repo,
            asked.thread.number,
            visible=asked.visible,
            before=asked.before,
            exclude=asked.exclude,
            limit=MAX_HITS,
            compact=asked.compact,
            now=asked.now,
        )
        if found is None:
            return cls([], 0, total_exact=True, above=0)
        ids = held(asked.conn, asked.wide, [f"{one.repo}#{one.number}" for one in found.similar])
        listed = {pick.thread_id for pick in above}
        picks = [
            Pick(
                ids[place],
                "similar",
                duplicate=one.duplicate.direction if one.duplicate else None,
                evidence=_evidence(one.passage),
            )
            for place, one in enumerate(found.similar, start=1)
            if place in ids and ids[place] not in listed
        ]
        return cls(picks[:SIMILAR], found.candidates, not found.candidates_bounded, len(ids) - len(picks))

    def section(self, heads: Heads) -> Similar:
        """Return the section."""
        return Similar(
            threads=tuple(map(heads.listed, self.picks)),
            returned=len(self.picks),
            total=self.total,
            total_exact=self.total_exact,
            above=self.above,
        )


def _evidence(passage: Passage | None) -> Evidence | None:
    if passage is None:
        return None
    return Evidence(
        source_type=passage.source_type,
        source_id=passage.source_id,
        author=passage.author,
        trust=passage.trust,
        age=passage.age,
        date=passage.date,
        url=passage.url,
        path=None,
        line=None,
        snippet=passage.text,
        truncated=passage.truncated,
    )
