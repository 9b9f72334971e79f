"""A history that is multiplied stays one history: every copy refers to itself, and rare names stay rare."""

from __future__ import annotations

import importlib.util
import json
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

_PROGRAM = Path(__file__).parents[2] / "benchmarks" / "scale.py"
_SHA = "1f" * 20


@pytest.fixture
def scale() -> ModuleType:
    """The generator, which is a program and no part of a package."""
    spec = importlib.util.spec_from_file_location("scale_benchmark", _PROGRAM)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


def _copied(scale: ModuleType, nth: int, payload: dict[str, Any]) -> dict[str, Any]:
    history = scale.History("octo/kit", frozenset({"frob_widget"}), 1_000)
    return json.loads(scale.Copy(nth, history).text(scale.Templates(history).of(payload)))


def test_the_first_copy_is_the_original(scale: ModuleType) -> None:
    """Byte by byte in every field."""
    payload = {"id": 7, "number": 3, "body": f"frob_widget fails since {_SHA}, see #2", "user": {"id": 9}}
    assert _copied(scale, 0, payload) == payload


def test_a_copy_has_ids_and_numbers_of_its_own(scale: ModuleType) -> None:
    """People keep theirs."""
    found = _copied(
        scale, 2, {"id": 7, "number": 3, "in_reply_to_id": 5, "user": {"id": 9, "login": "octocat"}}
    )
    assert found == {
        "id": 7 + 2 * scale.ID_STEP,
        "number": 2_003,
        "in_reply_to_id": 5 + 2 * scale.ID_STEP,
        "user": {"id": 9, "login": "octocat"},
    }


def test_references_stay_within_a_copy(scale: ModuleType) -> None:
    """Of its own repository, that is: another one's numbers are left alone."""
    text = (
        "see #2, https://github.com/octo/kit/pull/4#issuecomment-8 and https://github.com/octo/other/pull/4"
    )
    assert _copied(scale, 1, {"body": text})["body"] == (
        f"see #1002, https://github.com/octo/kit/pull/1004#issuecomment-{8 + scale.ID_STEP} "
        "and https://github.com/octo/other/pull/4"
    )


def test_a_rare_name_bears_a_suffix_and_a_common_one_does_not(scale: ModuleType) -> None:
    """In texts and in paths alike."""
    found = _copied(scale, 3, {"body": "`frob_widget(x)` in make_all", "path": "src/frob_widget.c"})
    assert found == {"body": "`frob_widgetk3(x)` in make_all", "path": "src/frob_widgetk3.c"}


def test_a_shortened_digest_stays_the_beginning_of_the_whole_one(scale: ModuleType) -> None:
    """And differs from that of the original."""
    found = _copied(scale, 5, {"sha": _SHA, "body": f"broken by {_SHA[:9]}"})
    assert found["sha"] != _SHA
    assert found["body"] == f"broken by {found['sha'][:9]}"
