"""Mines a repository's questions, slice by slice, and makes ``candidates`` equal to what was found."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Final

from psycopg.types.json import Jsonb

from relore_assets.derive.derive import RULE_VERSIONS
from relore_assets.errors import ReloreError
from relore_assets.mine import answered, closing, comparisons, duplicates, failures, rationales, tracebacks
from relore_assets.mine.example import (
    SELF_EVIDENT,
    TO_JUDGE,
    Example,
    Slice,
    from_json,
    to_json,
)
from relore_assets.mine.leaks import leak
from relore_assets.mine.sets import Corpus, ExampleSet
from relore_assets.mine.source import SQL, Mined, Source

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from psycopg import Connection

    from relore_assets.fetch.repos import Repo

#: Of the rules of mining: raised whenever the same history yields other questions.
VERSION: Final = 5

#: Questions of a slice at most. Somebody has to read those that are to be judged.
LIMIT_TO_JUDGE = 80
LIMIT_SELF_EVIDENT = 250

MINED: Final[tuple[Slice, ...]] = (*TO_JUDGE, *SELF_EVIDENT)

VERSIONS: Final[Mapping[str, int]] = {
    "signals": RULE_VERSIONS["signals"],
    "tokens": RULE_VERSIONS["tokens"],
    "derive": RULE_VERSIONS["derive"],
    "mine": VERSION,
}


class UnknownSlice(ReloreError):
    """A slice was named that nothing mines."""

    exit_code = 2


@dataclass(frozen=True, slots=True)
class Outcome:
    """What is held after mining.

    Attributes:
        counts: questions by slice, of the slices that were mined.
        leaking: how many of them leak, by slice.
        written: rows written or removed.
    """

    counts: dict[str, int] = field(default_factory=dict[str, int])
    leaking: dict[str, int] = field(default_factory=dict[str, int])
    written: int = 0


#: What yields each slice's questions. Those with a score are chosen by it, the others by their ids, which is by chance
#: but always the same: as history grows, little is exchanged.
_MINERS: tuple[tuple[tuple[Slice, ...], Callable[[Source], Iterable[Example | Mined]]], ...] = (
    (("failure",), failures.mine),
    (("precedent",), comparisons.mine),
    (("rationale",), rationales.mine),
    (("closing-title", "closing-text"), closing.of_today),
    (("closing",), closing.of_then),
    (("duplicate",), duplicates.mine),
    (("answered",), answered.mine),
    (("traceback",), tracebacks.mine),
)


def checked_slices(names: Sequence[str]) -> tuple[Slice, ...]:
    """Return the slices of these names in their order; all for none.

    Raises:
        UnknownSlice: one of them is none that is mined.
    """
    unknown = sorted(set(names) - set(MINED))
    if unknown:
        raise UnknownSlice(f"{unknown[0]!r} is no slice: name some of {', '.join(MINED)}.")
    return tuple(name for name in MINED if name in names or not names)


def find(
    source: Source, slices: Sequence[Slice] = MINED, limit: int | Mapping[str, int] | None = None
) -> list[Example]:
    """Return the questions of some slices, in order of id, each with what leaks of it; nothing is written.

    Args:
        source: the repository.
        slices: of `MINED`.
        limit: questions per slice, or by slice; where it says nothing, `LIMIT_TO_JUDGE` and `LIMIT_SELF_EVIDENT` do.
    """
    chosen: list[Example] = []
    for yielded, miner in _MINERS:
        wanted: list[Slice] = [name for name in yielded if name in slices]
        if not wanted:
            continue
        ranked: dict[str, tuple[float, Example]] = {}
        for each in miner(source):
            score, example = each if isinstance(each, Mined) else (0.0, each)
            if example.id not in ranked or ranked[example.id][0] < score:
                ranked[example.id] = (score, example)
        for name in wanted:
            most = _limit(name, limit)
            of_slice = [pair for pair in ranked.values() if pair[1].slice == name]
            of_slice.sort(key=lambda pair: (-pair[0], pair[1].id))
            chosen += [example for _, example in of_slice[:most]]
    told = [_told(source, example) for example in chosen]
    return sorted(told, key=lambda example: example.id)


def mine(
    conn: Connection,
    repo: Repo,
    slices: Sequence[Slice] = MINED,
    limit: int | Mapping[str, int] | None = None,
) -> Outcome:
    """Mine some slices anew and write what differs, in one transaction; a second time nothing is.

    Candidates of other slices stay as they are.
    """
    with conn.transaction():
        conn.execute(SQL["lock"], {"repo_id": repo.id})
        examples = find(Source(conn, repo.id, repo.full_name), slices, limit)
        written = _write(conn, repo.id, slices, examples)
        total = conn.execute(
            "SELECT count(*) FROM relore.candidates WHERE repo_id = %s", (repo.id,)
        ).fetchone()
        conn.execute(SQL["record"], {"repo_id": repo.id, "number": total[0] if total else 0})
    counts = Counter(example.slice for example in examples)
    leaking = Counter(example.slice for example in examples if example.leaks)
    return Outcome({name: counts[name] for name in slices}, {name: leaking[name] for name in slices}, written)


def candidates(conn: Connection, repo: Repo, slices: Sequence[Slice] = MINED) -> list[Example]:
    """Return the candidates that are held of some slices, in order of id."""
    rows = conn.execute(SQL["held"], {"repo_id": repo.id, "slices": list(slices)})
    return [from_json(body) for _, _, body in rows]


def candidate_set(conn: Connection, repo: Repo, name: str, slices: Sequence[Slice] = MINED) -> ExampleSet:
    """Return the candidates that are held of some slices as a set that is not frozen."""
    row = conn.execute(SQL["corpus"], {"repo_id": repo.id}).fetchone()
    threads, documents, since, until = row or (0, 0, None, None)
    return ExampleSet(
        name=name,
        repo=repo.full_name,
        corpus=Corpus(threads, documents, since, until),
        versions=VERSIONS,
        examples=tuple(candidates(conn, repo, slices)),
    )


def _limit(slice_: Slice, limit: int | Mapping[str, int] | None) -> int:
    if isinstance(limit, int):
        return limit
    return (limit or {}).get(slice_, LIMIT_TO_JUDGE if slice_ in TO_JUDGE else LIMIT_SELF_EVIDENT)


def _told(source: Source, example: Example) -> Example:
    why = leak(source.conn, source.repo_id, example)
    return replace(example, leaks=True, leak=why) if why else example


def _write(conn: Connection, repo_id: int, slices: Sequence[Slice], examples: Sequence[Example]) -> int:
    scope: dict[str, Any] = {
        "repo_id": repo_id,
        "slices": list(slices),
        "ids": [example.id for example in examples],
    }
    removed = conn.execute(SQL["remove"], scope).rowcount
    rows = [_row(example) for example in examples]
    written = conn.execute(
        SQL["write"],
        {
            "repo_id": repo_id,
            "rows": Jsonb(rows),
            "mined_with": ", ".join(f"{rule} {version}" for rule, version in VERSIONS.items()),
        },
    ).rowcount
    return removed + written


def _row(example: Example) -> dict[str, Any]:
    body = to_json(example)
    return {
        "id": example.id,
        "slice": example.slice,
        "question": {"query": body["query"], "filters": body["filters"]},
        "asked_at": body["asked"]["at"],
        "body": body,
    }
