"""Answers as trees."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass

from relore_serve.json_tree import tree


@dataclass(frozen=True)
class _Leaf:
    name: str | None
    share: float


@dataclass(frozen=True, slots=True)
class _Answer:
    count: int
    exact: bool
    leaves: tuple[_Leaf, ...]
    named: dict[str, tuple[str, ...]]


def test_a_tree_is_the_json_of_its_dataclasses() -> None:
    """Down to the leaves, in tuples and in mappings, in the order of the fields."""
    answer = _Answer(2, True, (_Leaf("one", 0.5), _Leaf(None, 1.0)), {"file": ("a.py", "b.py")})
    assert json.dumps(tree(answer)) == json.dumps(asdict(answer))
