"""An index of labels as they are asked for: in any case."""

from __future__ import annotations

from relore_assets.schema.raw import run_file

revision = "0012"
down_revision = "0011"


def upgrade() -> None:
    """Index them."""
    run_file(__file__)
