"""Runs the SQL of a migration as it stands in its file."""

from __future__ import annotations

from pathlib import Path

from alembic import op


def run_file(step: str) -> None:
    """Run the .sql file that stands beside the Python file ``step`` and carries its name.

    The text goes to the driver untouched: SQLAlchemy would read ``:word`` in a comment as a parameter.
    """
    text = Path(step).with_suffix(".sql").read_text(encoding="utf-8")
    driver = op.get_bind().connection.driver_connection
    assert driver is not None  # noqa: S101 - a bound connection has one
    driver.execute(text)
