"""Alembic runs this file for every command; connection, lock and transaction come from `migrations`."""

from __future__ import annotations

from alembic import context

from relore_assets.schema.migrations import VERSION_TABLE

context.configure(
    connection=context.config.attributes["connection"],
    version_table=VERSION_TABLE,
    version_table_schema="relore",
    transactional_ddl=True,
)
context.run_migrations()
