"""How fast a run goes with what it counts now; ways to the newest run of each pass, however many runs are kept."""

from __future__ import annotations

from relore_assets.schema.raw import run_file

revision = "0004"
down_revision = "0003"


def upgrade() -> None:
    """Add the column and the indexes."""
    run_file(__file__)
