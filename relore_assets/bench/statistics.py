"""How far measured figures can be trusted: bootstrap intervals, paired tests, and what many tests at once cost.

Questions that one thread asks are not independent of each other (a title, and the same title with its text), so what
is drawn anew is the group, and all of a group's questions come with it. Every draw is seeded: the same figures give
the same interval. numpy is loaded when something is computed.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Hashable, Mapping, Sequence

    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

SEED = 20_240_229
RESAMPLES = 5_000
LEVEL = 0.95

#: Up to so many groups that differ, every way of swapping them is tried.
_EXACT = 12
#: Differences of means that are equal but for their rounding.
_ROUNDING = 1e-12


@dataclass(frozen=True, slots=True)
class Interval:
    """A mean over ``n`` questions, and between what it lies in 95 of 100 samples like this one."""

    mean: float
    low: float
    high: float
    n: int


@dataclass(frozen=True, slots=True)
class Paired:
    """How much better one system is than another on the ``n`` questions that both were asked.

    Attributes:
        difference: of the means; ``low`` and ``high`` bound it in 95 of 100 samples.
        p: how often a difference as large, in either direction, comes about where the two are as good as each other.
    """

    n: int
    difference: float
    low: float
    high: float
    p: float


def interval(
    values: Sequence[float],
    groups: Sequence[Hashable] | None = None,
    *,
    seed: int = SEED,
    resamples: int = RESAMPLES,
) -> Interval:
    """Return the mean of ``values`` and its percentile interval.

    Efron and Tibshirani (1994): An introduction to the bootstrap. https://doi.org/10.1201/9780429246593

    Args:
        values: one per question.
        groups: which group each belongs to; without them every question is one.
        seed: of the draws.
        resamples: how many draws.

    Raises:
        ValueError: there are no values.
    """
    if not values:
        raise ValueError("no values, so no mean of them")
    sums, counts = _by_group(values, groups)
    low, high = _bounds(_drawn_means(sums, counts, seed, resamples))
    return Interval(sum(values) / len(values), low, high, len(values))


def paired(
    one: Mapping[str, float],
    other: Mapping[str, float],
    groups: Mapping[str, Hashable] | None = None,
    *,
    seed: int = SEED,
    resamples: int = RESAMPLES,
) -> Paired:
    """Compare two systems on the questions that both have a value for.

    The test swaps the two systems' values of whole groups at random, and is exact where few differ.
    https://doi.org/10.1145/1321440.1321528

    Args:
        one: values by question.
        other: likewise; its mean is taken from the first's.
        groups: which group a question belongs to.
        seed: of the draws.
        resamples: how many draws.

    Raises:
        ValueError: no question has both.
    """
    shared = sorted(one.keys() & other.keys())
    if not shared:
        raise ValueError("no question that both were asked")
    differences = [one[key] - other[key] for key in shared]
    sums, counts = _by_group(differences, None if groups is None else [groups[key] for key in shared])
    low, high = _bounds(_drawn_means(sums, counts, seed, resamples))
    return Paired(len(shared), sum(differences) / len(shared), low, high, _probability(sums, seed, resamples))


def holm(probabilities: Sequence[float]) -> list[float]:
    """Return the p-values of one table corrected for their number, in the order given.

    Holm, S. (1979): A simple sequentially rejective multiple test procedure. https://www.jstor.org/stable/4615733
    """
    order = sorted(range(len(probabilities)), key=probabilities.__getitem__)
    corrected = [0.0] * len(probabilities)
    highest = 0.0
    for place, index in enumerate(order):
        highest = max(highest, min(1.0, (len(order) - place) * probabilities[index]))
        corrected[index] = highest
    return corrected


def _by_group(values: Sequence[float], groups: Sequence[Hashable] | None) -> tuple[Floats, Floats]:
    """Return, as arrays, the sum of each group's values and how many there are, in order of appearance."""
    import numpy as np  # noqa: PLC0415 - only what computes pays for it

    if groups is None:
        return np.asarray(values, dtype=float), np.ones(len(values))
    places: dict[Hashable, int] = {}
    sums: list[float] = []
    counts: list[int] = []
    for value, group in zip(values, groups, strict=True):
        place = places.setdefault(group, len(places))
        if place == len(sums):
            sums.append(0.0)
            counts.append(0)
        sums[place] += value
        counts[place] += 1
    return np.asarray(sums), np.asarray(counts, dtype=float)


def _drawn_means(sums: Floats, counts: Floats, seed: int, resamples: int) -> Floats:
    drawn = _draws(len(sums), seed, resamples)
    return (drawn @ sums) / (drawn @ counts)


@lru_cache(maxsize=16)
def _draws(size: int, seed: int, resamples: int) -> Floats:
    """Return, for each draw, how often each of ``size`` groups is in it; kept, since all systems share them."""
    import numpy as np  # noqa: PLC0415

    drawn = np.random.default_rng(seed).multinomial(size, np.full(size, 1 / size), size=resamples)
    return drawn.astype(float)


def _bounds(means: Floats) -> tuple[float, float]:
    import numpy as np  # noqa: PLC0415

    tail = (1 - LEVEL) / 2
    low, high = np.quantile(means, [tail, 1 - tail])
    return float(low), float(high)


def _probability(sums: Floats, seed: int, resamples: int) -> float:
    """Return how often swapping groups makes a difference at least as large as ``sums`` add up to."""
    import numpy as np  # noqa: PLC0415

    differing = sums[np.abs(sums) > _ROUNDING]
    size = len(differing)
    if not size:
        return 1.0
    observed = abs(float(differing.sum())) - _ROUNDING * size
    if size <= _EXACT:
        every = (np.arange(2**size, dtype=np.int64)[:, None] >> np.arange(size, dtype=np.int64)) & 1
        return float(np.mean(np.abs((every * 2 - 1) @ differing) >= observed))
    signs = np.random.default_rng(seed).integers(0, 2, size=(resamples, size)) * 2 - 1
    as_large = int(np.sum(np.abs(signs @ differing) >= observed))
    # The way that was observed is one of those that could have been.
    return (as_large + 1) / (resamples + 1)
