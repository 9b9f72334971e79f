"""What standing needs beyond a name: permissions as they changed, and texts that are a machine's whoever sent them."""

from __future__ import annotations

from relore_assets.schema.raw import run_file

revision = "0003"
down_revision = "0002"


def upgrade() -> None:
    """Add the columns."""
    run_file(__file__)
