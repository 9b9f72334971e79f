"""Bounds on what one search reads that belong to no ranking; all others are in `ranking`."""

from __future__ import annotations

TRIED_CANDIDATES = 200
"""Candidates of a near question that is only tried where one found nothing: fewer are counted exactly."""
TRIED_MATCHES = 1_000
"""Matches counted of such a question."""
TELLING_ERROR = 24
"""Characters of an error's message that are enough to know it by, when more was pasted than was reported."""
