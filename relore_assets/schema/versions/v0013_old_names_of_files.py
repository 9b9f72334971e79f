"""An index of what renamed files were called."""

from __future__ import annotations

from relore_assets.schema.raw import run_file

revision = "0013"
down_revision = "0012"


def upgrade() -> None:
    """Index them."""
    run_file(__file__)
