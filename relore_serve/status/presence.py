"""How a pass that works shows that it lives: by a lock of its session, or by signs that it gives.

Marks alone cannot tell a run that is under way from one that died. A pass over the tables therefore holds an
advisory lock of its class and repository for as long as it runs, and Postgres lets go of it when the session ends,
however it ends; a run that fetches writes down what it is doing every few seconds.
"""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

#: First number of a pass's advisory lock, four letters in ASCII; the second is the repository's id.
LOCK_CLASSES = {
    "import": 0x72696D70,  # rimp
    "fetch": 0x72666574,  # rfet
    "derive": 0x72646572,  # rder
    "embeddings": 0x72656D62,  # remb
}

#: What the statement `holders` takes besides repositories.
PARAMETERS: Mapping[str, object] = {"passes": list(LOCK_CLASSES), "classes": list(LOCK_CLASSES.values())}

SILENCE = timedelta(minutes=2)
"""A run that has given no sign for this long is taken for dead; one gives a sign every few seconds."""


def lives(
    ended_at: datetime | None, seen_at: datetime, waiting_until: datetime | None, now: datetime
) -> bool:
    """Return whether a fetching run is under way: it gave a sign lately, or said until when it would wait."""
    if ended_at is not None:
        return False
    return max(seen_at, waiting_until or seen_at) > now - SILENCE
