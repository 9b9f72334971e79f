"""Standing as it was known earlier, beside that of today."""

from __future__ import annotations

from relore_assets.schema.raw import run_file

revision = "0015"
down_revision = "0014"


def upgrade() -> None:
    """Add the table, and two columns of documents."""
    run_file(__file__)
