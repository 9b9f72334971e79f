"""Builds finished units of work from the derived tables, offline and in sets."""
