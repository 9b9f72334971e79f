"""Files of labels."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable


@pytest.fixture
def labels(tmp_path: Path) -> Callable[..., Path]:
    """Writes a file of labels; what is no dictionary stands in it as it is."""

    def write(*rows: dict[str, Any] | bytes) -> Path:
        path = tmp_path / "labels.jsonl"
        lines = [each if isinstance(each, bytes) else json.dumps(each).encode() for each in rows]
        path.write_bytes(b"".join(line + b"\n" for line in lines))
        return path

    return write
