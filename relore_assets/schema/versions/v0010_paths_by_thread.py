"""The newest threads on a path, and the pull requests whose diff is not known whole, each from an index."""

from __future__ import annotations

from relore_assets.schema.raw import run_file

revision = "0010"
down_revision = "0009"


def upgrade() -> None:
    """Put threads into the index of paths, and index what cannot be tried by a path."""
    run_file(__file__)
