"""Fills the tables: fetch, derive, authority, as Dagster assets and as the verbs of `relored`."""
