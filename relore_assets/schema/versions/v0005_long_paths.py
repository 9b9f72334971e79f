"""Paths are told apart by digest: git allows longer ones than an index entry can hold."""

from __future__ import annotations

from relore_assets.schema.raw import run_file

revision = "0005"
down_revision = "0004"


def upgrade() -> None:
    """Replace the two indexes over whole paths."""
    run_file(__file__)
