"""The benchmark: questions from the record, frozen sets, judgements and runs."""

from __future__ import annotations

from relore_assets.schema.raw import run_file

revision = "0014"
down_revision = "0013"


def upgrade() -> None:
    """Add the tables."""
    run_file(__file__)
