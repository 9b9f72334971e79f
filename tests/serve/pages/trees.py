"""Answers to render: the recorded replies, with what a test is about changed."""

from __future__ import annotations

import copy
import json
from pathlib import Path
from typing import Any

WIRE = Path(__file__).parents[2] / "wire"


def reply(name: str, **changes: Any) -> dict[str, Any]:
    """Return the payload of a recorded reply; ``changes`` go to its top level."""
    payload = json.loads((WIRE / f"{name}.json").read_text(encoding="utf-8"))["payload"]
    payload.pop("rendered", None)
    return {**payload, **changes}


def thread(name: str = "thread", **changes: Any) -> dict[str, Any]:
    """Return a recorded thread with fields changed."""
    payload = reply(name)
    payload["thread"] = {**payload["thread"], **changes}
    return payload


def comments(number: int, **changes: Any) -> list[dict[str, Any]]:
    """Return so many comments."""
    (one,) = reply("thread")["thread"]["comments"]
    return [{**copy.deepcopy(one), "id": str(100 + place), **changes} for place in range(number)]
