"""Finished units of work, and what belongs to each."""

from __future__ import annotations

from relore_assets.schema.raw import run_file

revision = "0006"
down_revision = "0005"


def upgrade() -> None:
    """Add the tables."""
    run_file(__file__)
