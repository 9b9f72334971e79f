"""Repositories, what GitHub said, and everything that is derived from it."""

from __future__ import annotations

from relore_assets.schema.raw import run_file

revision = "0001"
down_revision = None


def upgrade() -> None:
    """Create everything."""
    run_file(__file__)
