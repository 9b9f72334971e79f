"""What fetching over HTTP needs: activity, quota, permissions, samples, tombstones, and books to read status from."""

from __future__ import annotations

from relore_assets.schema.raw import run_file

revision = "0002"
down_revision = "0001"


def upgrade() -> None:
    """Add the tables."""
    run_file(__file__)
