"""What happened to threads' heads, by date, and which fields of a head it does not explain."""

from __future__ import annotations

from relore_assets.schema.raw import run_file

revision = "0008"
down_revision = "0007"


def upgrade() -> None:
    """Add the table and the column; the next derive fills both."""
    run_file(__file__)
