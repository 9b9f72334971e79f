"""Signals know their thread, a text's words stay in its row, and threads are indexed by when they were opened."""

from __future__ import annotations

from relore_assets.schema.raw import run_file

revision = "0016"
down_revision = "0015"


def upgrade() -> None:
    """Write both tables anew."""
    run_file(__file__)
