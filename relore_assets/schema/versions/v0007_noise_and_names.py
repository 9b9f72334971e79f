"""Texts that say nothing are known by a mark; words by any part of their spelling."""

from __future__ import annotations

from relore_assets.schema.raw import run_file

revision = "0007"
down_revision = "0006"


def upgrade() -> None:
    """Add the mark, and the index where the server has what it takes."""
    run_file(__file__)
