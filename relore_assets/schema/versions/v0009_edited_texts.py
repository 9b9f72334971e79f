"""Ways to the texts that were edited, which a question with a cutoff cannot be tried on."""

from __future__ import annotations

from relore_assets.schema.raw import run_file

revision = "0009"
down_revision = "0008"


def upgrade() -> None:
    """Add the index."""
    run_file(__file__)
