"""An index of titles and opening posts alone: of common words these are looked through first."""

from __future__ import annotations

from relore_assets.schema.raw import run_file

revision = "0011"
down_revision = "0010"


def upgrade() -> None:
    """Index them."""
    run_file(__file__)
