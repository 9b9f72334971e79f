"""Nothing passes the door that may not be kept."""

from __future__ import annotations

import pytest
import sample_archives as sample

from relore_assets.fetch.archives.found import PULL_FILES, Raw
from relore_assets.fetch.door import clean

TOKEN = "ghp_" + "Zq3Tx9Lm" * 4 + "Rv7K"


def raw(payload: sample.Payload, kind: str = "issue") -> Raw:
    return Raw(kind, "1", 1, payload, None, members=3)


def test_an_object_that_hides_nothing_passes_as_it_is() -> None:
    """With what it is filed under."""
    found = clean(raw(sample.ISSUE))
    assert (found.payload, found.redactions, found.replacements) == (sample.ISSUE, 0, 0)
    assert (found.kind, found.object_id, found.thread_number, found.members) == ("issue", "1", 1, 3)


def test_source_text_stays_outside() -> None:
    """A list of files keeps everything but its diffs; the archive's own object is left alone."""
    payload = {"number": 1, "items": [sample.changed("tide/table.py")]}
    found = clean(raw(payload, PULL_FILES))
    assert found.payload["items"] == [
        {"filename": "tide/table.py", "status": "modified", "additions": 1, "deletions": 1}
    ]
    assert "patch" in payload["items"][0]


@pytest.mark.parametrize("text", ["\ud83d", "a\x00b"], ids=["half-a-pair", "nul"])
def test_what_postgres_refuses_is_replaced_beside_a_secret_too(text: str) -> None:
    """Both are counted."""
    found = clean(raw({"title": f"{text} {TOKEN}"}))
    assert TOKEN not in found.payload["title"]
    assert "\ufffd" in found.payload["title"]
    assert (found.redactions, found.replacements) == (1, 1)
