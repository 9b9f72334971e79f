"""From what systems answered, question by question, to what is in a table: means, intervals, comparisons.

Pure. Nothing is pooled that is not alike: what leaks has cells of its own, and the two parts of a set are kept apart
beside their sum.
"""

from __future__ import annotations

from dataclasses import replace
from itertools import groupby
from typing import TYPE_CHECKING

from relore_assets.bench.measures import COMPARED, percentile
from relore_assets.bench.results import POOLED, Cell, Comparison, Latency
from relore_assets.bench.statistics import holm, interval, paired
from relore_assets.mine.example import SLICES

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from relore_assets.bench.results import Result
    from relore_assets.bench.statistics import Paired

PARTS = ("fit", "held-out", "all")
_AVERAGED = (*COMPARED, "wasted", "empty")

_Key = tuple[str, str, bool]


def cells(
    answered: Mapping[str, Sequence[Result]], against: Mapping[str, Sequence[str]]
) -> dict[str, tuple[Cell, ...]]:
    """Return every system's cells, by system.

    Args:
        answered: results by system.
        against: by system, the systems that it is compared with. Comparisons of one measure in one part are one
            family: the more of them there are, the less each says. What leaks is not compared.
    """
    sorted_out = {system: _sorted_out(results) for system, results in answered.items()}
    compared = _compared(sorted_out, against)
    return {
        system: tuple(
            replace(_cell(key, results), versus=compared.get((system, key), {}))
            for key, results in by_cell.items()
        )
        for system, by_cell in sorted_out.items()
    }


def shared(answered: Mapping[str, Sequence[Result]]) -> dict[str, list[Result]]:
    """Return, by system, the results to those questions that every system was asked."""
    ids = [{result.id for result in results} for results in answered.values()]
    every = set[str]().union(*ids[:1]).intersection(*ids)
    return {
        system: [result for result in results if result.id in every] for system, results in answered.items()
    }


def _sorted_out(results: Iterable[Result]) -> dict[_Key, list[Result]]:
    """Return the results of each cell, cells in the order of tables; cells without a question are missing."""
    found: dict[_Key, list[Result]] = {}
    slices = {result.slice for result in results}
    for result in results:
        names = [result.slice]
        if len(slices) > 1 and not result.leaks:
            names.append(POOLED)
        for name in names:
            for part in (result.part, PARTS[-1]):
                found.setdefault((name, part, not result.leaks), []).append(result)
    return {key: found[key] for key in sorted(found, key=_place)}


def _place(key: _Key) -> tuple[bool, int, int]:
    slice_, part, leak_free = key
    places = [*SLICES, POOLED]
    return not leak_free, places.index(slice_), PARTS.index(part)


def _cell(key: _Key, results: Sequence[Result]) -> Cell:
    slice_, part, leak_free = key
    measures = {
        name: interval([value for value, _ in told], [group for _, group in told])
        for name in _AVERAGED
        if (
            told := [
                (value, result.group) for result in results if (value := _value(result, name)) is not None
            ]
        )
    }
    times = [result.milliseconds for result in results]
    latency = Latency(sum(times) / len(times), percentile(times, 0.5), percentile(times, 0.95))
    return Cell(slice_, part, leak_free, len(results), measures, latency)


def _value(result: Result, name: str) -> float | None:
    return float(result.empty) if name == "empty" else result.measures.get(name)


def _compared(
    sorted_out: Mapping[str, Mapping[_Key, Sequence[Result]]], against: Mapping[str, Sequence[str]]
) -> dict[tuple[str, _Key], dict[str, dict[str, Comparison]]]:
    """Return by system and cell, then by the other system and measure, how they differ; each pair is tested once."""
    found: list[tuple[tuple[str, str], str, _Key, str, Paired]] = []
    for system, other in _pairs(against):
        for key in sorted_out[system]:
            if not key[2] or key not in sorted_out[other]:
                continue
            for name in COMPARED:
                pair = _pair(sorted_out[system][key], sorted_out[other][key], name)
                if pair is not None:
                    found.append(((key[1], name), system, key, other, pair))
    told: dict[tuple[str, _Key], dict[str, dict[str, Comparison]]] = {}
    found.sort(key=lambda each: each[0])
    for (_, name), family in groupby(found, key=lambda each: each[0]):
        members = list(family)
        for (_, system, key, other, pair), p_holm in zip(
            members, holm([pair.p for *_, pair in members]), strict=True
        ):
            one = Comparison(pair.n, pair.difference, pair.low, pair.high, pair.p, p_holm)
            told.setdefault((system, key), {}).setdefault(other, {})[name] = one
            if system in against.get(other, ()):
                turned = replace(one, difference=-one.difference, low=-one.high, high=-one.low)
                told.setdefault((other, key), {}).setdefault(system, {})[name] = turned
    return told


def _pairs(against: Mapping[str, Sequence[str]]) -> list[tuple[str, str]]:
    """Return what is compared with what, no two systems twice."""
    found: dict[frozenset[str], tuple[str, str]] = {}
    for system, others in against.items():
        for other in others:
            found.setdefault(frozenset((system, other)), (system, other))
    return list(found.values())


def _pair(one: Sequence[Result], other: Sequence[Result], name: str) -> Paired | None:
    groups = {result.id: result.group for result in one}
    values = {result.id: value for result in one if (value := _value(result, name)) is not None}
    others = {result.id: value for result in other if (value := _value(result, name)) is not None}
    return paired(values, others, groups) if values.keys() & others.keys() else None
