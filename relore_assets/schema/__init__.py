"""The shape of the database: `schema.sql` is the whole of it, `versions` the steps that lead there.

A change of the shape is a new step in `versions`, with its SQL beside it, and the same change in
`schema.sql`; a test holds the two together.
"""

from relore_assets.schema.migrations import HEAD, MigrationError, Upgrade, current, upgrade

__all__ = ["HEAD", "MigrationError", "Upgrade", "current", "upgrade"]
